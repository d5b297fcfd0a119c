/* nardy.h: the engine's border, and its manual.
 *
 * This is the only header that the Python border includes. Read it top to bottom: values first,
 * then the rules of a game, then what evaluates, searches and rolls out. Each included header is
 * the manual of its room.
 *
 *   nd_board       a position, 32 bytes, side to move = own           rules/board.h
 *   nd_rules       one game: plays of a roll, outcomes, phases        rules/rules.h
 *   nd_bearoff_*   exact bear-off tables                              tables/bearoff.h
 *   nd_status      what went wrong                                    base/status.h
 */
#ifndef NARDY_H
#define NARDY_H

#include "base/status.h"
#include "rules/board.h"
#include "rules/rules.h"
#include "tables/bearoff.h"

#endif
