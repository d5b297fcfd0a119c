/* The vector kernels, written once. An instruction set's file defines what follows, then includes
 * this:
 *
 *   SET                 the name, e.g. avx2
 *   WIDTH               bytes in a vector
 *   TILE                positions whose sums for two vectors of outputs fit the registers
 *   RELU(v)             larger of 0 and each int16
 *   SPLAT(p)            the 32 bits at p in every lane
 *   DOT(acc, a, w)      acc += the two int16 products of each 32-bit lane, added
 *   BYTES_DIFFER(x, y)  64-bit mask of the bytes in which the lines x and y differ
 *   LANES_SET(v)        mask of the 32-bit lanes that are not zero
 *
 * What it costs per position, in 512-bit operations of which a double-pumped core does one a cycle:
 *   first layer     one load and addition for each row and 32 units; siblings differ from their
 *                   base in about 4.5 counts = 9 rows, which the second-level cache delivers at
 *                   two cycles a load: 1024 units = 576 cycles
 *   second layer    h1 x h2 / 32 multiply-adds: 1024x32 = 1024 cycles, less the pairs of units that
 *                   are silent in the whole block (siblings share most of their silent units)
 *   last layer      2 h2 operations on eight lanes at two a cycle, and the softmax: about 70 cycles
 */
#ifndef ND_NETS_KERNELS_GENERIC_H
#define ND_NETS_KERNELS_GENERIC_H

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

typedef int16_t i16v __attribute__((vector_size(WIDTH), may_alias));
typedef uint16_t u16v __attribute__((vector_size(WIDTH), may_alias)); /* sums wrap around */
typedef int32_t i32v __attribute__((vector_size(WIDTH), may_alias));
typedef int32_t i32x8 __attribute__((vector_size(32), may_alias));
typedef float f32x8 __attribute__((vector_size(32), may_alias));
typedef int32_t i32 __attribute__((may_alias)); /* two activations at once */

enum { I16_LANES = WIDTH / 2, I32_LANES = WIDTH / 4 };

/* Which rows lead from one line to another. */
typedef struct row_list {
    int n_add, n_sub;
    const int16_t *add[ND_LINE], *sub[ND_LINE];
} row_list;

INLINE int list_rows(const nd_net *net, const uint8_t *line, uint64_t bytes, const int16_t **rows)
{
    int n = 0;
    for (; bytes; bytes &= bytes - 1) {
        const int byte = __builtin_ctzll(bytes);
        rows[n++] = net->rows + net->row_at[byte] + (ptrdiff_t)line[byte] * net->info.h1;
    }
    return n;
}

/* out = from + rows, `vectors` of them side by side so that the sums stay in registers. */
INLINE void add_rows_of(int vectors, const row_list *list, const int16_t *from, int at, bool relu,
                        int16_t *out)
{
    u16v sum[8];
    UNROLL
    for (int v = 0; v < vectors; v++) sum[v] = ((const u16v *)(const void *)(from + at))[v];
    for (int i = 0; i < list->n_add; i++) {
        const u16v *row = (const u16v *)(const void *)(list->add[i] + at);
        UNROLL
        for (int v = 0; v < vectors; v++) sum[v] += row[v];
    }
    for (int i = 0; i < list->n_sub; i++) {
        const u16v *row = (const u16v *)(const void *)(list->sub[i] + at);
        UNROLL
        for (int v = 0; v < vectors; v++) sum[v] -= row[v];
    }
    UNROLL
    for (int v = 0; v < vectors; v++)
        ((i16v *)(void *)(out + at))[v] = relu ? RELU((i16v)sum[v]) : (i16v)sum[v];
}

INLINE void add_rows(int h1, const row_list *list, const int16_t *from, bool relu, int16_t *out)
{
    int at = 0;
    for (; at + 8 * I16_LANES <= h1; at += 8 * I16_LANES)
        add_rows_of(8, list, from, at, relu, out);
    for (; at < h1; at += 64) add_rows_of(64 / I16_LANES, list, from, at, relu, out);
}

static const uint8_t empty_line[ND_LINE] __attribute__((aligned(64))) = {0};

/* The remembered first layer of `board`, worked out if need be. */
static const nd_base *find_base(const nd_net *net, nd_scratch *scratch, const nd_board *board)
{
    nd_base *base = &scratch->base[net->info.hash % ND_BASES];
    if (base->hash == net->info.hash && nd_equal(&base->board, board)) return base;
    row_list list = {0, 0, {0}, {0}};
    base->hash = net->info.hash;
    base->board = *board;
    net->info.features->fill(board, base->line);
    list.n_add = list_rows(net, base->line, BYTES_DIFFER(base->line, empty_line), list.add);
    add_rows(net->info.h1, &list, net->b1, false, base->sum);
    return base;
}

static void first_layer(const nd_net *net, const nd_base *base, const nd_board *board, int16_t *act)
{
    uint8_t line[ND_LINE] __attribute__((aligned(64)));
    row_list list;
    net->info.features->fill(board, line);
    const uint64_t filled = BYTES_DIFFER(line, empty_line);
    if (base) {
        const uint64_t differ = BYTES_DIFFER(line, base->line);
        const uint64_t leave = differ & BYTES_DIFFER(base->line, empty_line);
        const uint64_t enter = differ & filled;
        if (__builtin_popcountll(leave) + __builtin_popcountll(enter) <
            __builtin_popcountll(filled)) {
            list.n_add = list_rows(net, line, enter, list.add);
            list.n_sub = list_rows(net, base->line, leave, list.sub);
            add_rows(net->info.h1, &list, base->sum, true, act);
            return;
        }
    }
    list.n_add = list_rows(net, line, filled, list.add);
    list.n_sub = 0;
    add_rows(net->info.h1, &list, net->b1, true, act);
}

/* The pairs of units of which one is alive in one of `n` positions. */
static int list_pairs(int h1, int n, int16_t (*act)[ND_ACT_STRIDE], uint32_t *pair)
{
    int count = 0;
    for (int at = 0; at < h1; at += I16_LANES) {
        i32v any = *(const i32v *)(const void *)&act[0][at];
        for (int p = 1; p < n; p++) any |= *(const i32v *)(const void *)&act[p][at];
        for (unsigned lanes = LANES_SET(any); lanes; lanes &= lanes - 1)
            pair[count++] = (uint32_t)(at / 2 + __builtin_ctz(lanes));
    }
    return count;
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

/* Vectors of floats go by address: sets with shorter registers have no way to pass them. */
#define SPLAT8(x) ((f32x8){x, x, x, x, x, x, x, x})

/* x = the larger of x and y in each lane. */
INLINE void raise_to(f32x8 *x, const f32x8 *y)
{
    const i32x8 m = *x > *y;
    *x = (f32x8)(((i32x8)*x & m) | ((i32x8)*y & ~m));
}

/* Lane i of the result is lane i ^ 4, i ^ 2 and i ^ 1 of x. */
#define FOLD_4(x) __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3)
#define FOLD_2(x) __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5)
#define FOLD_1(x) __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6)

/* x = exp(x) for x <= 0, see internal.h. */
INLINE void exponential(f32x8 *x)
{
    const f32x8 least = SPLAT8(ND_EXP_MIN);
    raise_to(x, &least);
    const i32x8 n = __builtin_convertvector(*x * SPLAT8(ND_EXP_PER_LN2) - SPLAT8(0.5f), i32x8);
    const f32x8 whole = __builtin_convertvector(n, f32x8);
    f32x8 r = *x - whole * SPLAT8(ND_EXP_LN2_HIGH);
    r = r - whole * SPLAT8(ND_EXP_LN2_LOW);
    f32x8 y = SPLAT8(ND_EXP_C6) * r + SPLAT8(ND_EXP_C5);
    y = y * r + SPLAT8(ND_EXP_C4);
    y = y * r + SPLAT8(ND_EXP_C3);
    y = y * r + SPLAT8(ND_EXP_C2);
    y = y * r + SPLAT8(1.0f);
    y = y * r + SPLAT8(1.0f);
    *x = (f32x8)((i32x8)y + (n << 23));
}

INLINE void put(const f32x8 *x, int outcomes, float *out)
{
    if (outcomes == 6) {
        memcpy(out, x, 6 * sizeof *out);
    } else if (outcomes == 8) {
        memcpy(out, x, 8 * sizeof *out);
    } else {
        for (int c = 0; c < outcomes; c++) out[c] = (*x)[c];
    }
}

/* Several positions at a time, to fill the waits of each one's chain of additions. */
INLINE void last_layer_of(int n, const nd_net *net, float (*hidden)[ND_MAX_H2], float *out)
{
    const f32x8 *w3 = (const f32x8 *)(const void *)net->w3;
    f32x8 z[4], b3, present;
    memcpy(&b3, net->b3, sizeof b3);
    memcpy(&present, net->present, sizeof present);
    UNROLL
    for (int p = 0; p < n; p++) z[p] = b3;
    for (int k = 0; k < net->info.h2; k++) {
        UNROLL
        for (int p = 0; p < n; p++) z[p] = z[p] + SPLAT8(hidden[p][k]) * w3[k];
    }
    for (int p = 0; p < n; p++) {
        f32x8 most = z[p], folded = FOLD_4(most);
        raise_to(&most, &folded);
        folded = FOLD_2(most);
        raise_to(&most, &folded);
        folded = FOLD_1(most);
        raise_to(&most, &folded);
        f32x8 e = z[p] - most;
        exponential(&e);
        e = e * present;
        f32x8 sum = e + FOLD_4(e);
        sum = sum + FOLD_2(sum);
        sum = sum + FOLD_1(sum);
        e = e / sum;
        put(&e, net->info.outcomes, out + p * net->info.outcomes);
    }
}

static void last_layer(int n, const nd_net *net, nd_scratch *scratch, float *out)
{
    const f32x8 *scale = (const f32x8 *)(const void *)net->scale;
    for (int p = 0; p < n; p++)
        for (int k = 0; k < net->info.h2 / 8; k++) {
            const i32x8 s = ((const i32x8 *)(const void *)scratch->sum[p])[k];
            ((f32x8 *)(void *)scratch->hidden[p])[k] =
                __builtin_convertvector(s & (s > 0), f32x8) * scale[k];
        }
    int p = 0;
    for (; p + 4 <= n; p += 4)
        last_layer_of(4, net, scratch->hidden + p, out + p * net->info.outcomes);
    for (; p < n; p++) last_layer_of(1, net, scratch->hidden + p, out + p * net->info.outcomes);
}

static void evaluate(const nd_net *net, nd_scratch *scratch, const nd_board *base_board,
                     const nd_board *boards, size_t n, float *out)
{
    const nd_base *base = base_board && n ? find_base(net, scratch, base_board) : NULL;
    while (n) {
        /* Blocks of equal size: 20 positions are 10 and 10, not 12 and 8. */
        const size_t blocks = (n + ND_BLOCK - 1) / ND_BLOCK;
        const int m = (int)((n + blocks - 1) / blocks);
        for (int p = 0; p < m; p++) first_layer(net, base, &boards[p], scratch->act[p]);
        const int pairs = list_pairs(net->info.h1, m, scratch->act, scratch->pair);
        second_layer(m, net, scratch->act, scratch->pair, pairs, scratch->sum);
        last_layer(m, net, scratch, out);
        boards += m;
        n -= (size_t)m;
        out += m * net->info.outcomes;
    }
}

#define ND_TEXT_OF(x) #x
#define ND_TEXT(x) ND_TEXT_OF(x)
#define ND_JOIN_OF(a, b) a##b
#define ND_JOIN(a, b) ND_JOIN_OF(a, b)
const nd_kernels ND_JOIN(nd_kernels_, SET) = {ND_TEXT(SET), evaluate};

#endif
