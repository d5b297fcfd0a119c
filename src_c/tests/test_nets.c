/* Nets: every kernel set gives the bits of the baseline, in any batch and near any base; the
 * baseline agrees with a plain double-precision net; payloads survive the round trip and are
 * refused when damaged. */
#include "check.h"
#include "random_params.h"

/* A check that says what it saw. */
#define TELL(condition, ...)                                                                       \
    do {                                                                                           \
        const bool told_ok = (condition);                                                          \
        if (!told_ok && checks_failed < 20) fprintf(stderr, __VA_ARGS__), fputc('\n', stderr);     \
        check_that(told_ok, __FILE__, __LINE__, #condition);                                       \
    } while (0)

enum { MANY = 300 };

/* The net as its header describes it, in doubles and without any code of the engine but the
 * engineered bytes of the line. */
static void reference(const nd_params *p, const nd_board *b, double *out)
{
    double h1[ND_MAX_H1], h2[ND_MAX_H2], z[ND_MAX_OUTCOMES], sum = 0, top = -1e300;
    uint8_t line[ND_LINE];
    p->features->fill(b, line);
    for (int j = 0; j < p->h1; j++) h1[j] = p->b1[j];
    int engineered = 2 * 140;
    for (int side = 0; side < 2; side++) {
        const uint32_t *plane = side ? b->opp : b->own;
        for (int slot = 0; slot < 26; slot++) {
            const int n = nd_count(plane, slot);
            for (int u = 0; u < (slot ? 5 : 15); u++) {
                double x;
                if (slot)
                    x = u < 3 ? n == u + 1 : u == 3 ? n >= 4 : n > 4 ? (n - 4) / 2.0 : 0;
                else
                    x = n == u + 1;
                const int unit = side * 140 + (slot ? 5 * (slot - 1) + u : 125 + u);
                for (int j = 0; x != 0 && j < p->h1; j++) h1[j] += x * p->w1[unit * p->h1 + j];
            }
        }
    }
    for (int byte = 0; byte < ND_LINE; byte++) {
        if (byte % 32 < 26 || !p->features->values[byte]) continue;
        const int unit = engineered + line[byte] - 1;
        for (int j = 0; line[byte] && j < p->h1; j++) h1[j] += p->w1[unit * p->h1 + j];
        engineered += p->features->values[byte] - 1;
    }
    for (int k = 0; k < p->h2; k++) {
        h2[k] = p->b2[k];
        for (int j = 0; j < p->h1; j++)
            if (h1[j] > 0) h2[k] += h1[j] * p->w2[j * p->h2 + k];
    }
    for (int c = 0; c < p->outcomes; c++) {
        z[c] = p->b3[c];
        for (int k = 0; k < p->h2; k++)
            if (h2[k] > 0) z[c] += h2[k] * p->w3[k * p->outcomes + c];
        top = z[c] > top ? z[c] : top;
    }
    for (int c = 0; c < p->outcomes; c++) sum += z[c] = exp(z[c] - top);
    for (int c = 0; c < p->outcomes; c++) out[c] = z[c] / sum;
}

static void check_reference(const nd_params *p, const nd_net *net, nd_scratch *scratch,
                            const nd_board *boards, int n)
{
    double worst = 0, square = 0;
    for (int i = 0; i < n; i++) {
        double want[ND_MAX_OUTCOMES];
        float got[ND_MAX_OUTCOMES];
        double total = 0;
        reference(p, &boards[i], want);
        nd_net_evaluate(net, nd_kernels_get("baseline"), scratch, &boards[i], 1, got);
        for (int c = 0; c < p->outcomes; c++) {
            const double error = fabs(want[c] - (double)got[c]);
            worst = error > worst ? error : worst;
            square += error * error / (n * p->outcomes);
            total += (double)got[c];
        }
        TELL(fabs(total - 1) < 1e-6, "probabilities add up to %.9f", total);
    }
    printf("  against doubles: rms %.1e, worst %.1e\n", sqrt(square), worst);
    TELL(worst < 0.01 && sqrt(square) < 0.001, "off by %.1e, rms %.1e", worst, sqrt(square));
}

static void check_kernels(const nd_net *net, nd_scratch *scratch, const nd_board *boards,
                          const nd_board *base)
{
    static const size_t batches[] = {1, 2, 7, 12, 13, 64, MANY};
    const int outcomes = nd_net_get_info(net)->outcomes;
    static float want[MANY * ND_MAX_OUTCOMES], got[(MANY + 1) * ND_MAX_OUTCOMES];
    nd_net_evaluate(net, nd_kernels_get("baseline"), scratch, boards, MANY, want);
    for (const char *const *name = nd_kernels_list(); *name; name++) {
        const nd_kernels *k = nd_kernels_get(*name);
        for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
            for (int near = 0; near < 2; near++) {
                const size_t n = batches[i], bytes = n * (size_t)outcomes * sizeof(float);
                memset(got, 0x55, sizeof got);
                for (size_t at = 0; at + n <= MANY; at += n) {
                    float *out = got + at * (size_t)outcomes;
                    if (near)
                        nd_net_evaluate_near(net, k, scratch, base, boards + at, n, out);
                    else
                        nd_net_evaluate(net, k, scratch, boards + at, n, out);
                    TELL(memcmp(out, want + at * (size_t)outcomes, bytes) == 0,
                         "%s differs from baseline: batch %zu at %zu, near %d", *name, n, at, near);
                    uint32_t beyond;
                    memcpy(&beyond, out + n * (size_t)outcomes, sizeof beyond);
                    TELL(beyond == 0x55555555u, "%s wrote beyond batch %zu", *name, n);
                }
            }
    }
}

static void check_payload(const nd_net *net, nd_scratch *scratch, const nd_board *boards)
{
    const size_t bytes = nd_net_payload_size(net);
    /* Odd address and exact size: what lies beyond must not be touched. */
    uint8_t *memory = malloc(bytes + 2), *payload = memory + 1;
    nd_net *again = NULL;
    nd_net_payload_write(net, payload);
    TELL(nd_net_from_memory(payload, bytes, &again) == ND_OK, "own payload refused");
    if (again) {
        const nd_net_info *a = nd_net_get_info(net), *b = nd_net_get_info(again);
        float x[2][8 * ND_MAX_OUTCOMES];
        const size_t used = 8 * (size_t)a->outcomes * sizeof(float);
        TELL(a->hash == b->hash && a->features == b->features && a->h1 == b->h1 && a->h2 == b->h2 &&
                 a->outcomes == b->outcomes && strcmp(a->provenance, b->provenance) == 0,
             "info changed");
        nd_net_evaluate(net, nd_kernels_get(NULL), scratch, boards, 8, x[0]);
        nd_net_evaluate(again, nd_kernels_get(NULL), scratch, boards, 8, x[1]);
        TELL(memcmp(x[0], x[1], used) == 0, "evaluations changed");
    }
    nd_net_free(again);

    nd_net *bad;
    for (size_t at = 0; at < bytes; at += at < 64 || at + 128 > bytes ? 1 : 997)
        for (int bit = 0; bit < 8; bit++) {
            payload[at] ^= (uint8_t)(1 << bit);
            TELL(nd_net_from_memory(payload, bytes, &bad) != ND_OK && !bad,
                 "accepted with bit %d of byte %zu flipped", bit, at);
            payload[at] ^= (uint8_t)(1 << bit);
        }
    for (size_t cut = 0; cut < bytes; cut += cut < 64 || cut + 64 > bytes ? 1 : 4999) {
        uint8_t *exact = malloc(cut + !cut);
        memcpy(exact, payload, cut);
        TELL(nd_net_from_memory(exact, cut, &bad) != ND_OK && !bad, "accepted cut to %zu", cut);
        free(exact);
    }
    payload[bytes] = 0;
    TELL(nd_net_from_memory(payload, bytes + 1, &bad) == ND_BAD_FILE && !bad, "leftover accepted");
    free(memory);
}

static void check_shape(const char *features, int h1, int h2, int outcomes)
{
    const nd_features *f = nd_features_by_name(features);
    nd_params p = random_params(f, h1, h2, outcomes);
    static nd_board boards[MANY];
    const nd_board base = random_board();
    for (int i = 0; i < MANY; i++) boards[i] = i % 10 == 0 ? random_board() : near_board(&base);
    nd_net *net;
    nd_scratch *scratch;
    printf("%s %dx%dx%d\n", features, h1, h2, outcomes);
    TELL(nd_scratch_new(&scratch) == ND_OK, "no scratch");
    const nd_status status = nd_net_from_params(&p, "made by test_nets \xC3\xA9", &net);
    TELL(status == ND_OK, "not quantised: %s", nd_status_text(status));
    if (status == ND_OK) {
        check_kernels(net, scratch, boards, &base);
        check_reference(&p, net, scratch, boards, 60);
        if (h1 <= 128) check_payload(net, scratch, boards);
    }
    nd_net_free(net);
    nd_scratch_free(scratch);
    free_params(&p);
}

/* Weights so large that a careless scale would overflow: the answer must still be the net's. */
static void check_large_weights(void)
{
    nd_params p = random_params(&nd_backgammon_race_1, 64, 16, 6);
    nd_net *net;
    nd_scratch *scratch;
    for (int i = 0; i < p.features->units * 64; i++) p.w1[i] *= 20;
    for (int i = 0; i < 64 * 16; i++) p.w2[i] *= 0.2f;
    static nd_board boards[60];
    for (int i = 0; i < 60; i++) boards[i] = random_board();
    TELL(nd_scratch_new(&scratch) == ND_OK, "no scratch");
    TELL(nd_net_from_params(&p, NULL, &net) == ND_OK, "large weights not quantised");
    puts("large weights");
    double worst = 0;
    for (int i = 0; net && i < 60; i++) {
        double want[6];
        float got[6];
        reference(&p, &boards[i], want);
        nd_net_evaluate(net, nd_kernels_get(NULL), scratch, &boards[i], 1, got);
        for (int c = 0; c < 6; c++) worst = fmax(worst, fabs(want[c] - (double)got[c]));
    }
    printf("  against doubles: worst %.1e\n", worst);
    TELL(worst < 0.3, "overflow: off by %.1e", worst);
    nd_net_free(net);

    p.w1[5] = 40000;
    TELL(nd_net_from_params(&p, NULL, &net) == ND_BAD_ARGUMENT && !net, "weight 40000 accepted");
    p.w1[5] = NAN;
    TELL(nd_net_from_params(&p, NULL, &net) == ND_BAD_ARGUMENT && !net, "NaN accepted");
    p.w1[5] = 0;
    p.h1 = 63;
    TELL(nd_net_from_params(&p, NULL, &net) == ND_BAD_ARGUMENT && !net, "63 units accepted");
    nd_scratch_free(scratch);
    free_params(&p);
}

int main(void)
{
    check_shape("backgammon-contact-1", 64, 32, 6);
    check_shape("backgammon-race-1", 64, 32, 6);
    check_shape("backgammon-contact-1", 256, 32, 6);
    check_shape("backgammon-contact-1", 512, 32, 6);
    check_shape("backgammon-contact-1", 1024, 32, 6);
    check_shape("backgammon-contact-1", 2048, 32, 6);
    check_shape("backgammon-contact-1", 128, 16, 8);
    check_shape("backgammon-race-1", 192, 48, 3);
    check_large_weights();
    TELL(!nd_kernels_get("none such"), "a kernel set of no name");
    return check_end("nets");
}
