/* backgammon-race-1: the counts of both sides and nothing else. Made for positions without contact,
 * and for any small net that must be quick. */
#include "features/features.h"

#define SIDE ND_COUNT_VALUES, 0, 0, 0, 0, 0, 0

const nd_features nd_backgammon_race_1 = {
    .name = "backgammon-race-1",
    .id = 2,
    .units = ND_COUNT_UNITS,
    .values = {SIDE, SIDE},
    .fill = nd_line_counts,
    .spell = nd_spell_count,
};
