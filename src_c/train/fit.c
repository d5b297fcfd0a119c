/* The handle: parameters, their copies, saved state, plain prediction. */
#include "train/fit.h"

#include <math.h>
#include <string.h>

#include "train/fit_inside.h"

void *nd_fit_memory(size_t bytes)
{
    const size_t whole = nd_lines(bytes ? bytes : 1);
    void *p = nd_lines_new(whole);
    if (p) memset(p, 0, whole);
    return p;
}

static bool shape_of(const nd_features *f, int h1, int h2, int outcomes, nd_shape *s)
{
    if (!f || f->units < 1 || h1 < ND_FIT_BLOCK || h1 % ND_FIT_BLOCK || h1 > 1 << 16) return false;
    if (h2 < 16 || h2 % 16 || h2 > ND_FIT_MAX_H2) return false;
    if (outcomes < 2 || outcomes > ND_MAX_OUTCOMES) return false;
    *s = (nd_shape){.features = f, .units = f->units, .h1 = h1, .h2 = h2, .outcomes = outcomes};
    s->blocks = h1 / ND_FIT_BLOCK;
    s->b1 = (size_t)f->units * (size_t)h1;
    s->w2 = s->b1 + (size_t)h1;
    s->head = s->w2 + (size_t)h1 * (size_t)h2;
    s->head_size = (size_t)h2 * (1 + ND_MAX_OUTCOMES) + 16;
    s->size = s->head + s->head_size;
    return true;
}

void nd_fit_unpack(const nd_shape *s, const float *flat, nd_params *out)
{
    for (int u = 0; u < s->units; u++)
        for (int k = 0; k < s->h1; k++)
            out->w1[(size_t)u * (size_t)s->h1 + (size_t)k] = flat[nd_fit_first_layer(s, u, k)];
    const float *head = flat + s->head, *w3 = head + s->h2, *b3 = w3 + s->h2 * ND_MAX_OUTCOMES;
    memcpy(out->b1, flat + s->b1, (size_t)s->h1 * sizeof(float));
    memcpy(out->w2, flat + s->w2, (size_t)s->h1 * (size_t)s->h2 * sizeof(float));
    memcpy(out->b2, head, (size_t)s->h2 * sizeof(float));
    for (int j = 0; j < s->h2; j++)
        for (int o = 0; o < s->outcomes; o++)
            out->w3[j * s->outcomes + o] = w3[j * ND_MAX_OUTCOMES + o];
    memcpy(out->b3, b3, (size_t)s->outcomes * sizeof(float));
}

static void pack(const nd_shape *s, const nd_params *in, float *flat)
{
    for (int u = 0; u < s->units; u++)
        for (int k = 0; k < s->h1; k++)
            flat[nd_fit_first_layer(s, u, k)] = in->w1[(size_t)u * (size_t)s->h1 + (size_t)k];
    float *head = flat + s->head, *w3 = head + s->h2, *b3 = w3 + s->h2 * ND_MAX_OUTCOMES;
    memcpy(flat + s->b1, in->b1, (size_t)s->h1 * sizeof(float));
    memcpy(flat + s->w2, in->w2, (size_t)s->h1 * (size_t)s->h2 * sizeof(float));
    memcpy(head, in->b2, (size_t)s->h2 * sizeof(float));
    for (int j = 0; j < s->h2; j++)
        for (int o = 0; o < s->outcomes; o++)
            w3[j * ND_MAX_OUTCOMES + o] = in->w3[j * s->outcomes + o];
    memcpy(b3, in->b3, (size_t)s->outcomes * sizeof(float));
}

static bool show_new(const nd_shape *s, nd_params *out)
{
    const size_t h1 = (size_t)s->h1, h2 = (size_t)s->h2, n = (size_t)s->outcomes;
    float *a = nd_fit_memory(((size_t)s->units * h1 + h1 + h1 * h2 + h2 + h2 * n + n) * sizeof *a);
    if (!a) return false;
    *out = (nd_params){.features = s->features, .h1 = s->h1, .h2 = s->h2, .outcomes = s->outcomes};
    out->w1 = a;
    out->b1 = out->w1 + (size_t)s->units * h1;
    out->w2 = out->b1 + h1;
    out->b2 = out->w2 + h1 * h2;
    out->w3 = out->b2 + h2;
    out->b3 = out->w3 + h2 * n;
    return true;
}

/* Spell every (byte, value) once; false when the feature set breaks its own promises. */
static bool spell_all(nd_fit *fit)
{
    const nd_features *f = fit->shape.features;
    for (int byte = 0; byte < ND_LINE; byte++) {
        int most = 0;
        if (f->values[byte] > ND_MAX_VALUES) return false;
        for (int value = 1; value < f->values[byte]; value++) {
            nd_spelled *s = &fit->spelled[byte * ND_MAX_VALUES + value];
            nd_term term[ND_MAX_TERMS];
            s->count = f->spell(byte, value, term);
            if (s->count < 0 || s->count > ND_MAX_TERMS) return false;
            for (int i = 0; i < s->count; i++) {
                if (term[i].unit < 0 || term[i].unit >= f->units) return false;
                s->active[i].offset = (uint32_t)term[i].unit * ND_FIT_BLOCK;
                s->active[i].coefficient = term[i].coefficient;
            }
            most = s->count > most ? s->count : most;
        }
        fit->stride += most;
    }
    return true;
}

static void forget_moments(nd_fit *fit)
{
    memset(fit->m, 0, fit->shape.size * sizeof(float));
    memset(fit->v, 0, fit->shape.size * sizeof(float));
    for (int u = 0; u <= fit->shape.units; u++) fit->beta1[u] = fit->beta2[u] = 1.0;
    fit->steps = 0;
    fit->pending = 1.0;
}

static const nd_fit_kernels *kernels_get(const char *name)
{
#if defined(__x86_64__)
    const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool wide = fma && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw");
    if (wide && (!name || !strcmp(name, nd_fit_avx512.name))) return &nd_fit_avx512;
    if (fma && (!name || !strcmp(name, nd_fit_avx2.name))) return &nd_fit_avx2;
#endif
    return !name || !strcmp(name, nd_fit_plain.name) ? &nd_fit_plain : NULL;
}

nd_status nd_fit_use_kernels(nd_fit *fit, const char *name)
{
    const nd_fit_kernels *k = kernels_get(name);
    if (!k) return ND_UNSUPPORTED;
    fit->kernels = k;
    return ND_OK;
}

const char *nd_fit_kernels_name(const nd_fit *fit) { return fit->kernels->name; }
int64_t nd_fit_steps(const nd_fit *fit) { return fit->steps; }

nd_status nd_fit_blank(const nd_features *features, int h1, int h2, int outcomes, nd_fit **out)
{
    nd_shape s;
    *out = NULL;
    if (!shape_of(features, h1, h2, outcomes, &s)) return ND_BAD_ARGUMENT;
    nd_fit *fit = calloc(1, sizeof *fit);
    if (!fit) return ND_NO_MEMORY;
    fit->shape = s;
    fit->kernels = kernels_get(NULL);
    fit->spelled = nd_fit_memory(sizeof(nd_spelled) * ND_LINE * ND_MAX_VALUES);
    fit->p = nd_fit_memory(s.size * sizeof(float));
    fit->m = nd_fit_memory(s.size * sizeof(float));
    fit->v = nd_fit_memory(s.size * sizeof(float));
    fit->mean = nd_fit_memory(s.size * sizeof(float));
    fit->beta1 = nd_fit_memory(((size_t)s.units + 1) * sizeof(double));
    fit->beta2 = nd_fit_memory(((size_t)s.units + 1) * sizeof(double));
    const bool shown = show_new(&s, &fit->shown[0]) && show_new(&s, &fit->shown[1]);
    if (!shown || !fit->spelled || !fit->p || !fit->m || !fit->v || !fit->mean || !fit->beta1 ||
        !fit->beta2) {
        nd_fit_free(fit);
        return ND_NO_MEMORY;
    }
    if (!spell_all(fit)) {
        nd_fit_free(fit);
        return ND_BAD_ARGUMENT;
    }
    forget_moments(fit);
    *out = fit;
    return ND_OK;
}

nd_status nd_fit_new(const nd_features *features, int h1, int h2, int outcomes, uint64_t seed,
                     nd_fit **out)
{
    const nd_status status = nd_fit_blank(features, h1, h2, outcomes, out);
    if (status != ND_OK) return status;
    nd_fit *fit = *out;
    const nd_shape *s = &fit->shape;
    /* Uniform of the given standard deviation. About twenty of the inputs are active at once; the
     * last layer starts small so that the first probabilities are nearly even. */
    const float wide = sqrtf(3.0f), d1 = wide * 0.15f, d2 = wide * sqrtf(2.0f / (float)h1),
                d3 = wide * 0.3f / sqrtf((float)h2);
    uint64_t counter = 0;
    for (int u = 0; u < s->units; u++)
        for (int k = 0; k < h1; k++)
            fit->p[nd_fit_first_layer(s, u, k)] = d1 * nd_fit_uniform(seed, counter++);
    for (size_t i = s->w2; i < s->head; i++) fit->p[i] = d2 * nd_fit_uniform(seed, counter++);
    for (int j = 0; j < h2; j++)
        for (int o = 0; o < outcomes; o++)
            fit->p[s->head + (size_t)(h2 + j * ND_MAX_OUTCOMES + o)] =
                d3 * nd_fit_uniform(seed, counter++);
    memcpy(fit->mean, fit->p, s->size * sizeof(float));
    return ND_OK;
}

void nd_fit_free(nd_fit *fit)
{
    if (!fit) return;
    nd_lines_free(fit->spelled);
    nd_lines_free(fit->p);
    nd_lines_free(fit->m);
    nd_lines_free(fit->v);
    nd_lines_free(fit->mean);
    nd_lines_free(fit->beta1);
    nd_lines_free(fit->beta2);
    nd_lines_free(fit->shown[0].w1);
    nd_lines_free(fit->shown[1].w1);
    free(fit);
}

const nd_params *nd_fit_params(nd_fit *fit, bool ema)
{
    nd_params *out = &fit->shown[ema];
    nd_fit_unpack(&fit->shape, ema ? fit->mean : fit->p, out);
    return out;
}

nd_status nd_fit_set_params(nd_fit *fit, const nd_params *params)
{
    const nd_shape *s = &fit->shape;
    if (params->features != s->features || params->h1 != s->h1 || params->h2 != s->h2 ||
        params->outcomes != s->outcomes)
        return ND_BAD_ARGUMENT;
    pack(s, params, fit->p);
    memcpy(fit->mean, fit->p, s->size * sizeof(float));
    forget_moments(fit);
    return ND_OK;
}

int nd_fit_spell(const nd_fit *fit, const nd_board *b, nd_active *out)
{
    _Alignas(64) uint8_t line[ND_LINE];
    fit->shape.features->fill(b, line);
    int n = 0;
    for (int word = 0; word < ND_LINE; word += 8) {
        uint64_t bytes;
        memcpy(&bytes, line + word, sizeof bytes);
        while (bytes) {
            const int at = __builtin_ctzll(bytes) >> 3;
            const int value = line[word + at] & (ND_MAX_VALUES - 1);
            const nd_spelled *s = &fit->spelled[(word + at) * ND_MAX_VALUES + value];
            for (int i = 0; i < s->count; i++) out[n++] = s->active[i];
            bytes &= ~((uint64_t)0xFF << (at * 8));
        }
    }
    return n;
}

nd_status nd_fit_predict(const nd_fit *fit, bool ema, const nd_board *boards, size_t n, float *out)
{
    enum { CHUNK = 20 * ND_FIT_ROWS };
    const nd_shape *s = &fit->shape;
    const float *p = ema ? fit->mean : fit->p;
    for (size_t i = 0; i < n; i++)
        if (!nd_fit_board_possible(&boards[i])) return ND_BAD_BOARD;
    const size_t h2 = (size_t)s->h2, part = CHUNK * h2;
    nd_active *active = nd_fit_memory(CHUNK * ((size_t)fit->stride + 1) * sizeof *active);
    float *room = nd_fit_memory(
        ((size_t)s->blocks * part + part + CHUNK * ND_FIT_BLOCK + CHUNK * ND_MAX_OUTCOMES) *
        sizeof *room);
    if (!active || !room) {
        nd_lines_free(active);
        nd_lines_free(room);
        return ND_NO_MEMORY;
    }
    float *parts = room, *z2 = parts + (size_t)s->blocks * part, *a1 = z2 + part,
          *probability = a1 + CHUNK * ND_FIT_BLOCK;
    for (size_t at = 0; at < n; at += CHUNK) {
        const int count = (int)(n - at < CHUNK ? n - at : CHUNK);
        int used[CHUNK];
        for (int i = 0; i < count; i++)
            used[i] = nd_fit_spell(fit, &boards[at + (size_t)i], active + i * fit->stride);
        const nd_inputs in = {active, used, fit->stride, count};
        for (size_t b = 0; b < (size_t)s->blocks; b++)
            fit->kernels->forward(p + b * (size_t)s->units * ND_FIT_BLOCK,
                                  p + s->b1 + b * ND_FIT_BLOCK, p + s->w2 + b * ND_FIT_BLOCK * h2,
                                  s->h2, in, a1, parts + b * part);
        const float *head = p + s->head;
        const nd_head h = {.blocks = s->blocks,
                           .h2 = s->h2,
                           .outcomes = s->outcomes,
                           .last = count,
                           .part_size = part,
                           .parts = parts,
                           .b2 = head,
                           .w3 = head + h2,
                           .b3 = head + h2 * (1 + ND_MAX_OUTCOMES),
                           .z2 = z2,
                           .p = probability};
        fit->kernels->head_forward(&h);
        for (int i = 0; i < count; i++)
            memcpy(out + (at + (size_t)i) * (size_t)s->outcomes, probability + i * ND_MAX_OUTCOMES,
                   (size_t)s->outcomes * sizeof *out);
    }
    nd_lines_free(active);
    nd_lines_free(room);
    return ND_OK;
}

/* State: this header, beta powers, then the four arrays. */
typedef struct saved {
    char magic[8];
    uint32_t features;
    int32_t units, h1, h2, outcomes, reserved;
    int64_t steps;
    double pending;
} saved;

static const char magic[8] = "ndfit 1";

size_t nd_fit_state_size(const nd_fit *fit)
{
    return sizeof(saved) + 2 * ((size_t)fit->shape.units + 1) * sizeof(double) +
           4 * fit->shape.size * sizeof(float);
}

static saved header_of(const nd_fit *fit)
{
    const nd_shape *s = &fit->shape;
    saved h = {.features = s->features->id,
               .units = s->units,
               .h1 = s->h1,
               .h2 = s->h2,
               .outcomes = s->outcomes,
               .steps = fit->steps,
               .pending = fit->pending};
    memcpy(h.magic, magic, sizeof magic);
    return h;
}

void nd_fit_state_write(const nd_fit *fit, void *state)
{
    const saved h = header_of(fit);
    const size_t rows = ((size_t)fit->shape.units + 1) * sizeof(double);
    const size_t bytes = fit->shape.size * sizeof(float);
    char *at = state;
    memcpy(at, &h, sizeof h), at += sizeof h;
    memcpy(at, fit->beta1, rows), at += rows;
    memcpy(at, fit->beta2, rows), at += rows;
    memcpy(at, fit->p, bytes), at += bytes;
    memcpy(at, fit->m, bytes), at += bytes;
    memcpy(at, fit->v, bytes), at += bytes;
    memcpy(at, fit->mean, bytes);
}

nd_status nd_fit_state_read(nd_fit *fit, const void *state, size_t bytes_given)
{
    saved h;
    if (bytes_given != nd_fit_state_size(fit)) return ND_BAD_FILE;
    memcpy(&h, state, sizeof h);
    saved want = header_of(fit);
    want.steps = h.steps, want.pending = h.pending;
    if (memcmp(&h, &want, sizeof h)) return ND_BAD_FILE;
    const size_t rows = ((size_t)fit->shape.units + 1) * sizeof(double);
    const size_t bytes = fit->shape.size * sizeof(float);
    const char *at = (const char *)state + sizeof h;
    memcpy(fit->beta1, at, rows), at += rows;
    memcpy(fit->beta2, at, rows), at += rows;
    memcpy(fit->p, at, bytes), at += bytes;
    memcpy(fit->m, at, bytes), at += bytes;
    memcpy(fit->v, at, bytes), at += bytes;
    memcpy(fit->mean, at, bytes);
    fit->steps = h.steps;
    fit->pending = h.pending;
    return ND_OK;
}
