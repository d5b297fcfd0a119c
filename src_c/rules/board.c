#include "rules/board.h"

void nd_board_from_counts(const int8_t own[ND_SLOTS], const int8_t opp[ND_SLOTS], nd_board *out)
{
    memset(out, 0, sizeof *out);
    for (int s = 0; s < ND_SLOTS; s++)
        for (int k = 0; k < ND_PLANES; k++) {
            out->own[k] |= (uint32_t)(own[s] >> k & 1) << s;
            out->opp[k] |= (uint32_t)(opp[s] >> k & 1) << s;
        }
}
