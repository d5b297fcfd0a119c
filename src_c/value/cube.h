/* From outcome probabilities to cubeful values: Janowski's model for money and match alike.
 *
 * Everything is a function of one number, own's chance p to win, while HOW games are won and lost
 * (the mix of single games, gammons …) stays as it is now. Two limits bracket the truth:
 *
 *   dead   the cube will not be turned again;
 *   live   p moves without jumps, so each cube is turned exactly where the other side is
 *          indifferent between taking and passing, and again after that.
 *
 * Both are piecewise linear in p. The live one goes through the values of winning and losing at
 * p = 1 and 0 and through the points where a player who may double cashes; a point is left out
 * where playing on is worth more than cashing. Its take points follow by recursion over the cube
 * from the one that can no longer change anything, and in closed form for money without a limit.
 * The cubeful value is (1 - x) dead + x live, x being the cube efficiency.
 *
 * One thing needs more: a turn that costs its owner nothing, because a game lost loses the match
 * anyway. A cube that dies there is turned first, so beside the dead limit stands
 *
 *   free   like dead, but free turns are made at the first opportunity,
 *
 * and where there are such turns (1 - x) dead + x free takes the place of dead: the more the game
 * is like one that goes on for long, the surer that opportunity comes.
 */
#ifndef ND_VALUE_CUBE_H
#define ND_VALUE_CUBE_H

#include "value/curves.h"
#include "value/stakes.h"

typedef enum nd_owner { ND_CENTRE, ND_OWN, ND_OPP, ND_OWNERS } nd_owner;

/* win = own's chance; share[c] = part of the games won (or lost) that end in class c. A side that
 * never wins is taken to win single games. */
typedef struct nd_mix {
    double win;
    double share[ND_MAX_OUTCOMES];
} nd_mix;

nd_mix nd_mix_of(int outcomes, const double *probabilities);

/* What is missing to 1 are draws (a last roll may make them). A draw is worth what half a single win
 * and half a single loss are, which is right for points and near it in a match. */
void nd_share_draws(int outcomes, double *probabilities);

/* A cubeful value as a function of p: (1 - x) ((1 - x) dead + x free) + x live. */
typedef enum nd_limit { ND_DEAD, ND_FREE, ND_LIVE, ND_LIMITS } nd_limit;

typedef struct nd_curves {
    nd_curve limit[ND_LIMITS];
} nd_curves;

double nd_curves_value(const nd_curves *c, double x, double p);

/* All that can happen to a cube now. Values are own's, of own rolling next; a value that the rules
 * exclude is NaN, and so is its curve's (n = 0). */
typedef struct nd_cube_model {
    nd_mix mix;
    double cube;
    bool live_cube; /* own could double if it had access: neither Crawford nor the limit */
    bool dead_cube; /* own gains nothing by winning twice as much */
    nd_curves hold[ND_OWNERS]; /* nobody doubles now, by owner of the cube */
    nd_curves take;            /* own doubled, opp took: opp owns 2 cubes */
    nd_curves beaver;          /* opp beavered, own accepted: opp owns 4 */
    nd_curves raccoon;         /* own turned it once more, opp accepted: opp owns 8 */
    nd_curves taken;           /* opp doubled, own took: own owns 2 */
    double cubeless[2];        /* the cube out of play from now on; [1]: somebody has turned it */
    double cubeless_doubled;   /* the same at twice its value */
    double pass;               /* opp passes own's double */
    double passed;             /* own passes opp's */
    double beaver_pass, raccoon_pass; /* own drops the beaver; opp drops the raccoon */
} nd_cube_model;

/* `turned`: somebody has doubled in this game (automatic doubles do not count). It can only be
 * false with the cube in the centre; hold[ND_CENTRE] is then the one under the Jacoby rule. */
void nd_cube_model_make(const nd_stakes *s, const nd_mix *mix, double cube, nd_cube_model *out);

/* What games are worth at a cube and at its doubles: all that the model needs of the stakes, made
 * once where many positions are judged with the same ones. The stakes stay where they are. */
enum { ND_CUBE_STEPS = 20 };

typedef struct nd_cube_step {
    double worth[ND_MAX_OUTCOMES];          /* of a class; somebody has turned the cube */
    double won, lost;                       /* by a pass of the other side, of own */
    double pass, beaver_pass, raccoon_pass; /* as in nd_cube_values, for own's double from here */
} nd_cube_step;

typedef struct nd_cube_ladder {
    const nd_stakes *stakes;
    double cube;                    /* of step 0; it doubles from step to step */
    int turns;                      /* that can still change something; -1 = no end */
    int steps;                      /* at hand; the others are worked out when asked for */
    double centre[ND_MAX_OUTCOMES]; /* worth of a class at step 0, nobody has turned the cube */
    nd_cube_step step[ND_CUBE_STEPS];
} nd_cube_ladder;

void nd_cube_ladder_make(const nd_stakes *s, double cube, nd_cube_ladder *out);

/* Both owners of a turned cube. */
typedef struct nd_owned {
    nd_curve own, opp;
} nd_owned;

/* One position on a ladder; what was worked out for it stays for the next question. */
typedef struct nd_cube_leaf {
    const nd_cube_ladder *ladder;
    nd_mix mix;
    uint32_t ends; /* set of the steps whose ends are known */
    double lose[ND_CUBE_STEPS], win[ND_CUBE_STEPS];
    int live_from; /* from this step on the live curves are known */
    nd_owned live[ND_CUBE_STEPS];
} nd_cube_leaf;

void nd_cube_leaf_set(nd_cube_leaf *leaf, const nd_cube_ladder *ladder, const nd_mix *mix);

/* The leaf's value to own, about to roll, at `step` with this owner of the cube and efficiency x:
 * hold[owner] of nd_cube_values_of, or nd_cube_decided of it if `decide`; the same bits. In the
 * centre only step 0 can be. */
double nd_cube_leaf_value(nd_cube_leaf *leaf, int step, nd_owner owner, double x, bool decide);

/* Chances to win, for own, at which decisions change; NaN where there is no such point. */
typedef struct nd_windows {
    double take;        /* of own, doubled: below it own passes */
    double beaver;      /* from here up opp no longer beavers own's double */
    double raccoon;     /* above it own answers a beaver with a raccoon */
    double initial;     /* from here up own doubles a cube in the centre */
    double redouble;    /* from here up own redoubles */
    double cash;        /* from here up opp passes */
    double too_good[2]; /* above it own plays on: cube in the centre, own cube */
} nd_windows;

nd_windows nd_cube_windows(const nd_cube_model *m, double x);

/* What can happen now as plain numbers: of a model at one efficiency, of an exact solver, or of a
 * search. NaN where the rules exclude it. */
typedef struct nd_cube_values {
    double cubeless, cubeless_doubled;
    double hold[ND_OWNERS];
    double take, pass;
    double beaver, beaver_pass;
    double raccoon, raccoon_pass;
} nd_cube_values;

/* What a double of this cube may be answered with and is worth then: pass, beaver_pass and
 * raccoon_pass; the rest is NaN, and so are those that the rules exclude. */
nd_cube_values nd_cube_offers(const nd_stakes *s, double cube);

/* `owner` decides which games `cubeless` counts single under the Jacoby rule. */
nd_cube_values nd_cube_values_of(const nd_cube_model *m, nd_owner owner, double x);

/* Own's double when the others answer in their own interest; NaN if there can be none. */
double nd_cube_doubled(const nd_cube_values *v);

/* Own about to decide whether to double: the better of hold[owner] and the double, if own may. */
double nd_cube_decided(const nd_cube_values *v, nd_owner owner);

/* Cube efficiency by class of position: parameters, so that a fitted set can replace them. */
typedef struct nd_efficiency {
    double contact, bearoff;
    double race, race_pip, race_low, race_high; /* race + pips x race_pip, within low..high */
} nd_efficiency;

/* Fitted to rollouts with the cube in play by earlier nets, bear-offs to exact values:
 * benchmarks/cube.py has the method, benchmarks/strength.md the figures. */
extern const nd_efficiency nd_efficiency_default;

/* x for a board with `pips` of the side on roll left. */
double nd_efficiency_of(const nd_efficiency *e, nd_phase phase, int pips);

#endif
