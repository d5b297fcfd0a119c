/* Nets: small ones of every feature set, damaged under a right checksum. One that is accepted is
 * evaluated by every kernel set, and all must agree to the bit. */
#include "features/features.h"
#include "fuzz.h"
#include "nets/net.h"
#include "nets/payload.h"
#include "random_params.h"

static const char *const sets[] = {"backgammon-race-1", "backgammon-contact-1", "long-nardy-race-1",
                                   "long-nardy-contact-1"};
enum { SETS = sizeof sets / sizeof *sets, BOARDS = 3 };

static uint8_t *whole[SETS];
static size_t sizes[SETS];
static nd_board boards[BOARDS];

static void begin(void)
{
    for (int i = 0; i < SETS; i++) {
        const nd_features *const features = nd_features_by_name(sets[i]);
        EXPECT(features);
        nd_params p = random_params(features, 64, 16, i < 2 ? 6 : 8);
        nd_net *net;
        EXPECT(nd_net_from_params(&p, "by a check", &net) == ND_OK);
        free_params(&p);
        sizes[i] = nd_net_payload_size(net);
        whole[i] = malloc(sizes[i]);
        EXPECT(whole[i]);
        nd_net_payload_write(net, whole[i]);
        nd_net_free(net);
    }
    const nd_rules *const rules[] = {&nd_backgammon, &nd_long_nardy, &nd_backgammon};
    static const char *const starts[] = {"", "", "nackgammon"};
    for (int i = 0; i < BOARDS; i++) EXPECT(rules[i]->start(starts[i], &boards[i]) == ND_OK);
}

static void evaluate(const nd_net *net)
{
    static nd_scratch *scratch;
    if (!scratch) EXPECT(nd_scratch_new(&scratch) == ND_OK);
    const int outcomes = nd_net_get_info(net)->outcomes;
    float expected[BOARDS * ND_MAX_OUTCOMES], out[BOARDS * ND_MAX_OUTCOMES];
    const size_t bytes = (size_t)(BOARDS * outcomes) * sizeof *out;
    nd_net_evaluate(net, nd_kernels_get("baseline"), scratch, boards, BOARDS, expected);
    for (int i = 0; i < BOARDS * outcomes; i++) EXPECT(expected[i] >= 0 && expected[i] <= 1);
    for (const char *const *name = nd_kernels_list(); *name; name++) {
        nd_net_evaluate(net, nd_kernels_get(*name), scratch, boards, BOARDS, out);
        EXPECT(memcmp(out, expected, bytes) == 0);
        nd_net_evaluate_near(net, nd_kernels_get(*name), scratch, &boards[1], boards, BOARDS, out);
        EXPECT(memcmp(out, expected, bytes) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!whole[0]) begin();
    input in = {data, size};
    const uint8_t how = take8(&in);
    const int set = how % SETS;
    const size_t cut = how & 4 ? take32(&in) % 512 : 0;
    const bool longer = how & 8;
    const size_t bytes = longer ? sizes[set] + cut : sizes[set] - cut;
    uint8_t *const payload = calloc(bytes, 1);
    EXPECT(payload);
    memcpy(payload, whole[set], longer ? sizes[set] : bytes);
    damage(&in, payload, bytes);
    if (how & 16) {
        const uint64_t hash = nd_payload_hash(payload, bytes);
        memcpy(payload + offsetof(nd_payload_header, hash), &hash, sizeof hash);
    }
    nd_net *net;
    const nd_status status = nd_net_from_memory(payload, bytes, &net);
    free(payload);
    EXPECT((status == ND_OK) == (net != NULL));
    if (net) evaluate(net);
    nd_net_free(net);
    return 0;
}
