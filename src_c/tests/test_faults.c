/* Every allocation, thread and file operation on the core's paths fails once: what comes back is the
 * status that says so, nothing is kept allocated, and no file is lost or left half written. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "faults.h"
#include "base/container.h"
#include "random_params.h"
#include "rollout/duel.h"
#include "rollout/rollout.h"
#include "search/sieve.h"
#include "train/fit.h"
#include "train/selfplay.h"

static char path[256], folder[200];
static nd_net *nets[2];
static nd_evaluator ev;
static nd_board start;
static uint8_t *payload;

/* ---- what is done: each leaves nothing behind, whatever it returns ---------------------------- */

static nd_status make_net(void)
{
    nd_params p = {.features = &nd_backgammon_race_1, .h1 = 64, .h2 = 16, .outcomes = 6};
    static float *w1, b1[64], w2[64 * 16], b2[16], w3[16 * 6], b3[6];
    if (!w1) w1 = __real_calloc((size_t)p.features->units * 64, sizeof *w1);
    p.w1 = w1, p.b1 = b1, p.w2 = w2, p.b2 = b2, p.w3 = w3, p.b3 = b3;
    w1[5] = b1[3] = w2[8] = w3[1] = 0.25f;
    nd_net *net;
    const nd_status status = nd_net_from_params(&p, "by a check", &net);
    CHECK((status == ND_OK) == (net != NULL));
    nd_net_free(net);
    return status;
}

static nd_status load_net(void)
{
    nd_net *net;
    const nd_status status = nd_net_from_memory(payload, nd_net_payload_size(nets[0]), &net);
    CHECK((status == ND_OK) == (net != NULL));
    nd_net_free(net);
    return status;
}

#define BUILD(name, type, made)                                                                    \
    static nd_status name(void)                                                                    \
    {                                                                                              \
        type *t;                                                                                   \
        const nd_status status = made;                                                             \
        CHECK((status == ND_OK) == (t != NULL));                                                   \
        type##_free(t);                                                                            \
        return status;                                                                             \
    }

BUILD(build_one, nd_bearoff_one, nd_bearoff_one_build(&t))
BUILD(build_two, nd_bearoff_two, nd_bearoff_two_build(&t))
BUILD(build_race, nd_long_race, nd_long_race_build(ND_LONG_RACE_MIN_POINTS, NULL, &t))

static nd_status write_file(void)
{
    static const nd_container c = {
        .kind = ND_KIND_NET, .layout = 1, .provenance = "new", .payload = "12345678", 8};
    return nd_container_write(path, &c);
}

static nd_status read_file(void)
{
    nd_container_file *file;
    const nd_status status = nd_container_open(path, true, &file);
    CHECK((status == ND_OK) == (file != NULL));
    nd_container_close(file);
    return status;
}

static nd_status search(void)
{
    static const nd_stakes money = {
        .outcomes = 6, .points = {1, 2, 3, -1, -2, -3}, .max_cube = INFINITY, .cap = INFINITY};
    const nd_cube_setting set = {.stakes = &money, .cube = 1, .efficiency = nd_efficiency_default};
    nd_plan plan = nd_plan_default;
    plan.cache = 1 << 8;
    nd_search *s = NULL;
    const nd_choice *choices;
    float p[ND_MAX_OUTCOMES];
    nd_cube_values values;
    int count;
    nd_status status = nd_search_new(&s);
    if (status == ND_OK)
        status = nd_choose_nply(&ev, &plan, s, &start, 3, 1, 1, 1, NULL, &choices, &count);
    if (status == ND_OK) status = nd_evaluate_cubeful(&ev, &plan, s, &start, 1, &set, p, &values);
    nd_search_free(s);
    return status;
}

/* Long nardy: the play ends the game but for the other side's last roll, which is looked into. */
static nd_status search_last_roll(void)
{
    const nd_evaluator last = {
        .rules = &nd_long_nardy, .kernels = ev.kernels, .points = {1, 2, 3, 4, -1, -2, -3, -4}};
    const int8_t own[ND_SLOTS] = {[ND_OFF] = 14, [1] = 1}, opp[ND_SLOTS] = {[ND_OFF] = 13, [2] = 2};
    nd_board board;
    nd_board_from_counts(own, opp, &board);
    board.opp[0] |= ND_OWED;
    nd_search *s = NULL;
    const nd_choice *choices;
    int count;
    nd_status status = nd_search_new(&s);
    if (status == ND_OK)
        status =
            nd_choose_nply(&last, &nd_plan_default, s, &board, 3, 1, 0, 1, NULL, &choices, &count);
    nd_search_free(s);
    return status;
}

static nd_status search_many(void)
{
    nd_board boards[3] = {start, start, start};
    const uint8_t dice[3][2] = {{3, 1}, {6, 5}, {2, 2}};
    nd_choice out[3];
    int counts[3];
    return nd_choose_many(&ev, &nd_plan_default, boards, dice, NULL, 3, 0, 1, 1, 2, NULL, out,
                          counts);
}

static nd_status fit_sieve(void)
{
    static nd_sieve sieve;
    return nd_sieve_fit(&ev, ND_PHASE_CONTACT, &sieve);
}

static nd_status roll_out(void)
{
    const nd_rollout_plan plan = {.play = &ev,
                                  .luck = &ev,
                                  .search = &nd_plan_default,
                                  .efficiency = nd_efficiency_default,
                                  .seed = 9,
                                  .truncate = 2};
    const nd_subject subject = {.board = start, .cube = 1};
    static double raw[4096];
    bool done = false;
    CHECK(nd_rollout_length(1) <= sizeof raw / sizeof *raw);
    const nd_status status = nd_rollout(&plan, &subject, 1, NULL, 0, 1, 2, NULL, raw, &done);
    CHECK(status != ND_OK || done);
    return status;
}

static nd_status duel(void)
{
    const nd_duel_plan plan = {.rules = ev.rules,
                               .side = {nd_random_mover(&ev), nd_random_mover(&ev)},
                               .luck = &ev,
                               .starts = &start,
                               .count = 1};
    nd_duel_game games[2];
    return nd_duel(&plan, 0, 1, 2, NULL, games);
}

static nd_status solve(void)
{
    static nd_met met;
    for (int a = 0; a < ND_MET_SIZE; a++) {
        for (int b = 0; b < ND_MET_SIZE; b++) met.before[a][b] = (b + 1.0) / (a + b + 2.0);
        met.after[0][a] = met.after[1][a] = 1.0 / (a + 2.0);
    }
    const nd_stakes match = {.outcomes = 6,
                             .points = {1, 2, 3, -1, -2, -3},
                             .max_cube = INFINITY,
                             .cap = INFINITY,
                             .met = &met,
                             .own_needs = 3,
                             .opp_needs = 2};
    nd_exact *exact = NULL;
    nd_cube_values values;
    nd_status status = nd_exact_new(&exact);
    if (status == ND_OK) status = nd_exact_solve(exact, &match, 1, 20, 30, &values);
    nd_exact_free(exact);
    return status;
}

static nd_status train(void)
{
    enum { N = 24 };
    static nd_sample samples[N];
    static float points[ND_MAX_OUTCOMES] = {1, 2, 3, -1, -2, -3};
    for (int i = 0; i < N; i++)
        samples[i] = (nd_sample){.board = start, .target = {0.5f, 0, 0, 0.5f}, .weight = 1, i / 3};
    nd_fit_plan plan = {
        .steps = 2, .batch = 12, .lr_start = 1e-3f, .lr_end = 1e-4f, .ema = 0.9f, .threads = 2};
    memcpy(plan.points, points, sizeof points);
    nd_fit *fit = NULL, *wide = NULL, *slim = NULL;
    nd_fit_job *job = NULL;
    float out[ND_MAX_OUTCOMES];
    nd_status status = nd_fit_new(&nd_backgammon_race_1, 64, 16, 6, 1, &fit);
    if (status == ND_OK) status = nd_fit_job_new(fit, samples, N, &plan, &job);
    if (status == ND_OK) status = nd_fit_job_run(job, plan.steps, NULL);
    nd_fit_job_free(job);
    if (status == ND_OK) status = nd_fit_widen(fit, 128, 0.002f, 1, &wide);
    if (status == ND_OK) status = nd_fit_narrow(wide, 64, &start, 1, &slim);
    if (status == ND_OK) status = nd_fit_predict(wide, true, &start, 1, out);
    if (status == ND_OK && !nd_fit_params(fit, true)) status = ND_NO_MEMORY;
    nd_fit_free(fit);
    nd_fit_free(wide);
    nd_fit_free(slim);
    return status;
}

static nd_status play_oneself(void)
{
    const nd_selfplay_plan plan = {.lambda = 0.5f,
                                   .lookahead = true,
                                   .siblings = 2,
                                   .window = 0.1f,
                                   .labelled = 1,
                                   .max_plies = 4};
    nd_sample *samples = NULL;
    size_t count = 0;
    nd_selfplay_stats stats;
    const nd_status status = nd_selfplay(&ev, &plan, 0, 2, 2, NULL, &samples, &count, &stats);
    CHECK(status == ND_OK || !samples);
    free(samples);
    return status;
}

/* ---- one fault after the other ---------------------------------------------------------------- */

typedef struct deed {
    const char *name;
    nd_status (*run)(void);
} deed;

static const deed deeds[] = {{"make a net", make_net},
                             {"load a net", load_net},
                             {"build one", build_one},
                             {"build two", build_two},
                             {"build race", build_race},
                             {"write", write_file},
                             {"read", read_file},
                             {"search", search},
                             {"search a last roll", search_last_roll},
                             {"search many", search_many},
                             {"fit a sieve", fit_sieve},
                             {"roll out", roll_out},
                             {"duel", duel},
                             {"solve", solve},
                             {"train", train},
                             {"play oneself", play_oneself}};
enum { DEEDS = sizeof deeds / sizeof *deeds, MOST = 5000 };

/* The n-th call fails, for n = 0, 1, … until none does. Threads take turns as they like, so the last
 * n may differ from run to run, but none is passed over. */
static void each_in_turn(const deed *what, fault kind, nd_status expected)
{
    int n = 0;
    for (;; n++) {
        const long before = atomic_load(&fault_live);
        fault_at(kind, n);
        const nd_status status = what->run();
        const bool came = atomic_load(&fault_came);
        fault_at(FAULT_NONE, 0);
        const long left = atomic_load(&fault_live) - before;
        if (left || (status != ND_OK && status != expected) || (!came && status != ND_OK))
            fprintf(stderr, "%s, fault %d at %d: %s, %ld left\n", what->name, (int)kind, n,
                    nd_status_text(status), left);
        CHECK_INT(left, 0);
        CHECK(status == ND_OK || (came && status == expected));
        if (!came || n == MOST) break;
    }
    CHECK(n < MOST);
}

/* ---- files ------------------------------------------------------------------------------------ */

static int files(void)
{
    int n = 0;
    DIR *const open = opendir(folder);
    if (!open) return -1;
    for (const struct dirent *e; (e = readdir(open));) n += e->d_name[0] != '.';
    closedir(open);
    return n;
}

static const char *content(void)
{
    static char text[8];
    nd_container_file *file;
    CHECK_INT(nd_container_open(path, true, &file), ND_OK);
    if (!file) return "";
    memcpy(text, nd_container_get(file)->provenance, 4);
    nd_container_close(file);
    return text;
}

/* Whatever fails while a file is replaced, the old one is there, or the new one, and no other. */
static void files_survive(void)
{
    static const nd_container old = {.kind = ND_KIND_NET, .layout = 1, .provenance = "old"};
    static const struct {
        fault kind;
        nd_status status;
    } faults[] = {{FAULT_INTERRUPTED, ND_OK},  {FAULT_SHORT, ND_OK}, {FAULT_FULL, ND_IO},
                  {FAULT_FLUSH, ND_IO},        {FAULT_CLOSE, ND_IO}, {FAULT_RENAME, ND_IO},
                  {FAULT_MEMORY, ND_NO_MEMORY}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        bool came = true;
        int n = 0;
        for (; came; n++) {
            CHECK_INT(nd_container_write(path, &old), ND_OK);
            fault_at(faults[i].kind, n);
            const nd_status status = write_file();
            came = atomic_load(&fault_came);
            fault_at(FAULT_NONE, 0);
            CHECK_INT(status, came ? faults[i].status : ND_OK);
            CHECK(strcmp(content(), status == ND_OK ? "new" : "old") == 0);
            CHECK_INT(files(), 1);
        }
        CHECK(n > 1); /* it did come */
    }
}

static void files_are_read(void)
{
    static const struct {
        fault kind;
        nd_status status;
    } faults[] = {{FAULT_INTERRUPTED, ND_OK}, {FAULT_SHORT, ND_OK}, {FAULT_READ, ND_IO}};
    fault_no_mapping = true;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        bool came = true;
        int n = 0;
        for (; came; n++) {
            fault_at(faults[i].kind, n);
            const nd_status status = read_file();
            came = atomic_load(&fault_came);
            fault_at(FAULT_NONE, 0);
            CHECK_INT(status, came ? faults[i].status : ND_OK);
        }
        CHECK(n > 1);
    }
    each_in_turn(&(deed){"read without mapping", read_file}, FAULT_MEMORY, ND_NO_MEMORY);
    fault_no_mapping = false;
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.64s/nardy_faults_XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/file", folder);
    CHECK_INT(nd_backgammon.start("", &start), ND_OK);
    for (int i = 0; i < 2; i++) {
        nd_params p =
            random_params(i ? &nd_backgammon_race_1 : &nd_backgammon_contact_1, 64, 16, 6);
        CHECK_INT(nd_net_from_params(&p, NULL, &nets[i]), ND_OK);
        free_params(&p);
    }
    payload = malloc(nd_net_payload_size(nets[0]));
    nd_net_payload_write(nets[0], payload);
    ev = (nd_evaluator){
        .rules = &nd_backgammon, .kernels = nd_kernels_get(NULL), .points = {1, 2, 3, -1, -2, -3}};
    ev.net[ND_PHASE_CONTACT] = nets[0];
    ev.net[ND_PHASE_RACE] = ev.net[ND_PHASE_BEAROFF] = nets[1];

    files_survive();
    files_are_read();
    for (int i = 0; i < DEEDS; i++) each_in_turn(&deeds[i], FAULT_MEMORY, ND_NO_MEMORY);
    for (int i = 0; i < DEEDS; i++) each_in_turn(&deeds[i], FAULT_THREAD, ND_NO_MEMORY);

    for (int i = 0; i < 2; i++) nd_net_free(nets[i]);
    free(payload);
    CHECK_INT(unlink(path), 0);
    CHECK_INT(rmdir(folder), 0);
    return check_end("faults");
}
