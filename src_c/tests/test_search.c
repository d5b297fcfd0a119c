/* Search against its definition, with classes worth unlike amounts to the two sides; the cache. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "play.h"
#include "random_params.h"
#include "search/cache.h"
#include "search/nply.h"

static const nd_filter everyone = {0, 0};

static nd_plan wide_plan(void)
{
    nd_plan plan = nd_plan_default;
    for (int k = 0; k < ND_MAX_PLIES; k++) {
        for (int phase = 0; phase < ND_PHASES; phase++)
            plan.select[phase] = plan.promote[k][phase] = everyone;
        plan.tree_select[k] = plan.tree_promote[k] = everyone;
    }
    return plan;
}

/* What the side that began would get. */
static double worth(const nd_evaluator *ev, const double *p, int side)
{
    const int n = ev->rules->outcomes;
    double sum = 0;
    for (int c = 0; c < n; c++) sum += (double)ev->points[c] * p[side == 0 ? c : (c + n / 2) % n];
    return sum;
}

/* The definition: probabilities of the side on roll, every play of every roll looked at. */
static void plain(const nd_evaluator *ev, nd_search *s, nd_results *scratch, const nd_board *b,
                  int plies, int side, double *out)
{
    const int n = ev->rules->outcomes;
    float p[ND_MAX_OUTCOMES];
    if (plies == 0 || ev->rules->outcome(b) >= 0) {
        CHECK(nd_static(ev, s, NULL, b, 1, false, p) == ND_OK);
        for (int c = 0; c < n; c++) out[c] = (double)p[c];
        return;
    }
    for (int c = 0; c < n; c++) out[c] = 0;
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        double best[ND_MAX_OUTCOMES] = {0};
        ev->rules->generate(b, nd_roll_dice[roll][0], nd_roll_dice[roll][1], &ev->options, scratch);
        for (int i = 0; i < scratch->count; i++) {
            const nd_board after = nd_swap(&scratch->board[i]);
            double value[ND_MAX_OUTCOMES];
            plain(ev, s, scratch + 1, &after, plies - 1, 1 - side, value);
            const double gain = worth(ev, value, 1 - side) - worth(ev, best, 1 - side);
            if (i == 0 || (side == 0 ? gain > 0 : gain < 0)) memcpy(best, value, sizeof best);
        }
        for (int c = 0; c < n; c++) out[c] += nd_roll_weight(roll) / 36.0 * best[(c + n / 2) % n];
    }
}

static void check_definition(const nd_evaluator *ev, nd_search *s)
{
    const nd_plan plan = wide_plan();
    nd_results *const scratch = malloc(3 * sizeof *scratch);
    int positions = 0, unlike = 0;
    nd_evaluator even = *ev;
    for (int c = 0; c < ev->rules->outcomes; c++) even.points[c] = (float)ev->rules->points[c];
    for (uint32_t game = 0; positions < 6; game++) {
        playout p = playout_begin(ev->rules, "", 3, game);
        bool on = true;
        for (int ply = 0; on && ply < 50; ply++) {
            ev->rules->generate(&p.board, p.d1, p.d2, &ev->options, scratch);
            on = playout_next(&p, scratch);
        }
        if (!on || scratch->count > 30) continue;
        positions++;
        for (int plies = 1; plies <= 2; plies++) {
            double want[ND_MAX_OUTCOMES];
            float got[ND_MAX_OUTCOMES], other[ND_MAX_OUTCOMES];
            plain(ev, s, scratch, &p.board, plies, 0, want);
            CHECK(nd_evaluate_nply(ev, &plan, s, &p.board, plies, got) == ND_OK);
            for (int c = 0; c < ev->rules->outcomes; c++)
                CHECK(fabs(want[c] - (double)got[c]) < 1e-5);
            CHECK(nd_evaluate_nply(&even, &plan, s, &p.board, plies, other) == ND_OK);
            unlike += memcmp(got, other, (size_t)ev->rules->outcomes * sizeof *got) != 0;
        }
    }
    CHECK(unlike > 6); /* the worth of the classes did matter, and the cache told them apart */
    free(scratch);
}

/* Evaluators that differ in one thing each answer from one warm search as from a cold one. */
static void check_tags(void)
{
    nd_net *net[2];
    for (int i = 0; i < 2; i++) {
        nd_params p =
            random_params(i ? &nd_long_nardy_race_1 : &nd_long_nardy_contact_1, 64, 16, 8);
        if (nd_net_from_params(&p, NULL, &net[i]) != ND_OK) abort();
        free_params(&p);
    }
    nd_long_race *race;
    if (nd_long_race_build(8, NULL, &race) != ND_OK) abort();
    nd_evaluator ev[5];
    for (int k = 0; k < 5; k++) {
        ev[k] = (nd_evaluator){.rules = &nd_long_nardy, .kernels = nd_kernels_get(NULL)};
        for (int c = 0; c < 8; c++) ev[k].points[c] = (float)nd_long_nardy.points[c];
        ev[k].net[ND_PHASE_CONTACT] = net[0];
        ev[k].net[ND_PHASE_RACE] = net[1];
    }
    ev[1].options.head_limit = 1;
    ev[2].options.wall_rule = ND_WALL_NEVER;
    ev[3].options.head_exception = ND_HEAD_NONE;
    ev[4].race = race;
    /* The start; five of a wall on either side; a race with all on 8 .. 1. */
    nd_board board[3] = {{{0}, {0}}};
    if (nd_long_nardy.start("", &board[0]) != ND_OK) abort();
    const int side[2][3][4] = {{{24, 9, 20, 2}, {19, 1, 18, 1}, {17, 1, 16, 1}},
                               {{8, 5, 7, 3}, {5, 3, 3, 2}, {2, 1, 1, 1}}};
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 12; i += 2)
            for (int own = 0; own < 2; own++)
                for (int bit = 0; bit < 4; bit++)
                    (own ? board[b + 1].own : board[b + 1].opp)[bit] |=
                        (uint32_t)(side[b][i / 4][i % 4 + 1] >> bit & 1) << side[b][i / 4][i % 4];
    nd_search *warm;
    if (nd_search_new(&warm) != ND_OK) abort();
    bool differs[5] = {false};
    for (int b = 0; b < 3; b++) {
        float first[ND_MAX_OUTCOMES] = {0};
        for (int k = 0; k < 5; k++) {
            nd_search *cold;
            if (nd_search_new(&cold) != ND_OK) abort();
            float a[ND_MAX_OUTCOMES] = {0}, c[ND_MAX_OUTCOMES] = {0};
            CHECK(nd_evaluate_nply(&ev[k], &nd_plan_default, warm, &board[b], 2, a) == ND_OK);
            CHECK(nd_evaluate_nply(&ev[k], &nd_plan_default, cold, &board[b], 2, c) == ND_OK);
            CHECK(memcmp(a, c, sizeof a) == 0);
            if (k == 0) memcpy(first, a, sizeof a);
            differs[k] |= memcmp(first, a, sizeof a) != 0;
            nd_search_free(cold);
        }
    }
    for (int k = 1; k < 5; k++) CHECK(differs[k]);
    nd_search_free(warm);
    nd_long_race_free(race);
    for (int i = 0; i < 2; i++) nd_net_free(net[i]);
}

static void check_arguments(const nd_evaluator *ev, nd_search *s)
{
    nd_board b;
    float p[ND_MAX_OUTCOMES];
    CHECK(ev->rules->start("", &b) == ND_OK);
    nd_plan plan = nd_plan_default;
    CHECK(nd_plan_check(&plan) == ND_OK);
    CHECK(nd_evaluate_nply(ev, &plan, s, &b, -1, p) == ND_BAD_ARGUMENT);
    CHECK(nd_evaluate_nply(ev, &plan, s, &b, ND_MAX_PLIES + 1, p) == ND_BAD_ARGUMENT);
    plan.promote[ND_MAX_PLIES - 1][ND_PHASES - 1].keep = -1;
    CHECK(nd_evaluate_nply(ev, &plan, s, &b, 1, p) == ND_BAD_ARGUMENT);
    plan = nd_plan_default;
    plan.tree_select[0].within = NAN;
    CHECK(nd_plan_check(&plan) == ND_BAD_ARGUMENT);
    plan = nd_plan_default;
    plan.cache = -1;
    CHECK(nd_plan_check(&plan) == ND_BAD_ARGUMENT);
}

static nd_status count_down(const nd_evaluator *ev, int threads, const nd_stop *stop)
{
    nd_board boards[20];
    float out[20 * ND_MAX_OUTCOMES];
    for (int i = 0; i < 20; i++)
        if (ev->rules->start("", &boards[i]) != ND_OK) abort();
    return nd_evaluate_many(ev, &nd_plan_default, boards, 20, 1, threads, stop, out);
}

static void check_stop(const nd_evaluator *ev)
{
    nd_stop stop = {0};
    CHECK(count_down(ev, 2, &stop) == ND_OK);
    nd_stop_raise(&stop);
    CHECK(count_down(ev, 2, &stop) == ND_CANCELLED);
}

static void check_cache(void)
{
    enum { ENTRIES = 100, BOARDS = 1000 };
    nd_cache *const cache = nd_cache_new(ENTRIES);
    CHECK(cache && nd_cache_entries(cache) == 128);
    static nd_board board[BOARDS];
    int found = 0;
    for (int i = 0; i < BOARDS; i++) {
        const nd_worth worth = {.value = i};
        board[i] = random_board();
        CHECK(!nd_cache_find(cache, &board[i], 7) || i > 0);
        nd_cache_store(cache, &board[i], 7, &worth);
        CHECK(nd_cache_find(cache, &board[i], 7)->value == i);
        CHECK(!nd_cache_find(cache, &board[i], 8));
    }
    for (int i = 0; i < BOARDS; i++) {
        const nd_worth *const stored = nd_cache_find(cache, &board[i], 7);
        if (!stored) continue;
        found++;
        CHECK(stored->value == i || nd_equal(&board[i], &board[(int)stored->value]));
    }
    CHECK(found > 100 && found <= 140); /* the newest of each place, and a few equal boards */
    nd_cache_free(cache);
    nd_cache_free(NULL);
}

int main(void)
{
    nd_net *net[3];
    nd_search *s;
    const int h1[3] = {128, 64, 64};
    for (int i = 0; i < 3; i++) {
        nd_params p = random_params(&nd_backgammon_race_1, h1[i], 16, 6);
        if (nd_net_from_params(&p, NULL, &net[i]) != ND_OK) abort();
        free_params(&p);
    }
    if (nd_search_new(&s) != ND_OK) abort();
    nd_evaluator ev = {.rules = &nd_backgammon,
                       .kernels = nd_kernels_get(NULL),
                       .points = {0.5f, 0.7f, 0.8f, -0.3f, -1.9f, -2.0f}};
    ev.net[ND_PHASE_CONTACT] = net[0];
    ev.net[ND_PHASE_RACE] = net[1];
    ev.small[ND_PHASE_CONTACT] = net[2];
    check_definition(&ev, s);
    check_arguments(&ev, s);
    check_stop(&ev);
    check_cache();
    check_tags();
    nd_search_free(s);
    for (int i = 0; i < 3; i++) nd_net_free(net[i]);
    return check_end("search");
}
