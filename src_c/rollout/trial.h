/* One trial of a rollout. */
#ifndef ND_ROLLOUT_TRIAL_H
#define ND_ROLLOUT_TRIAL_H

#include "rollout/cubeful.h"

/* Less the luck on the way, for the side on roll where it began. */
typedef struct nd_trial {
    float outcome[ND_MAX_OUTCOMES];
    double value; /* as in nd_sums */
    int plies, turns;
    bool cut, passed;
} nd_trial;

/* What one thread remembers of the first plies, where trials meet the same positions again and
 * again: two of them nearly always, the third in a large part. A value is the same remembered or
 * computed. */
typedef struct nd_outlooks nd_outlooks;
nd_outlooks *nd_outlooks_new(void); /* NULL = no memory */
void nd_outlooks_free(nd_outlooks *outlooks);

/* ND_CANCELLED soon after `stop` is raised. `outlooks` serves one table only. */
nd_status nd_trial_play(const nd_table *table, nd_search *search, nd_outlooks *outlooks,
                        const nd_subject *subject, uint64_t number, const nd_stop *stop,
                        nd_trial *out);

#endif
