/* From float parameters to the integers of a playing net: the largest scales at which no position
 * with up to fifteen checkers a side can overflow a sum. */
#include <math.h>
#include <stdlib.h>

#include "nets/internal.h"
#include "nets/payload.h"

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

enum { CHUNK = 64, HALF = CHUNK / 2 }; /* sums treated together; h1 is a multiple of CHUNK */

typedef struct work {
    const nd_params *p;
    int16_t *units, *b1;   /* the first layer at scale 2^shift1 */
    double *low, *high;    /* [h1]: the range of each hidden sum at that scale */
    double *chord;         /* [h1][CHUNK], see bound_second_layer */
    double *rows[ND_LINE]; /* what (byte, value > 0) adds to CHUNK sums: [value - 1][CHUNK] */
} work;

static size_t row_count(const nd_features *f, int byte)
{
    return f->values[byte] ? f->values[byte] - 1u : 0;
}

/* Raise `most` by the largest total one side's bytes can bring to each sum. Counts by dynamic
 * programming over checkers: best[c] is the most that c checkers on the slots so far are worth.
 * Engineered bytes are taken as free: the largest value of each. */
static void add_most(const work *w, int side, double most[CHUNK])
{
    double best[ND_CHECKERS + 1][CHUNK] = {{0}};
    for (int slot = 0; slot < ND_SIDE; slot++) {
        const int byte = side * ND_SIDE + slot;
        const int values = (int)row_count(w->p->features, byte);
        const double *row = w->rows[byte];
        if (slot >= ND_SLOTS) {
            double top[CHUNK] = {0};
            for (int v = 0; v < values; v++)
                for (int j = 0; j < CHUNK; j++) top[j] = LARGER(top[j], row[v * CHUNK + j]);
            for (int j = 0; j < CHUNK; j++) most[j] += top[j];
            continue;
        }
        for (int c = ND_CHECKERS; c > 0; c--)
            for (int v = 1; v <= c && v <= values; v++)
                for (int j = 0; j < CHUNK; j++)
                    best[c][j] = LARGER(best[c][j], best[c - v][j] + row[(v - 1) * CHUNK + j]);
    }
    for (int j = 0; j < CHUNK; j++) {
        double top = 0;
        for (int c = 1; c <= ND_CHECKERS; c++) top = LARGER(top, best[c][j]);
        most[j] += top;
    }
}

static void negate_rows(work *w)
{
    for (int byte = 0; byte < ND_LINE; byte++)
        for (size_t i = 0; i < row_count(w->p->features, byte) * CHUNK; i++)
            w->rows[byte][i] = -w->rows[byte][i];
}

/* Round the first layer at scale 2^shift1 and find its ranges; false if something is too large. */
static bool round_first_layer(work *w, int shift1)
{
    const nd_params *p = w->p;
    const nd_features *f = p->features;
    const double scale = ldexp(1.0, shift1);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)f->units * p->h1; i++) {
        const double q = nearbyint(p->w1[i] * scale);
        if (fabs(q) > INT16_MAX) return false;
        w->units[i] = (int16_t)q;
    }
    for (int j = 0; j < p->h1; j++) {
        const double q = nearbyint(p->b1[j] * scale);
        if (fabs(q) > INT16_MAX) return false;
        w->b1[j] = (int16_t)q;
    }
    for (int from = 0; from < p->h1; from += CHUNK) {
        double *low = w->low + from, *high = w->high + from;
        for (int byte = 0; byte < ND_LINE; byte++)
            for (int v = 1; v < f->values[byte]; v++) {
                int32_t row[CHUNK];
                nd_spell_row(f, byte, v, w->units + from, p->h1, CHUNK, row);
                for (int j = 0; j < CHUNK; j++) {
                    if (row[j] < INT16_MIN || row[j] > INT16_MAX) return false;
                    w->rows[byte][(v - 1) * CHUNK + j] = row[j];
                }
            }
        for (int j = 0; j < CHUNK; j++) high[j] = w->b1[from + j], low[j] = -high[j];
        add_most(w, 0, high);
        add_most(w, 1, high);
        negate_rows(w);
        add_most(w, 0, low);
        add_most(w, 1, low);
        for (int j = 0; j < CHUNK; j++) {
            low[j] = -low[j];
            if (low[j] < INT16_MIN || high[j] > INT16_MAX) return false;
        }
    }
    return true;
}

/* Bounds for outputs k .. k + HALF - 1 of the second layer, in units of 2^-shift1 and before its
 * own scale: what the positive weights can add up to, and the negative ones. The ReLU of a sum
 * between low and high lies below the chord through (low, 0) and (high, high), so an output lies
 * below a sum that is linear in the rows, and add_most finds the largest value of that: far less
 * than if every unit could be at its own largest at once. */
static void bound_second_layer(work *w, int k, double bound[CHUNK])
{
    const nd_params *p = w->p;
    const int n = p->h2 - k < HALF ? p->h2 - k : HALF;
    memset(w->chord, 0, (size_t)p->h1 * CHUNK * sizeof *w->chord);
    memset(bound, 0, CHUNK * sizeof *bound);
    for (int j = 0; j < p->h1; j++) {
        const double low = w->low[j], high = w->high[j];
        if (high <= 0) continue;
        const double slope = low >= 0 ? 1 : high / (high - low), zero = low >= 0 ? 0 : low;
        double *chord = w->chord + (ptrdiff_t)j * CHUNK;
        for (int i = 0; i < n; i++) {
            const double weight = p->w2[(ptrdiff_t)j * p->h2 + k + i];
            chord[weight > 0 ? i : HALF + i] = fabs(weight) * slope;
        }
        for (int i = 0; i < CHUNK; i++) bound[i] += chord[i] * (w->b1[j] - zero);
    }
    for (int byte = 0; byte < ND_LINE; byte++)
        for (int v = 1; v < p->features->values[byte]; v++) {
            int32_t row[ND_MAX_H1];
            double *sum = w->rows[byte] + (v - 1) * CHUNK;
            nd_spell_row(p->features, byte, v, w->units, p->h1, p->h1, row);
            memset(sum, 0, CHUNK * sizeof *sum);
            for (int j = 0; j < p->h1; j++)
                for (int i = 0; i < CHUNK; i++)
                    sum[i] += row[j] * w->chord[(ptrdiff_t)j * CHUNK + i];
        }
    add_most(w, 0, bound);
    add_most(w, 1, bound);
}

/* Column k of the second layer at the largest scale that fits; false if none does. */
static bool round_second_layer(const work *w, int shift1, int k, double positive, double negative,
                               int16_t *w2, int32_t *b2, uint8_t *shift2)
{
    const nd_params *p = w->p;
    /* Rounding moves each weight by half a unit at most. */
    double slack = 1, largest = 0;
    for (int j = 0; j < p->h1; j++) {
        slack += 0.5 * LARGER(w->high[j], 0.0);
        largest = LARGER(largest, fabs(p->w2[(ptrdiff_t)j * p->h2 + k]));
    }
    const double bias = ldexp(fabs(p->b2[k]), shift1);
    const double reach = LARGER(positive, negative) * (1 + 1e-9) + bias;
    for (int s = ND_MAX_SHIFT2; s >= 0; s--) {
        if (ldexp(largest, s) > INT16_MAX || ldexp(reach, s) + slack > INT32_MAX) continue;
        for (int j = 0; j < p->h1; j++)
            w2[(ptrdiff_t)j * p->h2 + k] =
                (int16_t)nearbyint(ldexp(p->w2[(ptrdiff_t)j * p->h2 + k], s));
        b2[k] = (int32_t)nearbyint(ldexp(p->b2[k], shift1 + s));
        shift2[k] = (uint8_t)s;
        return true;
    }
    return false;
}

static bool all_finite(const float *x, ptrdiff_t n, float limit)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (!(fabsf(x[i]) < limit)) return false;
    return true;
}

static bool usable(const nd_params *p)
{
    return p->features && nd_payload_shape_ok(p->h1, p->h2, p->outcomes) &&
           all_finite(p->w1, (ptrdiff_t)p->features->units * p->h1, 1e6f) &&
           all_finite(p->b1, p->h1, 1e6f) && all_finite(p->w2, (ptrdiff_t)p->h1 * p->h2, 1e6f) &&
           all_finite(p->b2, p->h2, 1e6f) &&
           all_finite(p->w3, (ptrdiff_t)p->h2 * p->outcomes, 1e6f) &&
           all_finite(p->b3, p->outcomes, 1e6f);
}

/* Fill everything of the payload but text and hash. */
static nd_status write_layers(work *w, nd_payload_header *header, char *payload)
{
    const nd_params *p = w->p;
    const nd_payload_layout at = nd_payload_lay_out(header, p->features);
    w->units = (int16_t *)(void *)(payload + at.units);
    w->b1 = (int16_t *)(void *)(payload + at.b1);
    int shift1 = ND_MAX_SHIFT1;
    while (shift1 >= 0 && !round_first_layer(w, shift1)) shift1--;
    if (shift1 < 0) return ND_BAD_ARGUMENT;
    header->shift1 = (uint32_t)shift1;

    for (int k = 0; k < p->h2; k += HALF) {
        double bound[CHUNK];
        bound_second_layer(w, k, bound);
        for (int i = 0; i < HALF && k + i < p->h2; i++)
            if (!round_second_layer(w, shift1, k + i, bound[i], bound[HALF + i],
                                    (int16_t *)(void *)(payload + at.w2),
                                    (int32_t *)(void *)(payload + at.b2),
                                    (uint8_t *)payload + at.shift2))
                return ND_BAD_ARGUMENT;
    }
    memcpy(payload + at.w3, p->w3, (size_t)(p->h2 * p->outcomes) * sizeof *p->w3);
    memcpy(payload + at.b3, p->b3, (size_t)p->outcomes * sizeof *p->b3);
    return ND_OK;
}

static nd_status new_work(const nd_params *p, work *w)
{
    memset(w, 0, sizeof *w);
    w->p = p;
    size_t rows = 0;
    for (int byte = 0; byte < ND_LINE; byte++) rows += row_count(p->features, byte);
    const size_t h1 = (size_t)p->h1;
    double *block = malloc((2 * h1 + h1 * CHUNK + rows * CHUNK) * sizeof *block);
    if (!block) return ND_NO_MEMORY;
    w->low = block;
    w->high = block + h1;
    w->chord = block + 2 * h1;
    double *next = w->chord + h1 * CHUNK;
    for (int byte = 0; byte < ND_LINE; byte++) {
        w->rows[byte] = next;
        next += row_count(p->features, byte) * CHUNK;
    }
    return ND_OK;
}

nd_status nd_net_from_params(const nd_params *params, const char *provenance, nd_net **out)
{
    *out = NULL;
    const size_t text = provenance ? strlen(provenance) : 0;
    if (!usable(params) || text > ND_MAX_PROVENANCE) return ND_BAD_ARGUMENT;
    nd_payload_header header = {
        .version = ND_PAYLOAD_VERSION,
        .features_id = params->features->id,
        .features_hash = nd_features_hash(params->features),
        .h1 = (uint32_t)params->h1,
        .h2 = (uint32_t)params->h2,
        .outcomes = (uint32_t)params->outcomes,
        .provenance_bytes = (uint32_t)text,
    };
    const nd_payload_layout at = nd_payload_lay_out(&header, params->features);
    work w;
    char *payload = malloc(at.end);
    if (!payload) return ND_NO_MEMORY;
    nd_status status = new_work(params, &w);
    if (status == ND_OK) status = write_layers(&w, &header, payload);
    free(w.low);
    if (status != ND_OK) {
        free(payload);
        return status;
    }
    if (text) memcpy(payload + at.provenance, provenance, text);
    memcpy(payload, &header, sizeof header);
    header.hash = nd_payload_hash(payload, at.end); /* taken as 0 while hashing */
    memcpy(payload, &header, sizeof header);
    return nd_net_adopt(payload, at.end, out);
}
