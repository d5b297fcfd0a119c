/* A net made wider or narrower in its first layer, with the moments of its training. */
#include <math.h>
#include <string.h>

#include "train/fit_inside.h"

/* ---- widening --------------------------------------------------------------------------------- */

/* How unit k of a widened layer comes from unit `old`: copy number, copies in all, and whether it
 * has a partner (copies 2i and 2i + 1 are partners; an odd one out has none). */
typedef struct descent {
    int old, copy, copies, sign; /* sign: +1, -1, or 0 without partner */
    uint64_t pair;
} descent;

static descent descent_of(int k, int old_h1, int new_h1)
{
    descent d = {.old = k % old_h1, .copy = k / old_h1};
    d.copies = (new_h1 - 1 - d.old) / old_h1 + 1;
    d.sign = (d.copy ^ 1) < d.copies ? (d.copy & 1 ? -1 : 1) : 0;
    d.pair = (uint64_t)(d.copy / 2) * (uint64_t)old_h1 + (uint64_t)d.old;
    return d;
}

/* One flat array into the wider shape: incoming weights times copies^in, outgoing ones times
 * copies^out x (1 +- spread x random), +- on the two partners. */
static void widen_one(const nd_shape *a, const float *from, const nd_shape *b, float *to, float in,
                      float out, float spread, uint64_t seed)
{
    const size_t h2 = (size_t)a->h2;
    for (int k = 0; k < b->h1; k++) {
        const descent d = descent_of(k, a->h1, b->h1);
        const float incoming = powf((float)d.copies, in), outgoing = powf((float)d.copies, out);
        for (int u = 0; u < a->units; u++)
            to[nd_fit_first_layer(b, u, k)] = incoming * from[nd_fit_first_layer(a, u, d.old)];
        to[b->b1 + (size_t)k] = incoming * from[a->b1 + (size_t)d.old];
        for (size_t j = 0; j < h2; j++) {
            const float x = (float)d.sign * spread * nd_fit_uniform(seed, d.pair * h2 + j);
            to[b->w2 + (size_t)k * h2 + j] =
                outgoing * (1.0f + x) * from[a->w2 + (size_t)d.old * h2 + j];
        }
    }
    memcpy(to + b->head, from + a->head, a->head_size * sizeof(float));
}

nd_status nd_fit_widen(const nd_fit *fit, int h1, float noise, uint64_t seed, nd_fit **out)
{
    const nd_shape *a = &fit->shape;
    *out = NULL;
    if (h1 < a->h1 || !(noise >= 0.0f)) return ND_BAD_ARGUMENT;
    const nd_status status = nd_fit_blank(a->features, h1, a->h2, a->outcomes, out);
    if (status != ND_OK) return status;
    nd_fit *wide = *out;
    const nd_shape *b = &wide->shape;
    wide->kernels = fit->kernels;
    /* A gradient that reaches a copy through 1 / c of the weight is 1 / c of the old one; Adam's
     * moments follow, so the first steps are no shock. */
    const float spread = 0.8f;
    widen_one(a, fit->p, b, wide->p, 0.0f, -1.0f, spread, seed);
    widen_one(a, fit->mean, b, wide->mean, 0.0f, -1.0f, spread, seed);
    widen_one(a, fit->m, b, wide->m, -1.0f, 0.0f, 0.0f, seed);
    widen_one(a, fit->v, b, wide->v, -2.0f, 0.0f, 0.0f, seed);

    double square = 0.0;
    for (size_t i = 0; i < a->b1; i++) square += (double)fit->p[i] * fit->p[i];
    const float size = noise * (float)sqrt(3.0 * square / (double)a->b1);
    for (int k = 0; k < b->h1; k++) {
        const descent d = descent_of(k, a->h1, b->h1);
        for (int u = 0; u < b->units; u++) {
            const uint64_t counter = d.pair * (uint64_t)b->units + (uint64_t)u;
            const float x = (float)d.sign * size * nd_fit_uniform(seed + 1, counter);
            wide->p[nd_fit_first_layer(b, u, k)] += x;
            wide->mean[nd_fit_first_layer(b, u, k)] += x;
        }
    }
    memcpy(wide->beta1, fit->beta1, ((size_t)a->units + 1) * sizeof(double));
    memcpy(wide->beta2, fit->beta2, ((size_t)a->units + 1) * sizeof(double));
    wide->steps = fit->steps;
    wide->pending = fit->pending;
    return ND_OK;
}

/* ---- narrowing -------------------------------------------------------------------------------- */

/* What a unit of the first layer puts out over some boards. */
typedef struct unit {
    double mean, square, worth;
    int alive; /* at how many of them it is above nought */
    int at;
} unit;

static nd_status measure(const nd_fit *fit, const nd_board *boards, size_t n, unit *units)
{
    const nd_shape *s = &fit->shape;
    nd_active *active = malloc(((size_t)fit->stride + 1) * sizeof *active);
    float *sum = malloc((size_t)s->h1 * sizeof *sum);
    if (!active || !sum) {
        free(active), free(sum);
        return ND_NO_MEMORY;
    }
    for (int k = 0; k < s->h1; k++) units[k] = (unit){.at = k};
    for (size_t i = 0; i < n; i++) {
        const int used = nd_fit_spell(fit, &boards[i], active);
        memcpy(sum, fit->mean + s->b1, (size_t)s->h1 * sizeof *sum);
        for (int b = 0; b < s->blocks; b++) {
            const float *rows = fit->mean + (size_t)b * (size_t)s->units * ND_FIT_BLOCK;
            for (int a = 0; a < used; a++)
                for (int k = 0; k < ND_FIT_BLOCK; k++)
                    sum[b * ND_FIT_BLOCK + k] +=
                        active[a].coefficient * rows[active[a].offset + (uint32_t)k];
        }
        for (int k = 0; k < s->h1; k++) {
            const double out = sum[k] > 0 ? (double)sum[k] : 0;
            units[k].mean += out / (double)n;
            units[k].square += out * out / (double)n;
            units[k].alive += out > 0;
        }
    }
    free(active), free(sum);
    return ND_OK;
}

static int by_worth(const void *a, const void *b)
{
    const unit *x = a, *y = b;
    return x->worth > y->worth ? -1 : x->worth < y->worth ? 1 : x->at - y->at;
}

static int by_life(const void *a, const void *b)
{
    const unit *x = a, *y = b;
    return x->alive != y->alive ? y->alive - x->alive : x->at - y->at;
}

static void narrow_one(const nd_shape *a, const float *from, const nd_shape *b, float *to,
                       const unit *kept)
{
    const size_t h2 = (size_t)a->h2;
    for (int k = 0; k < b->h1; k++) {
        for (int u = 0; u < a->units; u++)
            to[nd_fit_first_layer(b, u, k)] = from[nd_fit_first_layer(a, u, kept[k].at)];
        to[b->b1 + (size_t)k] = from[a->b1 + (size_t)kept[k].at];
        memcpy(to + b->w2 + (size_t)k * h2, from + a->w2 + (size_t)kept[k].at * h2,
               h2 * sizeof *to);
    }
    memcpy(to + b->head, from + a->head, a->head_size * sizeof *to);
}

nd_status nd_fit_narrow(const nd_fit *fit, int h1, const nd_board *boards, size_t n, nd_fit **out)
{
    const nd_shape *a = &fit->shape;
    *out = NULL;
    if (h1 > a->h1 || n == 0) return ND_BAD_ARGUMENT;
    for (size_t i = 0; i < n; i++)
        if (!nd_fit_board_possible(&boards[i])) return ND_BAD_BOARD;
    const size_t wide = (size_t)a->h1, h2 = (size_t)a->h2;
    unit *units = malloc(wide * sizeof *units);
    nd_status status = units ? measure(fit, boards, n, units) : ND_NO_MEMORY;
    if (status == ND_OK) status = nd_fit_blank(a->features, h1, a->h2, a->outcomes, out);
    if (status == ND_OK) {
        for (size_t k = 0; k < wide; k++) {
            for (size_t j = 0; j < h2; j++) {
                const double w = fit->mean[a->w2 + k * h2 + j];
                units[k].worth += w * w;
            }
            units[k].worth *= units[k].square - units[k].mean * units[k].mean;
        }
        qsort(units, wide, sizeof *units, by_worth);
        /* Playing nets skip pairs of neighbours that are both silent: like goes with like. */
        qsort(units, (size_t)h1, sizeof *units, by_life);
        nd_fit *slim = *out;
        const nd_shape *b = &slim->shape;
        slim->kernels = fit->kernels;
        narrow_one(a, fit->p, b, slim->p, units);
        narrow_one(a, fit->mean, b, slim->mean, units);
        narrow_one(a, fit->m, b, slim->m, units);
        narrow_one(a, fit->v, b, slim->v, units);
        for (size_t i = (size_t)h1; i < wide; i++)
            for (size_t j = 0; j < h2; j++) {
                const size_t w = a->w2 + (size_t)units[i].at * h2 + j;
                slim->p[b->head + j] += (float)(units[i].mean * (double)fit->p[w]);
                slim->mean[b->head + j] += (float)(units[i].mean * (double)fit->mean[w]);
            }
        memcpy(slim->beta1, fit->beta1, ((size_t)a->units + 1) * sizeof *slim->beta1);
        memcpy(slim->beta2, fit->beta2, ((size_t)a->units + 1) * sizeof *slim->beta2);
        slim->steps = fit->steps;
        slim->pending = fit->pending;
    }
    free(units);
    return status;
}
