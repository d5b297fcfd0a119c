/* Long nardy as a policy of the move-generator template.
 *
 * Both sides run the same way round the ring, so my point n is your n - 12 or n + 12. A point with
 * one opposing checker is closed; nothing is hit and nobody waits on a bar. Two rules are its own:
 *
 * Head. Few checkers, mostly one, may leave point 24 in a turn. It depends only on which sources a
 * play uses, never on their order, and checkers do not come back: the head's own count tells.
 *
 * Wall. Six points in a row on the opponent's path may be forbidden. A step can be refused for what
 * stands at that moment, so here the order of steps matters. Shortcuts that try one order only are
 * complete as long as the wall refuses nothing; `refused` tells when it did.
 */
#include "rules/rules.h"
#include "rules/stage.h"

#define HEAD ND_BIT(24)
#define OPPONENTS_HEAD ND_BIT(12)
#define WALLS 0x000FFFFEu /* the lowest point of a wall is 1..19 */

typedef struct turn {
    uint32_t open;        /* points the mover may land on */
    uint32_t head;        /* the head's bit, 0 if any number may leave it */
    uint32_t head_before; /* the plane whose bit flips when the last one allowed has left it */
    int head_plane;
    uint32_t walls; /* forbidden walls, by their lowest point on the opponent's path */
    uint32_t old;   /* of these, the ones that stood at the start of the turn */
    bool each_step; /* they are forbidden in passing too */
    bool mobility;  /* they are forbidden only if they leave the opponent no step at all */
    bool bears_off, forced_off;
    bool either_die;
    bool refused; /* a wall has refused a step */
} turn;

/* One side's points in the numbers of the other. */
static inline uint32_t across(uint32_t slots)
{
    const uint32_t points = slots & ND_POINTS;
    return (points >> 12 | points << 12) & ND_POINTS;
}

static inline bool all_home(uint32_t own) { return !(own & ND_POINTS & ~ND_HOME); }

/* Where `die` can bear off from when everybody is home: the exact point, else the highest. */
static inline uint32_t off_from(uint32_t own, int die)
{
    own &= ND_POINTS;
    if (!own) return 0;
    const uint32_t top = ND_BIT(nd_highest(own));
    return top < ND_BIT(die) ? top : own & ND_BIT(die);
}

/* ---- walls ----------------------------------------------------------------------------------- */

/* Lowest points of all runs of six. */
static inline uint32_t sixes(uint32_t points)
{
    const uint32_t two = points & points >> 1, four = two & two >> 2;
    return four & two >> 4;
}

/* Points that would complete one of `walls`, or already belong to one. */
static inline uint32_t completing(uint32_t points, uint32_t walls)
{
    uint32_t rest[6]; /* rest[j]: the six from here on are held, point j not asked */
    uint32_t up = walls, down = ~0u, found = 0;
    for (int j = 0; j < 6; j++) rest[j] = up, up &= points >> j;
    for (int j = 5; j >= 0; j--) {
        found |= (rest[j] & down) << j;
        down &= points >> j;
    }
    return found;
}

/* Can the opponent make a step with any die, his own walls not asked? */
static bool opponent_moves(const nd_board *b)
{
    const uint32_t opp = nd_any(b->opp) & ND_POINTS, open = ND_POINTS & ~across(nd_any(b->own));
    for (int die = 1; die <= 6; die++)
        if (opp & open << die || (all_home(opp) && off_from(opp, die))) return true;
    return false;
}

/* Are these walls of the mover forbidden on this board? */
static inline bool forbidden(const turn *t, const nd_board *b, uint32_t walls)
{
    walls &= t->walls;
    return walls && !(t->mobility && opponent_moves(b));
}

/* Of the sources of one die those whose step makes no forbidden wall. Only walls with the target in
 * them count: leaving a point makes none, and what already stands (on a board made by hand) must
 * not stop everything else. */
static uint32_t wall_test(turn *t, const nd_board *b, uint32_t from, uint32_t suspects, int die)
{
    for (uint32_t m = suspects; m; m &= m - 1) {
        const uint32_t source = m & (0u - m), target = across(source >> die);
        nd_board after = *b;
        nd_remove(after.own, source);
        nd_add(after.own, source >> die);
        const int at = nd_lowest(target);
        const uint32_t around = (target << 1) - ND_BIT(at > 5 ? at - 5 : 0);
        if (!forbidden(t, &after, sixes(across(nd_any(after.own))) & around)) continue;
        from &= ~source;
        t->refused = true;
    }
    return from;
}

static inline uint32_t without_walls(turn *t, const nd_board *b, uint32_t own, uint32_t from,
                                     int die)
{
    const uint32_t theirs = across(own);
    if (!(theirs & theirs >> 1 & theirs >> 2)) return from; /* five of six have three in a row */
    const uint32_t suspects = from & across(completing(theirs, t->walls)) << die;
    return suspects ? wall_test(t, b, from, suspects, die) : from;
}

/* ---- the turn -------------------------------------------------------------------------------- */

/* How many checkers may leave the head on this player's first turn. */
static int first_turn_allowance(const nd_board *b, int high, int low, const nd_options *opt)
{
    if (high != low) return 1;
    const uint32_t opp = across(nd_any(b->opp));
    if (opt->head_scope) {
        /* The second player finds the starter's head touched: nobody passes his first turn. */
        if (opt->second_player || nd_count(b->opp, 24) != ND_CHECKERS) return 1;
    }
    const bool listed = high == 3 || high == 4 || high == 6;
    uint32_t stop = 0; /* where the lone checker cannot go; bit 0: past the end */
    for (int to = 24 - high; !stop && to >= 24 - 4 * high; to -= high)
        stop = to <= 0 ? 1 : opp & ND_BIT(to);
    switch (opt->head_exception) {
    case ND_HEAD_BLOCKED: return stop ? 2 : 1;
    case ND_HEAD_ONLY: return listed && stop == OPPONENTS_HEAD ? 2 : 1;
    case ND_HEAD_ANY_DOUBLE: return 2;
    case ND_HEAD_NONE: return 1;
    default: return listed ? 2 : 1;
    }
}

static inline uint32_t forbidden_walls(const nd_board *b, int rule)
{
    const uint32_t opp = nd_any(b->opp), off_or_home = ND_HOME | ND_BIT(ND_OFF);
    switch (rule) {
    case ND_WALL_FREE: return 0;
    case ND_WALL_NEVER:
    case ND_WALL_MOBILITY: return WALLS;
    case ND_WALL_ENEMY_HOME: return opp & off_or_home ? 0 : WALLS;
    default: /* nobody ahead: the wall ends below the opponent's foremost checker */
        return opp & off_or_home ? 0 : WALLS & (ND_BIT(nd_lowest(opp)) - 1) >> 5;
    }
}

static inline void turn_begin(turn *t, const nd_board *b, int high, int low, const nd_options *opt)
{
    static const nd_options defaults;
    if (!opt) opt = &defaults;
    t->open = ND_POINTS & ~across(nd_any(b->opp));
    /* 15 -> 13 flips the plane of twos, any n -> n - 1 the plane of ones. */
    const bool two =
        nd_count(b->own, 24) == ND_CHECKERS && first_turn_allowance(b, high, low, opt) == 2;
    t->head = opt->head_limit ? 0 : HEAD;
    t->head_plane = two ? 1 : 0;
    t->head_before = b->own[t->head_plane];
    t->walls = forbidden_walls(b, opt->wall_rule);
    t->each_step = t->walls && !opt->wall_check;
    t->mobility = opt->wall_rule == ND_WALL_MOBILITY;
    t->old = sixes(across(nd_any(b->own))) & t->walls;
    t->bears_off = !opt->bearoff_from || all_home(nd_any(b->own));
    t->forced_off = opt->bearoff_forced;
    t->either_die = opt->no_larger_die;
    t->refused = false;
}

static inline uint32_t head_closed(const turn *t, const nd_board *b)
{
    return (b->own[t->head_plane] ^ t->head_before) & t->head;
}

static inline uint32_t sources(turn *t, const nd_board *b, uint32_t mark, int die)
{
    (void)mark;
    const uint32_t own = nd_any(b->own);
    uint32_t from = own & t->open << die & ~head_closed(t, b);
    if (t->each_step) from = without_walls(t, b, own, from, die);
    if (all_home(own) && t->bears_off) {
        const uint32_t off = off_from(own, die);
        from = off && t->forced_off ? off : from | off;
    }
    return from;
}

static inline void step(nd_board *b, uint32_t *mark, int from, int die)
{
    (void)mark;
    nd_remove(b->own, ND_BIT(from));
    nd_add(b->own, ND_BIT(from > die ? from - die : ND_OFF));
}

static nd_refusal refusal(const turn *t, const nd_board *b, int from, int die)
{
    const uint32_t own = nd_any(b->own) & ND_POINTS, at = ND_BIT(from);
    if (!(own & at)) return ND_REFUSED_NO_CHECKER;
    if (head_closed(t, b) & at) return ND_REFUSED_HEAD;
    if (from <= die)
        return all_home(own) && t->bears_off ? ND_REFUSED_OVERPAY : ND_REFUSED_NOT_HOME;
    if (!(t->open & at >> die)) return ND_REFUSED_OCCUPIED;
    const bool off = all_home(own) && t->bears_off && off_from(own, die);
    return off && t->forced_off ? ND_REFUSED_FORCED_OFF : ND_REFUSED_WALL;
}

static inline uint32_t hits(const turn *t)
{
    (void)t;
    return 0;
}

static inline bool runs_on(turn *t, const nd_board *b, int from, int die)
{
    return !t->each_step || sources(t, b, 0, die) & ND_BIT(from);
}

static inline bool commutes(const turn *t, const nd_board *b, int high, int low)
{
    (void)high, (void)low;
    if (t->either_die) return false;
    /* Two checkers outside the home: no bearing off this turn. */
    const uint32_t outside = ND_POINTS & ~ND_HOME;
    const uint32_t odd = b->own[0] & outside; /* points with an odd number of them */
    return nd_two_or_more(b->own) & outside || odd & (odd - 1);
}

static inline bool sorted_doubles(const turn *t) { return !t->forced_off; }

static inline bool tests_ends(const turn *t) { return t->walls && !t->each_step; }

static inline bool may_end(const turn *t, const nd_board *b)
{
    return !tests_ends(t) || !forbidden(t, b, sixes(across(nd_any(b->own))) & ~t->old);
}

static inline bool trusted(const turn *t, const nd_results *out)
{
    if (t->refused) return false;
    if (tests_ends(t))
        for (int i = 0; i < out->count; i++)
            if (!may_end(t, &out->board[i])) return false;
    return true;
}

#define HAS_MARKS 0
#include "rules/movegen_template.h"

static void make_step(nd_board *b, int from, int die)
{
    uint32_t mark = 0;
    step(b, &mark, from, die);
}

static nd_status start(const char *variant, nd_board *out)
{
    if (strcmp(variant, "") != 0 && strcmp(variant, "long_nardy") != 0) return ND_BAD_ARGUMENT;
    const int8_t side[ND_SLOTS] = {[24] = ND_CHECKERS};
    nd_board_from_counts(side, side, out);
    return ND_OK;
}

/* Fifteen a side, none on the bar, no point shared. Checkers off while others are not home, or a
 * forbidden wall, cannot come about in play but may stand on a board made by hand. One side may be
 * owed a last roll, and then both may have borne off everything. */
static nd_status check(const nd_board *b)
{
    const uint32_t all = ND_POINTS | ND_BIT(ND_OFF), off = ND_BIT(ND_OFF);
    const bool owed[2] = {nd_is_owed(b->own), nd_is_owed(b->opp)}, equalises = owed[0] != owed[1];
    const uint32_t other = b->own[1] | b->own[2] | b->own[3] | b->opp[1] | b->opp[2] | b->opp[3];
    const uint32_t own = nd_any(b->own) & ~ND_OWED, opp = nd_any(b->opp) & ~ND_OWED;
    if (other & ND_OWED || (owed[0] && owed[1])) return ND_BAD_BOARD;
    if ((own | opp) & ~all || own & across(opp)) return ND_BAD_BOARD;
    if (nd_checkers(b->own, all) != ND_CHECKERS || nd_checkers(b->opp, all) != ND_CHECKERS)
        return ND_BAD_BOARD;
    return own == off && opp == off && !equalises ? ND_BAD_BOARD : ND_OK;
}

/* Value of a finished game: 0 oin, 1 mars, 2 koks, 3 home mars. */
static int loss_class(const uint32_t loser[ND_PLANES])
{
    const uint32_t any = nd_any(loser), start_quarter = ND_POINTS & ~(ND_BIT(19) - 1);
    if (any & ND_BIT(ND_OFF)) return 0;
    if (any & start_quarter) return 2;
    return all_home(any) ? 3 : 1;
}

static int outcome(const nd_board *b)
{
    if (!(nd_any(b->own) & ND_POINTS)) return loss_class(b->opp);
    if (!(nd_any(b->opp) & ND_POINTS)) return 4 + loss_class(b->own);
    return -1;
}

static nd_phase phase(const nd_board *b)
{
    const uint32_t own = nd_any(b->own) & ND_POINTS, opp = nd_any(b->opp) & ND_POINTS;
    if (!own || !opp) return ND_PHASE_OVER;
    /* In their last twelve points the two paths have no point in common. */
    if ((own | opp) >> 13) return ND_PHASE_CONTACT;
    return all_home(own | opp) ? ND_PHASE_BEAROFF : ND_PHASE_RACE;
}

/* ---- invented starts ------------------------------------------------------------------------- */

/* Put `n` checkers on the free points of a region: a run first, then here and there. */
static void stage_block(uint32_t side[ND_PLANES], int n, uint32_t free, uint32_t *state)
{
    if (!free || n <= 0) return;
    const int low = nd_lowest(free), high = nd_highest(free);
    int length = nd_stage_below(state, 7);
    for (int at = low + nd_stage_below(state, high - low + 1); at >= low && length > 0 && n > 0;
         at--, length--)
        if (free & ND_BIT(at)) nd_add(side, ND_BIT(at)), n--;
    nd_stage_scatter(side, n, free, state);
}

/* One side: what is left of the head, blocks on its first and its second twelve points. */
static void stage_side(uint32_t side[ND_PLANES], uint32_t free, int most, uint32_t *state)
{
    const int head = free & HEAD ? nd_stage_below(state, most + 1) : 0;
    const int rear = nd_stage_below(state, ND_CHECKERS - head + 1);
    const uint32_t second = ND_POINTS & (ND_BIT(13) - 1), first = ND_POINTS & ~second & ~HEAD;
    for (int i = 0; i < head; i++) nd_add(side, HEAD);
    stage_block(side, rear, free & first, state);
    stage_block(side, ND_CHECKERS - head - rear, free & second, state);
}

static bool stands_forbidden(const nd_board *b)
{
    return sixes(across(nd_any(b->own))) & forbidden_walls(b, ND_WALL_AHEAD);
}

/* Heads and blocks of all sizes; one in four is a race, for real games hold few. */
static nd_phase stage(uint32_t kind, uint32_t *state, nd_board *out)
{
    nd_board b = {{0}, {0}};
    if (kind & 3) {
        const int most = nd_stage_below(state, 13); /* late in the game heads are small */
        stage_side(b.own, ND_POINTS, most, state);
        stage_side(b.opp, ND_POINTS & ~across(nd_any(b.own)), most, state);
    } else {
        const uint32_t outer = ND_POINTS & (ND_BIT(13) - 1) & ~ND_HOME;
        uint32_t *const side[2] = {b.own, b.opp};
        for (int i = 0; i < 2; i++) {
            const int straggler = nd_stage_below(state, 13);
            nd_stage_scatter(side[i], ND_CHECKERS - straggler, ND_HOME, state);
            nd_stage_scatter(side[i], straggler, outer, state);
        }
    }
    *out = *state & 0x10000u ? nd_swap(&b) : b;
    b = nd_swap(out);
    if (stands_forbidden(out) || stands_forbidden(&b)) return ND_PHASE_OVER; /* no such board */
    return kind & 3 ? ND_PHASE_CONTACT : ND_PHASE_RACE;
}

const nd_rules nd_long_nardy = {
    .name = "long_nardy",
    .id = 2,
    .version = 1,
    .outcomes = 8,
    .outcome_name = {"win_oin", "win_mars", "win_koks", "win_home_mars", "lose_oin", "lose_mars",
                     "lose_koks", "lose_home_mars"},
    .points = {1, 2, 3, 4, -1, -2, -3, -4},
    .shutout = 3,
    .opening_doubles = true,
    .start = start,
    .check = check,
    .generate = generate,
    .sequences = sequences,
    .why = why,
    .step = make_step,
    .outcome = outcome,
    .phase = phase,
    .across = across,
    .stage = stage,
};
