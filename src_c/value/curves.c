#include "value/curves.h"

#include <math.h>
#include <stddef.h>

double nd_curve_value(const nd_curve *c, double p)
{
    for (int i = 1; i < c->n; i++)
        if (p <= c->p[i]) {
            const double width = c->p[i] - c->p[i - 1];
            const double t = width > 0 ? (p - c->p[i - 1]) / width : 1;
            return c->v[i - 1] + t * (c->v[i] - c->v[i - 1]);
        }
    return c->n ? c->v[c->n - 1] : NAN;
}

double nd_curve_inverse(const nd_curve *c, double v)
{
    if (v <= c->v[0]) return 0;
    for (int i = 1; i < c->n; i++)
        if (v <= c->v[i])
            return c->p[i - 1] +
                   (c->p[i] - c->p[i - 1]) * (v - c->v[i - 1]) / (c->v[i] - c->v[i - 1]);
    return 1;
}

static void add(nd_curve *c, double p, double v) { c->p[c->n] = p, c->v[c->n++] = v; }

/* Ends and the nodes in use, the opponent's first. */
static nd_curve join(double lose, const nd_node *opp, const nd_node *own, double win)
{
    nd_curve c = {.n = 1, .p = {0}, .v = {lose}};
    if (opp && opp->used) add(&c, opp->p, opp->v);
    if (own && own->used) add(&c, own->p, own->v);
    add(&c, 1, win);
    return c;
}

nd_curve nd_curve_stopping(double lose, nd_node opp, nd_node own, double win)
{
    const bool opp_may = opp.used, own_may = own.used;
    /* What one does can change the other's mind: look again, where there are two. */
    const int rounds = opp_may && own_may ? 3 : 1;
    for (int round = 0; round < rounds; round++) {
        if (own_may) {
            const nd_curve without = join(lose, &opp, NULL, win);
            own.used = own.v > nd_curve_value(&without, own.p);
        }
        if (opp_may) {
            const nd_curve without = join(lose, NULL, &own, win);
            opp.used = opp.v < nd_curve_value(&without, opp.p);
        }
    }
    return join(lose, &opp, &own, win);
}

nd_curve nd_curve_now_or_never(double lose, nd_node opp, nd_node own, double win)
{
    nd_curve c = nd_curve_stopping(lose, opp, own, win);
    if (c.n != 3) return c; /* nobody turns it, or both may: then nothing is free */
    const double p = (c.v[1] - lose) / (win - lose); /* where playing on is worth the same */
    const bool by_own = c.p[1] < p;
    nd_curve out = {.n = 1, .p = {0}, .v = {lose}};
    if (!by_own) add(&out, p, c.v[1]);
    add(&out, c.p[1], c.v[1]);
    if (by_own) add(&out, p, c.v[1]);
    add(&out, 1, win);
    return out;
}
