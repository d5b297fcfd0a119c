/* One-sided bear-off: a single upward pass, since every move leads to a lower index.
 *
 * Playing a roll to minimise a mean needs no list of results: best[d][k][x] is the best position
 * reachable from x with k + 1 more steps of die d, so a double is best[d][3] and a roll of a and b
 * is one step of a followed by best[b][0], or the other way round.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tables/bearoff.h"
#include "tables/bearoff_file.h"
#include "tables/bearoff_steps.h"

enum {
    LAYOUT = 1,
    N = ND_BEAROFF_POSITIONS,
    FULL = N - ND_BEAROFF_FULL,
    ENTRIES = N + FULL,
    ROLLS = ND_BEAROFF_MAX_ROLLS + 1
};

/* Payload: ENTRIES entries (all off, then first off), then the pool of doubles they point into. */
typedef struct entry {
    uint32_t at;
    uint8_t first, count;
    uint16_t zero;
} entry;

struct nd_bearoff_one {
    const entry *entries;
    const double *pool;
    nd_bearoff_payload payload;
};

static const char provenance[] =
    "One-sided bear-off, 6 points, 15 checkers, by nardy_core. Each roll is played to minimise the "
    "mean number of rolls. Distributions of the rolls to bear off all, and the first of 15.";

typedef struct solution {
    double mean[N];
    double p[N][ROLLS]; /* p[x][n] = probability of exactly n rolls */
    uint16_t best[6][4][N];
} solution;

/* Lower mean; of equals the lower index. */
static uint32_t better(const double *mean, uint32_t a, uint32_t b)
{
    return mean[b] < mean[a] || (mean[b] == mean[a] && b < a) ? b : a;
}

static uint32_t best_step(const double *mean, const nd_bearoff_steps *steps, const uint16_t *then)
{
    uint32_t best = then ? then[steps->to[0]] : steps->to[0];
    for (int i = 1; i < steps->count; i++)
        best = better(mean, best, then ? then[steps->to[i]] : steps->to[i]);
    return best;
}

/* Rolls until the index is below `done`. */
static void solve(solution *s, nd_bearoff_steps (*steps)[6], uint32_t done)
{
    memset(s, 0, sizeof *s);
    for (uint32_t x = 0; x < done; x++) {
        s->p[x][0] = 1;
        for (int d = 0; d < 6; d++)
            for (int k = 0; k < 4; k++) s->best[d][k][x] = (uint16_t)x;
    }
    for (uint32_t x = done; x < N; x++) {
        for (int d = 0; d < 6; d++)
            for (int k = 0; k < 4; k++)
                s->best[d][k][x] =
                    (uint16_t)best_step(s->mean, &steps[x][d], k ? s->best[d][k - 1] : NULL);
        double mean = 0;
        for (int r = 0; r < 21; r++) {
            const nd_bearoff_roll roll = nd_bearoff_roll_list[r];
            const uint32_t y =
                roll.a == roll.b
                    ? s->best[roll.a][3][x]
                    : better(s->mean, best_step(s->mean, &steps[x][roll.a], s->best[roll.b][0]),
                             best_step(s->mean, &steps[x][roll.b], s->best[roll.a][0]));
            mean += roll.weight * s->mean[y];
            for (int n = 1; n < ROLLS; n++) s->p[x][n] += roll.weight * s->p[y][n - 1];
        }
        s->mean[x] = 1 + mean / 36;
        for (int n = 1; n < ROLLS; n++) s->p[x][n] /= 36;
    }
}

/* Appends the non-zero stretch of a distribution to the pool. */
static entry store(const double p[ROLLS], double *pool, uint32_t *used)
{
    int first = 0, last = ROLLS - 1;
    while (p[first] == 0) first++;
    while (p[last] == 0) last--;
    const entry e = {*used, (uint8_t)first, (uint8_t)(last - first + 1), 0};
    memcpy(pool + *used, p + first, e.count * sizeof *pool);
    *used += e.count;
    return e;
}

/* Points the table into its payload, having seen that every entry stays inside the pool. */
static nd_status attach(nd_bearoff_one *table)
{
    const nd_container *c = &table->payload.container;
    if (c->payload_bytes < ENTRIES * sizeof(entry) || c->payload_bytes % sizeof(double) != 0)
        return ND_BAD_FILE;
    table->entries = c->payload;
    table->pool = (const double *)(const void *)(table->entries + ENTRIES);
    const size_t pool = (c->payload_bytes - ENTRIES * sizeof(entry)) / sizeof(double);
    for (size_t i = 0; i < ENTRIES; i++) {
        const entry e = table->entries[i];
        if (e.count == 0 || e.first + e.count > ROLLS || e.at > pool || e.count > pool - e.at)
            return ND_BAD_FILE;
    }
    return ND_OK;
}

/* Fills `payload` and returns its length, 0 without memory. */
static size_t fill(uint8_t *payload)
{
    solution *s = malloc(sizeof *s);
    nd_bearoff_steps(*steps)[6] = NULL;
    entry *entries = (entry *)(void *)payload;
    double *pool = (double *)(void *)(entries + ENTRIES);
    uint32_t used = 0;
    const bool ok = s && nd_bearoff_steps_new(N, &steps) == ND_OK;
    if (ok) {
        solve(s, steps, 1);
        for (uint32_t x = 0; x < N; x++) entries[x] = store(s->p[x], pool, &used);
        solve(s, steps, ND_BEAROFF_FULL);
        for (uint32_t x = ND_BEAROFF_FULL; x < N; x++)
            entries[N - ND_BEAROFF_FULL + x] = store(s->p[x], pool, &used);
    }
    free(steps);
    free(s);
    return ok ? ENTRIES * sizeof(entry) + used * sizeof(double) : 0;
}

nd_status nd_bearoff_one_build(nd_bearoff_one **out)
{
    *out = NULL;
    nd_bearoff_one *table = calloc(1, sizeof *table);
    uint8_t *payload = malloc(ENTRIES * (sizeof(entry) + ROLLS * sizeof(double)));
    const size_t bytes = table && payload ? fill(payload) : 0;
    if (!bytes) {
        free(payload);
        free(table);
        return ND_NO_MEMORY;
    }
    void *smaller = realloc(payload, bytes);
    table->payload.memory = smaller ? smaller : payload;
    table->payload.container = (nd_container){.kind = ND_KIND_BEAROFF_ONE,
                                              .layout = LAYOUT,
                                              .provenance = provenance,
                                              .payload = table->payload.memory,
                                              .payload_bytes = bytes};
    *out = table;
    return attach(table);
}

nd_status nd_bearoff_one_open(const char *path, nd_bearoff_one **out)
{
    *out = NULL;
    nd_bearoff_one *table = calloc(1, sizeof *table);
    if (!table) return ND_NO_MEMORY;
    nd_status status = nd_bearoff_payload_open(path, ND_KIND_BEAROFF_ONE, LAYOUT, &table->payload);
    if (status == ND_OK) status = attach(table);
    if (status == ND_OK)
        *out = table;
    else
        nd_bearoff_one_free(table);
    return status;
}

nd_status nd_bearoff_one_save(const nd_bearoff_one *table, const char *path)
{
    return nd_bearoff_payload_save(&table->payload, path);
}

void nd_bearoff_one_free(nd_bearoff_one *table)
{
    if (!table) return;
    nd_bearoff_payload_free(&table->payload);
    free(table);
}

static nd_bearoff_rolls rolls_of(const nd_bearoff_one *table, size_t i)
{
    const entry e = table->entries[i];
    return (nd_bearoff_rolls){table->pool + e.at, e.first, e.count};
}

nd_bearoff_rolls nd_bearoff_one_all(const nd_bearoff_one *table, uint32_t index)
{
    return rolls_of(table, index);
}

nd_bearoff_rolls nd_bearoff_one_first(const nd_bearoff_one *table, uint32_t index)
{
    /* Entry 0 is certainly no roll at all. */
    return rolls_of(table, index < ND_BEAROFF_FULL ? 0 : N - ND_BEAROFF_FULL + index);
}

void nd_bearoff_moments(nd_bearoff_rolls rolls, double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < rolls.count; i++) sum += (rolls.first + i) * rolls.p[i];
    for (int i = 0; i < rolls.count; i++) {
        const double off = rolls.first + i - sum;
        squares += off * off * rolls.p[i];
    }
    *mean = sum;
    *deviation = sqrt(squares);
}

/* Sum over n of P(a = n) P(b >= n + lead). */
static double ahead(nd_bearoff_rolls a, nd_bearoff_rolls b, int lead)
{
    double at_least = 0, sum = 0; /* at_least = P(b >= m) */
    int m = b.first + b.count;
    for (int i = a.count - 1; i >= 0; i--) {
        const int n = a.first + i + lead;
        while (m > n && m > b.first) at_least += b.p[--m - b.first];
        sum += a.p[i] * (n <= b.first ? 1 : at_least);
    }
    return sum;
}

void nd_bearoff_one_outcomes(const nd_bearoff_one *table, uint32_t own, uint32_t opp, double out[6])
{
    /* When own is done after n rolls the other has had n - 1, and when the other is done after n,
     * own has had n too. Who has borne off a checker loses no gammon. */
    const nd_bearoff_rolls a = nd_bearoff_one_all(table, own), b = nd_bearoff_one_all(table, opp);
    const double win = ahead(a, b, 0);
    const double win_gammon =
        opp < ND_BEAROFF_FULL ? 0 : ahead(a, nd_bearoff_one_first(table, opp), 0);
    const double lose_gammon =
        own < ND_BEAROFF_FULL ? 0 : ahead(b, nd_bearoff_one_first(table, own), 1);
    out[0] = fmax(win - win_gammon, 0);
    out[1] = win_gammon;
    out[2] = 0;
    out[3] = fmax(1 - win - lose_gammon, 0);
    out[4] = lose_gammon;
    out[5] = 0;
}

void nd_bearoff_one_equalised(const nd_bearoff_one *table, uint32_t own, uint32_t opp, bool to_opp,
                              double out[6])
{
    const nd_bearoff_rolls a = nd_bearoff_one_all(table, own), b = nd_bearoff_one_all(table, opp);
    /* How many rolls more than the winner's the loser has to need. */
    const int behind_own = to_opp, behind_opp = 2 - to_opp;
    const double win = ahead(a, b, behind_own), lose = ahead(b, a, behind_opp);
    out[1] = opp < ND_BEAROFF_FULL ? 0 : ahead(a, nd_bearoff_one_first(table, opp), behind_own);
    out[4] = own < ND_BEAROFF_FULL ? 0 : ahead(b, nd_bearoff_one_first(table, own), behind_opp);
    out[0] = fmax(win - out[1], 0);
    out[3] = fmax(lose - out[4], 0);
    out[2] = out[5] = 0;
}
