#include "tables/bearoff_plays.h"

#include <stdlib.h>
#include <string.h>

enum { N = ND_BEAROFF_TWO_POSITIONS };

/* Positions reached by one more die from each of from[0..count); `seen` is all zero between. */
static int spread(nd_bearoff_steps (*steps)[6], int die, const uint16_t *from, int count,
                  uint16_t *out, int n, uint8_t *seen)
{
    for (int i = 0; i < count; i++) {
        const nd_bearoff_steps *s = &steps[from[i]][die];
        /* Nothing left to play with: the game ended on the way. */
        const int options = s->count ? s->count : 1;
        for (int j = 0; j < options; j++) {
            const uint16_t to = s->count ? s->to[j] : from[i];
            if (!seen[to]) out[n++] = to;
            seen[to] = 1;
        }
    }
    return n;
}

static int play_roll(nd_bearoff_steps (*steps)[6], uint16_t x, nd_bearoff_roll roll,
                     uint16_t out[N])
{
    uint8_t seen[N] = {0};
    uint16_t middle[N];
    int n = 0;
    if (roll.a == roll.b) {
        out[0] = x, n = 1;
        for (int k = 0; k < 4; k++) {
            memcpy(middle, out, (size_t)n * sizeof *middle);
            n = spread(steps, roll.a, middle, n, out, 0, seen);
            for (int i = 0; i < n; i++) seen[out[i]] = 0;
        }
    } else {
        n = spread(steps, roll.b, steps[x][roll.a].to, steps[x][roll.a].count, out, n, seen);
        n = spread(steps, roll.a, steps[x][roll.b].to, steps[x][roll.b].count, out, n, seen);
    }
    return n;
}

nd_status nd_bearoff_plays_new(nd_bearoff_plays **out)
{
    nd_bearoff_steps(*steps)[6] = NULL;
    nd_bearoff_plays *res = *out = calloc(1, sizeof *res);
    nd_status status = res ? nd_bearoff_steps_new(N, &steps) : ND_NO_MEMORY;
    for (uint32_t x = 1; status == ND_OK && x < N; x++)
        for (uint32_t r = 0; r < 21; r++) {
            uint16_t to[N];
            const int n = play_roll(steps, (uint16_t)x, nd_bearoff_roll_list[r], to);
            if (res->used + N > res->room) {
                res->room = 2 * res->room + 4 * N;
                uint16_t *grown = realloc(res->to, res->room * sizeof *grown);
                if (!grown) {
                    status = ND_NO_MEMORY;
                    break;
                }
                res->to = grown;
            }
            memcpy(res->to + res->used, to, (size_t)n * sizeof *to);
            res->used += (uint32_t)n;
            res->at[21 * x + r + 1] = res->used;
        }
    free(steps);
    return status;
}

void nd_bearoff_plays_free(nd_bearoff_plays *plays)
{
    if (plays) free(plays->to);
    free(plays);
}
