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
    float coefficient;
} nd_term;

typedef struct nd_features {
    const char *name;     /* e.g. "backgammon-contact-1" */
    uint32_t id;          /* stored in net files */
    int units;            /* width of the trainable input */
    uint8_t values[ND_LINE]; /* number of values of each byte: 0 = byte unused, else <= 64 */

    /* Write the line of `b`, whose `own` is the side on roll. */
    void (*fill)(const nd_board *b, uint8_t line[ND_LINE]);

    /* How (byte, value) is spelled: number of terms, 0..ND_MAX_TERMS. */
    int (*spell)(int byte, int value, nd_term out[ND_MAX_TERMS]);
} nd_features;

/* The set with this id, or NULL. */
const nd_features *nd_features_by_id(uint32_t id);

/* Counts into bytes 0..25 and 32..57, zero elsewhere: the common part of every set. */
void nd_line_counts(const nd_board *b, uint8_t line[ND_LINE]);

#endif
