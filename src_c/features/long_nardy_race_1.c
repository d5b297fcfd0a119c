/* long-nardy-race-1: the counts of both sides and nothing else. Made for positions in which both
 * are past each other, on their last twelve points. */
#include "features/features.h"

#define SIDE ND_COUNT_VALUES, 0, 0, 0, 0, 0, 0

const nd_features nd_long_nardy_race_1 = {
    .name = "long-nardy-race-1",
    .id = 4,
    .units = ND_COUNT_UNITS,
    .values = {SIDE, SIDE},
    .fill = nd_line_counts,
    .spell = nd_spell_count,
};
