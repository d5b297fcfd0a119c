/* Labels plus corrections as distributions: what a target keeps, worked out again in double. */
#include <math.h>

#include "base/philox.h"
#include "check.h"
#include "train/selfplay.h"

static double unit(uint32_t word) { return word / 4294967296.0; }

/* What a label is worth with that win chance and tilt. */
static double at_tilt(const float *points, int outcomes, const float *label, double win, double b)
{
    double sum[2] = {0, 0}, worth[2] = {0, 0};
    for (int c = 0; c < outcomes; c++) {
        const int side = c >= outcomes / 2;
        const double share = fmax(label[c], 1e-5) * exp(b * points[c]);
        sum[side] += share;
        worth[side] += share * points[c];
    }
    return win * worth[0] / sum[0] + (1 - win) * worth[1] / sum[1];
}

static void keeps(const float *points, int outcomes, uint32_t number, double noise)
{
    const int half = outcomes / 2;
    float label[ND_MAX_OUTCOMES], change[ND_MAX_OUTCOMES], target[ND_MAX_OUTCOMES];
    uint32_t w[16];
    for (uint32_t i = 0; i < 4; i++)
        nd_philox((const uint32_t[4]){number, i, 0, 0}, (const uint32_t[2]){7, 9}, w + 4 * i);
    double sum = 0, raw_sum = 0, raw[ND_MAX_OUTCOMES];
    for (int c = 0; c < outcomes; c++) sum += raw[c] = pow(unit(w[c]), 4);
    for (int c = 0; c < outcomes; c++) label[c] = (float)(raw[c] / sum);
    for (int c = 0; c < outcomes; c++) raw_sum += raw[c] = unit(w[15 - c]) - 0.5;
    double win = 0, equity = 0;
    for (int c = 0; c < outcomes; c++) {
        change[c] = (float)(noise * (raw[c] - raw_sum / outcomes));
        win += c < half ? (double)label[c] + change[c] : 0;
        equity += points[c] * ((double)label[c] + change[c]);
    }
    nd_tilt(points, outcomes, label, change, target);
    double kept_win = 0, kept = 0, total = 0;
    for (int c = 0; c < outcomes; c++) {
        CHECK(target[c] > 0 && target[c] < 1);
        total += target[c];
        kept += points[c] * target[c];
        kept_win += c < half ? target[c] : 0;
    }
    win = win < 0.002 ? 0.002 : win > 0.998 ? 0.998 : win;
    const double least = at_tilt(points, outcomes, label, win, -4);
    const double most = at_tilt(points, outcomes, label, win, 4);
    equity = equity < least ? least : equity > most ? most : equity;
    CHECK(fabs(total - 1) < 1e-5 && fabs(kept_win - win) < 1e-5);
    CHECK(fabs(kept - equity) < 1e-4);
    for (int c = 0; noise == 0 && win > 0.01 && win < 0.99 && c < outcomes; c++)
        CHECK(fabs(target[c] - label[c]) < 1e-3);
}

int main(void)
{
    static const float six[6] = {1, 2, 3, -1, -2, -3}, eight[8] = {1, 2, 3, 4, -1, -2, -3, -4};
    for (uint32_t i = 0; i < 2000; i++) {
        keeps(six, 6, i, 0);
        keeps(six, 6, i, 0.3);
        keeps(six, 6, i, 2.0);
        keeps(eight, 8, i, 0.3);
    }
    return check_end("targets");
}
