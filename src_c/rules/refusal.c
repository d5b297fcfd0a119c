#include "rules/rules.h"

const char *nd_refusal_text(nd_refusal reason)
{
    static const char *const text[ND_REFUSALS] = {
        [ND_REFUSED_NOT] = "ok",
        [ND_REFUSED_DIE] = "die not rolled",
        [ND_REFUSED_NO_CHECKER] = "no checker",
        [ND_REFUSED_BAR] = "bar",
        [ND_REFUSED_HEAD] = "head",
        [ND_REFUSED_NOT_HOME] = "not all home",
        [ND_REFUSED_OVERPAY] = "overpay",
        [ND_REFUSED_HIT_AND_OFF] = "hit and off",
        [ND_REFUSED_OCCUPIED] = "occupied",
        [ND_REFUSED_FORCED_OFF] = "bear-off forced",
        [ND_REFUSED_WALL] = "wall",
        [ND_REFUSED_FEW_DICE] = "more dice can be played",
        [ND_REFUSED_SMALLER_DIE] = "larger die",
    };
    return text[reason];
}
