#include "rollout/trial.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "rollout/dice.h"

enum { MAX_PLIES = 2000, REMEMBERED_PLIES = 3, REMEMBERED = 512 };

/* One ply of look-ahead by the evaluator that estimates luck, see nd_lookahead. */
typedef struct outlook {
    bool filled, opening; /* opening: without doubles */
    nd_board board;
    float points[ND_MAX_OUTCOMES]; /* the worth of classes that replies were chosen by */
    float mean[ND_MAX_OUTCOMES], value[ND_ROLLS][ND_MAX_OUTCOMES];
    nd_board best[ND_ROLLS];
} outlook;

struct nd_outlooks {
    outlook early[REMEMBERED], late;
};

nd_outlooks *nd_outlooks_new(void) { return calloc(1, sizeof(nd_outlooks)); }

void nd_outlooks_free(nd_outlooks *outlooks) { free(outlooks); }

/* A trial under way. */
typedef struct game {
    const nd_table *table;
    const nd_rollout_plan *plan;
    nd_search *s;
    nd_outlooks *outlooks;
    int classes;
    nd_evaluator play, luck; /* those of the plan, with classes worth what they are to the mover */
    nd_board board;
    int side, ply;
    nd_cube cube;
    bool known; /* chances of the side on roll, at 0-ply ... */
    float chances[ND_MAX_OUTCOMES];
    float luck_sum[2][ND_MAX_OUTCOMES]; /* by side on roll: of the classes, in its own view */
    double value_luck;                  /* of the cubeful value, for side 0 */
} game;

static bool cubeful(const game *g) { return g->plan->stakes != NULL; }

static const nd_rollout_level *level(const game *g)
{
    return g->ply < g->plan->late ? &g->plan->level : &g->plan->late_level;
}

/* Is the value of this position exact, so that playing on only adds noise? */
static bool settled(const game *g)
{
    const nd_phase phase = g->play.rules->phase(&g->board);
    if (phase == ND_PHASE_OVER) return true;
    if (phase != ND_PHASE_BEAROFF || !g->play.bearoff) return false;
    return !cubeful(g) || nd_cubeful_settled(g->table, &g->cube, &g->board);
}

/* The mover's worth of the classes. */
static void set_points(game *g)
{
    const float *const points = cubeful(g) ? g->cube.points[g->side] : NULL;
    for (int c = 0; c < g->classes; c++) {
        const int across = (c + g->classes / 2) % g->classes;
        const float worth = points     ? points[c]
                            : !g->side ? g->plan->play->points[c]
                                       : -g->plan->play->points[across];
        g->play.points[c] = worth;
        g->luck.points[c] = worth;
    }
}

/* Chances of the side on roll. */
static nd_status chances(game *g, int plies, float *out)
{
    if (plies == 0 && g->known) {
        memcpy(out, g->chances, sizeof g->chances);
        return ND_OK;
    }
    return nd_evaluate_nply(&g->play, g->plan->search, g->s, &g->board, plies, out);
}

/* The cube before the roll. `*ended` with the value to side 0 and the chances where it was passed. */
static nd_status turn_cube(game *g, bool *ended, nd_trial *out)
{
    float p[ND_MAX_OUTCOMES];
    const nd_status status = chances(g, level(g)->cube, p);
    if (status != ND_OK) return status;
    const nd_cube_action act = nd_cube_act(g->table, &g->cube, g->side, &g->board, p);
    out->turns += act.turns;
    if (act.pass) {
        out->passed = *ended = true;
        out->value = g->side ? nd_other_value(g->table, act.worth) : act.worth;
        memcpy(out->outcome, p, sizeof p);
    } else if (act.turns) {
        /* Whoever turned it last, it is the other side's that it ends up with: a beaver keeps it. */
        const double value = g->cube.value * (double)(1 << act.turns);
        nd_cube_set(g->table, value, 1 - g->side, &g->cube);
    }
    return ND_OK;
}

static nd_status look_out(game *g, bool opening, const outlook **out)
{
    outlook *o = &g->outlooks->late;
    if (g->ply < REMEMBERED_PLIES) {
        const uint64_t hash =
            nd_hash(g->luck.points, sizeof g->luck.points, nd_board_hash(&g->board));
        o = &g->outlooks->early[hash % REMEMBERED];
        if (o->filled && o->opening == opening && nd_equal(&o->board, &g->board) &&
            memcmp(o->points, g->luck.points, sizeof o->points) == 0) {
            *out = o;
            return ND_OK;
        }
    }
    o->filled = false;
    const nd_status status =
        nd_lookahead(&g->luck, g->s, &g->board, opening, o->mean, o->best, o->value);
    if (status != ND_OK) return status;
    o->filled = true;
    o->opening = opening;
    o->board = g->board;
    memcpy(o->points, g->luck.points, sizeof o->points);
    *out = o;
    return ND_OK;
}

/* Add the luck of the roll; the best reply to it goes to `reply`. */
static nd_status add_luck(game *g, bool opening, int roll, nd_board *reply)
{
    const outlook *o;
    const nd_status status = look_out(g, opening, &o);
    if (status != ND_OK) return status;
    for (int c = 0; c < g->classes; c++) g->luck_sum[g->side][c] += o->value[roll][c] - o->mean[c];
    *reply = o->best[roll];
    if (!cubeful(g)) return ND_OK;

    /* The other side is on roll after each reply, and sees it so. */
    float others[ND_ROLLS * ND_MAX_OUTCOMES], mix[ND_MAX_OUTCOMES];
    double worth[ND_ROLLS], sum = 0;
    for (int r = 0; r < ND_ROLLS; r++) nd_flip(g->classes, o->value[r], others + r * g->classes);
    nd_flip(g->classes, o->mean, mix);
    nd_cubeful_values(g->table, &g->cube, 1 - g->side, mix, o->best, others, NULL, ND_ROLLS, worth);
    for (int r = 0; r < ND_ROLLS; r++) {
        const int weight = nd_roll_weight(r);
        sum += (opening && weight == 1 ? 0 : weight) * worth[r];
    }
    const double of_other = worth[roll] - sum / (opening ? 30 : 36);
    g->value_luck += g->side ? of_other : -of_other;
    return ND_OK;
}

/* Of candidates, numbered by `at`, the one that leaves the other side the least: `leading`, the best
 * without the cube, where that does as well, as where the other side doubles us out anyway. */
static size_t best_with_cube(const game *g, const nd_board *board, const float *p,
                             const uint32_t *at, size_t n, size_t leading)
{
    const double *const worth_of = g->cube.worth[1 - g->side];
    const double same = 1e-6 * (worth_of[0] - worth_of[g->classes / 2]); /* but for rounding */
    double least = INFINITY, leads = INFINITY;
    size_t best = leading;
    for (size_t k = 0; k < n; k += ND_MAX_KEEP) { /* a slice at a time */
        double worth[ND_MAX_KEEP];
        const size_t m = n - k < ND_MAX_KEEP ? n - k : ND_MAX_KEEP;
        const float *const mix = p + leading * (size_t)g->classes;
        const uint32_t *const slice = at ? at + k : NULL;
        nd_cubeful_values(g->table, &g->cube, 1 - g->side, mix, at ? board : board + k,
                          at ? p : p + k * (size_t)g->classes, slice, m, worth);
        for (size_t i = 0; i < m; i++) {
            const size_t which = at ? at[k + i] : k + i;
            if (which == leading) leads = worth[i];
            if (worth[i] < least) {
                least = worth[i];
                best = which;
            }
        }
    }
    return leads <= least + same ? leading : best;
}

/* Choose a play and make it. */
static nd_status move(game *g, int d1, int d2)
{
    const int plies = level(g)->play;
    const bool by_cube = cubeful(g) && g->cube.alive;
    size_t best = 0;
    g->known = false;
    if (plies == 0) {
        nd_finalists f;
        const nd_status status = nd_judge_roll(&g->play, g->s, &g->board, d1, d2, &f);
        if (status != ND_OK) return status;
        best = f.best;
        if (by_cube && f.count > 1) best = best_with_cube(g, f.board, f.value, f.at, f.count, best);
        g->board = f.board[best];
        g->known = f.judged;
        memcpy(g->chances, f.value + best * (size_t)g->classes,
               (size_t)g->classes * sizeof *g->chances);
        return ND_OK;
    }
    const nd_choice *c;
    int count;
    const nd_status status = nd_choose_nply(&g->play, g->plan->search, g->s, &g->board, d1, d2,
                                            plies, 1, NULL, &c, &count);
    if (status != ND_OK) return status;
    if (by_cube) {
        nd_board board[ND_MAX_KEEP];
        float p[ND_MAX_KEEP * ND_MAX_OUTCOMES];
        int n = 0;
        for (; n < count && n < ND_MAX_KEEP && c[n].level == plies; n++) {
            board[n] = nd_swap(&c[n].board);
            nd_flip(g->classes, c[n].probability, p + n * g->classes);
        }
        if (n > 1) best = best_with_cube(g, board, p, NULL, (size_t)n, 0);
    }
    g->board = nd_swap(&c[best].board);
    return ND_OK;
}

nd_status nd_trial_play(const nd_table *table, nd_search *search, nd_outlooks *outlooks,
                        const nd_subject *subject, uint64_t number, const nd_stop *stop,
                        nd_trial *out)
{
    const nd_rollout_plan *const plan = table->plan;
    const int limit = plan->truncate ? plan->truncate : MAX_PLIES;
    game g = {.table = table,
              .plan = plan,
              .s = search,
              .outlooks = outlooks,
              .classes = plan->play->rules->outcomes,
              .play = *plan->play,
              .luck = *(plan->luck ? plan->luck : plan->play),
              .board = subject->board};
    memset(out, 0, sizeof *out);
    if (plan->stakes) {
        const int owner = subject->owner == ND_CENTRE ? -1 : subject->owner == ND_OPP;
        nd_cube_set(table, subject->cube, owner, &g.cube);
    }
    bool ended = false;
    for (; g.ply < limit && !settled(&g); g.ply++, g.side ^= 1) {
        if (nd_stop_raised(stop)) return ND_CANCELLED;
        set_points(&g);
        nd_status status = ND_OK;
        const bool free = !(g.ply == 0 && subject->decided);
        if (plan->stakes && free && g.cube.alive && nd_may_double(table, &g.cube, g.side)) {
            status = turn_cube(&g, &ended, out);
            if (status != ND_OK) return status;
            if (ended) break;
            set_points(&g);
        }
        const bool opening = g.ply == 0 && plan->opening;
        int d1, d2;
        nd_rollout_dice(plan->seed, number, g.ply, plan->opening, &d1, &d2);
        nd_board reply;
        if (plan->luck) {
            status = add_luck(&g, opening, nd_roll_index(d1, d2), &reply);
            if (status != ND_OK) return status;
        }
        if (plan->luck == plan->play && level(&g)->play == 0 && !plan->stakes) {
            g.board = reply;
            g.known = false;
        } else {
            status = move(&g, d1, d2);
            if (status != ND_OK) return status;
        }
    }
    out->plies = g.ply;
    if (!ended) {
        out->cut = g.ply == MAX_PLIES && !plan->truncate;
        set_points(&g);
        const nd_status status = chances(&g, level(&g)->play, out->outcome);
        if (status != ND_OK) return status;
        if (plan->stakes) {
            const bool free = !(g.ply == 0 && subject->decided);
            const double value =
                nd_cubeful_value(table, &g.cube, g.side, &g.board, out->outcome, free);
            out->value = g.side ? nd_other_value(table, value) : value;
        }
    }
    float view[ND_MAX_OUTCOMES];
    if (g.side) {
        nd_flip(g.classes, out->outcome, view);
        memcpy(out->outcome, view, sizeof view);
    }
    nd_flip(g.classes, g.luck_sum[1], view);
    for (int c = 0; c < g.classes; c++) out->outcome[c] -= g.luck_sum[0][c] + view[c];
    out->value -= g.value_luck;
    return ND_OK;
}
