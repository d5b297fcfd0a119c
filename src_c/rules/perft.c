#include "rules/rules.h"

uint64_t nd_perft(const nd_rules *rules, const nd_board *b, const nd_options *opt, int depth,
                  nd_results *scratch)
{
    if (depth == 0 || rules->outcome(b) >= 0) return 1;
    uint64_t sum = 0;
    for (int d1 = 1; d1 <= 6; d1++)
        for (int d2 = d1; d2 <= 6; d2++) {
            rules->generate(b, d1, d2, opt, scratch);
            if (depth == 1) {
                sum += (uint64_t)scratch->count;
                continue;
            }
            for (int i = 0; i < scratch->count; i++) {
                const nd_board next = nd_swap(&scratch->board[i]);
                sum += nd_perft(rules, &next, opt, depth - 1, scratch + 1);
            }
        }
    return sum;
}
