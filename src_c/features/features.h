/* From a board to the inputs of a net.
 *
 * A position is a LINE of 64 bytes: bytes 0..25 the side on roll's counts by slot, bytes 32..57 the
 * other side's (each in its own numbers), the twelve spare bytes (26..31, 58..63) small engineered
 * values of the same two sides. A net's first layer is a sum of table rows, one for each (byte,
 * value); two lines that differ in few bytes share nearly all of the sum, which is what makes
 * evaluating the replies to one position cheap.
 *
 * A feature set says how a (byte, value) pair is spelled in trainable UNITS: at most two of them,
 * each with a coefficient. Sets are versioned: a net names the set it was trained on. Value 0 of
 * every byte spells nothing, so an empty line is the bias alone.
 */
#ifndef ND_FEATURES_FEATURES_H
#define ND_FEATURES_FEATURES_H

#include "rules/rules.h"

enum { ND_LINE = 64, ND_SIDE = 32, ND_MAX_TERMS = 2, ND_MAX_VALUES = 64 };

typedef struct nd_term {
    int unit;
    float coefficient; /* a multiple of 1/2, never 0 */
} nd_term;

typedef struct nd_features {
    const char *name;        /* e.g. "backgammon-contact-1" */
    uint32_t id;             /* stored in net files */
    int units;               /* width of the trainable input */
    uint8_t values[ND_LINE]; /* number of values of each byte: 0 = byte unused, else <= 64 */

    /* Write the line of `b`, whose `own` is the side on roll. Every byte stays below its number of
     * values, whatever the board. */
    void (*fill)(const nd_board *b, uint8_t line[ND_LINE]);

    /* How (byte, value) is spelled: number of terms, 0..ND_MAX_TERMS. */
    int (*spell)(int byte, int value, nd_term out[ND_MAX_TERMS]);
} nd_features;

extern const nd_features nd_backgammon_contact_1; /* counts and twelve engineered bytes */
extern const nd_features nd_backgammon_race_1;    /* counts alone */
extern const nd_features nd_long_nardy_contact_1; /* counts and twelve engineered bytes */
extern const nd_features nd_long_nardy_race_1;    /* counts alone */

/* The set with this id or name, or NULL; and all of them, ended by NULL. */
const nd_features *nd_features_by_id(uint32_t id);
const nd_features *nd_features_by_name(const char *name);
const nd_features *const *nd_features_list(void);

/* Hash of everything that `values`, `units` and `spell` say: a net is tied to the spelling. */
uint64_t nd_features_hash(const nd_features *features);

/* Counts into bytes 0..25 and 32..57, zero elsewhere: the common part of every set. */
void nd_line_counts(const nd_board *b, uint8_t line[ND_LINE]);

/* How counts are spelled, units 0..ND_COUNT_UNITS-1. Each side in turn: for slots 1..25 the five
 * units {exactly 1, exactly 2, exactly 3, 4 or more, (n - 4) / 2 beyond 4}, then one unit for each
 * number 1..15 of checkers off. */
enum { ND_SIDE_COUNT_UNITS = 5 * 25 + 15, ND_COUNT_UNITS = 2 * ND_SIDE_COUNT_UNITS };
int nd_spell_count(int byte, int value, nd_term out[ND_MAX_TERMS]);

/* The same with engineered values in the spare bytes, which have a unit each, behind the units of
 * the counts: `side_units` a side, those of its i-th spare byte from `first_unit[i]` on. */
int nd_spell_value(int byte, int value, const int first_unit[ND_SIDE - ND_SLOTS], int side_units,
                   nd_term out[ND_MAX_TERMS]);

/* Numbers of values of a side's counts, slot by slot. */
#define ND_COUNT_VALUES                                                                            \
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,    \
        16, 16, 16

#endif
