/* Boards and rules: conversions, known perft counts, and in random games the three accounts of a
 * roll (results, the play kept with each, ordered sequences) against one another. */
#include "rules/rules.h"
#include "tests/check.h"
#include "tests/play.h"
#include "tests/random_boards.h"

/* ---- boards ---------------------------------------------------------------------------------- */

static void random_counts(int8_t side[ND_SLOTS], uint32_t number, uint32_t which)
{
    for (int s = 0; s < ND_SLOTS; s++) {
        const uint32_t counter[4] = {number, (uint32_t)s, 0, 0}, key[2] = {7, which};
        uint32_t bits[4];
        nd_philox(counter, key, bits);
        side[s] = (int8_t)(bits[0] & 15);
    }
}

/* Planes against plain counts, slot by slot. */
static void boards(void)
{
    for (uint32_t n = 0; n < 200; n++) {
        int8_t own[ND_SLOTS], opp[ND_SLOTS], own2[ND_SLOTS], opp2[ND_SLOTS];
        random_counts(own, n, 0);
        random_counts(opp, n, 1);
        nd_board b, again;
        nd_board_from_counts(own, opp, &b);
        counts_of(&b, own2, opp2);
        CHECK(memcmp(own, own2, sizeof own) == 0 && memcmp(opp, opp2, sizeof opp) == 0);

        int all = 0, pips = 0, home = 0;
        uint32_t any = 0, one = 0, two = 0, mirrored = 0;
        for (int s = 0; s < ND_SLOTS; s++) {
            all += own[s], pips += s * own[s];
            if (s >= 1 && s <= 6) home += own[s];
            if (own[s]) any |= ND_BIT(s), mirrored |= ND_BIT(25 - s);
            if (own[s] == 1) one |= ND_BIT(s);
            if (own[s] >= 2) two |= ND_BIT(s);
        }
        CHECK_INT(nd_checkers(b.own, (1u << ND_SLOTS) - 1), all);
        CHECK_INT(nd_checkers(b.own, ND_HOME), home);
        CHECK_INT(nd_pips(b.own), pips);
        CHECK(nd_any(b.own) == any && nd_exactly_one(b.own) == one && nd_two_or_more(b.own) == two);
        CHECK(nd_mirror(any) == mirrored && nd_mirror(nd_mirror(any)) == any);
        CHECK(!any || (any >> nd_lowest(any) & 1 && !(any & (ND_BIT(nd_lowest(any)) - 1))));
        CHECK(!any || any >> nd_highest(any) == 1);

        again = nd_swap(&b);
        CHECK(memcmp(again.own, b.opp, sizeof b.opp) == 0);
        again = nd_swap(&again);
        CHECK(nd_equal(&again, &b) && nd_board_hash(&again) == nd_board_hash(&b));

        /* Add one to all slots that have room, and take it back. */
        uint32_t room = 0;
        for (int s = 0; s < ND_SLOTS; s++) room |= own[s] < 15 ? ND_BIT(s) : 0;
        nd_add(again.own, room);
        counts_of(&again, own2, opp2);
        bool right = true;
        for (int s = 0; s < ND_SLOTS; s++) right &= own2[s] == own[s] + (own[s] < 15);
        CHECK(right && (!room || nd_board_hash(&again) != nd_board_hash(&b)));
        nd_remove(again.own, room);
        CHECK(nd_equal(&again, &b));
    }
}

/* ---- known counts ---------------------------------------------------------------------------- */

typedef struct known_perft {
    const nd_rules *rules;
    const char *variant;
    uint64_t count[3]; /* depths 1, 2, …; 0 = not checked */
} known_perft;

/* Found alike by two generators that are not this one. */
static const known_perft perfts[] = {
    {&nd_backgammon, "", {447, 202782, 0}},
    {&nd_long_nardy, "", {22, 484, 35387}},
};

static void perft(nd_results *scratch)
{
    for (size_t i = 0; i < sizeof perfts / sizeof *perfts; i++) {
        const known_perft *const k = &perfts[i];
        nd_board b;
        CHECK_INT(k->rules->start(k->variant, &b), ND_OK);
        CHECK_INT(nd_perft(k->rules, &b, NULL, 0, scratch), 1);
        for (int depth = 1; depth <= 3 && k->count[depth - 1]; depth++)
            CHECK_INT(nd_perft(k->rules, &b, NULL, depth, scratch), k->count[depth - 1]);
    }
}

/* ---- the three accounts of a roll ------------------------------------------------------------ */

enum { MAX_SEQUENCES = 1 << 20 };

typedef struct buffers {
    nd_results results[2];
    nd_play sequence[MAX_SEQUENCES];
    nd_board reached[MAX_SEQUENCES], sorted[ND_MAX_RESULTS];
} buffers;

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, sizeof(nd_board)); }

/* Sorts and drops repeats; returns how many are left. */
static int distinct(nd_board *b, int n)
{
    if (n == 0) return 0;
    qsort(b, (size_t)n, sizeof *b, by_bytes);
    int kept = 1;
    for (int i = 1; i < n; i++)
        if (!nd_equal(&b[i], &b[kept - 1])) b[kept++] = b[i];
    return kept;
}

static int steps_of(nd_play play)
{
    int n = 0;
    for (; play; play >>= 8) n++;
    return n;
}

static nd_board replay(const nd_rules *rules, nd_board b, nd_play play)
{
    for (; play; play >>= 8) rules->step(&b, ND_STEP_FROM(play & 255), ND_STEP_DIE(play & 255));
    return b;
}

static bool dice_fit(nd_play play, int d1, int d2)
{
    int left[2] = {d1 == d2 ? 4 : 1, d1 == d2 ? 0 : 1};
    for (; play; play >>= 8) {
        const int die = ND_STEP_DIE(play & 255);
        if (die == d1)
            left[0]--;
        else if (die == d2)
            left[1]--;
        else
            return false;
    }
    return left[0] >= 0 && left[1] >= 0;
}

static void one_roll(const playout *p, const nd_options *options, buffers *t)
{
    const nd_rules *const rules = p->rules;
    nd_results *const r = &t->results[0], *const other = &t->results[1];
    rules->generate(&p->board, p->d1, p->d2, options, r);
    CHECK(r->count >= 1 && r->count <= ND_MAX_RESULTS && r->dice <= (p->d1 == p->d2 ? 4 : 2));

    bool fits = true, replays = true, sound = true;
    const uint32_t all = (1u << ND_SLOTS) - 1;
    for (int i = 0; i < r->count; i++) {
        const nd_board *const b = &r->board[i];
        const nd_board reached = replay(rules, p->board, r->play[i]);
        replays &= nd_equal(&reached, b);
        fits &= steps_of(r->play[i]) == r->dice && dice_fit(r->play[i], p->d1, p->d2);
        sound &= rules->check(b) == ND_OK && nd_checkers(b->own, all) == ND_CHECKERS &&
                 nd_checkers(b->opp, all) == ND_CHECKERS;
        t->sorted[i] = *b;
    }
    CHECK(fits && replays && sound);
    CHECK_INT(distinct(t->sorted, r->count), r->count);

    /* The order of the dice is nothing. */
    rules->generate(&p->board, p->d2, p->d1, options, other);
    CHECK_INT(other->count, r->count);
    CHECK(memcmp(other->board, r->board, (size_t)r->count * sizeof *r->board) == 0);

    const int n = rules->sequences(&p->board, p->d1, p->d2, options, t->sequence, MAX_SEQUENCES);
    CHECK(n <= MAX_SEQUENCES);
    if (r->dice == 0) {
        CHECK_INT(n, 0);
        CHECK(r->count == 1 && r->play[0] == 0 && nd_equal(&r->board[0], &p->board));
        return;
    }
    fits = true;
    for (int i = 0; i < n; i++) {
        fits &= steps_of(t->sequence[i]) == r->dice && dice_fit(t->sequence[i], p->d1, p->d2);
        t->reached[i] = replay(rules, p->board, t->sequence[i]);
    }
    CHECK(fits);
    CHECK_INT(distinct(t->reached, n), r->count);
    CHECK(memcmp(t->reached, t->sorted, (size_t)r->count * sizeof(nd_board)) == 0);
    CHECK_INT(rules->sequences(&p->board, p->d1, p->d2, options, NULL, 0), n);
}

/* Finished, over and the class of the outcome say the same from both sides. */
static void ended(const nd_rules *rules, const nd_board *b, bool over)
{
    const nd_board swapped = nd_swap(b);
    const int mine = rules->outcome(b), theirs = rules->outcome(&swapped);
    CHECK(over == (mine >= 0) && over == (rules->phase(b) == ND_PHASE_OVER));
    CHECK_INT(rules->phase(b), rules->phase(&swapped));
    if (!over) {
        CHECK_INT(theirs, -1);
        return;
    }
    CHECK(mine < rules->outcomes);
    CHECK_INT(theirs, (mine + rules->outcomes / 2) % rules->outcomes);
    CHECK_INT(rules->points[mine], -rules->points[theirs]);
}

static void games(const nd_rules *rules, const nd_options *options, uint32_t count, buffers *t)
{
    for (uint32_t game = 0; game < count; game++) {
        playout p = playout_begin(rules, "", 1, game);
        do {
            ended(rules, &p.board, false);
            one_roll(&p, options, t);
        } while (playout_next(&p, &t->results[0]) && p.ply < 2000);
        CHECK(p.ply < 2000);
        ended(rules, &p.board, true);
    }
}

/* ---- invented starts ------------------------------------------------------------------------- */

static int longest_run(uint32_t points)
{
    int length = 0;
    for (; points; points &= points >> 1) length++;
    return length;
}

/* Boards of the phase they were meant for, of every kind: `held` tells what runs are made of. */
static void stages(const nd_rules *rules, uint32_t (*held)(const uint32_t *), nd_results *r)
{
    int boards = 0, races = 0, long_runs = 0, last_quarter[16] = {0};
    for (uint32_t kind = 0; kind < 4000; kind++) {
        uint32_t state = kind * 2654435761u;
        nd_board b;
        const nd_phase wanted = rules->stage(kind, &state, &b);
        if (rules->check(&b) != ND_OK || rules->phase(&b) != wanted) continue;
        CHECK(wanted == ND_PHASE_RACE || wanted == ND_PHASE_CONTACT);
        rules->generate(&b, 1 + (int)(kind % 6), 1 + (int)(kind / 6 % 6), NULL, r);
        CHECK(r->count >= 1);
        boards++;
        races += wanted == ND_PHASE_RACE;
        long_runs += longest_run(held(b.own) & ND_POINTS) >= 4;
        last_quarter[nd_checkers(b.own, ND_POINTS & ~(ND_BIT(19) - 1))]++;
    }
    CHECK(boards > 2000 && races > boards / 20 && races < boards / 2 && long_runs > boards / 20);
    for (int n = 0; n <= 9; n++) CHECK(last_quarter[n] > boards / 200);
}

static uint32_t any_held(const uint32_t *side) { return nd_any(side); }

int main(void)
{
    buffers *const t = malloc(sizeof *t);
    if (t == NULL) return 1;
    boards();
    perft(t->results);
    static const nd_options no_hit_and_off = {.no_hit_and_off = 1},
                            either_die = {.no_larger_die = 1};
    games(&nd_backgammon, NULL, 20, t);
    games(&nd_backgammon, &no_hit_and_off, 10, t);
    games(&nd_backgammon, &either_die, 10, t);
    games(&nd_long_nardy, NULL, 10, t);
    games(&nd_long_nardy, &either_die, 5, t);
    static const nd_options turn = {.wall_rule = ND_WALL_NEVER, .wall_check = 1},
                            forced = {.bearoff_forced = 1, .head_exception = ND_HEAD_BLOCKED};
    games(&nd_long_nardy, &turn, 5, t);
    games(&nd_long_nardy, &forced, 5, t);
    stages(&nd_backgammon, nd_two_or_more, t->results);
    stages(&nd_long_nardy, any_held, t->results);
    nd_board b;
    CHECK_INT(nd_backgammon.start("no such game", &b), ND_BAD_ARGUMENT);
    CHECK_INT(nd_long_nardy.start("no such game", &b), ND_BAD_ARGUMENT);
    free(t);
    return check_end("rules");
}
