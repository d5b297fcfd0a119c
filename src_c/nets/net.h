/* A net: table rows -> h1 ReLU units -> h2 ReLU units -> softmax over the outcome classes.
 *
 * The first two layers are INTEGER arithmetic: int16 table rows summed in int16 (scaled so that no
 * legal position can overflow), ReLU, int16 x int16 products summed in int32. Integer sums have no
 * rounding, so any order, batch and instruction set gives the same bits. The small last layer and
 * the softmax are float32 with one fixed order of operations an output and no contraction.
 *
 * Every evaluation is for the SIDE ON ROLL (`own`). Nets are immutable after opening and may be
 * shared by any number of threads; scratch belongs to one thread.
 */
#ifndef ND_NETS_NET_H
#define ND_NETS_NET_H

#include <stddef.h>

#include "features/features.h"

typedef struct nd_net nd_net;
typedef struct nd_scratch nd_scratch;
typedef struct nd_kernels nd_kernels;

enum { ND_MAX_H1 = 4096, ND_MAX_H2 = 128 };

/* Trainable parameters in float32, row major; the trainer owns and writes them. */
typedef struct nd_params {
    const nd_features *features;
    int h1, h2, outcomes; /* h1 a multiple of 64, h2 of 16; outcomes 2..ND_MAX_OUTCOMES */
    float *w1;            /* [units][h1] */
    float *b1;            /* [h1] */
    float *w2;            /* [h1][h2] */
    float *b2;            /* [h2] */
    float *w3;            /* [h2][outcomes] */
    float *b3;            /* [outcomes] */
} nd_params;

typedef struct nd_net_info {
    const nd_features *features;
    int h1, h2, outcomes;
    uint64_t hash;          /* content hash: same bits, same hash */
    const char *provenance; /* UTF-8 text from the file, never NULL */
} nd_net_info;

/* Quantise float parameters into a playing net in memory. ND_BAD_ARGUMENT for shapes outside the
 * limits, numbers that are not finite, or weights so large that no scale could hold them.
 * `provenance` is UTF-8 text or NULL. */
nd_status nd_net_from_params(const nd_params *params, const char *provenance, nd_net **out);

/* The parameters of a net as floats, as far as rounding left them: `into` has arrays of the net's
 * shape. Quantised again they give a net that plays alike. */
void nd_net_get_params(const nd_net *net, nd_params *into);

/* Net files are containers (base/container.h) of kind ND_KIND_NET, one net each, checked on
 * opening. */
nd_status nd_net_from_memory(const void *payload, size_t bytes, nd_net **out);
size_t nd_net_payload_size(const nd_net *net);
void nd_net_payload_write(const nd_net *net, void *payload);
void nd_net_free(nd_net *net);
const nd_net_info *nd_net_get_info(const nd_net *net);

nd_status nd_scratch_new(nd_scratch **out);
void nd_scratch_free(nd_scratch *scratch);

/* Class probabilities of `n` positions, side on roll = own: out[n][outcomes]. */
void nd_net_evaluate(const nd_net *net, const nd_kernels *kernels, nd_scratch *scratch,
                     const nd_board *boards, size_t n, float *out);

/* The same for positions close to a common one: the first layer of `base` is computed once and
 * updated by the bytes that differ. Same bits as nd_net_evaluate. */
void nd_net_evaluate_near(const nd_net *net, const nd_kernels *kernels, nd_scratch *scratch,
                          const nd_board *base, const nd_board *boards, size_t n, float *out);

/* Kernel sets: "baseline", "sse2", "avx2", "avx512", "avx512vnni", "neon"; bit-identical.
 * nd_kernels_get(NULL) is the best this machine has; a name it lacks gives NULL. nd_kernels_list
 * names those this machine can run, slowest first, and ends with NULL. */
const nd_kernels *nd_kernels_get(const char *name);
const char *const *nd_kernels_list(void);
const char *nd_kernels_name(const nd_kernels *kernels);

#endif
