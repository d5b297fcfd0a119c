/* Fitting: gradients against finite differences, learning, and the same bits whatever the threads,
 * kernels and interruptions. With an argument it prints what it measured. */
#include <stdarg.h>

#include "check.h"
#include "fit_samples.h"

static bool talkative;

#ifdef __SANITIZE_THREAD__
enum { LOOKING_FOR_RACES = true };
#else
enum { LOOKING_FOR_RACES = false };
#endif

static void note(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (talkative) vprintf(format, list);
    va_end(list);
}

/* ---- the loss again, slowly and in double ---- */

typedef struct slow {
    int units, h1, h2, outcomes;
    double *w1, *b1, *w2, *b2, *w3, *b3, *all;
    size_t size;
} slow;

static slow slow_new(const nd_params *p)
{
    slow s = {.units = p->features->units, .h1 = p->h1, .h2 = p->h2, .outcomes = p->outcomes};
    const size_t n1 = (size_t)(s.units * s.h1), n2 = (size_t)(s.h1 * s.h2),
                 n3 = (size_t)(s.h2 * s.outcomes);
    s.size = n1 + (size_t)s.h1 + n2 + (size_t)s.h2 + n3 + (size_t)s.outcomes;
    s.all = calloc(s.size, sizeof *s.all);
    s.w1 = s.all, s.b1 = s.w1 + n1, s.w2 = s.b1 + s.h1, s.b2 = s.w2 + n2, s.w3 = s.b2 + s.h2;
    s.b3 = s.w3 + n3;
    for (size_t i = 0; i < n1; i++) s.w1[i] = p->w1[i];
    for (int i = 0; i < s.h1; i++) s.b1[i] = p->b1[i];
    for (size_t i = 0; i < n2; i++) s.w2[i] = p->w2[i];
    for (int i = 0; i < s.h2; i++) s.b2[i] = p->b2[i];
    for (size_t i = 0; i < n3; i++) s.w3[i] = p->w3[i];
    for (int i = 0; i < s.outcomes; i++) s.b3[i] = p->b3[i];
    return s;
}

static void slow_forward(const slow *s, const nd_board *b, double p[ND_MAX_OUTCOMES])
{
    uint8_t line[ND_LINE];
    double x[64], y[64], top = -1e300, sum = 0.0;
    fit_fill(b, line);
    for (int k = 0; k < s->h1; k++) x[k] = s->b1[k];
    for (int byte = 0; byte < ND_LINE; byte++) {
        nd_term t[ND_MAX_TERMS];
        const int n = fit_spell(byte, line[byte], t);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < s->h1; k++)
                x[k] += (double)t[i].coefficient * s->w1[t[i].unit * s->h1 + k];
    }
    for (int j = 0; j < s->h2; j++) {
        y[j] = s->b2[j];
        for (int k = 0; k < s->h1; k++) y[j] += fmax(x[k], 0.0) * s->w2[k * s->h2 + j];
    }
    for (int o = 0; o < s->outcomes; o++) {
        p[o] = s->b3[o];
        for (int j = 0; j < s->h2; j++) p[o] += fmax(y[j], 0.0) * s->w3[j * s->outcomes + o];
        top = fmax(top, p[o]);
    }
    for (int o = 0; o < s->outcomes; o++) sum += p[o] = exp(p[o] - top);
    for (int o = 0; o < s->outcomes; o++) p[o] /= sum;
}

static double slow_loss(const slow *s, const nd_sample *a, int n, double difference)
{
    double loss = 0.0, e[64], y[64];
    for (int i = 0; i < n; i++) {
        double p[ND_MAX_OUTCOMES];
        slow_forward(s, &a[i].board, p);
        e[i] = y[i] = 0.0;
        for (int o = 0; o < s->outcomes; o++) {
            loss -= (double)a[i].weight * a[i].target[o] * log(p[o]);
            e[i] += fit_points[o] * p[o];
            y[i] += fit_points[o] * a[i].target[o];
        }
    }
    for (int i = 0, end; i < n; i = end) {
        double me = 0.0, my = 0.0, w = 0.0;
        for (end = i; end < n && a[end].group == a[i].group; end++) {
            me += a[end].weight * e[end], my += a[end].weight * y[end], w += a[end].weight;
        }
        for (int k = i; k < end && end - i > 1; k++) {
            const double d = e[k] - me / w - y[k] + my / w;
            loss += 0.5 * difference * a[k].weight * d * d;
        }
    }
    return loss / n;
}

static void check_gradient(double difference, const char *kernels)
{
    enum { N = 25 };
    nd_fit *fit;
    nd_sample *s = fit_make(N, 5);
    if (nd_fit_new(&fit_features, 64, 16, 6, 3, &fit) || nd_fit_use_kernels(fit, kernels)) {
        note("no %s kernels here\n", kernels);
        nd_fit_free(fit);
        free(s);
        return;
    }
    for (int i = 0; i < N; i++) {
        s[i].weight = 0.5f + 0.1f * (float)(i % 7);
        s[i].target[0] += 0.3f, s[i].target[4] -= 0.3f; /* outside [0, 1] now and then */
    }
    slow net = slow_new(nd_fit_params(fit, false)), grad = slow_new(nd_fit_params(fit, false));
    nd_params out = *nd_fit_params(fit, true); /* its arrays serve as room */
    CHECK(nd_fit_gradient(fit, s, N, (float)difference, fit_points, &out) == ND_OK);
    free(grad.all);
    grad = slow_new(&out);
    double worst = 0.0, largest = 0.0;
    int compared = 0;
    for (size_t i = 0; i < net.size; i += i < 208u * 64u ? 7 : 1) {
        const double keep = net.all[i], h = 1e-6;
        net.all[i] = keep + h;
        const double up = slow_loss(&net, s, N, difference);
        net.all[i] = keep - h;
        const double down = slow_loss(&net, s, N, difference);
        net.all[i] = keep;
        worst = fmax(worst, fabs((up - down) / (2 * h) - grad.all[i]));
        largest = fmax(largest, fabs(grad.all[i]));
        compared++;
    }
    note("%d derivatives up to %.3g, largest error %.2g\n", compared, largest, worst);
    CHECK(largest > 0.05 && worst < 2e-6 * (1.0 + largest));
    free(net.all);
    free(grad.all);
    free(s);
    nd_fit_free(fit);
}

/* ---- training ---- */

static void run_plan(nd_fit *fit, const nd_sample *s, size_t n, const nd_fit_plan *plan,
                     nd_fit_stats *stats)
{
    nd_fit_job *job;
    CHECK(nd_fit_job_new(fit, s, n, plan, &job) == ND_OK);
    CHECK(nd_fit_job_run(job, nd_fit_job_left(job), NULL) == ND_OK);
    if (stats) nd_fit_job_stats(job, stats);
    nd_fit_job_free(job);
}

static nd_fit_plan plan_of(int64_t steps)
{
    nd_fit_plan p = {.steps = steps,
                     .batch = 264,
                     .lr_start = 2e-3f,
                     .lr_end = 2e-5f,
                     .ema = 0.99f,
                     .difference = 12.0f,
                     .seed = 1,
                     .threads = 2};
    memcpy(p.points, fit_points, sizeof p.points);
    return p;
}

/* Root mean square distance of the two copies of a unit. */
static double apart_of(nd_fit *wide)
{
    const nd_params *w = nd_fit_params(wide, false);
    const int half = w->h1 / 2, units = w->features->units;
    double square = 0.0;
    for (int u = 0; u < units; u++)
        for (int k = 0; k < half; k++) {
            const double d = (double)w->w1[u * w->h1 + k] - w->w1[u * w->h1 + half + k];
            square += d * d;
        }
    return sqrt(square / (units * half));
}

static void check_learning(void)
{
    enum { N = 60000, M = 2000 };
    nd_sample *s = fit_make(N, 11), *held = fit_make(M, 12);
    nd_board *boards = malloc(M * sizeof *boards);
    float *p = malloc(M * 6 * sizeof *p);
    nd_fit *fit;
    nd_fit_stats first, last;
    nd_fit_plan plan = plan_of(3000);
    nd_fit_new(&fit_features, 128, 32, 6, 1, &fit);
    nd_fit_job *job;
    CHECK(nd_fit_job_new(fit, s, N, &plan, &job) == ND_OK);
    nd_fit_job_run(job, 20, NULL);
    nd_fit_job_stats(job, &first);
    nd_fit_job_run(job, 2780, NULL);
    nd_fit_job_stats_restart(job);
    nd_fit_job_run(job, 1000, NULL);
    nd_fit_job_stats(job, &last);
    CHECK(nd_fit_job_left(job) == 0 && last.steps == 200);
    nd_fit_job_free(job);
    double square = 0.0;
    for (int i = 0; i < M; i++) boards[i] = held[i].board;
    CHECK(nd_fit_predict(fit, true, boards, M, p) == ND_OK);
    for (int i = 0; i < M; i++) {
        double d = 0.0;
        for (int o = 0; o < 6; o++) d += fit_points[o] * (p[i * 6 + o] - held[i].target[o]);
        square += d * d;
    }
    note("equity error %.4f -> %.4f, held out %.4f; differences %.4f -> %.4f; "
         "cross entropy %.4f -> %.4f\n",
         first.equity_error, last.equity_error, sqrt(square / M), first.difference_error,
         last.difference_error, first.cross_entropy, last.cross_entropy);
    CHECK(first.equity_error > 0.3 && last.equity_error < 0.02);
    CHECK(sqrt(square / M) < 0.03);

    /* Against the slow forward pass. */
    nd_fit *small;
    nd_fit_new(&fit_features, 64, 16, 6, 2, &small);
    slow net = slow_new(nd_fit_params(small, false));
    double worst = 0.0;
    nd_fit_predict(small, false, boards, M, p);
    for (int i = 0; i < M; i++) {
        double q[ND_MAX_OUTCOMES];
        slow_forward(&net, &boards[i], q);
        for (int o = 0; o < 6; o++) worst = fmax(worst, fabs(q[o] - p[i * 6 + o]));
    }
    CHECK(worst < 1e-6);

    nd_fit *wide = NULL;
    double off = 0.0;
    float *q = malloc(M * 6 * sizeof *q);
    CHECK(nd_fit_widen(fit, 256, 0.002f, 9, &wide) == ND_OK);
    nd_fit_predict(fit, false, boards, M, p);
    nd_fit_predict(wide, false, boards, M, q);
    bool moved = false;
    for (int i = 0; i < M * 6; i++) {
        off = fmax(off, fabs((double)p[i] - q[i]));
        moved |= p[i] != q[i];
    }
    note("widened: largest change of a probability %.2g\n", off);
    CHECK(moved && off < 1e-3);
    const double close = apart_of(wide);
    plan.steps = 400, plan.lr_start = 1e-3f;
    nd_fit_job_new(wide, s, N, &plan, &job);
    nd_fit_job_run(job, 350, NULL);
    nd_fit_job_stats_restart(job);
    nd_fit_job_run(job, 50, NULL);
    nd_fit_job_stats(job, &last);
    nd_fit_job_free(job);
    note("400 steps later: equity error %.4f\n", last.equity_error);
    CHECK(last.equity_error < 0.01);
    note("distance of the copies %.3g -> %.3g\n", close, apart_of(wide));
    CHECK(close > 0.0 && apart_of(wide) > 2.0 * close);
    free(net.all);
    free(s);
    free(held);
    free(boards);
    free(p);
    free(q);
    nd_fit_free(fit);
    nd_fit_free(small);
    nd_fit_free(wide);
}

/* ---- same bits ---- */

static void *state_of(nd_fit *fit)
{
    void *state = malloc(nd_fit_state_size(fit));
    nd_fit_state_write(fit, state);
    return state;
}

static bool same_state(nd_fit *fit, const void *state)
{
    void *now = state_of(fit);
    const bool same = memcmp(now, state, nd_fit_state_size(fit)) == 0;
    free(now);
    return same;
}

static void check_bits(int h2)
{
    enum { N = 3000, STEPS = 41 };
    nd_sample *s = fit_make(N, 21);
    for (int i = 0; i < 700; i++) s[i].group = -1; /* a group larger than a minibatch */
    nd_fit *fit;
    nd_fit_plan plan = plan_of(STEPS);
    nd_fit_stats stats, other;
    nd_fit_new(&fit_features, 192, h2, 6, 4, &fit);
    void *start = state_of(fit);
    run_plan(fit, s, N, &plan, &stats);
    void *end = state_of(fit);
    CHECK(!same_state(fit, start) && stats.steps == STEPS && nd_fit_steps(fit) == STEPS);
    for (int threads = 1; threads <= 3; threads++) {
        nd_fit_state_read(fit, start, nd_fit_state_size(fit));
        plan.threads = threads;
        run_plan(fit, s, N, &plan, &other);
        CHECK(same_state(fit, end) && !memcmp(&stats, &other, sizeof stats));
    }
    const char *const names[] = {"plain", "avx2", "avx512"};
    for (int i = 0; i < 3; i++) {
        if (nd_fit_use_kernels(fit, names[i]) != ND_OK) continue;
        nd_fit_state_read(fit, start, nd_fit_state_size(fit));
        run_plan(fit, s, N, &plan, &other);
        CHECK(same_state(fit, end) && !memcmp(&stats, &other, sizeof stats));
    }
    CHECK(nd_fit_use_kernels(fit, "none") == ND_UNSUPPORTED);
    nd_fit_use_kernels(fit, NULL);

    /* Stop after some steps, go on in a new fit with a new job. */
    nd_fit_state_read(fit, start, nd_fit_state_size(fit));
    nd_fit_job *job;
    nd_fit_job_new(fit, s, N, &plan, &job);
    nd_fit_job_run(job, 5, NULL);
    nd_fit_job_run(job, 14, NULL);
    nd_stop stop;
    atomic_init(&stop.raised, 0);
    nd_stop_raise(&stop);
    CHECK(nd_fit_job_run(job, 5, &stop) == ND_CANCELLED);
    nd_fit_job_stats(job, &other);
    CHECK(other.steps == 19);
    nd_fit_job_free(job);
    void *middle = state_of(fit);
    nd_fit *again;
    nd_fit_new(&fit_features, 192, h2, 6, 5, &again);
    CHECK(nd_fit_state_read(again, middle, nd_fit_state_size(again)) == ND_OK);
    plan.first = 19;
    run_plan(again, s, N, &plan, NULL);
    CHECK(same_state(again, end));
    CHECK(nd_fit_state_read(again, middle, 100) == ND_BAD_FILE);
    ((char *)middle)[0] ^= 1;
    CHECK(nd_fit_state_read(again, middle, nd_fit_state_size(again)) == ND_BAD_FILE);

    nd_fit *copy;
    nd_fit_new(&fit_features, 192, h2, 6, 6, &copy);
    CHECK(nd_fit_set_params(copy, nd_fit_params(fit, true)) == ND_OK);
    const nd_params *a = nd_fit_params(fit, true), *b = nd_fit_params(copy, false);
    CHECK(!memcmp(a->w1, b->w1, sizeof(float) * (size_t)(208 * 192 + 192 + 193 * h2 + 6 * h2 + 6)));
    free(start);
    free(middle);
    free(end);
    free(s);
    nd_fit_free(fit);
    nd_fit_free(again);
    nd_fit_free(copy);
}

static void check_arguments(void)
{
    nd_fit *fit;
    nd_fit_job *job;
    nd_sample *s = fit_make(10, 1);
    CHECK(nd_fit_new(&fit_features, 63, 16, 6, 0, &fit) == ND_BAD_ARGUMENT && !fit);
    CHECK(nd_fit_new(&fit_features, 64, 8, 6, 0, &fit) == ND_BAD_ARGUMENT);
    CHECK(nd_fit_new(&fit_features, 64, 16, 9, 0, &fit) == ND_BAD_ARGUMENT);
    nd_fit_new(&fit_features, 64, 16, 6, 0, &fit);
    nd_fit_plan plan = plan_of(5);
    plan.batch = 0;
    CHECK(nd_fit_job_new(fit, s, 10, &plan, &job) == ND_BAD_ARGUMENT && !job);
    plan.batch = 4, plan.first = 6;
    CHECK(nd_fit_job_new(fit, s, 10, &plan, &job) == ND_BAD_ARGUMENT);
    plan.first = 0;
    CHECK(nd_fit_job_new(fit, s, 0, &plan, &job) == ND_BAD_ARGUMENT);
    s[7].target[2] = NAN;
    CHECK(nd_fit_job_new(fit, s, 10, &plan, &job) == ND_BAD_ARGUMENT);
    s[7].target[2] = 0.0f, s[7].weight = -1.0f;
    CHECK(nd_fit_job_new(fit, s, 10, &plan, &job) == ND_BAD_ARGUMENT);
    s[7].weight = 1.0f, s[7].board.own[3] |= ND_BIT(3) | ND_BIT(9);
    CHECK(nd_fit_job_new(fit, s, 10, &plan, &job) == ND_BAD_BOARD);
    run_plan(fit, s, 1, &plan, NULL);
    nd_fit_free(fit);
    free(s);
}

int main(int argc, char **argv)
{
    (void)argv;
    talkative = argc > 1;
    check_arguments();
    check_gradient(0.0, NULL);
    check_gradient(12.0, NULL);
    check_gradient(12.0, "avx2");
    check_gradient(12.0, "plain");
    check_bits(32);
    check_bits(48);
    if (!LOOKING_FOR_RACES) check_learning(); /* the same code as check_bits, for minutes */
    return check_end("fit");
}
