#include "value/cube.h"

#include <math.h>
#include <stddef.h>

static const double TIE = 1e-12; /* values closer than this are equal but for rounding */

nd_mix nd_mix_of(int outcomes, const double *probabilities)
{
    const int half = outcomes / 2;
    nd_mix mix = {0};
    double lose = 0;
    for (int c = 0; c < half; c++) {
        mix.win += probabilities[c];
        lose += probabilities[half + c];
    }
    const double all = mix.win + lose;
    for (int c = 0; c < half; c++) {
        mix.share[c] = mix.win > 0 ? probabilities[c] / mix.win : c == 0;
        mix.share[half + c] = lose > 0 ? probabilities[half + c] / lose : c == 0;
    }
    mix.win = all > 0 ? mix.win / all : 0.5;
    return mix;
}

void nd_share_draws(int outcomes, double *p)
{
    double drawn = 1;
    for (int c = 0; c < outcomes; c++) drawn -= p[c];
    p[0] += drawn / 2;
    p[outcomes / 2] += drawn / 2;
}

double nd_curves_value(const nd_curves *c, double x, double p)
{
    const double dead = nd_curve_value(&c->limit[ND_DEAD], p),
                 free_ = nd_curve_value(&c->limit[ND_FREE], p);
    return (1 - x) * ((1 - x) * dead + x * free_) + x * nd_curve_value(&c->limit[ND_LIVE], p);
}

/* ---- steps of the cube ---- */

nd_cube_values nd_cube_offers(const nd_stakes *s, double cube)
{
    const double unit = s->points[0] * cube;
    nd_cube_values v = {NAN, NAN, {NAN, NAN, NAN}, NAN, NAN, NAN, NAN, NAN, NAN};
    if (s->crawford == ND_CRAWFORD_NOW || 2 * cube > s->max_cube) return v;
    v.pass = nd_stakes_value(s, unit);
    if (!s->beavers || 4 * cube > s->max_cube) return v;
    v.beaver_pass = nd_stakes_value(s, -2 * unit);
    if (s->raccoons && 8 * cube <= s->max_cube) v.raccoon_pass = nd_stakes_value(s, 4 * unit);
    return v;
}

static nd_cube_step make_step(const nd_stakes *s, double cube)
{
    const nd_cube_values v = nd_cube_offers(s, cube);
    nd_cube_step step = {.won = nd_stakes_value(s, cube * s->points[0]),
                         .lost = nd_stakes_value(s, -cube * s->points[0]),
                         .pass = v.pass,
                         .beaver_pass = v.beaver_pass,
                         .raccoon_pass = v.raccoon_pass};
    for (int c = 0; c < s->outcomes; c++) step.worth[c] = nd_stakes_class(s, c, cube, true);
    return step;
}

void nd_cube_ladder_make(const nd_stakes *s, double cube, nd_cube_ladder *out)
{
    enum { AT_ONCE = 3 }; /* double, beaver, raccoon */
    out->stakes = s;
    out->cube = cube;
    out->turns = s->crawford == ND_CRAWFORD_NOW ? 0 : nd_stakes_turns(s, cube);
    const int last = (out->turns < 0 ? 1 : out->turns) + AT_ONCE;
    out->steps = last < ND_CUBE_STEPS ? last + 1 : ND_CUBE_STEPS;
    for (int k = 0; k < out->steps; k++) out->step[k] = make_step(s, ldexp(cube, k));
    for (int c = 0; c < s->outcomes; c++) out->centre[c] = nd_stakes_class(s, c, cube, false);
}

static const nd_cube_step *step_at(const nd_cube_ladder *l, int k, nd_cube_step *room)
{
    if (k < l->steps) return &l->step[k];
    *room = make_step(l->stakes, ldexp(l->cube, k));
    return room;
}

/* ---- the model ---- */

/* Values of losing and winning, the games being lost and won as they are now. */
typedef struct ends {
    double lose, win;
} ends;

static ends ends_of(const nd_cube_leaf *l, const double *worth)
{
    const int half = l->ladder->stakes->outcomes / 2;
    ends e = {0, 0};
    for (int c = 0; c < half; c++) e.win += l->mix.share[c] * worth[c];
    for (int c = half; c < 2 * half; c++) e.lose += l->mix.share[c] * worth[c];
    return e;
}

static ends ends_at(nd_cube_leaf *l, int k)
{
    nd_cube_step room;
    if (k >= ND_CUBE_STEPS) return ends_of(l, step_at(l->ladder, k, &room)->worth);
    if (!(l->ends >> k & 1)) {
        const ends e = ends_of(l, step_at(l->ladder, k, &room)->worth);
        l->ends |= 1u << k;
        l->lose[k] = e.lose;
        l->win[k] = e.win;
    }
    return (ends){l->lose[k], l->win[k]};
}

static double cubeless(const nd_mix *mix, ends e) { return e.lose + mix->win * (e.win - e.lose); }

/* Turning the cube risks nothing: lost is lost. */
static bool is_free(double lose, double lose_doubled, double win, double win_doubled)
{
    return fabs(lose - lose_doubled) <= TIE && fabs(win - win_doubled) > TIE;
}

/* Where the two may turn a cube. */
typedef struct nodes {
    nd_node own, opp;
} nodes;

/* Which of them do at step k, where the game is worth `e` without that: in the live limit both, in
 * the free one whom it costs nothing. */
static nodes turners(nd_cube_leaf *l, int k, ends e, nd_limit limit)
{
    nodes n = {.own = {.used = true}, .opp = {.used = true}};
    if (limit == ND_LIVE) return n;
    const ends twice = ends_at(l, k + 1);
    n.own.used = is_free(e.lose, twice.lose, e.win, twice.win);
    n.opp.used = is_free(e.win, twice.win, e.lose, twice.lose);
    return n;
}

/* And where, if that leads to the curves `doubled`. */
static nodes nodes_at(nd_cube_leaf *l, int k, ends e, nd_limit limit, const nd_owned *doubled)
{
    nd_cube_step room;
    const nd_cube_step *const step = step_at(l->ladder, k, &room);
    nodes n = turners(l, k, e, limit);
    n.own.p = nd_curve_inverse(&doubled->opp, step->won), n.own.v = step->won;
    n.opp.p = nd_curve_inverse(&doubled->own, step->lost), n.opp.v = step->lost;
    return n;
}

static nd_curve curve_of(ends e, nd_limit limit, nd_node own, nd_node opp)
{
    return limit == ND_FREE ? nd_curve_now_or_never(e.lose, opp, own, e.win)
                            : nd_curve_stopping(e.lose, opp, own, e.win);
}

/* The cube at step k can be turned no more, or never will be. */
static nd_owned still(nd_cube_leaf *l, int k)
{
    const ends e = ends_at(l, k);
    const nd_curve c = nd_curve_straight(e.lose, e.win);
    return (nd_owned){c, c};
}

static nd_owned turning(nd_cube_leaf *l, int k, nd_limit limit, const nd_owned *doubled)
{
    const nd_node none = {0};
    const ends e = ends_at(l, k);
    const nodes n = nodes_at(l, k, e, limit, doubled);
    return (nd_owned){curve_of(e, limit, n.own, none), curve_of(e, limit, none, n.opp)};
}

/* Money without a limit: every cube is like the one before. */
static nd_owned endless(nd_cube_leaf *l, int k)
{
    const nd_stakes *const s = l->ladder->stakes;
    const ends e = ends_at(l, k);
    const double unit = s->points[0] * ldexp(l->ladder->cube, k);
    const double width = (e.win - e.lose) / unit + 0.5, low = -e.lose / unit;
    const nd_node own = {(low + 1) / width, unit, true}, opp = {(low - 0.5) / width, -unit, true};
    const nd_node none = {0};
    return (nd_owned){nd_curve_stopping(e.lose, none, own, e.win),
                      nd_curve_stopping(e.lose, opp, none, e.win)};
}

static nd_owned live_at(nd_cube_leaf *l, int k)
{
    const int turns = l->ladder->turns;
    if (turns < 0) return endless(l, k);
    if (k >= turns) return still(l, k);
    if (k < ND_CUBE_STEPS && k >= l->live_from) return l->live[k];
    /* Downwards from what is known, or from the last cube that matters. */
    int i = l->live_from > k && l->live_from < ND_CUBE_STEPS ? l->live_from : turns;
    nd_owned now = i < turns ? l->live[i] : still(l, turns);
    while (i-- > k) {
        now = turning(l, i, ND_LIVE, &now);
        if (i < ND_CUBE_STEPS) l->live[i] = now, l->live_from = i;
    }
    return now;
}

/* Both owners of the turned cube at step k, all later turns counted in. */
static nd_owned owned_at(nd_cube_leaf *l, int k, nd_limit limit)
{
    if (limit == ND_LIVE) return live_at(l, k);
    const int turns = l->ladder->turns;
    int last = k; /* turns that may be free follow one another */
    if (limit == ND_FREE)
        for (; last < turns; last++) {
            const nodes n = turners(l, last, ends_at(l, last), ND_FREE);
            if (!n.own.used && !n.opp.used) break;
        }
    nd_owned now = still(l, last);
    while (last-- > k) now = turning(l, last, ND_FREE, &now);
    return now;
}

/* The same with the cube in the centre, at step 0. */
static nd_curve centre_of(nd_cube_leaf *l, nd_limit limit)
{
    const ends e = ends_of(l, l->ladder->centre);
    if (limit == ND_DEAD || isnan(l->ladder->step[0].pass)) return nd_curve_straight(e.lose, e.win);
    const nd_owned doubled = owned_at(l, 1, limit);
    const nodes n = nodes_at(l, 0, e, limit, &doubled);
    return curve_of(e, limit, n.own, n.opp);
}

/* Own about to roll, the cube at step k. */
static nd_curves hold_curves(nd_cube_leaf *l, int k, nd_owner owner)
{
    nd_curves out;
    for (nd_limit limit = ND_DEAD; limit < ND_LIMITS; limit++) {
        if (owner == ND_CENTRE) {
            out.limit[limit] = centre_of(l, limit);
            continue;
        }
        const nd_owned now = owned_at(l, k, limit);
        out.limit[limit] = owner == ND_OWN ? now.own : now.opp;
    }
    return out;
}

void nd_cube_leaf_set(nd_cube_leaf *leaf, const nd_cube_ladder *ladder, const nd_mix *mix)
{
    leaf->ladder = ladder;
    leaf->mix = *mix;
    leaf->ends = 0;
    leaf->live_from = ND_CUBE_STEPS;
}

double nd_cube_leaf_value(nd_cube_leaf *l, int k, nd_owner owner, double x, bool decide)
{
    const double p = l->mix.win;
    nd_curves curves = hold_curves(l, k, owner);
    nd_cube_values v = {.hold = {NAN, NAN, NAN}, .take = NAN, .beaver = NAN, .raccoon = NAN};
    v.hold[owner] = nd_curves_value(&curves, x, p);
    if (!decide || owner == ND_OPP) return v.hold[owner];
    nd_cube_step room;
    const nd_cube_step *const step = step_at(l->ladder, k, &room);
    const double excluded[3] = {v.pass = step->pass, v.beaver_pass = step->beaver_pass,
                                v.raccoon_pass = step->raccoon_pass};
    double *const answer[3] = {&v.take, &v.beaver, &v.raccoon};
    for (int turn = 0; turn < 3 && !isnan(excluded[turn]); turn++) {
        curves = hold_curves(l, k + turn + 1, ND_OPP);
        *answer[turn] = nd_curves_value(&curves, x, p);
    }
    return nd_cube_decided(&v, owner);
}

void nd_cube_model_make(const nd_stakes *s, const nd_mix *mix, double cube, nd_cube_model *out)
{
    nd_cube_ladder ladder;
    nd_cube_leaf leaf;
    nd_cube_ladder_make(s, cube, &ladder);
    nd_cube_leaf_set(&leaf, &ladder, mix);
    const nd_cube_step *const step = ladder.step;
    *out = (nd_cube_model){.mix = *mix,
                           .cube = cube,
                           .live_cube = !isnan(step->pass),
                           .dead_cube = step[1].won - step->won <= TIE,
                           .pass = step->pass,
                           .passed = isnan(step->pass) ? NAN : step->lost,
                           .beaver_pass = step->beaver_pass,
                           .raccoon_pass = step->raccoon_pass,
                           .cubeless[0] = cubeless(mix, ends_of(&leaf, ladder.centre)),
                           .cubeless[1] = cubeless(mix, ends_at(&leaf, 0)),
                           .cubeless_doubled = cubeless(mix, ends_at(&leaf, 1))};
    for (nd_owner owner = ND_CENTRE; owner < ND_OWNERS; owner++)
        out->hold[owner] = hold_curves(&leaf, 0, owner);
    if (!out->live_cube) return;
    out->take = hold_curves(&leaf, 1, ND_OPP);
    out->taken = hold_curves(&leaf, 1, ND_OWN);
    if (!isnan(out->beaver_pass)) out->beaver = hold_curves(&leaf, 2, ND_OPP);
    if (!isnan(out->raccoon_pass)) out->raccoon = hold_curves(&leaf, 3, ND_OPP);
}

/* ---- decisions ---- */

static nd_cube_values values_at(const nd_cube_model *m, double x, double p)
{
    nd_cube_values v = {.pass = m->pass,
                        .beaver_pass = m->beaver_pass,
                        .raccoon_pass = m->raccoon_pass,
                        .cubeless_doubled = m->live_cube ? m->cubeless_doubled : NAN};
    for (int o = 0; o < ND_OWNERS; o++) v.hold[o] = nd_curves_value(&m->hold[o], x, p);
    v.take = nd_curves_value(&m->take, x, p); /* NaN for an empty curve */
    v.beaver = nd_curves_value(&m->beaver, x, p);
    v.raccoon = nd_curves_value(&m->raccoon, x, p);
    return v;
}

nd_cube_values nd_cube_values_of(const nd_cube_model *m, nd_owner owner, double x)
{
    nd_cube_values v = values_at(m, x, m->mix.win);
    v.cubeless = m->cubeless[owner != ND_CENTRE];
    return v;
}

double nd_cube_doubled(const nd_cube_values *v)
{
    double answer = v->take;
    if (!isnan(v->beaver)) {
        double beavered = fmax(v->beaver, v->beaver_pass);
        if (!isnan(v->raccoon)) beavered = fmax(beavered, fmin(v->raccoon, v->raccoon_pass));
        answer = fmin(answer, beavered);
    }
    return isnan(v->take) ? NAN : fmin(answer, v->pass);
}

double nd_cube_decided(const nd_cube_values *v, nd_owner owner)
{
    /* A NaN among the two is passed over. */
    return owner == ND_OPP ? v->hold[owner] : fmax(v->hold[owner], nd_cube_doubled(v));
}

/* ---- windows ---- */

typedef struct question {
    const nd_cube_model *m;
    const nd_curves *hold;
    double x;
} question;

typedef double (*difference)(const question *q, double p);

static double doubling_gains(const question *q, double p)
{
    const nd_cube_values v = values_at(q->m, q->x, p);
    return nd_cube_doubled(&v) - nd_curves_value(q->hold, q->x, p);
}

static double passing_gains(const question *q, double p)
{
    return nd_curves_value(&q->m->take, q->x, p) - q->m->pass;
}

static double playing_on_gains(const question *q, double p)
{
    return nd_curves_value(q->hold, q->x, p) - q->m->pass;
}

static double taking_gains(const question *q, double p)
{
    return nd_curves_value(&q->m->taken, q->x, p) - q->m->passed;
}

static double beavering_loses(const question *q, double p)
{
    return nd_curves_value(&q->m->beaver, q->x, p) - nd_curves_value(&q->m->take, q->x, p);
}

static double raccoon_gains(const question *q, double p)
{
    const double beavered = fmax(nd_curves_value(&q->m->beaver, q->x, p), q->m->beaver_pass);
    return fmin(nd_curves_value(&q->m->raccoon, q->x, p), q->m->raccoon_pass) - beavered;
}

/* Points between which the questions are linear, in rising order. */
typedef struct cuts {
    int n;
    double p[ND_LIMITS * ND_CURVE_NODES * 6 + 2];
} cuts;

static void cut(cuts *c, double p)
{
    if (isnan(p)) return;
    int i = c->n++;
    for (; i > 0 && c->p[i - 1] > p; i--) c->p[i] = c->p[i - 1];
    c->p[i] = p;
}

static void cut_at_nodes(cuts *c, const nd_curves *curves)
{
    for (int limit = 0; limit < ND_LIMITS; limit++)
        for (int i = 0; i < curves->limit[limit].n; i++) cut(c, curves->limit[limit].p[i]);
}

/* Lowest p at which the difference is above `margin`, to where it leaves nought: a margin tells what
 * is more than rounding, and is no part of the answer. */
static double first(const question *q, difference f, const cuts *c, double margin)
{
    double a = 0;
    if (f(q, a) > margin) return a;
    for (int i = 0; i < c->n; i++) {
        double b = c->p[i];
        if (f(q, b) > margin) {
            for (int k = 0; k < 60; k++) {
                const double middle = (a + b) / 2;
                *(f(q, middle) > 0 ? &b : &a) = middle;
            }
            return b;
        }
        a = b;
    }
    return NAN;
}

nd_windows nd_cube_windows(const nd_cube_model *m, double x)
{
    nd_windows w = {NAN, NAN, NAN, NAN, NAN, NAN, {NAN, NAN}};
    if (!m->live_cube) return w;
    question q = {m, &m->hold[ND_CENTRE], x};
    cuts c = {0};
    const nd_curves *all[] = {&m->hold[ND_CENTRE], &m->hold[ND_OWN], &m->take,
                              &m->taken,           &m->beaver,       &m->raccoon};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cut_at_nodes(&c, all[i]);
    w.take = first(&q, taking_gains, &c, -TIE);
    if (m->dead_cube) return w;
    w.cash = first(&q, passing_gains, &c, -TIE);
    if (!isnan(m->beaver_pass)) w.beaver = first(&q, beavering_loses, &c, -TIE);
    if (!isnan(m->raccoon_pass)) w.raccoon = first(&q, raccoon_gains, &c, TIE);
    cut(&c, w.cash);
    cut(&c, w.beaver);
    for (int own = 0; own < 2; own++) {
        q.hold = &m->hold[own ? ND_OWN : ND_CENTRE];
        *(own ? &w.redouble : &w.initial) = first(&q, doubling_gains, &c, -TIE);
        w.too_good[own] = first(&q, playing_on_gains, &c, TIE);
    }
    return w;
}

/* ---- cube efficiency ---- */

const nd_efficiency nd_efficiency_default = {
    .contact = 0.69,
    .bearoff = 0.617,
    .race = 0.65,
    .race_pip = 0.00125,
    .race_low = 0.65,
    .race_high = 0.85,
};

double nd_efficiency_of(const nd_efficiency *e, nd_phase phase, int pips)
{
    if (phase == ND_PHASE_CONTACT) return e->contact;
    if (phase == ND_PHASE_RACE)
        return fmax(e->race_low, fmin(e->race_high, e->race + e->race_pip * pips));
    return e->bearoff;
}
