/* The loops of fit_kernels.h over a vector type V of LANES floats; included once by each kernel
 * file, which defines V, LANES, TILE_ROWS (divides ND_FIT_ROWS), TILE_COLS_ROWS (divides
 * ND_FIT_BLOCK), the operations v_* and KERNELS, KERNELS_NAME.
 *
 * Every output is one chain of fused multiply-adds over the same index order, so the width of V and
 * the tiles do not show in the result.
 */
#include <math.h>
#include <string.h>

#include "base/target.h"
#include "train/fit_kernels.h"

/* One multiply-add with one rounding; a set may have its own. */
#ifndef FUSED
#define FUSED __builtin_fmaf
#endif

enum { BLOCK = ND_FIT_BLOCK, OUT = ND_MAX_OUTCOMES, BLOCK_VECS = BLOCK / LANES };

/* c[rows][vecs * LANES] = sum over k < depth of a[row, k] * b[k, col]; with `relu` zeroed where the
 * old c is not positive. rows and vecs are constants after inlining. */
INLINE void tile(const int rows, const int vecs, int depth, const float *a, size_t a_row,
                 size_t a_depth, const float *b, size_t b_depth, float *c, size_t c_row,
                 const int relu)
{
    V acc[12][2];
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < vecs; v++) acc[r][v] = v_zero();
    for (int k = 0; k < depth; k++) {
        V w[2];
        UNROLL for (int v = 0; v < vecs; v++) w[v] = v_load(b + (size_t)k * b_depth + v * LANES);
        UNROLL for (int r = 0; r < rows; r++) {
            const V x = v_fill(a[(size_t)r * a_row + (size_t)k * a_depth]);
            UNROLL for (int v = 0; v < vecs; v++) acc[r][v] = v_fma(x, w[v], acc[r][v]);
        }
    }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < vecs; v++) {
            float *o = c + (size_t)r * c_row + v * LANES;
            v_store(o, relu ? v_where_positive(v_load(o), acc[r][v]) : acc[r][v]);
        }
}

/* Rows x all columns (multiple of LANES) in tiles two vectors wide, the last perhaps one. */
INLINE void tiles(const int rows, int cols, int depth, const float *a, size_t a_row,
                  size_t a_depth, const float *b, size_t b_depth, float *c, size_t c_row,
                  const int relu)
{
    int j = 0;
    for (; j + 2 * LANES <= cols; j += 2 * LANES)
        tile(rows, 2, depth, a, a_row, a_depth, b + j, b_depth, c + j, c_row, relu);
    if (j < cols) tile(rows, 1, depth, a, a_row, a_depth, b + j, b_depth, c + j, c_row, relu);
}

INLINE void forward_h2(const float *w1, const float *b1, const float *w2, const int h2,
                       nd_inputs in, float *a1, float *z2)
{
    for (int i = 0; i < in.n; i += ND_FIT_ROWS) {
        for (int r = i; r < i + ND_FIT_ROWS && r < in.n; r++) {
            V acc[BLOCK_VECS];
            UNROLL for (int v = 0; v < BLOCK_VECS; v++) acc[v] = v_load(b1 + v * LANES);
            const nd_active *u = in.active + (size_t)r * (size_t)in.stride;
            for (const nd_active *end = u + in.count[r]; u < end; u++) {
                const float *row = w1 + u->offset;
                const V x = v_fill(u->coefficient);
                UNROLL for (int v = 0; v < BLOCK_VECS; v++)
                    acc[v] = v_fma(x, v_load(row + v * LANES), acc[v]);
            }
            float *out = a1 + (size_t)r * BLOCK;
            UNROLL for (int v = 0; v < BLOCK_VECS; v++)
                v_store(out + v * LANES, v_max(acc[v], v_zero()));
        }
        for (int r = i; r < i + ND_FIT_ROWS; r += TILE_ROWS)
            tiles(TILE_ROWS, h2, BLOCK, a1 + (size_t)r * BLOCK, BLOCK, 1, w2, (size_t)h2,
                  z2 + (size_t)r * (size_t)h2, (size_t)h2, 0);
    }
}

static void forward(const float *w1, const float *b1, const float *w2, int h2, nd_inputs in,
                    float *a1, float *z2)
{
    if (h2 == 32)
        forward_h2(w1, b1, w2, 32, in, a1, z2);
    else
        forward_h2(w1, b1, w2, h2, in, a1, z2);
}

INLINE void backward_h2(const float *w2, const int h2, nd_inputs in, int units, float *a1,
                        const float *dz2, float *scratch, float *g1, float *gb1, float *g2)
{
    for (int k = 0; k < BLOCK; k++)
        for (int j = 0; j < h2; j++) scratch[j * BLOCK + k] = w2[k * h2 + j];

    for (int k = 0; k < BLOCK; k += TILE_COLS_ROWS)
        tiles(TILE_COLS_ROWS, h2, in.n, a1 + k, 1, BLOCK, dz2, (size_t)h2, g2 + k * h2, (size_t)h2,
              0);

    memset(g1, 0, (size_t)units * BLOCK * sizeof *g1);
    V sum[BLOCK_VECS];
    UNROLL for (int v = 0; v < BLOCK_VECS; v++) sum[v] = v_zero();
    for (int i = 0; i < in.n; i += ND_FIT_ROWS) {
        for (int r = i; r < i + ND_FIT_ROWS; r += TILE_ROWS)
            tiles(TILE_ROWS, BLOCK, h2, dz2 + (size_t)r * (size_t)h2, (size_t)h2, 1, scratch, BLOCK,
                  a1 + (size_t)r * BLOCK, BLOCK, 1);
        for (int r = i; r < i + ND_FIT_ROWS && r < in.n; r++) {
            V d[BLOCK_VECS];
            UNROLL for (int v = 0; v < BLOCK_VECS; v++) {
                d[v] = v_load(a1 + (size_t)r * BLOCK + v * LANES);
                sum[v] = v_add(sum[v], d[v]);
            }
            const nd_active *u = in.active + (size_t)r * (size_t)in.stride;
            for (const nd_active *end = u + in.count[r]; u < end; u++) {
                float *row = g1 + u->offset;
                const V x = v_fill(u->coefficient);
                UNROLL for (int v = 0; v < BLOCK_VECS; v++)
                    v_store(row + v * LANES, v_fma(x, d[v], v_load(row + v * LANES)));
            }
        }
    }
    UNROLL for (int v = 0; v < BLOCK_VECS; v++) v_store(gb1 + v * LANES, sum[v]);
}

static void backward(const float *w2, int h2, nd_inputs in, int units, float *a1, const float *dz2,
                     float *scratch, float *g1, float *gb1, float *g2)
{
    if (h2 == 32)
        backward_h2(w2, 32, in, units, a1, dz2, scratch, g1, gb1, g2);
    else
        backward_h2(w2, h2, in, units, a1, dz2, scratch, g1, gb1, g2);
}

/* e^x for x <= 0, relative error about 1e-7; our own so that no library chooses the bits. */
INLINE float exp_negative(float x)
{
    x = x < -80.0f ? -80.0f : x;
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    const float n = (x * 1.44269504f + magic) - magic;
    float r = FUSED(n, -0.693359375f, x);
    r = FUSED(n, 2.12194440e-4f, r);
    float y = 1.0f / 720.0f;
    y = FUSED(y, r, 1.0f / 120.0f);
    y = FUSED(y, r, 1.0f / 24.0f);
    y = FUSED(y, r, 1.0f / 6.0f);
    y = FUSED(y, r, 0.5f);
    y = FUSED(y, r, 1.0f);
    y = FUSED(y, r, 1.0f);
    const int32_t bits = ((int32_t)n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return y * power;
}

INLINE float dot(const float *a, const float *b)
{
    float s = 0.0f;
    for (int o = 0; o < OUT; o++) s = FUSED(a[o], b[o], s);
    return s;
}

/* z2, probabilities; returns log of the sum plus the maximum: log p = logit - that. */
INLINE float head_one(const nd_head *h, int i, float *logit)
{
    const int h2 = h->h2;
    float *z2 = h->z2 + (size_t)i * (size_t)h2;
    for (int j = 0; j < h2; j += LANES) {
        V s = v_load(h->b2 + j);
        const float *part = h->parts + (size_t)i * (size_t)h2 + j;
        for (int b = 0; b < h->blocks; b++, part += h->part_size) s = v_add(s, v_load(part));
        v_store(z2 + j, s);
    }
    float z[OUT];
    for (int o = 0; o < OUT; o++) z[o] = h->b3[o];
    for (int j = 0; j < h2; j++) {
        const float a = z2[j] > 0.0f ? z2[j] : 0.0f;
        for (int o = 0; o < OUT; o++) z[o] = FUSED(a, h->w3[j * OUT + o], z[o]);
    }
    float top = z[0];
    for (int o = 1; o < h->outcomes; o++) top = z[o] > top ? z[o] : top;
    float *p = h->p + (size_t)i * OUT, sum = 0.0f;
    for (int o = 0; o < OUT; o++) p[o] = exp_negative(z[o] - top < 0.0f ? z[o] - top : 0.0f);
    for (int o = h->outcomes; o < OUT; o++) p[o] = 0.0f;
    for (int o = 0; o < OUT; o++) sum += p[o];
    for (int o = 0; o < OUT; o++) p[o] /= sum;
    memcpy(logit, z, sizeof z);
    return top + logf(sum);
}

static void head_forward(const nd_head *h)
{
    float logit[OUT];
    for (int i = h->first; i < h->last; i++) head_one(h, i, logit);
}

/* Group by group: forward with the equities, then backward. Between the two, e and y of a sample wait
 * in the row of dz2 that it fills later. */
static void head_backward(const nd_head *h)
{
    const int h2 = h->h2;
    float w3t[OUT][ND_FIT_MAX_H2];
    for (int j = 0; j < h2; j++)
        for (int o = 0; o < OUT; o++) w3t[o][j] = h->w3[j * OUT + o];
    float *gb2 = h->gradient, *gw3 = gb2 + h2, *gb3 = gw3 + h2 * OUT;

    for (int a = h->first, b; a < h->last; a = b) {
        float weight_e = 0.0f, weight_y = 0.0f, weight = 0.0f;
        for (b = a; b < h->last && h->group[b] == h->group[a]; b++) {
            const float *p = h->p + (size_t)b * OUT, *t = h->target + (size_t)b * OUT;
            float logit[OUT];
            const float norm = head_one(h, b, logit);
            const float e = dot(p, h->points), y = dot(t, h->points), w = h->weight[b];
            float *keep = h->dz2 + (size_t)b * (size_t)h2;
            keep[0] = e, keep[1] = y;
            weight_e = FUSED(w, e, weight_e);
            weight_y = FUSED(w, y, weight_y);
            weight += w;
            h->sums[0] += w;
            h->sums[1] += (double)w * (norm - dot(t, logit));
        }
        const bool grouped = b - a > 1 && weight > 0.0f;
        const float shift = grouped ? (weight_y - weight_e) / weight : 0.0f;
        h->sums[2] += b - a;
        if (grouped) h->sums[4] += b - a;

        for (int i = a; i < b; i++) {
            const float *p = h->p + (size_t)i * OUT, *t = h->target + (size_t)i * OUT;
            const float *z2 = h->z2 + (size_t)i * (size_t)h2;
            float *dz2 = h->dz2 + (size_t)i * (size_t)h2, dz3[OUT];
            const float e = dz2[0], error = e - dz2[1];
            const float deviation = grouped ? error + shift : 0.0f;
            const float scale = h->scale * h->weight[i], push = h->difference * deviation;
            h->sums[3] += (double)error * error;
            h->sums[5] += (double)deviation * deviation;
            for (int o = 0; o < OUT; o++) {
                dz3[o] = scale * FUSED(push * p[o], h->points[o] - e, p[o] - t[o]);
                gb3[o] += dz3[o];
            }
            for (int j = 0; j < h2; j++) {
                const float x = z2[j] > 0.0f ? z2[j] : 0.0f;
                for (int o = 0; o < OUT; o++)
                    gw3[j * OUT + o] = FUSED(x, dz3[o], gw3[j * OUT + o]);
            }
            for (int j = 0; j < h2; j += LANES) {
                V d = v_zero();
                UNROLL for (int o = 0; o < OUT; o++)
                    d = v_fma(v_fill(dz3[o]), v_load(&w3t[o][j]), d);
                d = v_where_positive(v_load(z2 + j), d);
                v_store(dz2 + j, d);
                v_store(gb2 + j, v_add(v_load(gb2 + j), d));
            }
        }
    }
}

INLINE void adam_vector(float *p, float *m, float *v, const float *g, V step, V root)
{
    const V x = v_load(g);
    V mean = v_load(m), square = v_load(v);
    mean = v_fma(v_fill(0.1f), v_sub(x, mean), mean);
    square = v_fma(v_fill(0.001f), v_sub(v_mul(x, x), square), square);
    v_store(m, mean);
    v_store(v, square);
    const V length = v_div(v_mul(step, mean), v_fma(v_sqrt(square), root, v_fill(1e-8f)));
    v_store(p, v_sub(v_load(p), length));
}

static void adam(float *p, float *m, float *v, const float *g, size_t n, float step, float root)
{
    for (size_t i = 0; i < n; i += LANES)
        adam_vector(p + i, m + i, v + i, g + i, v_fill(step), v_fill(root));
}

static void adam_rows(float *p, float *m, float *v, const float *g, int units, const float *step,
                      const float *root)
{
    for (int u = 0; u < units; u++) {
        if (step[u] < 0.0f) continue;
        const size_t at = (size_t)u * BLOCK;
        for (size_t i = at; i < at + BLOCK; i += LANES)
            adam_vector(p + i, m + i, v + i, g + i, v_fill(step[u]), v_fill(root[u]));
    }
}

static void average(float *mean, const float *p, size_t n, float decay)
{
    const V part = v_fill(1.0f - decay);
    for (size_t i = 0; i < n; i += LANES) {
        const V a = v_load(mean + i);
        v_store(mean + i, v_fma(part, v_sub(v_load(p + i), a), a));
    }
}

const nd_fit_kernels KERNELS = {KERNELS_NAME, forward, backward,  head_forward,
                                head_backward, adam,   adam_rows, average};
