#include "rollout/duel.h"

#include <stdlib.h>

#include "base/philox.h"
#include "rollout/dice.h"

enum { MAX_PLIES = 2000, STREAM_MOVE = 16 /* the dice have the streams below */ };

static nd_status engine_move(const nd_mover *self, nd_search *search, const nd_board *board, int d1,
                             int d2, uint32_t word, nd_board *out)
{
    (void)word;
    if (self->plies == 0) return nd_best_play(self->context, search, board, d1, d2, out);
    const nd_choice *choices;
    int count;
    const nd_status status = nd_choose_nply(self->context, &nd_plan_default, search, board, d1, d2,
                                            self->plies, 1, NULL, &choices, &count);
    if (status == ND_OK) *out = nd_swap(&choices[0].board);
    return status;
}

nd_mover nd_engine_mover(const nd_evaluator *ev, int plies)
{
    return (nd_mover){engine_move, ev, plies};
}

static nd_status random_move(const nd_mover *self, nd_search *search, const nd_board *board, int d1,
                             int d2, uint32_t word, nd_board *out)
{
    (void)search;
    const nd_evaluator *const ev = self->context;
    nd_results *const r = malloc(sizeof *r);
    if (!r) return ND_NO_MEMORY;
    ev->rules->generate(board, d1, d2, &ev->options, r);
    *out = nd_swap(&r->board[nd_below(word, (uint32_t)r->count)]);
    free(r);
    return ND_OK;
}

nd_mover nd_random_mover(const nd_evaluator *ev) { return (nd_mover){random_move, ev, 0}; }

/* Luck of a roll for the side that threw it; the board after the best reply goes to `best`. */
static nd_status luck_of(const nd_evaluator *ev, nd_search *search, const nd_board *board,
                         bool opening, int roll, double *luck, nd_board *best)
{
    float mean[ND_MAX_OUTCOMES], value[ND_ROLLS][ND_MAX_OUTCOMES];
    nd_board replies[ND_ROLLS];
    const nd_status status = nd_lookahead(ev, search, board, opening, mean, replies, value);
    if (status != ND_OK) return status;
    *luck = (double)nd_equity(ev, value[roll]) - (double)nd_equity(ev, mean);
    *best = replies[roll];
    return ND_OK;
}

static nd_status play(const nd_duel_plan *plan, nd_search *search, int64_t pair, int first,
                      nd_duel_game *game)
{
    const nd_rules *const rules = plan->rules;
    const uint32_t key[2] = {(uint32_t)plan->seed, (uint32_t)(plan->seed >> 32)};
    nd_board board = plan->starts[pair % plan->count];
    double luck[2] = {0, 0};
    int side = first, ply = 0;
    for (; ply < MAX_PLIES && (rules->outcome(&board) < 0 || nd_last_roll_due(&board));
         ply++, side ^= 1) {
        const nd_mover *const mover = &plan->side[side];
        const uint32_t counter[4] = {(uint32_t)pair, (uint32_t)((uint64_t)pair >> 32),
                                     (uint32_t)ply, STREAM_MOVE + (uint32_t)first};
        const bool opening = ply == 0 && plan->opening;
        nd_board next;
        uint32_t word[4];
        int d1, d2;
        nd_rollout_dice(plan->seed, (uint64_t)pair, ply, opening, &d1, &d2);
        nd_philox(counter, key, word);
        bool chosen = false;
        if (plan->luck) {
            double of_roll;
            const nd_status status = luck_of(plan->luck, search, &board, opening,
                                             nd_roll_index(d1, d2), &of_roll, &next);
            if (status != ND_OK) return status;
            luck[side] += of_roll;
            chosen =
                mover->move == engine_move && mover->plies == 0 && mover->context == plan->luck;
        }
        if (!chosen) {
            const nd_status status = mover->move(mover, search, &board, d1, d2, word[0], &next);
            if (status != ND_OK) return status;
        }
        board = next;
    }
    const int outcome = nd_is_drawn(&board) ? -1 : rules->outcome(&board);
    const int half = rules->outcomes / 2;
    game->outcome = outcome < 0 || side == 0 ? outcome : (outcome + half) % rules->outcomes;
    game->plies = ply;
    game->luck = luck[0] - luck[1];
    return ND_OK;
}

typedef struct work {
    const nd_duel_plan *plan;
    int64_t first;
    nd_duel_game *games;
    nd_search **search; /* one a worker */
} work;

static nd_status run_chunk(void *context, int chunk, int worker)
{
    const work *const w = context;
    for (int seat = 0; seat < 2; seat++) {
        const nd_status status =
            play(w->plan, w->search[worker], w->first + chunk, seat, &w->games[2 * chunk + seat]);
        if (status != ND_OK) return status;
    }
    return ND_OK;
}

nd_status nd_duel(const nd_duel_plan *plan, int64_t first, int pairs, int threads,
                  const nd_stop *stop, nd_duel_game *games)
{
    if (first < 0 || pairs < 1 || plan->count < 1) return ND_BAD_ARGUMENT;
    memset(games, 0, 2 * (size_t)pairs * sizeof *games);
    const int workers = nd_workers(threads, pairs);
    nd_search **const search = calloc((size_t)workers, sizeof *search);
    nd_status status = search ? ND_OK : ND_NO_MEMORY;
    for (int i = 0; i < workers && status == ND_OK; i++) status = nd_search_new(&search[i]);
    if (status == ND_OK) {
        work w = {plan, first, games, search};
        status = nd_parallel(threads, pairs, run_chunk, &w, stop);
    }
    for (int i = 0; search && i < workers; i++) nd_search_free(search[i]);
    free(search);
    return status;
}
