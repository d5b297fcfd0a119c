/* One game = one const struct of functions. From `features` up nobody asks which game it is. */
#ifndef ND_RULES_RULES_H
#define ND_RULES_RULES_H

#include "base/status.h"
#include "rules/board.h"

/* Options that change which plays are legal. All zero = the game's default. Part of every cache
 * key, so it is plain memory of fixed size without padding. */
typedef struct nd_options {
    uint8_t no_hit_and_off; /* backgammon: a checker that hit in its own home may not be borne
                                off in the same turn */
    uint8_t head_limit;     /* long nardy, from here on: 0 = one a turn, 1 = no limit */
    uint8_t head_exception; /* enum nd_head_exception */
    uint8_t head_scope;     /* 0 = each player's first turn, 1 = the starter's only */
    uint8_t wall_rule;      /* enum nd_wall_rule */
    uint8_t wall_check;     /* 0 = after each step, 1 = at the end of the turn */
    uint8_t no_larger_die;  /* 1 = either die may be played when only one can be */
    uint8_t bearoff_from;   /* 0 = as soon as all are home, 1 = from the next turn */
    uint8_t bearoff_forced; /* 1 = a die that can bear off must */
    uint8_t second_player;  /* 1 = the side to move did not start, even if the board looks as if it
                                did: both heads full (only head_scope asks) */
    uint8_t reserved[6];    /* zero */
} nd_options;

/* Which double on a player's first turn frees a second checker from the head. A lone checker that
 * runs from the head with all four is stopped where an opposing checker stands or the path ends. */
enum nd_head_exception {
    ND_HEAD_FIXED_346 = 0, /* 3-3, 4-4, 6-6 */
    ND_HEAD_BLOCKED,       /* any that does stop the lone checker */
    ND_HEAD_ONLY,          /* 3-3, 4-4, 6-6 if it is the opponent's head that stops it */
    ND_HEAD_ANY_DOUBLE,
    ND_HEAD_NONE
};

/* When six points in a row on the opponent's path may be held. */
enum nd_wall_rule {
    ND_WALL_AHEAD = 0,  /* an opposing checker is past them, or off */
    ND_WALL_ENEMY_HOME, /* an opposing checker is in its own home, or off */
    ND_WALL_NEVER,
    ND_WALL_FREE,
    ND_WALL_MOBILITY /* the opponent can still make a step with some die */
};

/* Why a step is refused, in the order in which the reasons are looked for. */
typedef enum nd_refusal {
    ND_REFUSED_NOT = 0,
    ND_REFUSED_DIE,         /* not rolled, or already played */
    ND_REFUSED_NO_CHECKER,  /* none of the mover's on the source */
    ND_REFUSED_BAR,         /* another of his checkers is on the bar */
    ND_REFUSED_HEAD,        /* no more checkers may leave the head this turn */
    ND_REFUSED_NOT_HOME,    /* bearing off before everybody is home */
    ND_REFUSED_OVERPAY,     /* bearing off with a larger die while a higher point is occupied */
    ND_REFUSED_HIT_AND_OFF, /* bearing off a checker that hit at home this turn */
    ND_REFUSED_OCCUPIED,    /* the opponent holds the target */
    ND_REFUSED_FORCED_OFF,  /* the die can bear off and so must */
    ND_REFUSED_WALL,        /* it would make a forbidden wall */
    ND_REFUSED_FEW_DICE,    /* another play uses more dice */
    ND_REFUSED_SMALLER_DIE, /* only one die can be played, and the larger one can */
    ND_REFUSALS
} nd_refusal;

const char *nd_refusal_text(nd_refusal reason);

/* One step of a play, packed in a byte: source slot (5 bits) and die - 1 (3 bits). */
#define ND_STEP(from, die) ((uint32_t)((from) | ((die) - 1) << 5))
#define ND_STEP_FROM(step) ((int)((step) & 31))
#define ND_STEP_DIE(step) ((int)((step) >> 5 & 7) + 1)

/* A play is up to four step bytes in a uint32, the first step in the low byte; 0 = no step (slot 0
 * is never a source). Different orders that lead to one result share the entry; the order kept is
 * legal as it stands. */
typedef uint32_t nd_play;

/* A double is a multiset of four sources out of 24 at most, C(27, 4) = 17,550 results; the walk
 * keeps the 2,600 three-step positions beside them while it works. No roll can need more. */
enum { ND_MAX_RESULTS = 17550 + 2600 };

/* Results of one roll, filled by nd_rules.generate. A pass is ONE result equal to the given board
 * with play 0. Boards keep the mover as `own`: swap before evaluating the opponent's turn. */
typedef struct nd_results {
    int count;
    int dice; /* steps in every play of this roll: 0..4 (fewer when the game ends early) */
    nd_board board[ND_MAX_RESULTS];
    nd_play play[ND_MAX_RESULTS];
} nd_results;

/* Position classes, in the order evaluators try them. */
typedef enum nd_phase {
    ND_PHASE_OVER = 0, /* a side has borne off everything */
    ND_PHASE_BEAROFF,  /* no contact, everyone in the last six points: exact tables know it */
    ND_PHASE_RACE,     /* no contact left */
    ND_PHASE_CONTACT,
    ND_PHASES
} nd_phase;

/* Outcome classes are exclusive. With m = outcomes / 2: class 0..m-1 are wins of the side asked
 * about in rising value, class m..2m-1 its losses likewise; seen by the other side, class c is
 * (c + m) mod 2m. */
enum { ND_MAX_OUTCOMES = 8 };

typedef struct nd_rules {
    const char *name;
    uint32_t id;      /* stored in files */
    uint32_t version; /* raised when the meaning of anything below changes */
    int outcomes;     /* 6 or 8 */
    const char *outcome_name[ND_MAX_OUTCOMES];
    int points[ND_MAX_OUTCOMES]; /* default value of each class, for the side asked about */
    int shutout;                 /* class of a win over a side that is all home with none off */
    bool opening_doubles;        /* may the first roll of a game be a double? */

    /* Start position by name ("" = the game's own); ND_BAD_ARGUMENT for an unknown one. */
    nd_status (*start)(const char *variant, nd_board *out);

    /* Could this be a board of the game? ND_BAD_BOARD otherwise. */
    nd_status (*check)(const nd_board *b);

    /* All distinct results of a roll of `own`. Never fails on a checked board; dice 1..6. */
    void (*generate)(const nd_board *b, int d1, int d2, const nd_options *opt, nd_results *out);

    /* All ordered legal step sequences of a roll, each of the maximal length, for GUIs that match
     * prefixes. Writes at most `capacity` plays and returns how many there are (0 = pass). */
    int (*sequences)(const nd_board *b, int d1, int d2, const nd_options *opt, nd_play *out,
                     int capacity);

    /* Why the step may not follow the steps played of this roll so far, or ND_REFUSED_NOT if a
     * legal play begins so. A fault in the steps played is answered first. Source 1..25. */
    nd_refusal (*why)(const nd_board *b, int d1, int d2, const nd_options *opt, nd_play played,
                      int from, int die);

    /* Make one step on the board; the step must be legal. */
    void (*step)(nd_board *b, int from, int die);

    /* Class of a finished game for the side `own`, or -1 while it goes on. */
    int (*outcome)(const nd_board *b);

    nd_phase (*phase)(const nd_board *b);

    /* The given side's occupied slots as the other side numbers them (bars and off dropped). */
    uint32_t (*across)(uint32_t slots);

    /* Invent a board of a kind that play from the start seldom reaches and learning needs. One
     * attempt, drawn from `state`; `kind` is a random number that stays the same from attempt to
     * attempt. Returns the phase that was aimed at: the board counts if `check` and `phase` agree. */
    nd_phase (*stage)(uint32_t kind, uint32_t *state, nd_board *out);
} nd_rules;

extern const nd_rules nd_backgammon;
extern const nd_rules nd_long_nardy;

/* Perft: number of distinct results over the 21 unweighted rolls, recursively; a pass counts 1 and
 * a finished game 1 at any depth left. `scratch` holds `depth` result buffers; one is large (0.7 MB):
 * keep it on the heap, one per thread. */
uint64_t nd_perft(const nd_rules *rules, const nd_board *b, const nd_options *opt, int depth,
                  nd_results *scratch);

#endif
