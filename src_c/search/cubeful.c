#include "search/cubeful.h"

#include <math.h>

#include "search/internal.h"

/* Where the cube stands: 0 as at the root, 2 k - 1 + h turned k times and owned by side h. A turn
 * before the roll is at most three (double, beaver, raccoon), and there are at most 1 + ND_MAX_PLIES
 * chances to make it. */
enum { PLACES = 32 };

typedef uint32_t places; /* a set of them */

static int turns_of(int place) { return (place + 1) / 2; }

static int holder_of(const nd_tree *t, int place) { return place ? (place - 1) & 1 : t->owner; }

static double cube_of(const nd_tree *t, int place) { return ldexp(t->set->cube, turns_of(place)); }

/* A cube that is worth `scale` times another one in a place like it. */
typedef struct turned {
    int place;
    double scale;
} turned;

static turned turn(const nd_tree *t, int place, int times, int holder)
{
    const int k = turns_of(place) + times;
    if (t->endless) return (turned){1 + holder, ldexp(1, k - 1)};
    return (turned){2 * k - 1 + holder, 1};
}

/* Can `side`, on roll, gain anything by a double? */
static bool may_double(const nd_tree *t, int place, int side)
{
    return holder_of(t, place) != 1 - side &&
           nd_stakes_turns(&t->stakes[side], cube_of(t, place)) != 0;
}

/* The places from which a side on roll with the cube at `place` may have to roll. */
static places reached(const nd_tree *t, int place, int side)
{
    places set = 1u << place;
    const nd_cube_values offers = nd_cube_offers(&t->stakes[side], cube_of(t, place));
    if (!isnan(offers.pass)) set |= 1u << turn(t, place, 1, 1 - side).place;
    if (!isnan(offers.beaver_pass)) set |= 1u << turn(t, place, 2, 1 - side).place;
    if (!isnan(offers.raccoon_pass)) set |= 1u << turn(t, place, 3, 1 - side).place;
    return set;
}

static places all_reached(const nd_tree *t, places set, int side)
{
    places all = set;
    for (int place = 0; place < PLACES; place++)
        if (set >> place & 1 && may_double(t, place, side)) all |= reached(t, place, side);
    return all;
}

/* What `side`, on roll, may do, from what rolling is worth to it by place. */
static nd_cube_values values_at(const nd_tree *t, int place, int side, const nd_worth *worth)
{
    nd_cube_values v = nd_cube_offers(&t->stakes[side], cube_of(t, place));
    v.hold[nd_cube_seen(holder_of(t, place), side)] = worth[place].value;
    const struct {
        double excluded, *value;
    } lines[3] = {{v.pass, &v.take}, {v.beaver_pass, &v.beaver}, {v.raccoon_pass, &v.raccoon}};
    for (int k = 0; k < 3; k++) {
        if (isnan(lines[k].excluded)) break;
        const turned to = turn(t, place, k + 1, 1 - side);
        *lines[k].value = to.scale * worth[to.place].value;
    }
    return v;
}

static double decided_at(const nd_tree *t, int place, int side, const nd_worth *worth)
{
    if (!may_double(t, place, side)) return worth[place].value;
    const nd_cube_values v = values_at(t, place, side, worth);
    return nd_cube_decided(&v, nd_cube_seen(holder_of(t, place), side));
}

static double other_sides(const nd_tree *t, double value)
{
    return t->set->stakes->met ? 1 - value : -value;
}

/* ---- without look-ahead ------------------------------------------------------------------------ */

/* Is the position known, so that looking ahead says nothing new? */
static bool known(const nd_tree *t, const nd_board *b, nd_phase phase)
{
    if (nd_is_owed(b->own) || nd_is_owed(b->opp)) return phase == ND_PHASE_OVER;
    return phase == ND_PHASE_OVER || (phase == ND_PHASE_BEAROFF && t->set->two && t->endless &&
                                      nd_bearoff_index(b->own) < ND_BEAROFF_TWO_POSITIONS &&
                                      nd_bearoff_index(b->opp) < ND_BEAROFF_TWO_POSITIONS);
}

/* What the places of a set are worth to `side` on roll, from its chances: before its roll, or with
 * the best action of both sides before that if `decide`. */
static void static_worth(const nd_tree *t, const nd_board *b, int side, const float *chances,
                         places set, bool decide, nd_worth *out)
{
    const nd_stakes *const s = &t->stakes[side];
    const nd_phase phase = t->ev->rules->phase(b);
    const double x = nd_efficiency_of(&t->set->efficiency, phase, nd_pips(b->own));
    const int classes = s->outcomes;
    double p[ND_MAX_OUTCOMES];
    for (int c = 0; c < classes; c++) p[c] = (double)chances[c];
    if (nd_is_owed(b->own) || nd_is_owed(b->opp)) nd_share_draws(classes, p);
    const nd_mix mix = nd_mix_of(classes, p);
    const nd_cube_ladder *const ladder = &t->ladder[side];
    nd_cube_leaf leaf;
    nd_cube_leaf_set(&leaf, ladder, &mix);
    for (; set; set &= set - 1) {
        const int place = nd_lowest(set), turns = turns_of(place);
        memcpy(out[place].probability, chances, (size_t)classes * sizeof *chances);
        const nd_owner owner = nd_cube_seen(holder_of(t, place), side);
        if (phase == ND_PHASE_OVER) {
            const double *const worth =
                owner == ND_CENTRE ? ladder->centre : ladder->step[turns].worth;
            out[place].value = 0;
            for (int c = 0; c < classes; c++) out[place].value += p[c] * worth[c];
        } else if (known(t, b, phase)) {
            const nd_cube_values v =
                nd_exact_money(t->set->two, s, cube_of(t, place), nd_bearoff_index(b->own),
                               nd_bearoff_index(b->opp));
            out[place].value = decide ? nd_cube_decided(&v, owner) : v.hold[owner];
        } else {
            out[place].value = nd_cube_leaf_value(&leaf, turns, owner, x, decide);
        }
    }
}

/* ---- the tree ---------------------------------------------------------------------------------- */

static uint64_t tag_of(const nd_tree *t, int side, int plies, int place)
{
    return t->s->cache && t->tag[side][plies]
               ? t->tag[side][plies] + (uint64_t)place * 0x9E3779B97F4A7C15u
               : 0;
}

/* The best of the replies to one roll so far, by place, seen by the other side. */
typedef struct best {
    places have;
    nd_worth worth[PLACES];
} best;

/* `reply` holds what the other side's best action makes of a reply. */
static void keep_better(best *b, places want, const nd_worth *reply)
{
    for (int place = 0; place < PLACES; place++) {
        if (!(want >> place & 1)) continue;
        if (b->have >> place & 1 && reply[place].value >= b->worth[place].value) continue;
        b->worth[place] = reply[place];
    }
    b->have |= want;
}

static nd_status roll_worth(const nd_tree *t, const nd_board *board, int plies, int side,
                            places want, nd_worth *out);

/* The last ply: replies in s->board are judged already. */
static void best_static(const nd_tree *t, int roll, int side, places want, best *found)
{
    nd_search *const s = t->s;
    const size_t classes = (size_t)t->ev->rules->outcomes;
    const size_t n = nd_promising(s, roll, t->plan->tree_cubeful);
    for (size_t k = 0; k < n; k++) {
        nd_worth reply[PLACES];
        const size_t i = (size_t)s->candidate[k].index;
        static_worth(t, &s->board[i], 1 - side, s->value + i * classes, want, true, reply);
        keep_better(found, want, reply);
    }
}

static nd_status best_ahead(const nd_tree *t, const nd_board *replies, size_t n, int plies,
                            int side, places want, best *found)
{
    const places rolled = all_reached(t, want, 1 - side);
    for (size_t i = 0; i < n; i++) {
        nd_worth reply[PLACES];
        const nd_status status = roll_worth(t, &replies[i], plies, 1 - side, rolled, reply);
        if (status != ND_OK) return status;
        double decided[PLACES];
        for (int place = 0; place < PLACES; place++)
            if (want >> place & 1) decided[place] = decided_at(t, place, 1 - side, reply);
        for (int place = 0; place < PLACES; place++)
            if (want >> place & 1) reply[place].value = decided[place];
        keep_better(found, want, reply);
    }
    return ND_OK;
}

/* What rolling now is worth to `side`, by place of the cube. */
static nd_status roll_worth(const nd_tree *t, const nd_board *board, int plies, int side,
                            places want, nd_worth *out)
{
    nd_search *const s = t->s;
    const int classes = t->ev->rules->outcomes;
    if (plies == 0 || known(t, board, t->ev->rules->phase(board))) {
        float chances[ND_MAX_OUTCOMES];
        const nd_status status = nd_static(t->ev, s, NULL, board, 1, false, chances);
        if (status == ND_OK) static_worth(t, board, side, chances, want, false, out);
        return status;
    }
    if (nd_stop_raised(s->stop)) return ND_CANCELLED;
    for (int place = 0; place < PLACES; place++) {
        const uint64_t tag = tag_of(t, side, plies, place);
        if (!(want >> place & 1) || !tag) continue;
        const nd_worth *const known_worth = nd_cache_find(s->cache, board, tag);
        if (!known_worth) continue;
        out[place] = *known_worth;
        want &= ~(1u << place);
    }
    if (!want) return ND_OK;

    nd_status status = nd_judge_replies(t->ev, s, board, nd_roll_dice, ND_ROLLS,
                                        t->plan->tree_select[plies - 1], t->points[side]);
    if (status != ND_OK) return status;
    /* What is below uses the arrays again, so this level's positions move out first. */
    nd_frame *const frame = &s->frame[plies];
    size_t end[ND_ROLLS], n = 0, i = 0;
    for (int roll = 0; plies > 1 && roll < ND_ROLLS; roll++) {
        status = nd_frame_reserve(frame, n + nd_replies_count(&s->replies, roll));
        if (status != ND_OK) return status;
        const size_t count = nd_promising(s, roll, t->plan->tree_promote[plies - 1]);
        for (size_t k = 0; k < count; k++) frame->board[n++] = s->board[s->candidate[k].index];
        end[roll] = n;
    }
    double value[PLACES] = {0}, sum[PLACES][ND_MAX_OUTCOMES] = {{0}};
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        best found;
        found.have = 0;
        if (plies == 1) {
            best_static(t, roll, side, want, &found);
        } else {
            status = best_ahead(t, frame->board + i, end[roll] - i, plies - 1, side, want, &found);
            if (status != ND_OK) return status;
            i = end[roll];
        }
        for (int place = 0; place < PLACES; place++) {
            if (!(want >> place & 1)) continue;
            float seen[ND_MAX_OUTCOMES];
            nd_flip(classes, found.worth[place].probability, seen);
            value[place] += nd_roll_weight(roll) * other_sides(t, found.worth[place].value);
            for (int c = 0; c < classes; c++)
                sum[place][c] += nd_roll_weight(roll) * (double)seen[c];
        }
    }
    for (int place = 0; place < PLACES; place++) {
        if (!(want >> place & 1)) continue;
        out[place] = (nd_worth){.value = value[place] / 36};
        for (int c = 0; c < classes; c++) out[place].probability[c] = (float)(sum[place][c] / 36);
        const uint64_t tag = tag_of(t, side, plies, place);
        if (tag) nd_cache_store(s->cache, board, tag, &out[place]);
    }
    return ND_OK;
}

/* ---- what others ask for ----------------------------------------------------------------------- */

nd_status nd_cube_setting_check(const nd_cube_setting *set, const nd_rules *rules)
{
    const nd_efficiency *const e = &set->efficiency;
    const double parts[] = {e->contact, e->bearoff, e->race_low, e->race_high};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!(parts[i] >= 0 && parts[i] <= 1)) return ND_BAD_ARGUMENT;
    if (!isfinite(e->race) || !isfinite(e->race_pip)) return ND_BAD_ARGUMENT;
    if (set->stakes->outcomes != rules->outcomes || set->owner >= ND_OWNERS ||
        !(set->cube >= 1 && set->cube <= 1 << 30))
        return ND_BAD_ARGUMENT;
    return nd_stakes_check(set->stakes);
}

nd_status nd_evaluate_cubeful(const nd_evaluator *ev, const nd_plan *plan, nd_search *s,
                              const nd_board *board, int plies, const nd_cube_setting *set,
                              float chances[ND_MAX_OUTCOMES], nd_cube_values *values)
{
    nd_tree t;
    nd_worth worth[PLACES];
    nd_status status = nd_tree_begin(&t, ev, plan, s, plies, set);
    if (status != ND_OK) return status;
    const bool doubles = set->owner != ND_OPP;
    status = roll_worth(&t, board, plies, 0, doubles ? reached(&t, 0, 0) : 1, worth);
    if (status != ND_OK) return status;
    const int classes = ev->rules->outcomes;
    memcpy(chances, worth[0].probability, (size_t)classes * sizeof *chances);
    const nd_cube_values none = {NAN, NAN, {NAN, NAN, NAN}, NAN, NAN, NAN, NAN, NAN, NAN};
    *values = doubles ? values_at(&t, 0, 0, worth) : none;
    values->hold[set->owner] = worth[0].value;
    double cubeless[2] = {0, 0}, p[ND_MAX_OUTCOMES];
    for (int c = 0; c < classes; c++) p[c] = (double)chances[c];
    if (nd_is_owed(board->own) || nd_is_owed(board->opp)) nd_share_draws(classes, p);
    for (int c = 0; c < classes; c++) {
        cubeless[0] += p[c] * nd_stakes_class(set->stakes, c, set->cube, set->owner != ND_CENTRE);
        cubeless[1] += p[c] * nd_stakes_class(set->stakes, c, 2 * set->cube, true);
    }
    values->cubeless = cubeless[0];
    if (!isnan(values->pass)) values->cubeless_doubled = cubeless[1];
    return ND_OK;
}

double nd_cubeful_static(const nd_tree *t, const nd_board *board, const float *chances)
{
    nd_worth worth[1];
    static_worth(t, board, 1, chances, 1, true, worth);
    return nd_stakes_equity(&t->stakes[0], t->set->cube, other_sides(t, worth[0].value));
}

nd_status nd_cubeful_ahead(const nd_tree *t, const nd_board *board, int plies, nd_worth *out)
{
    best found;
    found.have = 0;
    const nd_status status = best_ahead(t, board, 1, plies, 0, 1, &found);
    if (status != ND_OK) return status;
    *out = found.worth[0];
    out->value = nd_stakes_equity(&t->stakes[0], t->set->cube, other_sides(t, out->value));
    return ND_OK;
}
