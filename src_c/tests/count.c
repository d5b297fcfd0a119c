/* Instructions of fixed work, for `make count`: the same figure on every run, however busy the
 * machine.
 *
 *   count NETS [NAME…]     NETS is the folder of the nets that ship
 *
 * Each piece of work is one call of a function named counted_*, inside which alone callgrind counts;
 * a line says its name and how many units of what it was. Kernels are always the same set, one that
 * callgrind can run, so that machines agree. */
#include <math.h>

#include "net_files.h"
#include "play.h"
#include "rollout/rollout.h"
#include "search/nply.h"
#include "search/sieve.h"
#include "value/cube.h"

enum { ROLLS = 2000 };

typedef struct roll {
    nd_board board;
    int d1, d2;
} roll;

typedef struct work {
    const nd_rules *rules;
    roll roll[ROLLS];
    nd_results results[3];
    nd_board board[ROLLS]; /* the same without dice */
    float out[ROLLS * ND_MAX_OUTCOMES];
    nd_net *net[3]; /* contact, race, small */
    nd_evaluator ev, luck;
    nd_sieve sieve[2]; /* contact, race */
    nd_search *search;
    nd_scratch *scratch;
    uint64_t sink; /* so that nothing is optimised away */
} work;

static nd_net *shipped(const char *folder, const nd_rules *rules, const char *part)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s-%s.net", folder,
             rules == &nd_backgammon ? "backgammon" : "long_nardy", part);
    return open_net(path);
}

/* Fitted before any is in use. Sifts as in nardy_core/models.py. */
static void fit_sieves(work *w)
{
    static const nd_phase phases[2] = {ND_PHASE_CONTACT, ND_PHASE_RACE};
    const bool contact_ahead = w->rules == &nd_backgammon;
    for (int i = 0; i < 2; i++)
        if (nd_sieve_fit(&w->ev, phases[i], &w->sieve[i]) != ND_OK) abort();
    w->luck = w->ev;
    w->luck.keep = 1;
    w->luck.within = 0;
    for (int i = 0; i < 2; i++) w->luck.sieve[phases[i]] = &w->sieve[i];
    w->luck.sift[ND_PHASE_CONTACT] = 8;
    w->luck.sift[ND_PHASE_RACE] = 1;
    for (int i = contact_ahead ? 0 : 1; i < 2; i++) {
        w->ev.sieve[phases[i]] = &w->sieve[i];
        w->ev.sift[phases[i]] = 16;
    }
}

/* Every roll of random games, in order, and evaluators set up as engines are by default. */
static void prepare(work *w, const nd_rules *rules, const char *folder)
{
    memset(w, 0, sizeof *w);
    w->rules = rules;
    int rolls = 0;
    for (uint32_t game = 0; rolls < ROLLS; game++) {
        playout p = playout_begin(rules, "", 2, game);
        do {
            w->board[rolls] = p.board;
            w->roll[rolls++] = (roll){p.board, p.d1, p.d2};
            rules->generate(&p.board, p.d1, p.d2, NULL, w->results);
        } while (rolls < ROLLS && playout_next(&p, w->results));
    }
    w->ev = (nd_evaluator){
        .rules = rules, .kernels = nd_kernels_get("avx2"), .keep = 8, .within = 0.16f};
    if (!w->ev.kernels) w->ev.kernels = nd_kernels_get(NULL);
    w->ev.net[ND_PHASE_CONTACT] = w->net[0] = shipped(folder, rules, "contact");
    w->ev.net[ND_PHASE_RACE] = w->net[1] = shipped(folder, rules, "race");
    w->ev.small[ND_PHASE_CONTACT] = w->net[2] = shipped(folder, rules, "small");
    for (int c = 0; c < rules->outcomes; c++) w->ev.points[c] = (float)rules->points[c];
    fit_sieves(w);
    if (nd_search_new(&w->search) != ND_OK || nd_scratch_new(&w->scratch) != ND_OK) abort();
}

static void clear(work *w)
{
    for (int i = 0; i < 3; i++) nd_net_free(w->net[i]);
    nd_search_free(w->search);
    nd_scratch_free(w->scratch);
}

#define COUNTED static __attribute__((noinline)) long

COUNTED counted_generate(work *w)
{
    for (int i = 0; i < ROLLS; i++) {
        w->rules->generate(&w->roll[i].board, w->roll[i].d1, w->roll[i].d2, NULL, w->results);
        w->sink += (uint64_t)w->results->count;
    }
    return ROLLS;
}

COUNTED counted_perft2(work *w)
{
    return (long)nd_perft(w->rules, &w->roll[0].board, NULL, 2, w->results);
}

COUNTED counted_fill(work *w)
{
    const nd_features *const f =
        w->rules == &nd_backgammon ? &nd_backgammon_contact_1 : &nd_long_nardy_contact_1;
    uint8_t line[ND_LINE];
    for (int i = 0; i < ROLLS; i++) {
        f->fill(&w->roll[i].board, line);
        w->sink += line[i % ND_LINE];
    }
    return ROLLS;
}

COUNTED counted_hash(work *w)
{
    for (int i = 0; i < ROLLS; i++) w->sink ^= nd_board_hash(&w->roll[i].board);
    return ROLLS;
}

COUNTED counted_playing_net(work *w)
{
    nd_net_evaluate(w->net[0], w->ev.kernels, w->scratch, w->board, ROLLS, w->out);
    return ROLLS;
}

COUNTED counted_small_net(work *w)
{
    nd_net_evaluate(w->net[2], w->ev.kernels, w->scratch, w->board, ROLLS, w->out);
    return ROLLS;
}

COUNTED counted_choose(work *w)
{
    enum { CHOSEN = ROLLS / 4 };
    nd_board next;
    for (int i = 0; i < CHOSEN; i++)
        if (nd_best_play(&w->ev, w->search, &w->roll[i].board, w->roll[i].d1, w->roll[i].d2,
                         &next) != ND_OK)
            abort();
    return CHOSEN;
}

static long choices(work *w, int plies, int n, const nd_cube_setting *set)
{
    const nd_choice *found;
    int count;
    for (int i = 0; i < n; i++) {
        const roll *const r = &w->roll[4 + 9 * i];
        if (nd_choose_nply(&w->ev, &nd_plan_default, w->search, &r->board, r->d1, r->d2, plies, 1,
                           set, &found, &count) != ND_OK)
            abort();
        w->sink += (uint64_t)count;
    }
    return n;
}

COUNTED counted_ply1(work *w) { return choices(w, 1, 8, NULL); }

COUNTED counted_ply2(work *w) { return choices(w, 2, 1, NULL); }

/* Money with everything allowed, or 5-away 7-away by a plain table of match equities. */
static nd_stakes stakes_of(const nd_rules *rules, const nd_met *met)
{
    nd_stakes s = {.outcomes = rules->outcomes, .max_cube = INFINITY, .cap = INFINITY, .met = met};
    s.jacoby = s.beavers = !met;
    if (met) s.own_needs = 5, s.opp_needs = 7;
    memcpy(s.points, rules->points, sizeof s.points);
    return s;
}

static long cubeful_choices(work *w, const nd_met *met)
{
    const nd_stakes stakes = stakes_of(w->rules, met);
    const nd_cube_setting set = {
        .stakes = &stakes, .cube = 1, .owner = ND_CENTRE, .efficiency = nd_efficiency_default};
    return choices(w, 2, 1, &set);
}

COUNTED counted_ply2_money(work *w) { return cubeful_choices(w, NULL); }

COUNTED counted_ply2_match(work *w)
{
    nd_met *const met = calloc(1, sizeof *met);
    if (!met) abort();
    for (int a = 0; a < ND_MET_SIZE; a++)
        for (int b = 0; b < ND_MET_SIZE; b++) met->before[a][b] = (b + 1.0) / (a + b + 2);
    for (int n = 0; n < ND_MET_SIZE; n++) met->after[0][n] = met->after[1][n] = 0.5 / (n / 2 + 1);
    const long n = cubeful_choices(w, met);
    free(met);
    return n;
}

COUNTED counted_rollout(work *w)
{
    const nd_rollout_plan plan = {
        .play = &w->ev, .luck = &w->luck, .search = &nd_plan_default, .seed = 1, .truncate = 2};
    const nd_subject subject = {.board = w->roll[0].board, .cube = 1};
    double raw[4096];
    bool done;
    if (nd_rollout_length(1) > sizeof raw / sizeof *raw ||
        nd_rollout(&plan, &subject, 1, NULL, 0, 1, 1, NULL, raw, &done) != ND_OK)
        abort();
    return ND_CHUNK;
}

COUNTED counted_cube(work *w)
{
    nd_cube_model model;
    const nd_stakes stakes = stakes_of(w->rules, NULL);
    for (int i = 0; i < ROLLS; i++) {
        nd_mix mix = {.win = (i + 0.5) / ROLLS};
        for (int c = 0; c < w->rules->outcomes; c++) mix.share[c] = c % 3 == 0 ? 0.8 : 0.1;
        nd_cube_model_make(&stakes, &mix, 1, &model);
        const nd_cube_values v = nd_cube_values_of(&model, ND_CENTRE, 0.68);
        w->sink += v.take > v.pass;
    }
    return ROLLS;
}

static const struct {
    const char *name, *unit;
    long (*run)(work *);
    const nd_rules *rules;
} counts[] = {
    {"backgammon_generate", "roll", counted_generate, &nd_backgammon},
    {"backgammon_perft2", "result", counted_perft2, &nd_backgammon},
    {"backgammon_fill", "board", counted_fill, &nd_backgammon},
    {"backgammon_playing_net", "position", counted_playing_net, &nd_backgammon},
    {"backgammon_small_net", "position", counted_small_net, &nd_backgammon},
    {"backgammon_choose", "roll", counted_choose, &nd_backgammon},
    {"backgammon_ply1", "choice", counted_ply1, &nd_backgammon},
    {"backgammon_ply2", "choice", counted_ply2, &nd_backgammon},
    {"backgammon_ply2_money", "choice", counted_ply2_money, &nd_backgammon},
    {"backgammon_ply2_match", "choice", counted_ply2_match, &nd_backgammon},
    {"backgammon_rollout", "trial", counted_rollout, &nd_backgammon},
    {"backgammon_cube", "model", counted_cube, &nd_backgammon},
    {"board_hash", "board", counted_hash, &nd_backgammon},
    {"long_nardy_generate", "roll", counted_generate, &nd_long_nardy},
    {"long_nardy_perft2", "result", counted_perft2, &nd_long_nardy},
    {"long_nardy_fill", "board", counted_fill, &nd_long_nardy},
    {"long_nardy_playing_net", "position", counted_playing_net, &nd_long_nardy},
    {"long_nardy_small_net", "position", counted_small_net, &nd_long_nardy},
    {"long_nardy_choose", "roll", counted_choose, &nd_long_nardy},
    {"long_nardy_ply1", "choice", counted_ply1, &nd_long_nardy},
    {"long_nardy_ply2", "choice", counted_ply2, &nd_long_nardy},
    {"long_nardy_rollout", "trial", counted_rollout, &nd_long_nardy},
};

static bool wanted(const char *name, int names, char **list)
{
    for (int i = 0; i < names; i++)
        if (strcmp(list[i], name) == 0) return true;
    return names == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("count NETS [NAME…]\n", stderr);
        return 2;
    }
    work *const w = malloc(sizeof *w);
    if (w == NULL) return 1;
    const nd_rules *prepared = NULL;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (!wanted(counts[i].name, argc - 2, argv + 2)) continue;
        if (prepared != counts[i].rules) {
            if (prepared) clear(w);
            prepare(w, prepared = counts[i].rules, argv[1]);
        }
        const long units = counts[i].run(w);
        printf("%s %ld %s %s\n", counts[i].name, units, counts[i].unit,
               nd_kernels_name(w->ev.kernels));
    }
    if (!prepared) {
        fprintf(stderr, "count: no such name\n");
        return 2;
    }
    clear(w);
    free(w);
    return 0;
}
