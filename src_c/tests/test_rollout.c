/* Rollouts: the same bits in any pieces, on any threads, with any company; how soon they stop; how
 * the first two rolls are spread over trials; the sieve's order. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "play.h"
#include "random_params.h"
#include "rollout/dice.h"
#include "rollout/rollout.h"
#include "rollout/strata.h"
#include "search/sieve.h"

enum { N = 3, CHUNKS = 2 };

static nd_met even_table(void)
{
    nd_met met;
    for (int a = 0; a < ND_MET_SIZE; a++) {
        for (int b = 0; b < ND_MET_SIZE; b++) met.before[a][b] = (b + 1.0) / (a + b + 2.0);
        met.after[0][a] = met.after[1][a] = 1.0 / (a + 2.0);
    }
    return met;
}

/* Three positions of one game, with the cube at every place. */
static void make_subjects(const nd_rules *rules, nd_subject *subject)
{
    nd_results *const r = malloc(sizeof *r);
    playout p = playout_begin(rules, "", 3, 8);
    for (int i = 0; i < N; i++) {
        for (int ply = 0; ply < 12; ply++) {
            rules->generate(&p.board, p.d1, p.d2, &(nd_options){0}, r);
            if (!playout_next(&p, r)) abort();
        }
        subject[i] = (nd_subject){p.board, i == 0 ? 1 : 2, (nd_owner)i, i == 1};
    }
    free(r);
}

static void check_bits(const nd_rollout_plan *plan, const nd_subject *subject)
{
    const size_t length = nd_rollout_length(N);
    double *const whole = calloc(CHUNKS * length, sizeof *whole);
    double *const part = calloc(CHUNKS * length, sizeof *part);
    bool done[CHUNKS];
    CHECK(nd_rollout(plan, subject, N, NULL, 5, CHUNKS, 1, NULL, whole, done) == ND_OK);
    CHECK(done[0] && done[1]);
    CHECK(nd_rollout(plan, subject, N, NULL, 5, CHUNKS, 3, NULL, part, done) == ND_OK);
    CHECK(memcmp(whole, part, CHUNKS * length * sizeof *whole) == 0);
    CHECK(nd_rollout(plan, subject, N, NULL, 6, 1, 2, NULL, part, done) == ND_OK);
    CHECK(memcmp(whole + length, part, length * sizeof *whole) == 0);

    /* A subject alone has the sums it has among others; who is left out has none. */
    for (int i = 0; i < N; i++) {
        bool active[N] = {false};
        active[i] = true;
        CHECK(nd_rollout(plan, subject, N, active, 5, 1, 2, NULL, part, done) == ND_OK);
        const nd_sums *const all = (const nd_sums *)(const void *)whole;
        const nd_sums *const one = (const nd_sums *)(const void *)part;
        CHECK(memcmp(&all[i], &one[i], sizeof *one) == 0);
        CHECK(one[i].trials == ND_CHUNK && one[(i + 1) % N].trials == 0);
        CHECK(fabs(part[length - N * N + (size_t)(N + 1) * (size_t)i] - one[i].value_sq) < 1e-6);
        double first = 0, second = 0;
        for (int k = 0; k < ND_STRATA; k++) first += one[i].first[k], second += one[i].second[k];
        CHECK(fabs(first - one[i].value) < 1e-6 && fabs(second - one[i].value) < 1e-6);
    }
    nd_stop stop = {0};
    nd_stop_raise(&stop);
    CHECK(nd_rollout(plan, subject, N, NULL, 5, CHUNKS, 2, &stop, part, done) == ND_CANCELLED);
    CHECK(!done[0] && !done[1]);
    free(whole);
    free(part);
}

static void check_arguments(const nd_rollout_plan *plan, const nd_subject *subject)
{
    nd_rollout_plan p = *plan;
    nd_subject s = subject[0];
    CHECK(nd_rollout_check(&p, &s, 1) == ND_OK);
    CHECK(nd_rollout_check(&p, &s, 0) == ND_BAD_ARGUMENT);
    CHECK(nd_rollout_check(&p, &s, ND_MAX_SUBJECTS + 1) == ND_BAD_ARGUMENT);
    s.cube = NAN;
    CHECK(nd_rollout_check(&p, &s, 1) == ND_BAD_ARGUMENT);
    s.cube = 1;
    p.late_level.cube = ND_MAX_PLIES + 1;
    CHECK(nd_rollout_check(&p, &s, 1) == ND_BAD_ARGUMENT);
    p = *plan;
    p.truncate = -1;
    CHECK(nd_rollout_check(&p, &s, 1) == ND_BAD_ARGUMENT);
}

/* Rules that raise a flag after so many rolls, and count the rolls generated from then on. */
static struct {
    nd_stop stop;
    int until, after;
} watch;

static void watched(const nd_board *b, int d1, int d2, const nd_options *opt, nd_results *out)
{
    if (watch.until == 0) watch.after++;
    if (watch.until > 0 && --watch.until == 0) nd_stop_raise(&watch.stop);
    nd_backgammon.generate(b, d1, d2, opt, out);
}

/* A rollout ends once the position at hand is dealt with, 21 rolls at most, and a choice made by
 * the values at hand: well under a millisecond, however long its trials and deep its plays are. What was
 * finished by then is kept. */
static void check_stop(const nd_rollout_plan *plan, const nd_subject *subject)
{
    const size_t length = nd_rollout_length(N);
    double *const whole = calloc(length, sizeof *whole);
    double *const part = calloc(CHUNKS * length, sizeof *part);
    nd_rules rules = nd_backgammon;
    rules.generate = watched;
    nd_evaluator play = *plan->play, luck = *plan->luck;
    play.rules = luck.rules = &rules;
    nd_rollout_plan p = *plan;
    p.play = &play, p.luck = &luck, p.late_level = (nd_rollout_level){0, 0};
    bool done[CHUNKS];
    for (int level = 0; level <= ND_MAX_PLIES; level++) {
        p.level = (nd_rollout_level){level, level};
        watch.until = -1;
        if (level == 0)
            CHECK(nd_rollout(&p, subject, N, NULL, 0, 1, 1, NULL, whole, done) == ND_OK);
        watch.stop = (nd_stop){0};
        watch.until = level ? 2000 : 20000; /* in the first trial, or in the second chunk */
        watch.after = 0;
        CHECK(nd_rollout(&p, subject, N, NULL, 0, CHUNKS, 1, &watch.stop, part, done) ==
              ND_CANCELLED);
        CHECK(watch.until == 0 && watch.after <= ND_ROLLS);
        CHECK(done[0] == (level == 0) && !done[1]);
        if (level == 0) CHECK(memcmp(whole, part, length * sizeof *whole) == 0);
    }
    free(whole);
    free(part);
}

/* What a sieve makes of a board, slot by slot. */
static int64_t sieve_worth(const nd_sieve *sieve, const nd_board *b)
{
    int64_t sum = 0;
    for (int slot = 0; slot < ND_SLOTS; slot++) {
        for (int k = 0; k < nd_count(b->own, slot); k++) sum += sieve->reach[slot][k];
        sum += sieve->opp[slot][nd_count(b->opp, slot)];
    }
    return sum;
}

/* Are out[0..n) the best of the results, best first, of equals the first? */
static bool best_first(const nd_sieve *sieve, const nd_results *r, const uint32_t *out, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const int64_t worth = sieve_worth(sieve, &r->board[out[k]]);
        size_t better = 0;
        for (uint32_t i = 0; i < (uint32_t)r->count; i++) {
            const int64_t w = sieve_worth(sieve, &r->board[i]);
            better += w > worth || (w == worth && i < out[k]);
        }
        if (better != k) return false;
    }
    return true;
}

/* Sifting keeps the best by what boards are worth, whatever plays lead to them, and a sieve likes what its net likes: far more often
 * than by chance the net's best reply is among the best quarter. */
static void check_sieve(const nd_evaluator *ev)
{
    nd_sieve *const sieve = malloc(sizeof *sieve), *const again = malloc(sizeof *sieve);
    nd_results *const r = malloc(sizeof *r);
    nd_search *s;
    CHECK(nd_sieve_fit(ev, ND_PHASE_CONTACT, sieve) == ND_OK);
    CHECK(nd_sieve_fit(ev, ND_PHASE_CONTACT, again) == ND_OK);
    CHECK(memcmp(sieve, again, sizeof *sieve) == 0);
    if (nd_search_new(&s) != ND_OK) abort();
    playout p = playout_begin(ev->rules, "", 4, 1);
    int rolls = 0, found = 0;
    for (int ply = 0; ply < 40; ply++) {
        ev->rules->generate(&p.board, p.d1, p.d2, &ev->options, r);
        uint32_t few[ND_MAX_KEEP], many[ND_MAX_KEEP];
        const size_t count = (size_t)r->count < ND_MAX_KEEP ? (size_t)r->count : ND_MAX_KEEP;
        const size_t quarter = (count + 3) / 4;
        CHECK_INT(nd_sieve_sift(sieve, &p.board, r, quarter, few), quarter);
        CHECK_INT(nd_sieve_sift(sieve, &p.board, r, count, many), count);
        CHECK(memcmp(few, many, quarter * sizeof *few) == 0);
        CHECK(best_first(sieve, r, many, count));
        CHECK_INT(nd_sieve_sift(sieve, &p.board, r, 8, few), r->count < 8 ? r->count : 8);
        CHECK(best_first(sieve, r, few, r->count < 8 ? (size_t)r->count : 8));
        if (r->count >= 8 && r->count <= ND_MAX_KEEP) {
            const nd_results *results;
            const nd_candidate *c;
            int n;
            if (nd_choose(ev, s, &p.board, p.d1, p.d2, &results, &c, &n) != ND_OK) abort();
            rolls++;
            for (size_t i = 0; i < quarter; i++) found += few[i] == (uint32_t)c[0].index;
        }
        if (!playout_next(&p, r)) break;
    }
    CHECK(rolls >= 10 && 2 * found > rolls);
    nd_search_free(s);
    free(sieve);
    free(again);
    free(r);
}

/* The roll as an entry of 6 x 6. */
static int thrown(uint64_t seed, uint64_t trial, int ply, bool opening)
{
    int d1, d2;
    nd_rollout_dice(seed, trial, ply, opening, &d1, &d2);
    CHECK(1 <= d1 && d1 <= 6 && 1 <= d2 && d2 <= 6);
    return 6 * (d1 - 1) + d2 - 1;
}

/* Trials from 0 on come in blocks of 36, of 30 where the first roll is no double. Each block has
 * each first roll once and no second roll twice, so all of them where it has 36; and 36 blocks have
 * each pair of both once. Every prefix is balanced: of blocks, and of sets of 36 blocks. */
static void check_strata(uint64_t seed, bool opening)
{
    enum { ROLLS = 36, CYCLES = 3 };
    const int size = opening ? 30 : ROLLS;
    int orders = 0, last[ROLLS] = {0};
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        int pairs[ROLLS][ROLLS] = {{0}};
        for (int block = ROLLS * cycle; block < ROLLS * (cycle + 1); block++) {
            int first[ROLLS] = {0}, second[ROLLS] = {0}, moved = 0;
            for (int i = 0; i < size; i++) {
                const uint64_t trial = (uint64_t)(block * size + i);
                const int one = thrown(seed, trial, 0, opening);
                const int two = thrown(seed, trial, 1, opening);
                first[one]++, second[two]++, pairs[one][two]++;
                moved += one != last[i];
                last[i] = one;
            }
            for (int roll = 0; roll < ROLLS; roll++) {
                CHECK_INT(first[roll], opening && roll % 7 == 0 ? 0 : 1);
                CHECK(opening ? second[roll] <= 1 : second[roll] == 1);
            }
            orders += moved > size / 2;
        }
        for (int one = 0; one < ROLLS; one++) {
            for (int two = 0; two < ROLLS; two++)
                CHECK_INT(pairs[one][two], opening && one % 7 == 0 ? 0 : 1);
        }
    }
    CHECK_INT(orders, CYCLES * ROLLS); /* the order is another one in each block */
}

enum { MOST_BLOCKS = 75, MOST_TRIALS = 36 * MOST_BLOCKS };

/* Least squares by turns, each effect the mean of what the other leaves, until nothing moves: slow,
 * but it looks at the values themselves. */
static double explained_by_turns(int blocks, uint8_t (*roll)[2], const double *value)
{
    double effect[2][36] = {{0}}, explained = 0;
    for (int turn = 0; turn < 100000; turn++) {
        const int ply = turn % 2;
        double sum[36] = {0}, moved = 0;
        for (int i = 0; i < 36 * blocks; i++)
            sum[roll[i][ply]] += value[i] - effect[1 - ply][roll[i][1 - ply]];
        for (int k = 0; k < 36; k++) {
            moved = fmax(moved, fabs(sum[k] / blocks - effect[ply][k]));
            effect[ply][k] = sum[k] / blocks;
        }
        if (moved < 1e-13) break;
    }
    for (int i = 0; i < 36 * blocks; i++) {
        const double fit = effect[0][roll[i][0]] + effect[1][roll[i][1]];
        explained += fit * fit;
    }
    return explained;
}

/* Sets of first and second rolls that trials tie together. */
static int count_sets(int blocks, uint8_t (*roll)[2])
{
    int set[2][36], sets = 0;
    for (int k = 0; k < 36; k++) set[0][k] = k, set[1][k] = 36 + k;
    for (int round = 0; round < 72; round++) {
        for (int i = 0; i < 36 * blocks; i++) {
            int *const a = &set[0][roll[i][0]], *const b = &set[1][roll[i][1]];
            *a = *b = *a < *b ? *a : *b;
        }
    }
    for (int k = 0; k < 36; k++) sets += set[0][k] == k;
    return sets;
}

/* What two rolls explain, in blocks that have all pairs, some of them, or fall apart. */
static void check_explained(uint64_t seed)
{
    static const int blocks[] = {1, 2, 3, 4, 10, 35, 36, 37, MOST_BLOCKS};
    static uint8_t roll[MOST_TRIALS][2];
    static double value[MOST_TRIALS];
    for (int i = 0; i < MOST_TRIALS; i++) {
        const int one = thrown(seed, (uint64_t)i, 0, false);
        const int two = thrown(seed, (uint64_t)i, 1, false);
        const uint32_t noise = (uint32_t)i * 2654435761u >> 16;
        roll[i][0] = (uint8_t)one, roll[i][1] = (uint8_t)two;
        value[i] = 0.5 + one % 6 * 0.1 + two / 6 * 0.2 + one * two * 1e-4 + noise * 1e-6;
    }
    for (size_t c = 0; c < sizeof blocks / sizeof *blocks; c++) {
        double sum[2][36] = {{0}};
        for (int i = 0; i < 36 * blocks[c]; i++)
            for (int ply = 0; ply < 2; ply++) sum[ply][roll[i][ply]] += value[i];
        int fitted;
        const double found = nd_rollout_explained(seed, blocks[c], sum[0], sum[1], &fitted);
        CHECK(fabs(found / explained_by_turns(blocks[c], roll, value) - 1) < 1e-9);
        CHECK_INT(fitted, 72 - count_sets(blocks[c], roll));
    }
}

/* Later rolls are as often what they should be as chance allows: chi-squared of 35 degrees of
 * freedom, whose 99.99 % point is 73.0. */
static void check_later_rolls(void)
{
    enum { ROLLS = 36, TRIALS = 36000 };
    for (int ply = 2; ply < 5; ply++) {
        int count[ROLLS] = {0};
        for (uint64_t trial = 0; trial < TRIALS; trial++) count[thrown(4, trial, ply, false)]++;
        double chi = 0;
        for (int roll = 0; roll < ROLLS; roll++) {
            const double off = count[roll] - (double)TRIALS / ROLLS;
            chi += off * off / ((double)TRIALS / ROLLS);
        }
        CHECK(chi < 73.0);
    }
}

int main(void)
{
    for (uint64_t seed = 1; seed < 4; seed++) {
        check_strata(seed, false);
        check_strata(seed, true);
        check_explained(seed);
    }
    check_later_rolls();
    nd_net *net[2];
    const int h1[2] = {128, 64};
    for (int i = 0; i < 2; i++) {
        nd_params p = random_params(&nd_backgammon_race_1, h1[i], 16, 6);
        if (nd_net_from_params(&p, NULL, &net[i]) != ND_OK) abort();
        free_params(&p);
    }
    nd_evaluator ev = {.rules = &nd_backgammon,
                       .kernels = nd_kernels_get(NULL),
                       .points = {1, 2, 3, -1, -2, -3},
                       .keep = 3,
                       .within = 0.2f};
    ev.net[ND_PHASE_CONTACT] = ev.net[ND_PHASE_RACE] = net[0];
    check_sieve(&ev);
    ev.small[ND_PHASE_CONTACT] = net[1];
    nd_sieve *const sieve = malloc(sizeof *sieve);
    CHECK(nd_sieve_fit(&ev, ND_PHASE_CONTACT, sieve) == ND_OK);
    nd_evaluator luck = ev;
    luck.keep = 1;
    luck.sift[ND_PHASE_CONTACT] = 5;
    luck.sieve[ND_PHASE_CONTACT] = sieve;

    const nd_met met = even_table();
    nd_stakes money = {.outcomes = 6,
                       .points = {1, 2, 3, -1, -2, -3},
                       .max_cube = INFINITY,
                       .cap = INFINITY,
                       .jacoby = true,
                       .beavers = true};
    nd_stakes match = money;
    match.jacoby = match.beavers = false;
    match.met = &met, match.own_needs = 3, match.opp_needs = 5;
    nd_subject subject[N];
    make_subjects(ev.rules, subject);
    nd_rollout_plan plan = {.play = &ev,
                            .luck = &luck,
                            .search = &nd_plan_default,
                            .late = 3,
                            .late_level = {0, 1},
                            .efficiency = nd_efficiency_default,
                            .seed = 9,
                            .truncate = 6};
    check_bits(&plan, subject);
    check_stop(&plan, subject);
    plan.stakes = &money;
    check_bits(&plan, subject);
    check_stop(&plan, subject);
    plan.stakes = &match;
    check_bits(&plan, subject);
    plan.luck = NULL;
    check_bits(&plan, subject);
    check_arguments(&plan, subject);
    free(sieve);
    for (int i = 0; i < 2; i++) nd_net_free(net[i]);
    return check_end("rollout");
}
