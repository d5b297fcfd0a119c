/* Speed of fitting: bench_fit [h1 [h2 [threads [seconds]]]]; built like test_fit.c. */
#include <time.h>

#include "fit_samples.h"

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    enum { N = 1000000 };
    const int h1 = argc > 1 ? atoi(argv[1]) : 1024, h2 = argc > 2 ? atoi(argv[2]) : 32;
    nd_sample *s = fit_make(N, 1);
    nd_fit *fit;
    nd_fit_job *job;
    nd_fit_stats stats;
    nd_fit_plan plan = {.steps = 1000000,
                        .batch = 528,
                        .lr_start = 1e-3f,
                        .lr_end = 1e-5f,
                        .ema = 0.999f,
                        .difference = 12.0f,
                        .threads = argc > 3 ? atoi(argv[3]) : 2};
    const double limit = argc > 4 ? atof(argv[4]) : 3.0;
    memcpy(plan.points, fit_points, sizeof plan.points);
    if (nd_fit_new(&fit_features, h1, h2, 6, 1, &fit)) return 2;
    if (getenv("NARDY_KERNELS") && nd_fit_use_kernels(fit, getenv("NARDY_KERNELS"))) return 2;
    if (nd_fit_job_new(fit, s, N, &plan, &job)) return 2;
    double samples = 0.0, best = 0.0;
    const double wall = clock_of(CLOCK_MONOTONIC), cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    while (clock_of(CLOCK_MONOTONIC) - wall < limit) {
        const double start = clock_of(CLOCK_MONOTONIC);
        nd_fit_job_stats_restart(job);
        nd_fit_job_run(job, 200, NULL);
        nd_fit_job_stats(job, &stats);
        samples += (double)stats.samples;
        const double rate = (double)stats.samples / (clock_of(CLOCK_MONOTONIC) - start);
        best = rate > best ? rate : best;
    }
    printf("%dx%d %s, %d threads: %.0f k samples/s wall (best %.0f), %.0f k per core-second\n", h1,
           h2, nd_fit_kernels_name(fit), plan.threads,
           samples / (clock_of(CLOCK_MONOTONIC) - wall) / 1e3, best / 1e3,
           samples / (clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e3);
    nd_fit_job_free(job);
    nd_fit_free(fit);
    free(s);
    return 0;
}
