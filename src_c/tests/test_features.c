/* Features: lines and spelling against counts read one by one, and every engineered byte against a
 * slow twin that moves checkers about. */
#include "check.h"
#include "features/features.h"
#include "play.h"
#include "random_boards.h"

typedef int8_t counts[ND_SLOTS];

/* The point `slot` of one side is 25 - slot of the other. */
static int made(const counts n, int slot) { return slot >= 1 && slot <= 24 && n[slot] >= 2; }
static int blot(const counts n, int slot) { return slot >= 1 && slot <= 24 && n[slot] == 1; }

/* Does some order of the steps hit? `me` moves, `it` has the blots; while checkers are on the bar
 * only they move. */
static bool can_hit(counts me, const counts it, const int *die, int steps)
{
    if (steps == 0) return false;
    for (int from = me[ND_BAR] ? ND_BAR : 1; from <= ND_BAR; from++) {
        const int to = from - *die;
        if (!me[from] || to < 1 || made(it, 25 - to)) continue;
        if (blot(it, 25 - to)) return true;
        me[from]--, me[to]++;
        const bool later = can_hit(me, it, die + 1, steps - 1);
        me[from]++, me[to]--;
        if (later) return true;
    }
    return false;
}

static int shots(const counts hitter, const counts it)
{
    int total = 0;
    counts me;
    memcpy(me, hitter, sizeof me);
    for (int d = 1; d <= 6; d++)
        for (int e = 1; e <= 6; e++) {
            const int one[4] = {d, e, d, e}, other[2] = {e, d};
            total += can_hit(me, it, one, d == e ? 4 : 2) || (d != e && can_hit(me, it, other, 2));
        }
    return total;
}

/* Rolls with which the checker on `from` cannot get past the farthest block within six points. */
static int not_past(const counts it, int from)
{
    int need = 0, total = 0;
    for (int d = 1; d <= 6; d++)
        if (made(it, 25 - (from - d))) need = d;
    if (!need) return 0;
    for (int d = 1; d <= 6; d++)
        for (int e = 1; e <= 6; e++) {
            bool past = false;
            for (int order = 0; order < 2; order++) {
                int at = 0;
                for (int step = 0; step < (d == e ? 4 : 2); step++) {
                    at += (step + order) % 2 ? e : d;
                    if (made(it, 25 - (from - at))) break;
                    if (at > need) past = true;
                }
            }
            total += !past;
        }
    return total;
}

/* A's run of points in front of B's rearmost checker. */
static int prime(const counts a, const counts b)
{
    int rear = ND_BAR;
    while (rear > 0 && !b[rear]) rear--;
    int longest = 0, top = 0;
    for (int t = rear - 1; t >= 1; t--) {
        int length = 0;
        while (length < 6 && made(a, 25 - (t - length))) length++;
        if (length > longest) longest = length, top = t;
    }
    if (longest < 2) return 0;
    int held = 0;
    for (int slot = top + 1; slot <= ND_BAR; slot++) held += b[slot];
    return 1 + ((longest - 2) * 3 + (held < 3 ? held : 3) - 1) * 2 + (b[top + 1] > 0);
}

static int timing(const counts a)
{
    int back = 0, pips = 0;
    for (int slot = 18; slot <= ND_BAR; slot++) back += a[slot];
    for (int slot = 7; slot <= 18; slot++) pips += (slot - 6) * a[slot];
    const int bucket = 1 + (pips < 32 ? pips / 2 : 16 + (pips - 32) / 4);
    return !back ? 0 : bucket > 39 ? 39 : bucket;
}

static int home(const counts a, const counts b)
{
    int points = 0, blots = 0;
    for (int slot = 1; slot <= 6; slot++) points += made(a, slot), blots += blot(a, slot);
    return (points * 3 + (blots > 2 ? 2 : blots)) * 2 + (b[ND_BAR] > 0);
}

static void check_side(const uint8_t *line, const counts a, const counts b)
{
    int rear = ND_BAR;
    while (rear > 0 && !a[rear]) rear--;
    int next = rear - 1;
    while (next > 0 && !a[next]) next--;
    for (int slot = 0; slot < ND_SLOTS; slot++) CHECK_INT(line[slot], a[slot]);
    CHECK_INT(line[26], rear > 0 ? not_past(b, rear) : 0);
    CHECK_INT(line[27], next > 0 ? not_past(b, next) : 0);
    CHECK_INT(line[28], shots(b, a));
    CHECK_INT(line[29], prime(a, b));
    CHECK_INT(line[30], timing(a));
    CHECK_INT(line[31], home(a, b));
}

static void check_board(const nd_board *b)
{
    counts own, opp;
    uint8_t line[ND_LINE], raw[ND_LINE];
    counts_of(b, own, opp);
    nd_backgammon_contact_1.fill(b, line);
    check_side(line, own, opp);
    check_side(line + ND_SIDE, opp, own);
    nd_backgammon_race_1.fill(b, raw);
    for (int slot = 0; slot < ND_SIDE; slot++) {
        CHECK_INT(raw[slot], slot < ND_SLOTS ? own[slot] : 0);
        CHECK_INT(raw[ND_SIDE + slot], slot < ND_SLOTS ? opp[slot] : 0);
    }
}

/* ---- long nardy: the point `slot` of one side is slot - 12 or slot + 12 of the other ------------ */

static int held(const counts n, int slot)
{
    return slot >= 1 && slot <= 24 && n[slot > 12 ? slot - 12 : slot + 12] > 0;
}

/* As six bits: dice with which nobody of A on points low..24 finds an open point ahead. */
static int dead(const counts a, const counts b, int low)
{
    int bits = 0;
    for (int d = 1; d <= 6; d++) {
        bool plays = false;
        for (int slot = low; slot <= 24; slot++)
            if (a[slot] && slot > d && !held(b, slot - d)) plays = true;
        bits |= !plays << (d - 1);
    }
    return bits;
}

static int not_past_held(const counts b, int from)
{
    counts pairs = {0}; /* B's checkers as short nardy's points in the same places */
    for (int slot = 1; slot <= 24; slot++)
        if (held(b, slot)) pairs[25 - slot] = 2;
    return not_past(pairs, from);
}

static int wall(const counts a, const counts b)
{
    int rear = 24, longest = 0, top = 0, behind = 0, past = 0;
    while (rear > 0 && !b[rear]) rear--;
    for (int t = rear - 1; t >= 1; t--) {
        int length = 0;
        while (length < 6 && held(a, t - length)) length++;
        if (length > longest) longest = length, top = t;
    }
    if (longest < 2) return 0;
    for (int slot = 24; slot > top; slot--) behind += b[slot];
    for (int slot = 0; slot <= top - longest; slot++) past += b[slot];
    const int many = behind <= 3 ? 0 : behind <= 8 ? 1 : 2;
    return 1 + (longest - 2) * 12 + many * 4 + (past > 0) * 2 + (top < 24 && b[top + 1] > 0);
}

static int long_timing(const counts a)
{
    int back = 0, pips = 0;
    for (int slot = 13; slot <= 24; slot++) back += a[slot];
    for (int slot = 1; slot <= 12; slot++) pips += (slot - 1) * a[slot];
    const int bucket = 1 + (pips < 32 ? pips / 2 : 16 + (pips - 32) / 4);
    return !back ? 0 : bucket > 47 ? 47 : bucket;
}

static void check_long_side(const uint8_t *line, const counts a, const counts b)
{
    int rear = 24, outside = 0;
    while (rear > 0 && !a[rear]) rear--;
    int next = rear - 1;
    while (next > 0 && !a[next]) next--;
    for (int slot = 7; slot <= 24; slot++) outside += a[slot];
    for (int slot = 0; slot < ND_SLOTS; slot++) CHECK_INT(line[slot], a[slot]);
    CHECK_INT(line[26], a[24] ? dead(a, b, 24) : 0);
    CHECK_INT(line[27], rear > 0 ? not_past_held(b, rear) : 0);
    CHECK_INT(line[28], next > 0 ? not_past_held(b, next) : 0);
    CHECK_INT(line[29], wall(a, b));
    CHECK_INT(line[30], outside ? dead(a, b, 1) : 0);
    CHECK_INT(line[31], long_timing(a));
}

static void check_long_board(const nd_board *b)
{
    counts own, opp;
    uint8_t line[ND_LINE], raw[ND_LINE];
    counts_of(b, own, opp);
    nd_long_nardy_contact_1.fill(b, line);
    check_long_side(line, own, opp);
    check_long_side(line + ND_SIDE, opp, own);
    nd_long_nardy_race_1.fill(b, raw);
    for (int slot = 0; slot < ND_SIDE; slot++) {
        CHECK_INT(raw[slot], slot < ND_SLOTS ? own[slot] : 0);
        CHECK_INT(raw[ND_SIDE + slot], slot < ND_SLOTS ? opp[slot] : 0);
    }
}

/* Boards that no game can show still give lines that stay inside the tables. */
static void check_bounds(void)
{
    for (int i = 0; i < 20000; i++) {
        nd_board b;
        for (int k = 0; k < ND_PLANES; k++) {
            b.own[k] = random_bits() & (i % 2 ? random_bits() : ~0u);
            b.opp[k] = random_bits() & (i % 3 ? random_bits() : ~0u);
        }
        for (const nd_features *const *f = nd_features_list(); *f; f++) {
            uint8_t line[ND_LINE];
            (*f)->fill(&b, line);
            for (int byte = 0; byte < ND_LINE; byte++)
                CHECK(line[byte] < (*f)->values[byte] || line[byte] == 0);
        }
    }
}

/* Units are all used, value 0 spells nothing, and no two values of a byte are spelled alike. */
static void check_spelling(const nd_features *f)
{
    static int used[4096];
    memset(used, 0, sizeof used);
    CHECK(nd_features_by_id(f->id) == f && nd_features_by_name(f->name) == f);
    for (int byte = 0; byte < ND_LINE; byte++)
        for (int value = 0; value < f->values[byte]; value++) {
            nd_term term[ND_MAX_TERMS], last[ND_MAX_TERMS];
            const int n = f->spell(byte, value, term);
            CHECK((n == 0) == (value == 0));
            for (int i = 0; i < n; i++) {
                CHECK(term[i].unit >= 0 && term[i].unit < f->units);
                CHECK(term[i].coefficient * 2 == (float)(int)(term[i].coefficient * 2));
                used[term[i].unit]++;
            }
            if (value > 1 && n == f->spell(byte, value - 1, last))
                CHECK(term[0].unit != last[0].unit ||
                      term[n - 1].coefficient != last[n - 1].coefficient);
        }
    for (int unit = 0; unit < f->units; unit++) CHECK(used[unit] > 0);
    for (int a = 0; a < f->units; a++) CHECK(used[a] < 16);
}

int main(void)
{
    static nd_results results;
    const nd_options options = {0};
    for (uint32_t game = 0; game < 6; game++) {
        playout p = playout_begin(&nd_backgammon, "", 3, game);
        do {
            nd_backgammon.generate(&p.board, p.d1, p.d2, &options, &results);
            check_board(&p.board);
        } while (playout_next(&p, &results));
    }
    for (uint32_t game = 0; game < 6; game++) {
        playout p = playout_begin(&nd_long_nardy, "", 4, game);
        do {
            nd_long_nardy.generate(&p.board, p.d1, p.d2, &options, &results);
            check_long_board(&p.board);
        } while (playout_next(&p, &results));
    }
    for (int i = 0; i < 3000; i++) {
        const nd_board b = random_board();
        check_board(&b);
    }
    for (int tested = 0; tested < 3000;) {
        const nd_board b = random_board_of(random_shift);
        if (nd_long_nardy.check(&b) != ND_OK) continue;
        check_long_board(&b);
        tested++;
    }
    check_bounds();
    for (const nd_features *const *f = nd_features_list(); *f; f++) check_spelling(*f);
    CHECK(!nd_features_by_id(0xFFFFFFFFu) && !nd_features_by_name("none such"));
    return check_end("features");
}
