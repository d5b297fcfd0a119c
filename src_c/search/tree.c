/* What cubeless and cubeful search have in common: the tree's constants and its choice of replies. */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "search/internal.h"

static uint64_t hash_net(const nd_net *net, uint64_t seed)
{
    const uint64_t hash = net ? nd_net_get_info(net)->hash : 0;
    return nd_hash(&hash, sizeof hash, seed);
}

/* Field by field: there is room between them. */
static uint64_t hash_set(const nd_cube_setting *set, const nd_filter *cubeful, uint64_t h)
{
    const nd_stakes *const s = set->stakes;
    const double numbers[] = {set->cube, s->max_cube, s->cap};
    const int32_t whole[] = {(int32_t)set->owner,  s->jacoby,    s->beavers,
                             s->raccoons,          s->own_needs, s->opp_needs,
                             (int32_t)s->crawford, !!s->met,     !!set->two};
    h = nd_hash(numbers, sizeof numbers, h);
    h = nd_hash(whole, sizeof whole, h);
    h = nd_hash(s->points, sizeof s->points, h);
    h = nd_hash(&set->efficiency, sizeof set->efficiency, h);
    h = nd_hash(cubeful, sizeof *cubeful, h);
    return s->met ? nd_hash(s->met, sizeof *s->met, h) : h;
}

/* All that a value in the tree depends on, but for the board: rules, nets, tables, options, worth
 * of the classes, stakes and cube, plies and the filters below. The kernel set is left out on
 * purpose. */
static void make_tags(nd_tree *t)
{
    const nd_evaluator *const ev = t->ev;
    const uint32_t rules[4] = {ev->rules->id, ev->rules->version, ev->bearoff != NULL,
                               ev->race ? (uint32_t)nd_long_race_points(ev->race) : 0};
    uint64_t h = nd_hash(rules, sizeof rules, 0);
    h = nd_hash(&ev->options, sizeof ev->options, h);
    for (int phase = 0; phase < ND_PHASES; phase++)
        h = hash_net(ev->small[phase], hash_net(ev->net[phase], h));
    h = nd_hash(ev->sift, sizeof ev->sift, h);
    if (t->set) h = hash_set(t->set, &t->plan->tree_cubeful, h);
    for (int side = 0; side < 2; side++) {
        uint64_t tag = nd_hash(t->points[side], sizeof t->points[side], h);
        if (t->set) tag = nd_hash(&side, sizeof side, tag);
        for (int n = 1; n <= ND_MAX_PLIES; n++) {
            tag = nd_hash(&t->plan->tree_select[n - 1], sizeof(nd_filter), tag);
            if (n > 1) tag = nd_hash(&t->plan->tree_promote[n - 1], sizeof(nd_filter), tag);
            t->tag[side][n] = tag ? tag : 1;
        }
    }
}

/* Worth of the classes to a side that has moved, in equity: slopes of the cube model for the other
 * side at an even position with a quarter of the games won double. */
static void slopes(nd_tree *t, int mover)
{
    enum { PART = 10 };
    const nd_stakes *const s = &t->stakes[1 - mover];
    const nd_owner owner = nd_cube_seen(t->owner, 1 - mover);
    const int n = s->outcomes, half = n / 2;
    double even[ND_MAX_OUTCOMES] = {0}, base = 0;
    for (int c = 0; c < n; c++)
        even[c] = c % half == 0 ? 0.37 : c % half == 1 ? 0.125 : 0.01 / (2 * half - 4);
    for (int c = -1; c < n; c++) {
        double p[ND_MAX_OUTCOMES] = {0};
        for (int k = 0; k < n; k++) p[k] = c < 0 ? even[k] : even[k] + ((k == c) - even[k]) / PART;
        const nd_mix mix = nd_mix_of(n, p);
        nd_cube_leaf leaf;
        nd_cube_leaf_set(&leaf, &t->ladder[1 - mover], &mix);
        const double value = nd_cube_leaf_value(&leaf, 0, owner, t->set->efficiency.contact, false);
        const double equity = nd_stakes_equity(s, t->set->cube, value);
        if (c < 0)
            base = equity;
        else
            t->points[mover][(c + half) % n] = (float)-(base + PART * (equity - base));
    }
}

nd_status nd_tree_begin(nd_tree *t, const nd_evaluator *ev, const nd_plan *plan, nd_search *s,
                        int plies, const nd_cube_setting *set)
{
    if (plies < 0 || plies > ND_MAX_PLIES) return ND_BAD_ARGUMENT;
    nd_status status = nd_plan_check(plan);
    if (status == ND_OK && set) status = nd_cube_setting_check(set, ev->rules);
    if (status != ND_OK) return status;
    *t = (nd_tree){.ev = ev, .plan = plan, .s = s, .set = set};
    if (set) {
        t->stakes[0] = *set->stakes;
        t->stakes[1] = nd_stakes_swap(set->stakes, &s->met);
        t->owner = set->owner == ND_CENTRE ? ND_NOBODY : set->owner == ND_OWN ? 0 : 1;
        t->endless = nd_stakes_turns(set->stakes, set->cube) < 0;
        for (int side = 0; side < 2; side++)
            nd_cube_ladder_make(&t->stakes[side], set->cube, &t->ladder[side]);
        for (int side = 0; side < 2; side++) slopes(t, side);
        for (int c = 0; c < ev->rules->outcomes; c++)
            t->settled[c] = (float)nd_stakes_equity(
                set->stakes, set->cube,
                nd_stakes_class(set->stakes, c, set->cube, set->owner != ND_CENTRE));
    } else {
        memcpy(t->points[0], ev->points, sizeof t->points[0]);
        memcpy(t->settled, ev->points, sizeof t->settled);
        nd_flip(ev->rules->outcomes, ev->points, t->points[1]);
        for (int c = 0; c < ev->rules->outcomes; c++) t->points[1][c] = -t->points[1][c];
    }
    if (plies < 2) return ND_OK;
    make_tags(t);
    const size_t entries = (size_t)plan->cache;
    if (s->cache && (entries == 0 || nd_cache_entries(s->cache) < entries)) {
        nd_cache_free(s->cache);
        s->cache = NULL;
    }
    if (entries && !s->cache && !(s->cache = nd_cache_new(entries))) return ND_NO_MEMORY;
    return ND_OK;
}

static int by_equity(const void *a, const void *b)
{
    const nd_candidate *x = a, *y = b;
    if (x->equity != y->equity) return x->equity > y->equity ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

size_t nd_promising(const nd_search *s, int roll, nd_filter f)
{
    nd_candidate *const order = s->candidate;
    if (f.keep == 1) {
        order[0].index = (int)nd_best_reply(s, roll);
        return 1;
    }
    const size_t n = nd_replies_count(&s->replies, roll);
    for (size_t k = 0; k < n; k++) {
        const size_t i = nd_reply_at(&s->replies, roll, k);
        order[k].index = (int)i;
        order[k].equity = s->equity[i];
    }
    qsort(order, n, sizeof *order, by_equity);
    size_t pass = 0;
    while (pass < n && nd_filter_passes(f, pass, order[pass].equity, order[0].equity)) pass++;
    return pass;
}

nd_status nd_frame_reserve(nd_frame *f, size_t n)
{
    if (n <= f->capacity) return ND_OK;
    if (!nd_grow(&f->board, n, sizeof *f->board)) return ND_NO_MEMORY;
    f->capacity = n;
    return ND_OK;
}
