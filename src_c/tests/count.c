/* Instructions of fixed work, for `make count`: the same figure on every run, however busy the
 * machine. `count` lists the names; `count NAME` prepares, calls counted_NAME once and prints how
 * many units that was. callgrind counts only inside functions named counted_*. */
#include <stdio.h>
#include <stdlib.h>

#include "features/features.h"
#include "rules/rules.h"
#include "tests/play.h"

enum { ROLLS = 2000 };

typedef struct work {
    const nd_rules *rules;
    int rolls;
    struct {
        nd_board board;
        int d1, d2;
    } roll[ROLLS];
    nd_results results[3];
    uint64_t sink; /* so that nothing is optimised away */
} work;

/* Every roll of random games, in order. */
static void prepare(work *w, const nd_rules *rules)
{
    w->rules = rules;
    w->rolls = 0;
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

static const struct {
    const char *name, *unit;
    long (*run)(work *);
    const nd_rules *rules;
} counts[] = {
    {"backgammon_generate", "roll", counted_generate, &nd_backgammon},
    {"backgammon_perft2", "result", counted_perft2, &nd_backgammon},
    {"long_nardy_generate", "roll", counted_generate, &nd_long_nardy},
    {"long_nardy_perft2", "result", counted_perft2, &nd_long_nardy},
    {"backgammon_fill", "board", counted_fill, &nd_backgammon},
    {"long_nardy_fill", "board", counted_fill, &nd_long_nardy},
    {"board_hash", "board", counted_hash, &nd_backgammon},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (argc < 2) {
            puts(counts[i].name);
            continue;
        }
        if (strcmp(argv[1], counts[i].name) != 0) continue;
        work *const w = malloc(sizeof *w);
        if (w == NULL) return 1;
        prepare(w, counts[i].rules);
        printf("%ld %s\n", counts[i].run(w), counts[i].unit);
        free(w);
        return 0;
    }
    if (argc < 2) return 0;
    fprintf(stderr, "count: unknown name %s\n", argv[1]);
    return 2;
}
