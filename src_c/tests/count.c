/* Instructions of fixed work, for `make count`: the same figure on every run, however busy the
 * machine. `count` lists the names; `count NAME` prepares, calls counted_NAME once and prints how
 * many units that was. callgrind counts only inside functions named counted_*. Searches use the nets
 * that ship, from the folder beside this one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/container.h"
#include "features/features.h"
#include "rules/rules.h"
#include "search/nply.h"
#include "tests/play.h"

enum { ROLLS = 2000, DECISIONS = 10 };

typedef struct work {
    const nd_rules *rules;
    int rolls;
    struct {
        nd_board board;
        int d1, d2;
    } roll[ROLLS];
    nd_results results[3];
    nd_evaluator ev; /* for searches */
    nd_search *search;
    uint64_t sink; /* so that nothing is optimised away */
} work;

/* Every roll of random games, in order. */
static void prepare(work *w, const nd_rules *rules)
{
    for (uint32_t game = 0; w->rolls < ROLLS; game++) {
        playout p = playout_begin(rules, "", 2, game);
        do {
            w->roll[w->rolls].board = p.board;
            w->roll[w->rolls].d1 = p.d1;
            w->roll[w->rolls].d2 = p.d2;
            w->rolls++;
            rules->generate(&p.board, p.d1, p.d2, NULL, w->results);
        } while (w->rolls < ROLLS && playout_next(&p, w->results));
    }
}

static const nd_net *shipped(const char *part)
{
    char path[100];
    snprintf(path, sizeof path, "../nardy_core/data/backgammon-%s.net", part);
    nd_container_file *file;
    nd_net *net;
    if (nd_container_open(path, true, &file) != ND_OK) {
        fprintf(stderr, "count: %s cannot be read\n", path);
        exit(1);
    }
    const nd_container *const c = nd_container_get(file);
    if (nd_net_from_memory(c->payload, c->payload_bytes, &net) != ND_OK) abort();
    nd_container_close(file);
    return net;
}

/* Every sixteenth contact position from the sixth ply on of games that the nets play at 0-ply. */
static void prepare_search(work *w, const nd_rules *rules)
{
    nd_bearoff_one *table;
    if (nd_bearoff_one_build(&table) != ND_OK || nd_search_new(&w->search) != ND_OK) abort();
    w->ev = (nd_evaluator){.rules = rules, .kernels = nd_kernels_get(NULL), .bearoff = table};
    w->ev.net[ND_PHASE_CONTACT] = shipped("contact");
    w->ev.net[ND_PHASE_RACE] = shipped("race");
    w->ev.small[ND_PHASE_CONTACT] = shipped("small");
    for (int c = 0; c < rules->outcomes; c++) w->ev.points[c] = (float)rules->points[c];
    int seen = 0;
    for (uint32_t game = 0; w->rolls < DECISIONS; game++) {
        playout p = playout_begin(rules, "", 5, game);
        while (w->rolls < DECISIONS && rules->phase(&p.board) == ND_PHASE_CONTACT) {
            if (p.ply >= 6 && seen++ % 16 == 0) {
                w->roll[w->rolls].board = p.board;
                w->roll[w->rolls].d1 = p.d1;
                w->roll[w->rolls++].d2 = p.d2;
            }
            nd_board next;
            if (nd_best_play(&w->ev, w->search, &p.board, p.d1, p.d2, &next) != ND_OK) abort();
            p.board = next;
            p.ply++;
            playout_roll(&p);
        }
    }
}

#define COUNTED __attribute__((noinline))

static COUNTED long counted_generate(work *w)
{
    for (int i = 0; i < w->rolls; i++) {
        w->rules->generate(&w->roll[i].board, w->roll[i].d1, w->roll[i].d2, NULL, w->results);
        w->sink += (uint64_t)w->results->count;
    }
    return w->rolls;
}

static COUNTED long counted_perft2(work *w)
{
    return (long)nd_perft(w->rules, &w->roll[0].board, NULL, 2, w->results);
}

static COUNTED long counted_fill(work *w)
{
    const nd_features *const f =
        w->rules == &nd_backgammon ? &nd_backgammon_contact_1 : &nd_long_nardy_contact_1;
    uint8_t line[ND_LINE];
    for (int i = 0; i < w->rolls; i++) {
        f->fill(&w->roll[i].board, line);
        w->sink += line[i % ND_LINE];
    }
    return w->rolls;
}

static COUNTED long counted_hash(work *w)
{
    for (int i = 0; i < w->rolls; i++) w->sink ^= nd_board_hash(&w->roll[i].board);
    return w->rolls;
}

static long choose(work *w, int plies, const nd_cube_setting *set)
{
    for (int i = 0; i < w->rolls; i++) {
        const nd_choice *c;
        int count;
        if (nd_choose_nply(&w->ev, &nd_plan_default, w->search, &w->roll[i].board, w->roll[i].d1,
                           w->roll[i].d2, plies, 1, set, &c, &count) != ND_OK)
            abort();
        w->sink += (uint64_t)c[0].index;
    }
    return w->rolls;
}

static COUNTED long counted_choose(work *w) { return choose(w, 2, NULL); }

/* Money, everything allowed. */
static COUNTED long counted_choose_cube(work *w)
{
    nd_stakes money = {.outcomes = w->rules->outcomes,
                       .max_cube = INFINITY,
                       .cap = INFINITY,
                       .jacoby = true,
                       .beavers = true};
    for (int c = 0; c < money.outcomes; c++) money.points[c] = w->rules->points[c];
    const nd_cube_setting set = {
        .stakes = &money, .cube = 1, .owner = ND_CENTRE, .efficiency = nd_efficiency_default};
    return choose(w, 2, &set);
}

/* 5-away 7-away with a cube of 1; the table is a plain one. */
static COUNTED long counted_choose_match(work *w)
{
    nd_met *const met = calloc(1, sizeof *met);
    if (!met) abort();
    for (int a = 0; a < ND_MET_SIZE; a++)
        for (int b = 0; b < ND_MET_SIZE; b++) met->before[a][b] = (b + 1.0) / (a + b + 2);
    for (int n = 0; n < ND_MET_SIZE; n++) met->after[0][n] = met->after[1][n] = 0.5 / (n / 2 + 1);
    nd_stakes match = {.outcomes = w->rules->outcomes,
                       .max_cube = INFINITY,
                       .cap = INFINITY,
                       .met = met,
                       .own_needs = 5,
                       .opp_needs = 7};
    for (int c = 0; c < match.outcomes; c++) match.points[c] = w->rules->points[c];
    const nd_cube_setting set = {
        .stakes = &match, .cube = 1, .owner = ND_CENTRE, .efficiency = nd_efficiency_default};
    const long n = choose(w, 2, &set);
    free(met);
    return n;
}

static const struct {
    const char *name, *unit;
    long (*run)(work *);
    const nd_rules *rules;
    void (*prepare)(work *, const nd_rules *);
} counts[] = {
    {"backgammon_generate", "roll", counted_generate, &nd_backgammon, prepare},
    {"backgammon_perft2", "result", counted_perft2, &nd_backgammon, prepare},
    {"long_nardy_generate", "roll", counted_generate, &nd_long_nardy, prepare},
    {"long_nardy_perft2", "result", counted_perft2, &nd_long_nardy, prepare},
    {"backgammon_fill", "board", counted_fill, &nd_backgammon, prepare},
    {"long_nardy_fill", "board", counted_fill, &nd_long_nardy, prepare},
    {"board_hash", "board", counted_hash, &nd_backgammon, prepare},
    {"choose_2ply", "play", counted_choose, &nd_backgammon, prepare_search},
    {"choose_2ply_money", "play", counted_choose_cube, &nd_backgammon, prepare_search},
    {"choose_2ply_match", "play", counted_choose_match, &nd_backgammon, prepare_search},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (argc < 2) {
            puts(counts[i].name);
            continue;
        }
        if (strcmp(argv[1], counts[i].name) != 0) continue;
        work *const w = calloc(1, sizeof *w);
        if (w == NULL) return 1;
        w->rules = counts[i].rules;
        counts[i].prepare(w, counts[i].rules);
        printf("%ld %s\n", counts[i].run(w), counts[i].unit);
        free(w);
        return 0;
    }
    if (argc < 2) return 0;
    fprintf(stderr, "count: unknown name %s\n", argv[1]);
    return 2;
}
