#include "rollout/cubeful.h"

#include <math.h>

static int classes(const nd_table *t) { return t->stakes[0].outcomes; }

void nd_table_set(nd_table *t, const nd_rollout_plan *plan)
{
    t->plan = plan;
    if (!plan->stakes) return;
    t->stakes[0] = *plan->stakes;
    t->stakes[1] = nd_stakes_swap(plan->stakes, &t->met);
}

/* Whose the cube is, as the side sees it. */
static nd_owner seen(const nd_cube *cube, int side)
{
    return cube->owner < 0 ? ND_CENTRE : cube->owner == side ? ND_OWN : ND_OPP;
}

void nd_cube_set(const nd_table *t, double value, int owner, nd_cube *cube)
{
    cube->value = value;
    cube->owner = owner;
    for (int side = 0; side < 2; side++) {
        const nd_stakes *const s = &t->stakes[side];
        for (int c = 0; c < s->outcomes; c++) {
            cube->worth[side][c] = nd_stakes_class(s, c, value, owner >= 0);
            const double counted = nd_stakes_class(s, c, value, true);
            cube->points[side][c] = (float)nd_stakes_equity(s, value, counted);
        }
    }
    const nd_stakes *const s = &t->stakes[0];
    cube->alive = s->crawford != ND_CRAWFORD_NOW && 2 * value <= s->max_cube &&
                  nd_stakes_turns(s, value) != 0;
}

/* Indices in the two-sided table, if it tells what the position is worth. */
static bool exact(const nd_table *t, const nd_cube *cube, const nd_board *b, uint32_t index[2])
{
    if (!t->plan->two || t->stakes[0].met || nd_stakes_turns(&t->stakes[0], cube->value) >= 0)
        return false;
    if (t->plan->play->rules->phase(b) != ND_PHASE_BEAROFF) return false;
    if (nd_is_owed(b->own) || nd_is_owed(b->opp)) return false; /* not in the table */
    index[0] = nd_bearoff_index(b->own);
    index[1] = nd_bearoff_index(b->opp);
    return index[0] < ND_BEAROFF_TWO_POSITIONS && index[1] < ND_BEAROFF_TWO_POSITIONS;
}

static double efficiency(const nd_table *t, const nd_board *b)
{
    const nd_phase phase = t->plan->play->rules->phase(b);
    return nd_efficiency_of(&t->plan->efficiency, phase, nd_pips(b->own));
}

/* Chances as numbers that add up to 1: draws shared out. */
static void shared(const nd_table *t, const nd_board *b, const float *p, double out[])
{
    for (int c = 0; c < classes(t); c++) out[c] = p[c];
    if (nd_is_owed(b->own) || nd_is_owed(b->opp)) nd_share_draws(classes(t), out);
}

static nd_mix mix_of(const nd_table *t, const nd_board *b, const float *p)
{
    double chances[ND_MAX_OUTCOMES];
    shared(t, b, p, chances);
    return nd_mix_of(classes(t), chances);
}

static nd_cube_values values(const nd_table *t, const nd_cube *cube, int side, const nd_board *b,
                             const float *p)
{
    uint32_t index[2];
    if (exact(t, cube, b, index))
        return nd_exact_money(t->plan->two, &t->stakes[side], cube->value, index[0], index[1]);
    const nd_mix mix = mix_of(t, b, p);
    nd_cube_model m;
    nd_cube_model_make(&t->stakes[side], &mix, cube->value, &m);
    return nd_cube_values_of(&m, seen(cube, side), efficiency(t, b));
}

bool nd_may_double(const nd_table *t, const nd_cube *cube, int side)
{
    const nd_stakes *const s = &t->stakes[side];
    return cube->owner != 1 - side && s->crawford != ND_CRAWFORD_NOW &&
           2 * cube->value <= s->max_cube;
}

nd_cube_action nd_cube_act(const nd_table *t, const nd_cube *cube, int side, const nd_board *board,
                           const float *p)
{
    const nd_cube_values v = values(t, cube, side, board, p);
    if (!(nd_cube_doubled(&v) > v.hold[seen(cube, side)])) return (nd_cube_action){.turns = 0};
    const double answer = fmin(v.take, v.pass);
    if (!isnan(v.beaver)) {
        /* What the doubler makes of a beaver: roll on, drop, or turn it once more. */
        const bool raccoon =
            !isnan(v.raccoon) && fmin(v.raccoon, v.raccoon_pass) > fmax(v.beaver, v.beaver_pass);
        const double beavered =
            raccoon ? fmin(v.raccoon, v.raccoon_pass) : fmax(v.beaver, v.beaver_pass);
        if (beavered < answer) {
            if (raccoon && v.raccoon > v.raccoon_pass)
                return (nd_cube_action){3, true, v.raccoon_pass};
            if (raccoon) return (nd_cube_action){.turns = 3};
            if (v.beaver_pass > v.beaver) return (nd_cube_action){2, true, v.beaver_pass};
            return (nd_cube_action){.turns = 2};
        }
    }
    if (v.take > v.pass) return (nd_cube_action){1, true, v.pass};
    return (nd_cube_action){.turns = 1};
}

double nd_cubeful_value(const nd_table *t, const nd_cube *cube, int side, const nd_board *board,
                        const float *p, bool free)
{
    if (!cube->alive || t->plan->play->rules->phase(board) == ND_PHASE_OVER) {
        double sum = 0, chances[ND_MAX_OUTCOMES];
        shared(t, board, p, chances);
        for (int c = 0; c < classes(t); c++) sum += cube->worth[side][c] * chances[c];
        return sum;
    }
    const nd_cube_values v = values(t, cube, side, board, p);
    const nd_owner owner = seen(cube, side);
    return free ? nd_cube_decided(&v, owner) : v.hold[owner];
}

bool nd_cubeful_settled(const nd_table *t, const nd_cube *cube, const nd_board *board)
{
    uint32_t index[2];
    return !cube->alive || exact(t, cube, board, index);
}

void nd_cubeful_values(const nd_table *t, const nd_cube *cube, int side, const float *mix,
                       const nd_board *board, const float *p, const uint32_t *at, size_t n,
                       double *out)
{
    const nd_stakes *const s = &t->stakes[side];
    const double *const worth = cube->worth[side];
    const nd_owner owner = seen(cube, side);
    const int all = classes(t), half = all / 2;
    const nd_mix mean = mix_of(t, board, mix);
    nd_cube_model m;
    double lose = 0, win = 0;
    if (cube->alive) nd_cube_model_make(s, &mean, cube->value, &m);
    for (int c = 0; c < half; c++) {
        win += mean.share[c] * worth[c];
        lose += mean.share[half + c] * worth[half + c];
    }
    for (size_t k = 0; k < n; k++) {
        const size_t i = at ? at[k] : k;
        double dead = 0, wins = 0, chances[ND_MAX_OUTCOMES];
        shared(t, &board[i], p + i * (size_t)all, chances);
        for (int c = 0; c < all; c++) dead += worth[c] * chances[c];
        for (int c = 0; c < half; c++) wins += chances[c];
        out[k] = dead;
        if (!cube->alive || t->plan->play->rules->phase(&board[i]) == ND_PHASE_OVER) continue;
        uint32_t index[2];
        nd_cube_values v;
        if (exact(t, cube, &board[i], index)) {
            v = nd_exact_money(t->plan->two, s, cube->value, index[0], index[1]);
            out[k] = nd_cube_decided(&v, owner);
        } else {
            m.mix.win = wins;
            v = nd_cube_values_of(&m, owner, efficiency(t, &board[i]));
            out[k] += nd_cube_decided(&v, owner) - (lose + wins * (win - lose));
        }
    }
}
