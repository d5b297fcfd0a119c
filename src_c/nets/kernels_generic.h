/* The vector kernels, written once. An instruction set's file defines what follows, then includes
 * this:
 *
 *   SET                 the name, e.g. avx2
 *   WIDTH               bytes in a vector
 *   TILE                positions whose sums for two vectors of outputs fit the registers
 *   RELU(v)             larger of 0 and each int16
 *   SPLAT(p)            the 32 bits at p in every lane
 *   DOT(acc, a, w)      acc += the two int16 products of each 32-bit lane, added
 *   LARGER(x, y)        larger of the two floats in each lane
 *   SIDE_BY_SIDE(p, apart)   the sixteen bytes at p, p + apart … (in int32) that make a vector
 *   BYTES_DIFFER(x, y)  64-bit mask of the bytes in which the lines x and y differ
 *   LANES_SET(v)        mask of the 32-bit lanes that are not zero
 *
 * and, where it pays, LIST_LANES and ONE_REGISTER(p), which has p ready before it is read from: see
 * below.
 *
 * What it costs per position, in 512-bit operations, of which a double-pumped core (Zen 4) does one
 * a cycle; the second layer can thus do at most 117 G multiply-adds a second at 3.7 GHz:
 *   first layer     a load and an addition for each row and 32 units, three more for start, ReLU
 *                   and stores. Siblings of a roll are 5 rows apart on the average (counts only),
 *                   10 with the engineered bytes: 1024 units = 256 and 416 operations, reached
 *                   within a factor of two, most of it rows that come from the second-level cache
 *   second layer    h1 x h2 / 32 multiply-adds, 1024x32 = 1024, less the pairs of units that are
 *                   silent in the whole block; with VNNI it runs at about 95 % of that speed
 *   last layer      lanes are positions, so that a multiplication and an addition for each h2 and
 *                   outcome serve sixteen of them, as does the softmax: with six outcomes and h2 = 32
 *                   some 700 operations with the transposition, about 50 a position
 * `make floor` measures peaks and layers on the machine at hand; benchmarks/floor.md has a core that
 * does two operations a cycle.
 */
#ifndef ND_NETS_KERNELS_GENERIC_H
#define ND_NETS_KERNELS_GENERIC_H

#include "base/target.h"

typedef int16_t i16v __attribute__((vector_size(WIDTH), may_alias));
typedef uint16_t u16v __attribute__((vector_size(WIDTH), may_alias)); /* sums wrap around */
typedef int32_t i32v __attribute__((vector_size(WIDTH), may_alias));
typedef float f32v __attribute__((vector_size(WIDTH), may_alias));
typedef int32_t i32 __attribute__((may_alias)); /* two activations at once */

enum { I16_LANES = WIDTH / 2, I32_LANES = WIDTH / 4, NARROW = 64, SEARCH_FROM = 256 };

/* How to get the first layer of a position: sums to start from, rows to add, then to take away. */
typedef struct recipe {
    int from; /* a position of the block, or one of the two below */
    int add, all;
    const int16_t *row[ND_LINE];
} recipe;

enum { FROM_BASE = -1, FROM_BIAS = -2 };

/* list[n ...] = first + each lane of v that is not zero, n the number so far, which grows. Up to a
 * vector's lanes may be written, however few are meant. */
#ifndef LIST_LANES
#define LIST_LANES(list, n, first, v)                                                              \
    for (unsigned lanes_ = LANES_SET(v); lanes_; lanes_ &= lanes_ - 1)                             \
    (list)[(n)++] = (uint32_t)((first) + __builtin_ctz(lanes_))
#endif

#ifndef ONE_REGISTER
#define ONE_REGISTER(p) (void)0
#endif

static const uint8_t empty_line[ND_LINE] __attribute__((aligned(64))) = {0};

INLINE int list_rows(const nd_net *net, const uint8_t *line, uint64_t bytes, const int16_t **row)
{
    int n = 0;
    for (; bytes; bytes &= bytes - 1) {
        const int byte = __builtin_ctzll(bytes);
        row[n++] = net->rows + net->row_at[byte] + line[byte] * net->stride;
    }
    return n;
}

/* sum = from + rows for as many vectors of units as fit the registers. */
INLINE void add_rows(int vectors, const recipe *r, const int16_t *from, int at, u16v *sum)
{
    UNROLL
    for (int v = 0; v < vectors; v++) sum[v] = ((const u16v *)(const void *)from)[v];
    for (int i = 0; i < r->add; i++) {
        const u16v *row = (const u16v *)(const void *)(r->row[i] + at);
        ONE_REGISTER(row);
        UNROLL
        for (int v = 0; v < vectors; v++) sum[v] += row[v];
    }
    for (int i = r->add; i < r->all; i++) {
        const u16v *row = (const u16v *)(const void *)(r->row[i] + at);
        ONE_REGISTER(row);
        UNROLL
        for (int v = 0; v < vectors; v++) sum[v] -= row[v];
    }
}

/* The remembered first layer of `board`, worked out if need be. */
static const nd_base *find_base(const nd_net *net, nd_scratch *scratch, const nd_board *board)
{
    enum { STEP = 64 / I16_LANES };
    nd_base *base = &scratch->base[net->info.hash % ND_BASES];
    if (base->hash == net->info.hash && nd_equal(&base->board, board)) return base;
    recipe r;
    base->hash = net->info.hash;
    base->board = *board;
    net->info.features->fill(board, base->line);
    r.all = r.add = list_rows(net, base->line, BYTES_DIFFER(base->line, empty_line), r.row);
    for (int at = 0; at < net->info.h1; at += 64) {
        u16v sum[STEP];
        add_rows(STEP, &r, net->b1 + at, at, sum);
        UNROLL
        for (int v = 0; v < STEP; v++) ((u16v *)(void *)(base->sum + at))[v] = sum[v];
    }
    return base;
}

/* Lines and recipes of a block. Each position starts from whatever costs the fewest rows: the bias,
 * the base, or another position of the block. Siblings are often nearer to one another than to
 * their base: with the engineered bytes 10 rows from the nearest, 15 from the base, of 23 in all.
 * For narrow nets looking around costs more than the rows, so they always start from the bias. */
static void make_recipes(int n, const nd_net *net, const nd_base *base, const nd_board *boards,
                         nd_scratch *scratch, recipe *recipes)
{
    const uint64_t base_filled = base ? BYTES_DIFFER(base->line, empty_line) : 0;
    uint64_t filled[ND_BLOCK];
    /* All lines first: a vector read of bytes that were just written singly would wait for them. */
    for (int p = 0; p < n; p++) net->info.features->fill(&boards[p], scratch->line[p]);
    for (int p = 0; p < n; p++) {
        recipe *r = &recipes[p];
        const uint8_t *line = scratch->line[p];
        filled[p] = BYTES_DIFFER(line, empty_line);
        /* The cheapest, by a minimum of cost and index in one number: no branch to mispredict. */
        const int others = net->info.h1 >= SEARCH_FROM ? p : 0;
        int best = __builtin_popcountll(filled[p]) * 32 + FROM_BIAS + 2;
        for (int q = base ? FROM_BASE : 0; q < others; q++) {
            const uint64_t differ = BYTES_DIFFER(line, q < 0 ? base->line : scratch->line[q]);
            const uint64_t leave = differ & (q < 0 ? base_filled : filled[q]);
            const int cost = __builtin_popcountll(differ & filled[p]) + __builtin_popcountll(leave);
            const int key = cost * 32 + q + 2;
            best = key < best ? key : best;
        }
        r->from = best % 32 - 2;
        const uint8_t *from = r->from == FROM_BIAS   ? empty_line
                              : r->from == FROM_BASE ? base->line
                                                     : scratch->line[r->from];
        const uint64_t differ = BYTES_DIFFER(line, from);
        r->add = list_rows(net, line, differ & filled[p], r->row);
        r->all = r->add + list_rows(net, from, differ & BYTES_DIFFER(from, empty_line),
                                    r->row + r->add);
    }
}

/* Units at .. of a block: sums, ReLU, and the pairs of units of which one is alive somewhere. The
 * sums of all positions are at hand for those that start from them; rows that siblings share are
 * still in the first-level cache. */
INLINE int first_layer_of(int vectors, int n, const nd_net *net, const nd_base *base,
                          const recipe *recipes, int at, nd_scratch *scratch, int pairs)
{
    u16v sums[ND_BLOCK][8];
    i32v alive[8];
    UNROLL
    for (int v = 0; v < vectors; v++) alive[v] = (i32v){0};
    for (int p = 0; p < n; p++) {
        const recipe *r = &recipes[p];
        const int16_t *from = r->from == FROM_BIAS   ? net->b1 + at
                              : r->from == FROM_BASE ? base->sum + at
                                                     : (const int16_t *)(const void *)sums[r->from];
        u16v sum[8];
        add_rows(vectors, r, from, at, sum);
        UNROLL
        for (int v = 0; v < vectors; v++) {
            const i16v act = RELU(sum[v]);
            sums[p][v] = sum[v];
            ((i16v *)(void *)&scratch->act[p][at])[v] = act;
            alive[v] |= (i32v)act;
        }
    }
    UNROLL
    for (int v = 0; v < vectors; v++)
        LIST_LANES(scratch->pair, pairs, at / 2 + v * I32_LANES, alive[v]);
    return pairs;
}

/* The same for the narrowest nets, whose units all fit the registers: from the bias, and each row is
 * added when it is found, which spares the list and one of two loops whose ends are mispredicted. */
INLINE int narrow_first_layer(int n, const nd_net *net, const nd_board *boards, nd_scratch *scratch)
{
    enum { STEP = NARROW / I16_LANES };
    i32v alive[STEP] = {{0}};
    for (int p = 0; p < n; p++) net->info.features->fill(&boards[p], scratch->line[p]);
    for (int p = 0; p < n; p++) {
        const uint8_t *line = scratch->line[p];
        u16v sum[STEP];
        UNROLL
        for (int v = 0; v < STEP; v++) sum[v] = ((const u16v *)(const void *)net->b1)[v];
        for (uint64_t bytes = BYTES_DIFFER(line, empty_line); bytes; bytes &= bytes - 1) {
            const int byte = __builtin_ctzll(bytes);
            const u16v *row = (const u16v *)(const void *)(net->rows + net->row_at[byte] +
                                                           line[byte] * (ptrdiff_t)NARROW);
            UNROLL
            for (int v = 0; v < STEP; v++) sum[v] += row[v];
        }
        UNROLL
        for (int v = 0; v < STEP; v++) {
            const i16v act = RELU(sum[v]);
            ((i16v *)(void *)scratch->act[p])[v] = act;
            alive[v] |= (i32v)act;
        }
    }
    int pairs = 0;
    UNROLL
    for (int v = 0; v < STEP; v++) LIST_LANES(scratch->pair, pairs, v * I32_LANES, alive[v]);
    return pairs;
}

/* The first layer of a block; answers how many pairs of units the second layer must look at. */
static int first_layer(int n, const nd_net *net, const nd_base *base, const nd_board *boards,
                       nd_scratch *scratch)
{
    if (net->info.h1 == NARROW) return narrow_first_layer(n, net, boards, scratch);
    recipe recipes[ND_BLOCK];
    make_recipes(n, net, base, boards, scratch, recipes);
    int pairs = 0, at = 0;
    for (; at + 8 * I16_LANES <= net->info.h1; at += 8 * I16_LANES)
        pairs = first_layer_of(8, n, net, base, recipes, at, scratch, pairs);
    for (; at < net->info.h1; at += 64)
        pairs = first_layer_of(64 / I16_LANES, n, net, base, recipes, at, scratch, pairs);
    return pairs;
}

/* Sums of `n` positions for outputs k .. k + vectors * I32_LANES - 1. */
INLINE void tile(int n, int vectors, const nd_net *net, int k, int16_t (*act)[ND_ACT_STRIDE],
                 const uint32_t *pair, int pairs, int32_t (*out)[ND_MAX_H2])
{
    const ptrdiff_t h2 = net->info.h2;
    const int32_t *w2 = (const int32_t *)(const void *)net->w2 + k;
    i32v sum[TILE][2];
    UNROLL
    for (int p = 0; p < n; p++) {
        UNROLL
        for (int v = 0; v < vectors; v++)
            sum[p][v] = ((const i32v *)(const void *)(net->b2 + k))[v];
    }
    for (int i = 0; i < pairs; i++) {
        const i32v *w = (const i32v *)(const void *)(w2 + pair[i] * h2);
        const int16_t *a = &act[0][2 * (size_t)pair[i]];
        const i32v w_0 = w[0], w_1 = w[vectors - 1];
        UNROLL
        for (int p = 0; p < n; p++) {
            const i32v x = SPLAT(a + p * ND_ACT_STRIDE);
            DOT(sum[p][0], x, w_0);
            if (vectors == 2) DOT(sum[p][1], x, w_1);
        }
    }
    UNROLL
    for (int p = 0; p < n; p++) {
        UNROLL
        for (int v = 0; v < vectors; v++)
            ((i32v *)(void *)&out[p][k])[v] = sum[p][v];
    }
}

#define TILE_OF(n)                                                                                 \
    case n:                                                                                        \
        tile(n, vectors, net, k, act, pair, pairs, out);                                           \
        break

INLINE void tiles(int n, int vectors, const nd_net *net, int k, int16_t (*act)[ND_ACT_STRIDE],
                  const uint32_t *pair, int pairs, int32_t (*out)[ND_MAX_H2])
{
    switch (n) {
        TILE_OF(1);
        TILE_OF(2);
        TILE_OF(3);
        TILE_OF(4);
        TILE_OF(5);
        TILE_OF(6);
#if TILE > 6
        TILE_OF(7);
        TILE_OF(8);
        TILE_OF(9);
        TILE_OF(10);
        TILE_OF(11);
        TILE_OF(12);
#endif
    }
}

static void second_layer(int n, const nd_net *net, int16_t (*act)[ND_ACT_STRIDE],
                         const uint32_t *pair, int pairs, int32_t (*out)[ND_MAX_H2])
{
    for (int p = 0; p < n; p += TILE) {
        const int m = n - p < TILE ? n - p : TILE;
        int k = 0;
        for (; k + 2 * I32_LANES <= net->info.h2; k += 2 * I32_LANES)
            tiles(m, 2, net, k, act + p, pair, pairs, out + p);
        if (k < net->info.h2) tiles(m, 1, net, k, act + p, pair, pairs, out + p);
    }
}

/* Indices of a shuffle within sixteen bytes, the same in each sixteen of a vector. */
#if WIDTH == 16
#define IN_SIXTEENS(a, b, c, d) a, b, c, d
#elif WIDTH == 32
#define IN_SIXTEENS(a, b, c, d) a, b, c, d, (a) + 4, (b) + 4, (c) + 4, (d) + 4
#else
#define IN_SIXTEENS(a, b, c, d)                                                                    \
    a, b, c, d, (a) + 4, (b) + 4, (c) + 4, (d) + 4, (a) + 8, (b) + 8, (c) + 8, (d) + 8, (a) + 12,  \
        (b) + 12, (c) + 12, (d) + 12
#endif
#define OF_BOTH(x, y, a, b, c, d) __builtin_shufflevector(x, y, IN_SIXTEENS(a, b, c, d))

/* Lane 4 j + i of v[k] and lane 4 j + k of v[i] change places. */
INLINE void transpose(i32v v[4])
{
    enum { Y = I32_LANES }; /* lanes of the second vector come after those of the first */
    const i32v a = OF_BOTH(v[0], v[1], 0, Y, 1, Y + 1), b = OF_BOTH(v[2], v[3], 0, Y, 1, Y + 1);
    const i32v c = OF_BOTH(v[0], v[1], 2, Y + 2, 3, Y + 3), d = OF_BOTH(v[2], v[3], 2, Y + 2, 3, Y + 3);
    v[0] = OF_BOTH(a, b, 0, 1, Y, Y + 1), v[1] = OF_BOTH(a, b, 2, 3, Y + 2, Y + 3);
    v[2] = OF_BOTH(c, d, 0, 1, Y, Y + 1), v[3] = OF_BOTH(c, d, 2, 3, Y + 2, Y + 3);
}

/* x = exp(x) for x <= 0, see internal.h. */
INLINE void exponential(f32v *x)
{
    *x = LARGER(*x, (f32v){0} + ND_EXP_MIN);
    const i32v n = __builtin_convertvector(*x * ND_EXP_PER_LN2 - 0.5f, i32v);
    const f32v whole = __builtin_convertvector(n, f32v);
    f32v r = *x - whole * ND_EXP_LN2_HIGH;
    r = r - whole * ND_EXP_LN2_LOW;
    f32v y = ND_EXP_C6 * r + ND_EXP_C5;
    y = y * r + ND_EXP_C4;
    y = y * r + ND_EXP_C3;
    y = y * r + ND_EXP_C2;
    y = y * r + 1.0f;
    y = y * r + 1.0f;
    *x = (f32v)((i32v)y + (n << 23));
}

/* As many positions at a time as a vector has lanes, of which the first n count; what has been in
 * memory makes the others. `lanes` outcomes are worked out, with those that pad them. */
INLINE void last_layer_of(int lanes, int outcomes, int n, const nd_net *net,
                          int32_t (*sum)[ND_MAX_H2], float *out)
{
    f32v z[ND_LANES] = {{0}};
    UNROLL
    for (int c = 0; c < lanes; c++) z[c] = z[c] + net->b3[c];
    for (int k = 0; k < net->info.h2; k += 4) {
        i32v s[4]; /* of positions 0, 4, 8 …, of 1, 5 …; then of outputs k, k + 1 … */
        UNROLL
        for (int i = 0; i < 4; i++) s[i] = SIDE_BY_SIDE(&sum[i][k], 4 * ND_MAX_H2);
        transpose(s);
        UNROLL
        for (int i = 0; i < 4; i++) {
            const f32v alive = LARGER(__builtin_convertvector(s[i], f32v), (f32v){0});
            const f32v hidden = alive * net->scale[k + i];
            const float *w3 = net->w3 + (k + i) * ND_LANES;
            UNROLL
            for (int c = 0; c < lanes; c++) z[c] = z[c] + hidden * w3[c];
        }
    }
    f32v most = z[0];
    UNROLL
    for (int c = 1; c < lanes; c++) most = LARGER(z[c], most);
    UNROLL
    for (int c = 0; c < lanes; c++) {
        z[c] = z[c] - most;
        exponential(&z[c]);
        z[c] = z[c] * net->present[c];
    }
    const f32v all = ((z[0] + z[4]) + (z[2] + z[6])) + ((z[1] + z[5]) + (z[3] + z[7]));
    i32v share[2][4] = {{{0}}};
    UNROLL
    for (int c = 0; c < lanes; c++) share[c / 4][c % 4] = (i32v)(z[c] / all);
    transpose(share[0]);
    transpose(share[1]);
    const int low = outcomes < 4 ? outcomes : 4, high = outcomes - low;
    for (int p = 0; p < n; p++) {
        const float *const of = (const float *)(const void *)&share[0][p % 4] + p / 4 * 4;
        memcpy(out, of, (size_t)low * sizeof *out);
        memcpy(out + low, of + 4 * I32_LANES, (size_t)high * sizeof *out);
        out += outcomes;
    }
}

static void last_layer(int n, const nd_net *net, nd_scratch *scratch, float *out)
{
    const int outcomes = net->info.outcomes;
    for (int p = 0; p < n; p += I32_LANES) {
        const int m = n - p < I32_LANES ? n - p : I32_LANES;
        float *const to = out + p * outcomes;
        if (outcomes == 6)
            last_layer_of(6, 6, m, net, scratch->sum + p, to);
        else if (outcomes == 8)
            last_layer_of(8, 8, m, net, scratch->sum + p, to);
        else
            last_layer_of(ND_LANES, outcomes, m, net, scratch->sum + p, to);
    }
}

static void evaluate(const nd_net *net, nd_scratch *scratch, const nd_board *base_board,
                     const nd_board *boards, size_t n, float *out)
{
    const bool near = base_board && n && net->info.h1 >= SEARCH_FROM;
    const nd_base *base = near ? find_base(net, scratch, base_board) : NULL;
    int waiting = 0; /* for the last layer, which takes as many together as a vector has lanes */
    while (n) {
        /* Blocks of equal size: 20 positions are 10 and 10, not 12 and 8. */
        const size_t blocks = (n + ND_BLOCK - 1) / ND_BLOCK;
        const int m = (int)((n + blocks - 1) / blocks);
        const int pairs = first_layer(m, net, base, boards, scratch);
        second_layer(m, net, scratch->act, scratch->pair, pairs, scratch->sum + waiting);
        boards += m;
        n -= (size_t)m;
        waiting += m;
        if (n && waiting <= ND_WAITING - ND_BLOCK) continue;
        last_layer(waiting, net, scratch, out);
        out += waiting * net->info.outcomes;
        waiting = 0;
    }
}

#define ND_TEXT_OF(x) #x
#define ND_TEXT(x) ND_TEXT_OF(x)
#define ND_JOIN_OF(a, b) a##b
#define ND_JOIN(a, b) ND_JOIN_OF(a, b)
const nd_kernels ND_JOIN(nd_kernels_, SET) = {ND_TEXT(SET), evaluate};

#endif
