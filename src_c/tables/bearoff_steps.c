#include "tables/bearoff_steps.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
const uint16_t nd_bearoff_choose[ND_BEAROFF_POINTS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120},
    {0, 1, 4, 10, 20, 35, 56, 84, 120, 165, 220, 286, 364, 455, 560, 680},
    {0, 1, 5, 15, 35, 70, 126, 210, 330, 495, 715, 1001, 1365, 1820, 2380, 3060},
    {0, 1, 6, 21, 56, 126, 252, 462, 792, 1287, 2002, 3003, 4368, 6188, 8568, 11628},
    {0, 1, 7, 28, 84, 210, 462, 924, 1716, 3003, 5005, 8008, 12376, 18564, 27132, 38760},
};

const nd_bearoff_roll nd_bearoff_roll_list[21] = {
    {0, 0, 1}, {0, 1, 2}, {0, 2, 2}, {0, 3, 2}, {0, 4, 2}, {0, 5, 2}, {1, 1, 1},
    {1, 2, 2}, {1, 3, 2}, {1, 4, 2}, {1, 5, 2}, {2, 2, 1}, {2, 3, 2}, {2, 4, 2},
    {2, 5, 2}, {3, 3, 1}, {3, 4, 2}, {3, 5, 2}, {4, 4, 1}, {4, 5, 2}, {5, 5, 1},
};
/* clang-format on */

uint32_t nd_bearoff_index_of_counts(const uint8_t counts[ND_BEAROFF_POINTS])
{
    uint32_t index = 0;
    int sum = 0;
    for (int k = 0; k < ND_BEAROFF_POINTS; k++) {
        sum += counts[ND_BEAROFF_POINTS - 1 - k];
        index += nd_bearoff_choose[k][sum & 15];
    }
    return index;
}

void nd_bearoff_counts_of_index(uint32_t index, uint8_t counts[ND_BEAROFF_POINTS])
{
    int sum[ND_BEAROFF_POINTS]; /* on the k + 1 highest points */
    for (int k = ND_BEAROFF_POINTS - 1; k >= 0; k--) {
        sum[k] = 15;
        while (nd_bearoff_choose[k][sum[k]] > index) sum[k]--;
        index -= nd_bearoff_choose[k][sum[k]];
    }
    for (int k = 0; k < ND_BEAROFF_POINTS; k++)
        counts[ND_BEAROFF_POINTS - 1 - k] = (uint8_t)(sum[k] - (k ? sum[k - 1] : 0));
}

static void play_die(const uint8_t counts[ND_BEAROFF_POINTS], int die, nd_bearoff_steps *out)
{
    int higher = 0;
    for (int from = ND_BEAROFF_POINTS; from >= 1; from--) {
        if (!counts[from - 1]) continue;
        /* With a larger die than needed only the highest checker bears off. */
        if (from >= die || !higher) {
            uint8_t after[ND_BEAROFF_POINTS];
            memcpy(after, counts, sizeof after);
            after[from - 1]--;
            if (from > die) after[from - 1 - die]++;
            out->to[out->count++] = (uint16_t)nd_bearoff_index_of_counts(after);
        }
        higher += counts[from - 1];
    }
}

nd_status nd_bearoff_steps_new(uint32_t positions, nd_bearoff_steps (**out)[6])
{
    nd_bearoff_steps(*steps)[6] = calloc(positions, sizeof *steps);
    *out = steps;
    if (!steps) return ND_NO_MEMORY;
    for (uint32_t index = 0; index < positions; index++) {
        uint8_t counts[ND_BEAROFF_POINTS];
        nd_bearoff_counts_of_index(index, counts);
        for (int d = 0; d < 6; d++) play_die(counts, d + 1, &steps[index][d]);
    }
    return ND_OK;
}
