/* Supervised fitting of the nets of nets/net.h, in float32.
 *
 * Loss of a minibatch = the mean over its samples of weight x
 *     cross entropy of the softmax against the target
 *   + difference / 2 x ((e - mean e) - (y - mean y))^2,
 * e = points . probabilities and y = points . target, the (weighted) means taken over the samples of
 * one group: the moves of one decision. The second term teaches the order of the moves where the
 * first one teaches their level.
 *
 * Optimiser: Adam (0.9, 0.999). A row of the first layer is moved, and its moments decay, only in
 * steps whose minibatch has its unit; bias correction counts the steps of that row. A rare unit so
 * keeps the step length of a common one, and no row drifts on stale momentum while it is absent.
 *
 * Same bits for the same input on any number of threads and on every kernel set: each sum is taken
 * in an order that depends on the minibatch alone.
 */
#ifndef ND_TRAIN_FIT_H
#define ND_TRAIN_FIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/threads.h"
#include "nets/net.h"

/* One labelled position. Samples of one decision lie together and share `group`; a group ends where
 * the number changes. */
typedef struct nd_sample {
    nd_board board;                /* own = side on roll */
    float target[ND_MAX_OUTCOMES]; /* sums to 1; may leave [0, 1]: labels are variance reduced */
    float weight;                  /* >= 0 */
    int32_t group;
} nd_sample;

typedef enum nd_fit_schedule { ND_FIT_COSINE = 0, ND_FIT_EXPONENTIAL } nd_fit_schedule;

typedef struct nd_fit_plan {
    int64_t steps; /* of the whole plan; the learning rate goes from start to end over them */
    int64_t first; /* steps of the plan already done (0, or where a saved run goes on) */
    int batch;     /* samples a minibatch: filled with whole groups, never exceeded unless one
                      group alone is larger */
    nd_fit_schedule schedule;
    float lr_start, lr_end;
    float ema;        /* decay a step of the averaged weights, 0..1; applied every eighth step */
    float difference; /* weight of the difference loss; 0 = none */
    float points[ND_MAX_OUTCOMES]; /* value of each class */
    uint64_t seed;                 /* of the order of the groups */
    int threads;                   /* 0 = one a processor; does not change the result */
} nd_fit_plan;

typedef struct nd_fit_stats {
    int64_t steps, samples;
    double cross_entropy;    /* weighted mean, nats, each sample before its step */
    double equity_error;     /* root mean square of e - y */
    double difference_error; /* root mean square of the deviation inside groups of two and more */
} nd_fit_stats;

typedef struct nd_fit nd_fit;
typedef struct nd_fit_job nd_fit_job;

/* Fresh parameters, uniform random. `h1` a multiple of 64, `h2` of 16. */
nd_status nd_fit_new(const nd_features *features, int h1, int h2, int outcomes, uint64_t seed,
                     nd_fit **out);
void nd_fit_free(nd_fit *fit);

/* The present parameters, or the averaged ones: row major copies that stay valid until the next
 * call or the end of `fit`. */
const nd_params *nd_fit_params(nd_fit *fit, bool ema);

/* Take parameters of the same shape: weights and average are set, moments and step count zeroed. */
nd_status nd_fit_set_params(nd_fit *fit, const nd_params *params);

/* A net with more first-layer units that computes nearly the same. Units are copied in turn; the
 * copies share the outgoing weights at random (10 to 90 % for two) and get `noise` (a part of the
 * root mean square weight) on the incoming ones, +x on one copy and -x on the other. The uneven
 * shares leave the function as it is but give the copies different gradients, so they part company;
 * 0.002 is noise enough. */
nd_status nd_fit_widen(const nd_fit *fit, int h1, float noise, uint64_t seed, nd_fit **out);

/* A net with fewer first-layer units, those whose output over `boards` varies most in what it brings
 * to the second layer: its variance times the squares of its outgoing weights. What the others
 * bring on the average goes into the biases of the second layer. Moments of those that stay are
 * kept; they are put in the order of how often they are alive, which makes the playing net faster.
 * ND_BAD_BOARD for a board with too many checkers, ND_BAD_ARGUMENT without boards. */
nd_status nd_fit_narrow(const nd_fit *fit, int h1, const nd_board *boards, size_t n, nd_fit **out);

/* Float forward pass: out[n][outcomes]. ND_BAD_BOARD for one with too many checkers. */
nd_status nd_fit_predict(const nd_fit *fit, bool ema, const nd_board *boards, size_t n, float *out);

/* Gradient of the loss over all `n` samples as one minibatch, written to arrays of the shape of the
 * parameters. For checks. */
nd_status nd_fit_gradient(nd_fit *fit, const nd_sample *samples, size_t n, float difference,
                          const float points[ND_MAX_OUTCOMES], nd_params *out);

/* Everything that training changes, as one flat buffer in machine byte order. Loading wants the
 * same features and shape (ND_BAD_FILE otherwise); training then goes on with the same bits. */
size_t nd_fit_state_size(const nd_fit *fit);
void nd_fit_state_write(const nd_fit *fit, void *state);
nd_status nd_fit_state_read(nd_fit *fit, const void *state, size_t bytes);
int64_t nd_fit_steps(const nd_fit *fit); /* steps since the parameters were made or set */

/* A plan in progress: its threads, its place in the shuffled groups. `fit` and `samples` are
 * borrowed; one job of a fit at a time. ND_BAD_BOARD or ND_BAD_ARGUMENT for a sample with an
 * impossible board, or a target or weight that is no finite number of a sensible size. */
nd_status nd_fit_job_new(nd_fit *fit, const nd_sample *samples, size_t n, const nd_fit_plan *plan,
                         nd_fit_job **out);
void nd_fit_job_free(nd_fit_job *job);

/* Do up to `steps` more steps of the plan (fewer when it ends). ND_CANCELLED when `stop` (may be
 * NULL) was raised; the job can be run on. */
nd_status nd_fit_job_run(nd_fit_job *job, int64_t steps, const nd_stop *stop);

/* Of the steps since the job was made or its statistics were restarted. */
void nd_fit_job_stats(const nd_fit_job *job, nd_fit_stats *out);
void nd_fit_job_stats_restart(nd_fit_job *job);
int64_t nd_fit_job_left(const nd_fit_job *job);

/* Kernel sets: "avx512", "avx2", "plain"; NULL chooses the best of this machine. ND_UNSUPPORTED for
 * one it lacks. A new fit has the best one. */
nd_status nd_fit_use_kernels(nd_fit *fit, const char *name);
const char *nd_fit_kernels_name(const nd_fit *fit);

#endif
