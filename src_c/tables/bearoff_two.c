/* Two-sided bear-off: all pairs of positions, four lines of play at once.
 *
 * Let R(x, y) be the equities of rolling now with own position x against y, for each cube owner,
 * and V(x, y) the same with the right to double first. A roll that leads from x to x' is worth
 * -V(y, x') with the cube's owner seen from the other side. V(y, x') needs R(y, x'), which needs
 * pairs of lower x' and then lower y; so pairs are solved in rings of equal max(x, y) = m, and
 * within a ring the row (m, y < m) before the column (x <= m, m) in rising x.
 */
#include <string.h>

#include "tables/bearoff.h"
#include "tables/bearoff_file.h"
#include "tables/bearoff_plays.h"

enum { LAYOUT = 1, N = ND_BEAROFF_TWO_POSITIONS, LINES = 4 };
enum { CUBELESS, OWN, CENTRED, OPPONENT };

typedef struct line4 {
    double e[LINES];
} line4;

struct nd_bearoff_two {
    const line4 *equities; /* payload: R as [N][N], own position first */
    nd_bearoff_payload payload;
};

static const char provenance[] =
    "Two-sided bear-off, 6 points, 6 checkers a side, by nardy_core. Money equities of rolling "
    "now: "
    "cubeless, cube owned, centred, opponent's; best play and best cube action by both sides.";

/* -V(x, y) as the other side counts it after its move to y: its own cube is my opponent's. */
static line4 after_move(line4 r)
{
    const double take = 2 * r.e[OPPONENT], doubled = take < 1 ? take : 1;
    line4 v;
    v.e[CUBELESS] = -r.e[CUBELESS];
    v.e[OPPONENT] = -(doubled > r.e[OWN] ? doubled : r.e[OWN]);
    v.e[CENTRED] = -(doubled > r.e[CENTRED] ? doubled : r.e[CENTRED]);
    v.e[OWN] = -r.e[OPPONENT];
    return v;
}

/* sum[i] = mean over the rolls of the best result of x, value[x' * stride + i], 0 <= i < n. */
static inline void roll_all(const nd_bearoff_plays *res, uint32_t x, const double *value,
                            size_t stride, size_t n, double *restrict sum, double *restrict best)
{
    for (size_t i = 0; i < n; i++) sum[i] = 0;
    for (uint32_t r = 0; r < 21; r++) {
        const uint32_t *at = &res->at[21 * x + r];
        const double weight = nd_bearoff_roll_list[r].weight;
        memcpy(best, value + res->to[at[0]] * stride, n * sizeof *best);
        for (uint32_t j = at[0] + 1; j < at[1]; j++) {
            const double *other = value + res->to[j] * stride;
            for (size_t i = 0; i < n; i++) best[i] = other[i] > best[i] ? other[i] : best[i];
        }
        for (size_t i = 0; i < n; i++) sum[i] += weight * best[i];
    }
    for (size_t i = 0; i < n; i++) sum[i] /= 36;
}

typedef struct workspace {
    line4 after[N][N]; /* after[x][y] = after_move(R(y, x)): what moving to x against y is worth */
    line4 column[N];   /* after[.][m] of the ring in hand, together for the cache's sake */
    double best[LINES * N];
} workspace;

static void solve(const nd_bearoff_plays *res, line4 (*R)[N], workspace *w)
{
    const line4 won = {{1, 1, 1, 1}}, lost = {{-1, -1, -1, -1}};
    for (uint32_t y = 0; y < N; y++) {
        R[y][0] = lost;
        R[0][y] = w->after[0][y] = won;
    }
    w->column[0] = won;
    for (uint32_t m = 1; m < N; m++) {
        roll_all(res, m, w->after[0][1].e, LINES * N, LINES * (size_t)(m - 1), R[m][1].e, w->best);
        for (uint32_t y = 1; y < m; y++) w->after[y][m] = w->column[y] = after_move(R[m][y]);
        for (uint32_t x = 1; x <= m; x++) {
            double best[LINES];
            roll_all(res, x, w->column[0].e, LINES, LINES, R[x][m].e, best);
            w->after[m][x] = after_move(R[x][m]);
        }
    }
}

static nd_status attach(nd_bearoff_two *table)
{
    const nd_container *c = &table->payload.container;
    if (c->payload_bytes != sizeof(line4) * N * N) return ND_BAD_FILE;
    table->equities = c->payload;
    return ND_OK;
}

nd_status nd_bearoff_two_build(nd_bearoff_two **out)
{
    *out = NULL;
    nd_bearoff_plays *res = NULL;
    const size_t bytes = sizeof(line4) * N * N;
    nd_bearoff_two *table = calloc(1, sizeof *table);
    line4(*R)[N] = malloc(bytes);
    workspace *w = malloc(sizeof *w);
    nd_status status = nd_bearoff_plays_new(&res);
    if (!table || !R || !w) status = ND_NO_MEMORY;
    if (status == ND_OK) {
        solve(res, R, w);
        table->payload.memory = R;
        table->payload.container = (nd_container){.kind = ND_KIND_BEAROFF_TWO,
                                                  .layout = LAYOUT,
                                                  .provenance = provenance,
                                                  .payload = R,
                                                  .payload_bytes = bytes};
        status = attach(table);
        *out = table;
    } else {
        free(R);
        free(table);
    }
    free(w);
    nd_bearoff_plays_free(res);
    return status;
}

nd_status nd_bearoff_two_open(const char *path, nd_bearoff_two **out)
{
    *out = NULL;
    nd_bearoff_two *table = calloc(1, sizeof *table);
    if (!table) return ND_NO_MEMORY;
    nd_status status = nd_bearoff_payload_open(path, ND_KIND_BEAROFF_TWO, LAYOUT, &table->payload);
    if (status == ND_OK) status = attach(table);
    if (status == ND_OK)
        *out = table;
    else
        nd_bearoff_two_free(table);
    return status;
}

nd_status nd_bearoff_two_save(const nd_bearoff_two *table, const char *path)
{
    return nd_bearoff_payload_save(&table->payload, path);
}

void nd_bearoff_two_free(nd_bearoff_two *table)
{
    if (!table) return;
    nd_bearoff_payload_free(&table->payload);
    free(table);
}

nd_bearoff_equities nd_bearoff_two_probe(const nd_bearoff_two *table, uint32_t own, uint32_t opp)
{
    const line4 r = table->equities[(size_t)own * N + opp];
    return (nd_bearoff_equities){r.e[CUBELESS], r.e[OWN], r.e[CENTRED], r.e[OPPONENT]};
}
