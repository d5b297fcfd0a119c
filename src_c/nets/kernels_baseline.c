/* The reference in plain C: every other kernel set gives the same bits. Integer sums wrap around,
 * as they do in vector registers, so any order will do. */
#include "nets/internal.h"

static void first_layer(const nd_net *net, const nd_board *board, int16_t *act)
{
    const int h1 = net->info.h1;
    uint8_t line[ND_LINE];
    net->info.features->fill(board, line);
    for (int j = 0; j < h1; j++) act[j] = net->b1[j];
    for (int byte = 0; byte < ND_LINE; byte++) {
        if (!line[byte]) continue;
        const int16_t *row = net->rows + net->row_at[byte] + line[byte] * net->stride;
        for (int j = 0; j < h1; j++) act[j] = (int16_t)(uint16_t)(act[j] + row[j]);
    }
    for (int j = 0; j < h1; j++) act[j] = act[j] > 0 ? act[j] : 0;
}

static void second_layer(const nd_net *net, const int16_t *act, float *hidden)
{
    const int h1 = net->info.h1, h2 = net->info.h2;
    uint32_t sum[ND_MAX_H2];
    for (int k = 0; k < h2; k++) sum[k] = (uint32_t)net->b2[k];
    for (int i = 0; i < h1 / 2; i++) {
        const int32_t a = act[2 * i], b = act[2 * i + 1];
        if (!(a | b)) continue;
        const int16_t *w = net->w2 + (ptrdiff_t)i * h2 * 2;
        for (int k = 0; k < h2; k++)
            sum[k] += (uint32_t)(a * w[2 * k]) + (uint32_t)(b * w[2 * k + 1]);
    }
    for (int k = 0; k < h2; k++) {
        const int32_t s = (int32_t)sum[k];
        hidden[k] = (float)(s > 0 ? s : 0) * net->scale[k];
    }
}

static float exponential(float x)
{
    x = x > ND_EXP_MIN ? x : ND_EXP_MIN;
    const int32_t n = (int32_t)(x * ND_EXP_PER_LN2 - 0.5f); /* x <= 0: truncation rounds */
    float r = x - (float)n * ND_EXP_LN2_HIGH;
    r = r - (float)n * ND_EXP_LN2_LOW;
    float y = ND_EXP_C6 * r + ND_EXP_C5;
    y = y * r + ND_EXP_C4;
    y = y * r + ND_EXP_C3;
    y = y * r + ND_EXP_C2;
    y = y * r + 1.0f;
    y = y * r + 1.0f;
    uint32_t bits;
    memcpy(&bits, &y, sizeof bits);
    bits += (uint32_t)n << 23;
    memcpy(&y, &bits, sizeof bits);
    return y;
}

static void last_layer(const nd_net *net, const float *hidden, float *out)
{
    float z[ND_LANES], e[ND_LANES];
    for (int c = 0; c < ND_LANES; c++) z[c] = net->b3[c];
    for (int k = 0; k < net->info.h2; k++)
        for (int c = 0; c < ND_LANES; c++) z[c] = z[c] + hidden[k] * net->w3[k * ND_LANES + c];
    float largest = z[0];
    for (int c = 1; c < ND_LANES; c++) largest = z[c] > largest ? z[c] : largest;
    for (int c = 0; c < ND_LANES; c++) e[c] = exponential(z[c] - largest) * net->present[c];
    const float sum = ((e[0] + e[4]) + (e[2] + e[6])) + ((e[1] + e[5]) + (e[3] + e[7]));
    for (int c = 0; c < net->info.outcomes; c++) out[c] = e[c] / sum;
}

static void evaluate(const nd_net *net, nd_scratch *scratch, const nd_board *base,
                     const nd_board *boards, size_t n, float *out)
{
    (void)base;
    for (size_t i = 0; i < n; i++) {
        first_layer(net, &boards[i], scratch->act[0]);
        second_layer(net, scratch->act[0], scratch->hidden);
        last_layer(net, scratch->hidden, out + i * (size_t)net->info.outcomes);
    }
}

const nd_kernels nd_kernels_baseline = {"baseline", evaluate};
