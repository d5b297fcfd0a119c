/* The move generator shared by both games.
 *
 * A game's policy file defines, before including this template,
 *   turn            what stays fixed during one turn (options, open points), with either_die
 *   turn_begin      fills it
 *   sources         mask of slots from which one step of a die is legal now
 *   step            makes that step
 *   refusal         why a slot is not among the sources of a die
 *   hits            points where a landing changes the other side
 *   runs_on         whether a checker that has just made the first die may make the second onto
 *                   an open point
 *   commutes        whether the two steps of a mixed roll may be made in either order with the
 *                   same legality, nothing can be borne off, and a step never closes a point
 *   sorted_doubles  whether every play of a double can be made from higher sources to lower
 *   trusted         asked after a shortcut was taken on the word of the last two: whether they
 *                   kept it, or the roll must be walked in every order after all
 *   tests_ends, may_end   whether a play may be forbidden for the position it ends in, and whether
 *                   this one may
 *   HAS_MARKS       1 if a turn must remember which checkers did something (see `mark`), with
 *   marked_sources, step_marked   the same for checkers that carry a mark
 * and gets generate(), sequences() and why(). All functions are inline and constant-folded: the
 * template is stamped out once a game, with no call and no branch on the game.
 *
 * A mark is 24 bits: a 4-bit count of marked checkers for each point 1..6.
 */
#ifndef HAS_MARKS
#error "include from a policy file"
#endif

/* The walks stay out of generate(), so that the common cases keep the registers. */
#if defined(__GNUC__)
#define APART static __attribute__((noinline))
#else
#define APART static
#endif

/* ---- the set of results: distinct boards in order of discovery ---------------------------- */

enum { SET_SLOTS = 1 << 16, SET_MIXED = 1 << 10 };

typedef struct set {
    nd_results *out;
    uint32_t *mark; /* marks of the entries, or NULL */
    int first;      /* entries before this index belong to an earlier layer */
    uint32_t mask;
    uint16_t *slot; /* index - first + 1, or 0 */
} set;

/* Empty it for the steps of so many boards: each makes 15 at most, one a checker. */
static inline void empty(set *s, int first, int boards)
{
    const uint32_t wanted = (uint32_t)boards * 2 * ND_CHECKERS;
    s->first = first;
    s->mask = 31;
    while (s->mask < wanted && s->mask < SET_SLOTS - 1) s->mask = 2 * s->mask + 1;
    memset(s->slot, 0, (s->mask + (size_t)1) * sizeof *s->slot);
}

static inline void put(set *s, const nd_board *b, uint32_t mark, nd_play play)
{
    nd_results *const out = s->out;
    uint64_t h = nd_board_hash(b) ^ mark;
    for (uint32_t i = (uint32_t)h & s->mask;; i = (i + 1) & s->mask) {
        if (s->slot[i] == 0) {
            const int n = out->count++;
            s->slot[i] = (uint16_t)(n - s->first + 1);
            out->board[n] = *b;
            out->play[n] = play;
            if (HAS_MARKS && s->mark) s->mark[n] = mark;
            return;
        }
        const int n = s->first + s->slot[i] - 1;
        if (nd_equal(&out->board[n], b) && (!HAS_MARKS || !s->mark || s->mark[n] == mark)) return;
    }
}

/* Apply one step of `die` to entries from..to, appending to the set; `at` is the step's position. */
static inline void layer(turn *t, set *s, int from, int to, int die, int at)
{
    for (int i = from; i < to; i++) {
        const nd_board base = s->out->board[i];
        const nd_play play = s->out->play[i];
        const uint32_t mark = HAS_MARKS && s->mark ? s->mark[i] : 0;
        for (uint32_t m = sources(t, &base, mark, die); m; m &= m - 1) {
            const int slot = nd_lowest(m);
            nd_board b = base;
            uint32_t k = mark;
            step(&b, &k, slot, die);
            put(s, &b, HAS_MARKS && s->mark ? k : 0, play | ND_STEP(slot, die) << 8 * at);
        }
#if HAS_MARKS
        for (uint32_t m = mark ? marked_sources(t, &base, mark, die) : 0; m; m &= m - 1) {
            const int slot = nd_lowest(m);
            nd_board b = base;
            uint32_t k = mark;
            step_marked(&b, &k, slot, die);
            put(s, &b, HAS_MARKS && s->mark ? k : 0, play | ND_STEP(slot, die) << 8 * at);
        }
#endif
    }
}

/* Move entries first..count to the front. */
static inline void keep_from(nd_results *out, uint32_t *mark, int first)
{
    const size_t n = (size_t)(out->count - first);
    memmove(out->board, out->board + first, n * sizeof *out->board);
    memmove(out->play, out->play + first, n * sizeof *out->play);
    if (HAS_MARKS && mark) memmove(mark, mark + first, n * sizeof *mark);
    out->count = (int)n;
}

/* Of the entries from..to keep those where a play may end, together from `from` on; the new end. */
static inline int keep_ends(const turn *t, nd_results *out, uint32_t *mark, int from, int to)
{
    if (!tests_ends(t)) return to;
    int n = from;
    for (int i = from; i < to; i++) {
        if (!may_end(t, &out->board[i])) continue;
        out->board[n] = out->board[i];
        out->play[n] = out->play[i];
        if (HAS_MARKS && mark) mark[n] = mark[i];
        n++;
    }
    return n;
}

static inline void begin(const nd_board *b, nd_results *out, uint32_t *mark)
{
    out->board[0] = *b;
    out->play[0] = 0;
    out->count = 1;
    out->dice = 0;
    if (HAS_MARKS && mark) mark[0] = 0;
}

/* ---- any order, any rule: layer by layer with a set ---------------------------------------- */

/* Results that differ only in their marks, or in the die that made them, are one result. */
static void merge_equal(nd_results *out)
{
    uint16_t slot[SET_SLOTS];
    memset(slot, 0, sizeof slot);
    const int n = out->count;
    set s = {out, NULL, 0, SET_SLOTS - 1, slot};
    out->count = 0;
    for (int i = 0; i < n; i++) {
        const nd_board b = out->board[i];
        put(&s, &b, 0, out->play[i]);
    }
}

/* Layers of one die each, `most` at most: all positions after the last that has any. */
static void walk_layers(turn *t, const nd_board *b, int die, int most, nd_results *out,
                        uint32_t *mark)
{
    uint16_t slot[SET_SLOTS];
    set s = {out, mark, 0, 0, slot};
    begin(b, out, mark);
    for (int at = 0; at < most; at++) {
        const int n = out->count;
        empty(&s, n, n);
        layer(t, &s, 0, n, die, at);
        if (out->count == n) return;
        keep_from(out, mark, n);
        out->dice = at + 1;
    }
}

APART void walk_double(turn *t, const nd_board *b, int die, nd_results *out, uint32_t *mark)
{
    walk_layers(t, b, die, 4, out, mark);
    /* As many dice as leave some play an end. */
    while ((out->count = keep_ends(t, out, mark, 0, out->count)) == 0)
        walk_layers(t, b, die, out->dice - 1, out, mark);
}

APART void walk_mixed(turn *t, const nd_board *b, int high, int low, nd_results *out,
                      uint32_t *mark)
{
    uint16_t slot[SET_MIXED]; /* for 30 boards after the first die at most */
    begin(b, out, mark);
    /* Entries: the start, then the positions after one die each way, then the results. */
    set s = {out, mark, 0, 0, slot};
    empty(&s, 1, 1);
    layer(t, &s, 0, 1, high, 0);
    const int after_high = out->count;
    empty(&s, after_high, 1);
    layer(t, &s, 0, 1, low, 0);
    const int after_low = out->count;
    empty(&s, after_low, after_low - 1);
    layer(t, &s, 1, after_high, low, 1);
    layer(t, &s, after_high, after_low, high, 1);
    out->count = keep_ends(t, out, mark, after_low, out->count);
    if (out->count > after_low) {
        keep_from(out, mark, after_low);
        out->dice = 2;
        return;
    }
    /* One die only: the larger if it plays, unless the option frees the choice. */
    const int high_end = keep_ends(t, out, mark, 1, after_high);
    const int low_end = keep_ends(t, out, mark, after_high, after_low);
    const bool with_high = high_end > 1, with_low = low_end > after_high;
    out->count = with_low && (t->either_die || !with_high) ? low_end : high_end;
    if (!with_high && !with_low) return; /* a pass: the start is still the first entry */
    out->dice = 1;
    if (with_high && with_low && t->either_die) {
        /* Close the gap between the two by moving the first lot up against the second. */
        const int gap = after_high - high_end;
        for (int i = high_end - 1; gap && i >= 1; i--) {
            out->board[i + gap] = out->board[i];
            out->play[i + gap] = out->play[i];
        }
        keep_from(out, NULL, 1 + gap);
        merge_equal(out);
    } else
        keep_from(out, mark, with_high ? 1 : after_high);
}

/* ---- the common cases, without a set -------------------------------------------------------- */

/* Doubles whose plays can be sorted: sources from high to low spell each result exactly once. */
static void sorted_double(turn *t, const nd_board *b, uint32_t below, int die, int at, nd_play play,
                          nd_results *out)
{
    uint32_t m = sources(t, b, 0, die) & below;
    if (m == 0) {
        /* A dead end; a shorter play than the best so far is not legal. */
        if (at > out->dice) out->dice = at, out->count = 0;
        if (at == out->dice) {
            out->board[out->count] = *b;
            out->play[out->count++] = play;
        }
        return;
    }
    if (at == 3) {
        if (out->dice < 4) out->dice = 4, out->count = 0;
        nd_board *to = out->board + out->count;
        nd_play *as = out->play + out->count;
        for (; m; m &= m - 1) {
            const int slot = nd_lowest(m);
            uint32_t k = 0;
            *to = *b;
            step(to++, &k, slot, die);
            *as++ = play | ND_STEP(slot, die) << 24;
        }
        out->count = (int)(to - out->board);
        return;
    }
    for (; m; m &= m - 1) {
        const int slot = nd_lowest(m);
        uint32_t k = 0;
        nd_board next = *b;
        step(&next, &k, slot, die);
        sorted_double(t, &next, (ND_BIT(slot) << 1) - 1, die, at + 1,
                      play | ND_STEP(slot, die) << 8 * at, out);
    }
}

/* Two steps that commute. Pairs (a by high, b by low) name each result once, except for one checker
 * running with both dice, which has up to three spellings:
 *   high first through x - high; low first through x - low; and, if an own checker already stands
 *   on x - low, that checker with high and x with low.
 * They differ only by what was hit on the way, so keep the first and add the others if it was. */
static void commuting_mixed(turn *t, const nd_board *b, int high, int low, nd_results *out)
{
    const uint32_t own = nd_any(b->own), from_high = sources(t, b, 0, high),
                   from_low = sources(t, b, 0, low), blots = hits(t);
    nd_board *to = out->board;
    nd_play *as = out->play;
    for (uint32_t m = from_high; m; m &= m - 1) {
        const int a = nd_lowest(m);
        uint32_t k = 0;
        nd_board after = *b;
        step(&after, &k, a, high);
        uint32_t second = sources(t, &after, 0, low);
        /* The third spelling: x = a + low would do better to run through x - high. */
        const uint32_t x = ND_BIT(a + low);
        if (second & x & from_high && !(blots & x >> high)) second &= ~x;
        const nd_play play = ND_STEP(a, high) | ND_STEP(0, low) << 8;
        for (; second; second &= second - 1) {
            const int c = nd_lowest(second);
            *to = after;
            step(to++, &k, c, low);
            *as++ = play | (uint32_t)c << 8;
        }
    }
    /* Low first: only runs over a point without an own checker are new. */
    uint32_t runs = from_low & ~(own << low) & t->open << (high + low);
    runs &= ~from_high | blots << high | blots << low;
    for (; runs; runs &= runs - 1) {
        const int x = nd_lowest(runs);
        uint32_t k = 0;
        *to = *b;
        step(to, &k, x, low);
        if (!runs_on(t, to, x - low, high)) continue;
        step(to++, &k, x - low, high);
        *as++ = ND_STEP(x, low) | ND_STEP(x - low, high) << 8;
    }
    out->count = (int)(to - out->board);
    out->dice = 2;
    if (out->count) return;
    const int die = from_high ? high : low;
    uint32_t m = from_high ? from_high : from_low;
    if (m == 0) {
        begin(b, out, NULL);
        return;
    }
    out->dice = 1;
    for (; m; m &= m - 1) {
        uint32_t k = 0;
        *to = *b;
        step(to++, &k, nd_lowest(m), die);
        *as++ = ND_STEP(nd_lowest(m), die);
    }
    out->count = (int)(to - out->board);
}

static void generate(const nd_board *b, int d1, int d2, const nd_options *opt, nd_results *out)
{
    turn t;
    const int high = d1 > d2 ? d1 : d2, low = d1 > d2 ? d2 : d1;
    turn_begin(&t, b, high, low, opt);
#if HAS_MARKS
    if (t.marks) {
        uint32_t mark[ND_MAX_RESULTS];
        if (high == low)
            walk_double(&t, b, high, out, mark);
        else
            walk_mixed(&t, b, high, low, out, mark);
        merge_equal(out);
        return;
    }
#endif
    if (high == low) {
        if (sorted_doubles(&t)) {
            out->count = out->dice = 0;
            sorted_double(&t, b, ~0u, high, 0, 0, out);
            if (trusted(&t, out)) return;
        }
        walk_double(&t, b, high, out, NULL);
    } else {
        if (commutes(&t, b, high, low)) {
            commuting_mixed(&t, b, high, low, out);
            if (trusted(&t, out)) return;
        }
        walk_mixed(&t, b, high, low, out, NULL);
    }
}

/* ---- ordered sequences for GUIs -------------------------------------------------------------- */

/* The board after some steps is one, but their marks may be several: when a marked and an unmarked
 * checker stand on one point, either may have moved. All are followed together, at most doubling
 * with each step, so that a sequence is found once. */
enum { SPELLED_MARKS = 1 << 4 };

/* One step with all marks: the board and the marks after it, and how many; 0 = not legal. */
static int follow(turn *t, const nd_board *b, const uint32_t *mark, int marks, int slot, int die,
                  nd_board *next, uint32_t after[SPELLED_MARKS])
{
    int n = 0;
    for (int i = 0; i < marks; i++) {
        if (sources(t, b, mark[i], die) & ND_BIT(slot)) {
            *next = *b;
            after[n] = mark[i];
            step(next, &after[n++], slot, die);
        }
#if HAS_MARKS
        if (mark[i] && marked_sources(t, b, mark[i], die) & ND_BIT(slot)) {
            *next = *b;
            after[n] = mark[i];
            step_marked(next, &after[n++], slot, die);
        }
        if (!t->marks) after[0] = 0; /* the rule that asks for marks is off */
#endif
    }
    return n;
}

typedef struct spelling {
    turn *t;
    int dice[4], count; /* dice still to play, in the order of this pass */
    int best, largest;  /* steps of the longest sequence; largest die of a one-step sequence */
    nd_play *out;
    int written, capacity;
    nd_play prefix, prefix_mask; /* only sequences that begin so are written */
    int reach;                   /* steps of the longest of these, whether it may end or not */
} spelling;

/* Take note of a sequence that may end the turn. */
static void spelt(spelling *s, int at, nd_play play)
{
    const int die = ND_STEP_DIE(play & 255);
    const bool single = at == 1 && s->count == 2 && !s->t->either_die;
    if (at > s->best || (at == s->best && single && die > s->largest)) {
        s->best = at;
        s->largest = die;
        s->written = 0;
    }
    if (at < s->best || (single && die < s->largest)) return;
    if ((play & s->prefix_mask) != s->prefix) return;
    if (s->written < s->capacity) s->out[s->written] = play;
    s->written++;
}

static void spell(spelling *s, const nd_board *b, const uint32_t *mark, int marks, int at,
                  nd_play play)
{
    const int die = at < s->count ? s->dice[at] : 0;
    uint32_t any = 0;
    for (int i = 0; die && i < marks; i++) {
        any |= sources(s->t, b, mark[i], die);
#if HAS_MARKS
        if (mark[i]) any |= marked_sources(s->t, b, mark[i], die);
#endif
    }
    if ((play & s->prefix_mask) == s->prefix && at > s->reach) s->reach = at;
    for (uint32_t m = any; m; m &= m - 1) {
        const int slot = nd_lowest(m);
        nd_board next;
        uint32_t after[SPELLED_MARKS];
        const int n = follow(s->t, b, mark, marks, slot, die, &next, after);
        spell(s, &next, after, n, at + 1, play | ND_STEP(slot, die) << 8 * at);
    }
    /* A sequence that goes on is never the longest, unless the longer ones may not end. */
    if (at == 0 || (any && !tests_ends(s->t))) return;
    if (may_end(s->t, b)) spelt(s, at, play);
}

static void spell_roll(spelling *s, const nd_board *b, int high, int low)
{
    const uint32_t unmarked = 0;
    s->count = high == low ? 4 : 2;
    for (int i = 0; i < 4; i++) s->dice[i] = i ? low : high;
    spell(s, b, &unmarked, 1, 0, 0);
    if (high == low) return;
    s->dice[0] = low, s->dice[1] = high;
    spell(s, b, &unmarked, 1, 0, 0);
}

static int sequences(const nd_board *b, int d1, int d2, const nd_options *opt, nd_play *out,
                     int capacity)
{
    turn t;
    const int high = d1 > d2 ? d1 : d2, low = d1 > d2 ? d2 : d1;
    turn_begin(&t, b, high, low, opt);
    spelling s = {.t = &t, .out = out, .capacity = capacity};
    spell_roll(&s, b, high, low);
    return s.written;
}

/* ---- why a step is refused ------------------------------------------------------------------- */

static nd_refusal why(const nd_board *b, int d1, int d2, const nd_options *opt, nd_play played,
                      int from, int die)
{
    turn t;
    const int high = d1 > d2 ? d1 : d2, low = d1 > d2 ? d2 : d1;
    turn_begin(&t, b, high, low, opt);
    int count = 0, left[2] = {high == low ? 4 : 1, high == low ? 0 : 1};
    while (count < 4 && played >> 8 * count & 255) count++;
    if (count == 4) return ND_REFUSED_DIE;
    const nd_play all = played | ND_STEP(from, die) << 8 * count;
    nd_board now = *b;
    uint32_t mark[SPELLED_MARKS] = {0};
    int marks = 1;
    for (int i = 0; i <= count; i++) {
        const int slot = ND_STEP_FROM(all >> 8 * i), pips = ND_STEP_DIE(all >> 8 * i);
        if ((pips != high && pips != low) || left[pips != high]-- == 0) return ND_REFUSED_DIE;
        nd_board next;
        uint32_t after[SPELLED_MARKS];
        const int n = follow(&t, &now, mark, marks, slot, pips, &next, after);
        if (n == 0) return refusal(&t, &now, slot, pips);
        now = next;
        marks = n;
        memcpy(mark, after, (size_t)n * sizeof *mark);
    }
    /* Every step can be made; the turn as a whole may forbid them. */
    spelling s = {.t = &t, .prefix = all, .prefix_mask = ~0u >> 8 * (3 - count)};
    spell_roll(&s, b, high, low);
    if (s.written) return ND_REFUSED_NOT;
    if (s.reach < s.best) return ND_REFUSED_FEW_DICE;
    return tests_ends(&t) && (s.best != 1 || die == s.largest) ? ND_REFUSED_WALL
                                                               : ND_REFUSED_SMALLER_DIE;
}
