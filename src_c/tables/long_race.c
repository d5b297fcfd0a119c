/* One upward pass for both policies: every move leads to a lower state.
 *
 * Losing least is a matter of when the other side will be done, which a table of one side cannot
 * know. It takes all times as equally likely: then the loss is a constant and the sum of what each
 * roll's end would cost, and minimising its mean is as simple as for a number of rolls.
 *
 * As in the bear-off table, playing a roll to minimise a mean needs no list of results: with
 * best[d][k][x] the best state that k + 1 steps of die d reach from x, a double is one step and
 * best[d][2], and two unlike dice are one step of either and best[.][0] of the other. Nothing is
 * ever unplayable here: whoever is not all home has a checker above any die.
 */
#include "tables/long_race.h"

#include <math.h>
#include <stdlib.h>

#include "tables/bearoff_file.h"
#include "tables/bearoff_steps.h"

enum {
    LAYOUT = 1,
    LESS = ND_BEAROFF_FULL, /* states with a checker off are numbered by nd_bearoff_index */
    P = ND_LONG_RACE_POINTS,
    KINDS = 3, /* all off, all home, first off */
    ROLLS = 80,
    UNIT = 65535,
    SLICE = 1 << 14 /* states between two looks at the stop flag */
};

/* Payload: `header`, the states, then the pool of probabilities: at[state] is where the three
 * distributions of a state begin in it, one behind the other. */
typedef struct header {
    uint32_t points, states;
    uint64_t pool;
} header;

typedef struct state {
    uint32_t at;
    uint8_t first[KINDS], count[KINDS];
    uint16_t zero;
} state;

/* choose[k][s] = C(s + k - 1, k): what s checkers on the k highest points add to the rank of an
 * arrangement of fifteen, for all k below the number of points. */
typedef uint32_t ranks[P][ND_CHECKERS + 1];

struct nd_long_race {
    int points;
    ranks choose;
    const state *states;
    const uint16_t *pool;
    nd_bearoff_payload payload;
};

static const char provenance[] =
    "Race table of long nardy by nardy_core: distributions of the rolls until all are off, played "
    "for the least mean; until all are home and until the first is off, played to lose least.";

static void make_ranks(ranks choose)
{
    for (int s = 0; s <= ND_CHECKERS; s++) choose[0][s] = 1;
    for (int k = 1; k < P; k++) {
        choose[k][0] = 0;
        for (int s = 1; s <= ND_CHECKERS; s++) choose[k][s] = choose[k][s - 1] + choose[k - 1][s];
    }
}

static uint32_t arrangements(int points, ranks choose)
{
    uint32_t n = 1;
    for (int k = 1; k < points; k++) n += choose[k][ND_CHECKERS];
    return n;
}

/* ---- building -------------------------------------------------------------------------------- */

/* Plays to minimise the mean cost of the rolls until the state is below `done`. */
typedef struct policy {
    double *mean;
    uint32_t *best[6][3];
    uint32_t done;
} policy;

/* A roll's cost to those who may yet lose with none off: what an end of the game after it would cost
 * above an oin, with three points for a home mars and one for a mars. */
enum { OUTSIDE = 1, NONE_OFF = 3 };

typedef struct builder {
    int points;
    uint32_t states;
    ranks choose;
    nd_bearoff_steps (*steps)[6]; /* of the states with a checker off */
    policy all, first;
    state *out;
    uint16_t *pool;
    size_t used, room;
} builder;

/* Where one step of each die leads. */
typedef struct targets {
    uint32_t to[6][P];
    int count[6];
} targets;

/* Counts of points 1..points of the arrangement of fifteen with this rank; counts[0] = point 1. */
static void unrank(const builder *b, uint32_t rank, uint8_t counts[P])
{
    int above = ND_CHECKERS;
    for (int k = b->points - 1; k >= 1; k--) {
        int s = above;
        while (b->choose[k][s] > rank) s--;
        rank -= b->choose[k][s];
        counts[b->points - 1 - k] = (uint8_t)(above - s);
        above = s;
    }
    counts[b->points - 1] = (uint8_t)above;
}

static void targets_of_less(const builder *b, uint32_t x, targets *t)
{
    for (int d = 0; d < 6; d++) {
        const nd_bearoff_steps *const s = &b->steps[x][d];
        t->count[d] = s->count;
        for (int i = 0; i < s->count; i++) t->to[d][i] = s->to[i];
    }
}

static uint32_t one_off(const uint8_t counts[P], int from)
{
    uint8_t home[ND_BEAROFF_POINTS];
    memcpy(home, counts, sizeof home);
    home[from - 1]--;
    return nd_bearoff_index_of_counts(home);
}

static void targets_of_fifteen(const builder *b, uint32_t x, const uint8_t counts[P], targets *t)
{
    /* A checker that passes below point p takes gap(p) off the rank; fall[] adds them up. */
    uint32_t fall[P + 1] = {0};
    int highest = 0;
    for (int p = b->points, s = 0; p >= 2; p--) {
        s += counts[p - 1];
        if (s && !highest) highest = p;
        fall[p] = s ? b->choose[b->points - p][s] : 0;
    }
    if (!highest) highest = 1;
    for (int p = 2; p <= b->points; p++) fall[p] += fall[p - 1];
    for (int die = 1; die <= 6; die++) {
        int n = 0;
        for (int from = highest; from >= 1; from--) {
            if (!counts[from - 1]) continue;
            if (from > die)
                t->to[die - 1][n++] = x - (fall[from] - fall[from - die]);
            else if (highest <= ND_BEAROFF_POINTS && (from == die || from == highest))
                t->to[die - 1][n++] = one_off(counts, from);
        }
        t->count[die - 1] = n;
    }
}

/* Lower mean; of those that differ by no more than rounding the lower state. */
static inline uint32_t better(const double *mean, uint32_t a, uint32_t b)
{
    const double gain = mean[a] - mean[b], same = 1e-9;
    return gain > same || (gain >= -same && b < a) ? b : a;
}

static uint32_t best_step(const policy *q, const targets *t, int d, const uint32_t *then)
{
    uint32_t best = then ? then[t->to[d][0]] : t->to[d][0];
    for (int i = 1; i < t->count[d]; i++)
        best = better(q->mean, best, then ? then[t->to[d][i]] : t->to[d][i]);
    return best;
}

/* The state after each roll, and the mean of this one. */
static void play(policy *q, uint32_t x, double cost, const targets *t, uint32_t after[21])
{
    if (x < q->done) {
        q->mean[x] = 0;
        for (int d = 0; d < 6; d++)
            for (int k = 0; k < 3; k++) q->best[d][k][x] = x;
        return;
    }
    double sum = 0;
    for (int d = 0; d < 6; d++)
        for (int k = 0; k < 3; k++)
            q->best[d][k][x] = best_step(q, t, d, k ? q->best[d][k - 1] : NULL);
    for (int r = 0; r < 21; r++) {
        const nd_bearoff_roll roll = nd_bearoff_roll_list[r];
        after[r] = roll.a == roll.b ? best_step(q, t, roll.a, q->best[roll.a][2])
                                    : better(q->mean, best_step(q, t, roll.a, q->best[roll.b][0]),
                                             best_step(q, t, roll.b, q->best[roll.a][0]));
        sum += roll.weight * q->mean[after[r]];
    }
    q->mean[x] = cost + sum / 36;
}

/* Append a distribution to the pool, rounded to sum to UNIT. */
static void store(builder *b, uint32_t x, int kind, const double p[ROLLS])
{
    uint16_t rounded[ROLLS];
    int top = 0, left = UNIT, first = 0, last = ROLLS - 1;
    for (int n = 0; n < ROLLS; n++) {
        rounded[n] = (uint16_t)(p[n] * UNIT + 0.5);
        left -= rounded[n];
        if (p[n] > p[top]) top = n;
    }
    rounded[top] = (uint16_t)(rounded[top] + left);
    while (!rounded[first]) first++;
    while (!rounded[last]) last--;
    b->out[x].first[kind] = (uint8_t)first;
    b->out[x].count[kind] = (uint8_t)(last - first + 1);
    memcpy(b->pool + b->used, rounded + first, (size_t)(last - first + 1) * sizeof *rounded);
    b->used += (size_t)(last - first + 1);
}

/* One roll more than what is left after it. */
static void expect(builder *b, uint32_t x, int kind, bool done, const uint32_t after[21])
{
    double p[ROLLS] = {0};
    if (done) {
        p[0] = 1;
    } else {
        for (int r = 0; r < 21; r++) {
            const state *const y = &b->out[after[r]];
            const uint16_t *from = b->pool + y->at;
            for (int k = 0; k < kind; k++) from += y->count[k];
            double *const to = p + y->first[kind] + 1;
            for (int i = 0; i < y->count[kind]; i++)
                to[i] += nd_bearoff_roll_list[r].weight * from[i];
        }
        for (int n = 0; n < ROLLS; n++) p[n] /= 36.0 * UNIT;
    }
    store(b, x, kind, p);
}

static bool reserve(builder *b)
{
    if (b->used + KINDS * ROLLS <= b->room) return true;
    const size_t room = b->room + b->room / 4 + (1 << 16);
    uint16_t *const pool = realloc(b->pool, room * sizeof *pool);
    if (!pool) return false;
    b->pool = pool, b->room = room;
    return true;
}

static nd_status solve(builder *b, const nd_stop *stop)
{
    for (uint32_t x = 0; x < b->states; x++) {
        if (x % SLICE == 0 && nd_stop_raised(stop)) return ND_CANCELLED;
        if (!reserve(b)) return ND_NO_MEMORY;
        b->out[x] = (state){.at = (uint32_t)b->used};
        targets t = {{{0}}, {0}};
        bool home = true;
        if (x < LESS) {
            targets_of_less(b, x, &t);
        } else {
            uint8_t counts[P];
            unrank(b, x - LESS, counts);
            for (int p = ND_BEAROFF_POINTS; p < b->points; p++) home &= !counts[p];
            targets_of_fifteen(b, x, counts, &t);
        }
        uint32_t after[21];
        play(&b->all, x, 1, &t, after);
        expect(b, x, 0, x < b->all.done, after);
        play(&b->first, x, home ? NONE_OFF : OUTSIDE, &t, after);
        expect(b, x, 1, home, after);
        expect(b, x, 2, x < b->first.done, after);
    }
    return ND_OK;
}

static bool policy_new(policy *q, uint32_t states, uint32_t done)
{
    bool ok = (q->mean = malloc(states * sizeof *q->mean)) != NULL;
    for (int d = 0; d < 6; d++)
        for (int k = 0; k < 3; k++)
            ok &= (q->best[d][k] = malloc(states * sizeof *q->best[d][k])) != NULL;
    q->done = done;
    return ok;
}

static void policy_free(policy *q)
{
    free(q->mean);
    for (int d = 0; d < 6; d++)
        for (int k = 0; k < 3; k++) free(q->best[d][k]);
}

/* The payload, header first, or NULL. */
static uint8_t *payload(const builder *b, size_t *bytes)
{
    const header h = {(uint32_t)b->points, b->states, b->used};
    const size_t states = b->states * sizeof *b->out, pool = b->used * sizeof *b->pool;
    *bytes = sizeof h + states + pool;
    uint8_t *const out = malloc(*bytes);
    if (!out) return NULL;
    memcpy(out, &h, sizeof h);
    memcpy(out + sizeof h, b->out, states);
    memcpy(out + sizeof h + states, b->pool, pool);
    return out;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Points the table into its payload, having seen that every state stays inside the pool. */
static nd_status attach(nd_long_race *table)
{
    const nd_container *const c = &table->payload.container;
    header h;
    if (c->payload_bytes < sizeof h) return ND_BAD_FILE;
    memcpy(&h, c->payload, sizeof h);
    if (h.points < ND_LONG_RACE_MIN_POINTS || h.points > P) return ND_BAD_FILE;
    make_ranks(table->choose);
    if (h.states != LESS + arrangements((int)h.points, table->choose)) return ND_BAD_FILE;
    const size_t before = sizeof h + h.states * sizeof(state);
    if (c->payload_bytes < before || (c->payload_bytes - before) % sizeof(uint16_t) != 0 ||
        h.pool != (c->payload_bytes - before) / sizeof(uint16_t))
        return ND_BAD_FILE;
    const uint8_t *const bytes = c->payload;
    table->points = (int)h.points;
    table->states = (const state *)(const void *)(bytes + sizeof h);
    table->pool = (const uint16_t *)(const void *)(bytes + before);
    for (uint32_t x = 0; x < h.states; x++) {
        const state s = table->states[x];
        size_t count = 0;
        for (int k = 0; k < KINDS; k++) {
            if (s.count[k] == 0 || s.first[k] + s.count[k] > ROLLS) return ND_BAD_FILE;
            count += s.count[k];
        }
        if (s.at > h.pool || count > h.pool - s.at) return ND_BAD_FILE;
    }
    return ND_OK;
}

nd_status nd_long_race_build(int points, const nd_stop *stop, nd_long_race **out)
{
    *out = NULL;
    if (points < ND_LONG_RACE_MIN_POINTS || points > P) return ND_BAD_ARGUMENT;
    builder *const b = calloc(1, sizeof *b);
    nd_long_race *const table = calloc(1, sizeof *table);
    nd_status status = b && table ? ND_OK : ND_NO_MEMORY;
    if (status == ND_OK) {
        make_ranks(b->choose);
        b->points = points;
        b->states = LESS + arrangements(points, b->choose);
        const bool all = policy_new(&b->all, b->states, 1);
        const bool first = policy_new(&b->first, b->states, LESS);
        b->out = malloc(b->states * sizeof *b->out);
        if (!all || !first || !b->out) status = ND_NO_MEMORY;
    }
    if (status == ND_OK) status = nd_bearoff_steps_new(LESS, &b->steps);
    if (status == ND_OK) status = solve(b, stop);
    size_t bytes = 0;
    if (b) policy_free(&b->all), policy_free(&b->first);
    if (status == ND_OK && !(table->payload.memory = payload(b, &bytes))) status = ND_NO_MEMORY;
    if (b) free(b->steps), free(b->out), free(b->pool);
    free(b);
    if (status == ND_OK) {
        table->payload.container = (nd_container){.kind = ND_KIND_LONG_RACE,
                                                  .layout = LAYOUT,
                                                  .provenance = provenance,
                                                  .payload = table->payload.memory,
                                                  .payload_bytes = bytes};
        status = attach(table);
    }
    if (status == ND_OK)
        *out = table;
    else
        nd_long_race_free(table);
    return status;
}

nd_status nd_long_race_open(const char *path, nd_long_race **out)
{
    *out = NULL;
    nd_long_race *const table = calloc(1, sizeof *table);
    if (!table) return ND_NO_MEMORY;
    nd_status status = nd_bearoff_payload_open(path, ND_KIND_LONG_RACE, LAYOUT, &table->payload);
    if (status == ND_OK) status = attach(table);
    if (status == ND_OK)
        *out = table;
    else
        nd_long_race_free(table);
    return status;
}

nd_status nd_long_race_save(const nd_long_race *table, const char *path)
{
    return nd_bearoff_payload_save(&table->payload, path);
}

void nd_long_race_free(nd_long_race *table)
{
    if (!table) return;
    nd_bearoff_payload_free(&table->payload);
    free(table);
}

int nd_long_race_points(const nd_long_race *table) { return table->points; }

/* ---- probing --------------------------------------------------------------------------------- */

bool nd_long_race_find(const nd_long_race *table, const uint32_t planes[ND_PLANES],
                       nd_long_race_side *out)
{
    const uint32_t any = nd_any(planes) & (ND_POINTS | ND_BIT(ND_OFF));
    const bool some_off = any & ND_BIT(ND_OFF);
    uint32_t x;
    if ((any & ~1u) >> (table->points + 1)) return false;
    if (some_off) {
        if (any & ND_POINTS & ~ND_HOME) return false;
        x = nd_bearoff_index(planes);
    } else {
        x = LESS;
        for (int k = 1, s = 0; k < table->points; k++) {
            s += nd_count(planes, table->points + 1 - k);
            x += table->choose[k][s];
        }
    }
    const state s = table->states[x];
    const uint16_t *p = table->pool + s.at;
    nd_long_race_rolls *const rolls[KINDS] = {&out->all_off, &out->all_home, &out->first_off};
    for (int k = 0; k < KINDS; p += s.count[k++])
        *rolls[k] = (nd_long_race_rolls){p, s.first[k], s.count[k]};
    return true;
}

/* P(rolls > n) * UNIT for n = 0..ROLLS. */
static void more_than(nd_long_race_rolls rolls, double tail[ROLLS + 1])
{
    double left = UNIT;
    for (int n = 0, i = 0; n <= ROLLS; n++) {
        if (n >= rolls.first && i < rolls.count) left -= rolls.p[i++];
        tail[n] = left;
    }
}

/* Sum over n of P(done = n) tail[n - lead]: what is still so when the other side is done. */
static double still(nd_long_race_rolls done, const double tail[ROLLS + 1], int lead)
{
    double sum = 0;
    for (int i = 0; i < done.count; i++) sum += done.p[i] * tail[done.first + i - lead];
    return sum / ((double)UNIT * UNIT);
}

bool nd_long_race_outcomes(const nd_long_race *table, const nd_board *board, float out[8])
{
    nd_long_race_side own, opp;
    if (!nd_long_race_find(table, board->own, &own) || !nd_long_race_find(table, board->opp, &opp))
        return false;
    /* When own is done after n rolls the other side has had n - 1, and when the other is done after
     * n, own has had n too; and one more who is owed it. */
    const int lead[2] = {1 - nd_is_owed(board->opp), 0 - nd_is_owed(board->own)};
    const bool equalised = nd_is_owed(board->own) || nd_is_owed(board->opp);
    const nd_long_race_side *const loser[2] = {&opp, &own}, *const winner[2] = {&own, &opp};
    double tail[ROLLS + 1], none[2], outside[2];
    more_than(opp.all_off, tail);
    const double win = still(own.all_off, tail, lead[0]);
    double lose = 1 - win;
    if (equalised) { /* the rest are draws */
        more_than(own.all_off, tail);
        lose = still(opp.all_off, tail, lead[1]);
    }
    for (int i = 0; i < 2; i++) {
        more_than(loser[i]->first_off, tail);
        none[i] = still(winner[i]->all_off, tail, lead[i]);
        more_than(loser[i]->all_home, tail);
        outside[i] = still(winner[i]->all_off, tail, lead[i]);
    }
    const double total[2] = {win, lose};
    for (int i = 0; i < 2; i++) {
        out[4 * i] = (float)fmax(total[i] - none[i], 0);
        out[4 * i + 1] = (float)outside[i];
        out[4 * i + 2] = 0;
        out[4 * i + 3] = (float)fmax(none[i] - outside[i], 0);
    }
    return true;
}
