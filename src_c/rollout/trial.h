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

/* ND_CANCELLED soon after `stop` is raised. */
nd_status nd_trial_play(const nd_table *table, nd_search *search, const nd_subject *subject,
                        uint64_t number, const nd_stop *stop, nd_trial *out);

#endif
