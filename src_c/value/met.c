#include "value/met.h"

static bool within(double chance, double low, double high)
{
    return chance >= low && chance <= high; /* false for a NaN */
}

nd_status nd_met_check(const nd_met *met)
{
    enum { N = ND_MET_SIZE };
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++) {
            const double above = a ? met->before[a - 1][b] : 1,
                         left = b ? met->before[a][b - 1] : 0;
            if (!within(met->before[a][b], left, above)) return ND_BAD_ARGUMENT;
        }
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < N; n++)
            if (!within(met->after[side][n], 0, n ? met->after[side][n - 1] : 1))
                return ND_BAD_ARGUMENT;
    return ND_OK;
}

nd_met nd_met_swap(const nd_met *met)
{
    nd_met out;
    for (int a = 0; a < ND_MET_SIZE; a++) {
        for (int b = 0; b < ND_MET_SIZE; b++) out.before[a][b] = 1 - met->before[b][a];
        out.after[0][a] = met->after[1][a];
        out.after[1][a] = met->after[0][a];
    }
    return out;
}

double nd_met_chance(const nd_met *met, int own, int opp, bool crawford_over)
{
    if (own <= 0) return 1;
    if (opp <= 0) return 0;
    if (!crawford_over || (own > 1 && opp > 1)) return met->before[own - 1][opp - 1];
    return opp == 1 ? met->after[0][own - 1] : 1 - met->after[1][opp - 1];
}
