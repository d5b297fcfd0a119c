/* Short nardy (backgammon) as a policy of the move-generator template.
 *
 * Your point n is my point 25 - n. A point with two or more opposing checkers is closed; one is a
 * blot and is hit. With checkers on the bar nothing else moves; bearing off needs everybody home.
 */
#include "rules/rules.h"
#include "rules/stage.h"

typedef struct turn {
    uint32_t open;  /* points the mover may land on */
    uint32_t blots; /* of these, points where he hits */
    bool marks;     /* option no_hit_and_off: remember which checkers hit at home */
    bool either_die;
} turn;

static inline void turn_begin(turn *t, const nd_board *b, int high, int low, const nd_options *opt)
{
    (void)high, (void)low;
    t->open = ~nd_mirror(nd_two_or_more(b->opp) & ND_POINTS) & ND_POINTS;
    t->blots = nd_mirror(nd_exactly_one(b->opp) & ND_POINTS);
    t->marks = opt && opt->no_hit_and_off;
    t->either_die = opt && opt->no_larger_die;
}

/* Points with at least one checker that carries no mark / a mark. */
static inline uint32_t marked_points(uint32_t mark)
{
    uint32_t points = 0;
    for (int p = 1; p <= 6; p++)
        if (mark >> 4 * (p - 1) & 15) points |= ND_BIT(p);
    return points;
}

static inline int mark_count(uint32_t mark, int p) { return (int)(mark >> 4 * (p - 1) & 15); }

static inline uint32_t sources(const turn *t, const nd_board *b, uint32_t mark, int die)
{
    const uint32_t own = nd_any(b->own);
    if (own & ND_BIT(ND_BAR)) return t->open & ND_BIT(ND_BAR - die) ? ND_BIT(ND_BAR) : 0;
    uint32_t from = own & t->open << die;
    if ((own & ND_POINTS & ~ND_HOME) == 0 && own & ND_HOME) {
        /* Everybody is home: the exact point, else the highest checker when it is lower. */
        const uint32_t top = ND_BIT(nd_highest(own & ND_HOME));
        from |= top < ND_BIT(die) ? top : own & ND_BIT(die);
    }
    if (mark)
        for (int p = 1; p <= 6; p++)
            if (mark_count(mark, p) >= nd_count(b->own, p)) from &= ~ND_BIT(p);
    return from;
}

static inline uint32_t marked_sources(const turn *t, const nd_board *b, uint32_t mark, int die)
{
    if (nd_any(b->own) & ND_BIT(ND_BAR)) return 0;
    return marked_points(mark) & t->open << die; /* moves on inside the home, never off */
}

static inline void step(nd_board *b, uint32_t *mark, int from, int die)
{
    const int to = from > die ? from - die : ND_OFF;
    nd_remove(b->own, ND_BIT(from));
    nd_add(b->own, ND_BIT(to));
    const uint32_t hit = b->opp[0] & ND_BIT(25 - to) & ND_POINTS;
    if (hit) {
        b->opp[0] ^= hit;
        nd_add(b->opp, ND_BIT(ND_BAR));
        if (to <= 6) *mark += 1u << 4 * (to - 1);
    }
}

static inline void step_marked(nd_board *b, uint32_t *mark, int from, int die)
{
    const uint32_t before = *mark - (1u << 4 * (from - 1));
    step(b, mark, from, die);
    *mark = before + (1u << 4 * (from - die - 1));
}

static inline bool commutes(const turn *t, const nd_board *b, int high, int low)
{
    (void)high, (void)low;
    if (t->either_die || nd_any(b->own) & ND_BIT(ND_BAR)) return false;
    /* Two checkers outside the home: no bearing off this turn. */
    const uint32_t outside = ND_POINTS & ~ND_HOME;
    const uint32_t odd = b->own[0] & outside; /* points with an odd number of them */
    return nd_two_or_more(b->own) & outside || odd & (odd - 1);
}

static inline bool sorted_doubles(const turn *t)
{
    (void)t;
    return true;
}

static inline bool trusted(const turn *t, const nd_results *out)
{
    (void)t, (void)out;
    return true;
}

static inline uint32_t hits(const turn *t) { return t->blots; }

static inline bool runs_on(const turn *t, const nd_board *b, int from, int die)
{
    (void)t, (void)b, (void)from, (void)die;
    return true;
}

static inline bool tests_ends(const turn *t)
{
    (void)t;
    return false;
}

static inline bool may_end(const turn *t, const nd_board *b)
{
    (void)t, (void)b;
    return true;
}

static nd_refusal refusal(const turn *t, const nd_board *b, int from, int die)
{
    (void)t;
    const uint32_t own = nd_any(b->own), at = ND_BIT(from);
    if (!(own & at)) return ND_REFUSED_NO_CHECKER;
    if (own & ND_BIT(ND_BAR) && from != ND_BAR) return ND_REFUSED_BAR;
    if (from > die) return ND_REFUSED_OCCUPIED;
    if (own & ~ND_HOME & ~ND_BIT(ND_OFF)) return ND_REFUSED_NOT_HOME;
    return from < die && own >> (from + 1) ? ND_REFUSED_OVERPAY : ND_REFUSED_HIT_AND_OFF;
}

#define HAS_MARKS 1
#include "rules/movegen_template.h"

static void make_step(nd_board *b, int from, int die)
{
    uint32_t mark = 0;
    step(b, &mark, from, die);
}

static nd_status start(const char *variant, nd_board *out)
{
    static const struct {
        const char *name;
        int8_t point[4][2];
    } known[] = {
        {"", {{24, 2}, {13, 5}, {8, 3}, {6, 5}}},
        {"backgammon", {{24, 2}, {13, 5}, {8, 3}, {6, 5}}},
        {"nackgammon", {{24, 2}, {23, 2}, {13, 4}, {8, 3}}}, /* and four on 6 */
        {"hypergammon1", {{24, 1}}},
        {"hypergammon2", {{24, 1}, {23, 1}}},
        {"hypergammon3", {{24, 1}, {23, 1}, {22, 1}}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, variant) != 0) continue;
        int8_t side[ND_SLOTS] = {0};
        for (int k = 0; k < 4; k++) side[known[i].point[k][0]] += known[i].point[k][1];
        if (strcmp(variant, "nackgammon") == 0) side[6] = 4;
        nd_board_from_counts(side, side, out);
        return ND_OK;
    }
    return ND_BAD_ARGUMENT;
}

static nd_status check(const nd_board *b)
{
    const uint32_t all = (1u << ND_SLOTS) - 1;
    const uint32_t own = nd_any(b->own), opp = nd_any(b->opp);
    if ((own | opp) & ~all) return ND_BAD_BOARD;
    if (own & nd_mirror(opp) & ND_POINTS) return ND_BAD_BOARD;
    const int n_own = nd_checkers(b->own, all), n_opp = nd_checkers(b->opp, all);
    if (n_own < 1 || n_own > ND_CHECKERS || n_opp < 1 || n_opp > ND_CHECKERS) return ND_BAD_BOARD;
    const uint32_t off = ND_BIT(ND_OFF);
    if (!(own & ~off) && !(opp & ~off)) return ND_BAD_BOARD; /* both have finished */
    return ND_OK;
}

/* Value of a finished game: 0 single, 1 gammon, 2 backgammon. */
static int loss_class(const uint32_t loser[ND_PLANES])
{
    const uint32_t any = nd_any(loser);
    if (any & ND_BIT(ND_OFF)) return 0;
    const uint32_t winners_home = ND_POINTS & ~(ND_BIT(19) - 1);
    return any & (winners_home | ND_BIT(ND_BAR)) ? 2 : 1;
}

static int outcome(const nd_board *b)
{
    const uint32_t on_board = ~ND_BIT(ND_OFF);
    if (!(nd_any(b->own) & on_board)) return loss_class(b->opp);
    if (!(nd_any(b->opp) & on_board)) return 3 + loss_class(b->own);
    return -1;
}

static nd_phase phase(const nd_board *b)
{
    const uint32_t own = nd_any(b->own) & ~ND_BIT(ND_OFF), opp = nd_any(b->opp) & ~ND_BIT(ND_OFF);
    if (!own || !opp) return ND_PHASE_OVER;
    const int back = nd_highest(own), their_back = nd_highest(opp);
    /* Contact: some own checker still has to pass an opposing one. */
    if (back + their_back > 25) return ND_PHASE_CONTACT;
    return back <= 6 && their_back <= 6 ? ND_PHASE_BEAROFF : ND_PHASE_RACE;
}

static uint32_t across(uint32_t slots) { return nd_mirror(slots & ND_POINTS); }

/* Chaos: 3..12 checkers of one side in its last quarter, the rest near home or in between; the other
 * side mostly in its home and outer board, some still on the way. */
static void stage_chaos(uint32_t *state, nd_board *b)
{
    const int back = 3 + nd_stage_below(state, 10);
    const uint32_t last = ND_POINTS & ~(ND_BIT(19) - 1);
    const uint32_t low = ND_POINTS & (ND_BIT(9) - 1), middle = ND_POINTS & ~low & ~last;
    nd_stage_scatter(b->own, back, last, state);
    const int home = nd_stage_below(state, 15 - back + 1);
    nd_stage_scatter(b->own, home, low, state);
    nd_stage_scatter(b->own, 15 - back - home, middle, state);
    const uint32_t open = ND_POINTS & ~across(nd_any(b->own)), near = ND_BIT(13) - 1;
    const int away = nd_stage_below(state, 5);
    nd_stage_scatter(b->opp, 15 - away, open & near, state);
    nd_stage_scatter(b->opp, away, open & ~near, state);
}

/* Points 1 .. 6 to 13. */
static uint32_t stage_front(uint32_t *state)
{
    return ND_POINTS & (ND_BIT(7 + nd_stage_below(state, 8)) - 1);
}

/* A back game: two or three anchors and up to three more checkers behind, the rest further on, from
 * a good structure to a crashed board; the other side has passed them, but for a few. */
static void stage_back_game(uint32_t *state, nd_board *b)
{
    const uint32_t last = ND_POINTS & ~(ND_BIT(19) - 1);
    uint32_t anchors = 0;
    const int wanted = nd_stage_below(state, 8) ? 2 : 3;
    while (nd_popcount(anchors) < wanted) anchors |= ND_BIT(19 + nd_stage_below(state, 6));
    for (int p = 19; p <= 24; p++)
        if (anchors & ND_BIT(p)) nd_add(b->own, ND_BIT(p)), nd_add(b->own, ND_BIT(p));
    const int more = nd_stage_below(state, 4);
    nd_stage_scatter(b->own, more, last, state);
    nd_stage_scatter(b->own, 15 - 2 * wanted - more, stage_front(state), state);
    const uint32_t open = ND_POINTS & ~across(nd_any(b->own)), front = stage_front(state);
    const int away = nd_stage_below(state, 8) - 3, rest = away > 0 ? away : 0;
    const int off = nd_stage_below(state, 4) ? 0 : nd_stage_below(state, 6);
    nd_stage_scatter(b->opp, rest, open & ~front, state);
    nd_stage_scatter(b->opp, 15 - rest - off, open & front, state);
    for (int i = 0; i < off; i++) nd_add(b->opp, ND_BIT(ND_OFF));
}

/* Late contact: one side is home or nearly so and has borne off some checkers, the other has one to
 * four still to pass it, on the bar or on points of that home. */
static void stage_late(uint32_t *state, nd_board *b)
{
    const uint32_t outer = ND_POINTS & (ND_BIT(13) - 1) & ~ND_HOME;
    const int behind = 1 + nd_stage_below(state, 4), their_off = nd_stage_below(state, 10) - 4;
    const int away = nd_stage_below(state, 3) ? 0 : 1 + nd_stage_below(state, 4);
    const int off = nd_stage_below(state, 14) - 4;
    const int gone = off > 0 ? off : 0, their_gone = their_off > 0 ? their_off : 0;
    nd_stage_scatter(b->own, 15 - gone - away, ND_HOME, state);
    nd_stage_scatter(b->own, away, outer, state);
    const uint32_t back = ND_POINTS & ~(ND_BIT(18) - 1) & ~across(nd_any(b->own));
    const int barred = nd_stage_below(state, 3) ? nd_stage_below(state, behind + 1) : behind;
    for (int i = 0; i < barred; i++) nd_add(b->opp, ND_BIT(ND_BAR));
    nd_stage_scatter(b->opp, behind - barred, back ? back : ND_BIT(ND_BAR), state);
    const int theirs = 15 - their_gone - behind,
              out = nd_stage_below(state, 2) ? 0 : nd_stage_below(state, 5);
    const uint32_t open = ND_POINTS & ~across(nd_any(b->own));
    nd_stage_scatter(b->opp, theirs - out, open & ND_HOME, state);
    nd_stage_scatter(b->opp, out, open & outer, state);
    for (int i = 0; i < gone; i++) nd_add(b->own, ND_BIT(ND_OFF));
    for (int i = 0; i < their_gone; i++) nd_add(b->opp, ND_BIT(ND_OFF));
}

static void stage_race(uint32_t *state, nd_board *b)
{
    const uint32_t outer = ND_POINTS & (ND_BIT(13) - 1) & ~ND_HOME;
    const int straggler = nd_stage_below(state, 9);
    nd_stage_scatter(b->own, 15 - straggler, ND_HOME, state);
    nd_stage_scatter(b->own, straggler, outer, state);
    nd_stage_scatter(b->opp, 15 - straggler, ND_HOME, state);
    nd_stage_scatter(b->opp, straggler, outer, state);
}

/* What games seldom reach and nets judge badly; a race has both sides on their last twelve points. */
static nd_phase stage(uint32_t kind, uint32_t *state, nd_board *out)
{
    const uint32_t which = kind & 15;
    nd_board b = {{0}, {0}};
    if (which < 2)
        stage_race(state, &b);
    else if (which < 4)
        stage_chaos(state, &b);
    else if (which < 11)
        stage_back_game(state, &b);
    else
        stage_late(state, &b);
    *out = *state & 0x10000u ? nd_swap(&b) : b;
    return which < 2 ? ND_PHASE_RACE : ND_PHASE_CONTACT;
}

const nd_rules nd_backgammon = {
    .name = "backgammon",
    .id = 1,
    .version = 1,
    .outcomes = 6,
    .outcome_name = {"win_single", "win_gammon", "win_backgammon", "lose_single", "lose_gammon",
                     "lose_backgammon"},
    .points = {1, 2, 3, -1, -2, -3},
    .shutout = 1,
    .opening_doubles = false,
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
