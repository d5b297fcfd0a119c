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

/* ---- curves ---- */

static double curve_value(const nd_curve *c, double p)
{
    for (int i = 1; i < c->n; i++)
        if (p <= c->p[i]) {
            const double width = c->p[i] - c->p[i - 1];
            const double t = width > 0 ? (p - c->p[i - 1]) / width : 1;
            return c->v[i - 1] + t * (c->v[i] - c->v[i - 1]);
        }
    return c->n ? c->v[c->n - 1] : NAN;
}

/* Lowest p with value v; 0 and 1 where the curve lies above or below. */
static double curve_inverse(const nd_curve *c, double v)
{
    if (v <= c->v[0]) return 0;
    for (int i = 1; i < c->n; i++)
        if (v <= c->v[i])
            return c->p[i - 1] +
                   (c->p[i] - c->p[i - 1]) * (v - c->v[i - 1]) / (c->v[i] - c->v[i - 1]);
    return 1;
}

double nd_curves_value(const nd_curves *c, double x, double p)
{
    const double dead = curve_value(&c->limit[ND_DEAD], p),
                 free_ = curve_value(&c->limit[ND_FREE], p);
    return (1 - x) * ((1 - x) * dead + x * free_) + x * curve_value(&c->limit[ND_LIVE], p);
}

typedef struct node {
    double p, v;
    bool used;
} node;

static void add(nd_curve *c, double p, double v) { c->p[c->n] = p, c->v[c->n++] = v; }

/* Ends and the nodes in use, the opponent's first. */
static nd_curve join(double lose, node opp, node own, double win)
{
    nd_curve c = {0};
    add(&c, 0, lose);
    if (opp.used) add(&c, opp.p, opp.v);
    if (own.used) add(&c, own.p, own.v);
    add(&c, 1, win);
    return c;
}

/* Between two players who may each stop the game at one point, a player stops only where that is
 * worth more to him than playing on. What one does can change the other's mind: look again. */
static nd_curve stopping(double lose, node opp, node own, double win)
{
    const bool opp_may = opp.used, own_may = own.used;
    for (int round = 0; round < 3; round++) {
        const node none = {0};
        const nd_curve without_own = join(lose, opp, none, win);
        own.used = own_may && own.v > curve_value(&without_own, own.p);
        const nd_curve without_opp = join(lose, none, own, win);
        opp.used = opp_may && opp.v < curve_value(&without_opp, opp.p);
    }
    return join(lose, opp, own, win);
}

/* One side may turn the cube now or never: up to its point it does and is taken, from there on it
 * is passed, or plays on without a cube where that is worth more. */
static nd_curve now_or_never(double lose, node opp, node own, double win)
{
    nd_curve c = stopping(lose, opp, own, win);
    if (c.n != 3) return c; /* nobody turns it, or both may: then nothing is free */
    const double p = (c.v[1] - lose) / (win - lose); /* where playing on is worth the same */
    const bool by_own = c.p[1] < p;
    nd_curve out = {0};
    add(&out, 0, lose);
    if (!by_own) add(&out, p, c.v[1]);
    add(&out, c.p[1], c.v[1]);
    if (by_own) add(&out, p, c.v[1]);
    add(&out, 1, win);
    return out;
}

/* ---- the model ---- */

static double end(const nd_stakes *s, const nd_mix *mix, bool win, double cube, bool turned)
{
    const int half = s->outcomes / 2, first = win ? 0 : half;
    double sum = 0;
    for (int c = first; c < first + half; c++)
        sum += mix->share[c] * nd_stakes_class(s, c, cube, turned);
    return sum;
}

static double cubeless(const nd_stakes *s, const nd_mix *mix, double cube, bool turned)
{
    const double lose = end(s, mix, false, cube, turned);
    return lose + mix->win * (end(s, mix, true, cube, turned) - lose);
}

/* Curves with a turned cube in own's and in opp's hand. */
typedef struct owned {
    nd_curve own, opp;
} owned;

/* Turning the cube risks nothing: lost is lost. */
static bool is_free(double lose, double lose_doubled, double win, double win_doubled)
{
    return fabs(lose - lose_doubled) <= TIE && fabs(win - win_doubled) > TIE;
}

static node own_node(const nd_stakes *s, double cube, const owned *doubled, bool used)
{
    const double pass = nd_stakes_value(s, cube * s->points[0]);
    return (node){curve_inverse(&doubled->opp, pass), pass, used};
}

static node opp_node(const nd_stakes *s, double cube, const owned *doubled, bool used)
{
    const double pass = nd_stakes_value(s, -cube * s->points[0]);
    return (node){curve_inverse(&doubled->own, pass), pass, used};
}

/* What both may do next to a cube in a limit. `doubled` = NULL: nothing. */
typedef struct ends {
    double lose, win;
    node own, opp;
} ends;

static ends ends_of(const nd_stakes *s, const nd_mix *mix, double cube, bool turned, nd_limit limit,
                    const owned *doubled)
{
    ends e = {.lose = end(s, mix, false, cube, turned), .win = end(s, mix, true, cube, turned)};
    if (!doubled || limit == ND_DEAD) return e;
    const double lose = end(s, mix, false, 2 * cube, true), win = end(s, mix, true, 2 * cube, true);
    e.own = own_node(s, cube, doubled, limit == ND_LIVE || is_free(e.lose, lose, e.win, win));
    e.opp = opp_node(s, cube, doubled, limit == ND_LIVE || is_free(e.win, win, e.lose, lose));
    return e;
}

static nd_curve curve_of(const ends *e, nd_limit limit, bool own_may, bool opp_may)
{
    const node none = {0}, own = own_may ? e->own : none, opp = opp_may ? e->opp : none;
    return limit == ND_FREE ? now_or_never(e->lose, opp, own, e->win)
                            : stopping(e->lose, opp, own, e->win);
}

static owned owned_of(const nd_stakes *s, const nd_mix *mix, double cube, nd_limit limit,
                      const owned *doubled)
{
    const ends e = ends_of(s, mix, cube, true, limit, doubled);
    return (owned){curve_of(&e, limit, true, false), curve_of(&e, limit, false, true)};
}

/* Both owners of a turned cube, all later turns counted in. */
static owned owned_at(const nd_stakes *s, const nd_mix *mix, double cube, nd_limit limit)
{
    int turns = s->crawford == ND_CRAWFORD_NOW ? 0 : nd_stakes_turns(s, cube);
    owned now;
    if (turns < 0) { /* money without a limit: every cube is like the one before */
        const double unit = s->points[0] * cube;
        const double win = end(s, mix, true, cube, true), lose = end(s, mix, false, cube, true);
        const double width = (win - lose) / unit + 0.5, l = -lose / unit;
        const bool live = limit == ND_LIVE;
        const node own = {(l + 1) / width, unit, live}, opp = {(l - 0.5) / width, -unit, live};
        const node none = {0};
        return (owned){stopping(lose, none, own, win), stopping(lose, opp, none, win)};
    }
    cube = ldexp(cube, turns);
    now = owned_of(s, mix, cube, limit, NULL);
    for (; turns > 0; turns--) {
        cube /= 2;
        now = owned_of(s, mix, cube, limit, &now);
    }
    return now;
}

static void model_limit(const nd_stakes *s, const nd_mix *mix, double cube, nd_limit limit,
                        nd_cube_model *out)
{
    const owned now = owned_at(s, mix, cube, limit);
    out->hold[ND_OWN].limit[limit] = now.own;
    out->hold[ND_OPP].limit[limit] = now.opp;
    owned doubled = {0};
    if (out->live_cube) doubled = owned_at(s, mix, 2 * cube, limit);
    const ends e = ends_of(s, mix, cube, false, limit, out->live_cube ? &doubled : NULL);
    out->hold[ND_CENTRE].limit[limit] = curve_of(&e, limit, true, true);
    out->take.limit[limit] = doubled.opp;
    out->taken.limit[limit] = doubled.own;
    if (!isnan(out->beaver_pass)) out->beaver.limit[limit] = owned_at(s, mix, 4 * cube, limit).opp;
    if (!isnan(out->raccoon_pass))
        out->raccoon.limit[limit] = owned_at(s, mix, 8 * cube, limit).opp;
}

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

void nd_cube_model_make(const nd_stakes *s, const nd_mix *mix, double cube, nd_cube_model *out)
{
    const double unit = s->points[0] * cube;
    *out = (nd_cube_model){.mix = *mix, .cube = cube};
    const nd_cube_values offers = nd_cube_offers(s, cube);
    out->live_cube = !isnan(offers.pass);
    out->pass = offers.pass;
    out->passed = out->live_cube ? nd_stakes_value(s, -unit) : NAN;
    out->dead_cube = nd_stakes_value(s, 2 * unit) - nd_stakes_value(s, unit) <= TIE;
    out->beaver_pass = offers.beaver_pass;
    out->raccoon_pass = offers.raccoon_pass;
    out->cubeless[0] = cubeless(s, mix, cube, false);
    out->cubeless[1] = cubeless(s, mix, cube, true);
    out->cubeless_doubled = cubeless(s, mix, 2 * cube, true);
    for (nd_limit limit = ND_DEAD; limit < ND_LIMITS; limit++)
        model_limit(s, mix, cube, limit, out);
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
    double p[ND_LIMITS * ND_CURVE_NODES * 5 + 2];
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

/* Lowest p at which the difference is above `margin`. */
static double first(const question *q, difference f, const cuts *c, double margin)
{
    double a = 0;
    if (f(q, a) > margin) return a;
    for (int i = 0; i < c->n; i++) {
        double b = c->p[i];
        if (f(q, b) > margin) {
            for (int k = 0; k < 60; k++) {
                const double middle = (a + b) / 2;
                *(f(q, middle) > margin ? &b : &a) = middle;
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
    const nd_curves *all[] = {&m->hold[ND_CENTRE], &m->hold[ND_OWN], &m->take, &m->taken,
                              &m->beaver};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cut_at_nodes(&c, all[i]);
    w.take = first(&q, taking_gains, &c, -TIE);
    if (m->dead_cube) return w;
    w.cash = first(&q, passing_gains, &c, -TIE);
    if (!isnan(m->beaver_pass)) w.beaver = first(&q, beavering_loses, &c, -TIE);
    if (!isnan(m->raccoon_pass)) w.raccoon = first(&q, raccoon_gains, &c, -TIE);
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
    .contact = 0.68,
    .bearoff = 0.60,
    .race = 0.55,
    .race_pip = 0.00125,
    .race_low = 0.60,
    .race_high = 0.70,
};

double nd_efficiency_of(const nd_efficiency *e, nd_phase phase, int pips)
{
    if (phase == ND_PHASE_CONTACT) return e->contact;
    if (phase == ND_PHASE_RACE)
        return fmax(e->race_low, fmin(e->race_high, e->race + e->race_pip * pips));
    return e->bearoff;
}
