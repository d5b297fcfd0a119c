#include "base/hash.h"
#include "features/features.h"

static const nd_features *const sets[] = {&nd_backgammon_contact_1, &nd_backgammon_race_1,
                                          &nd_long_nardy_contact_1, &nd_long_nardy_race_1, NULL};

const nd_features *const *nd_features_list(void) { return sets; }

const nd_features *nd_features_by_id(uint32_t id)
{
    for (const nd_features *const *f = sets; *f; f++)
        if ((*f)->id == id) return *f;
    return NULL;
}

const nd_features *nd_features_by_name(const char *name)
{
    for (const nd_features *const *f = sets; *f; f++)
        if (strcmp((*f)->name, name) == 0) return *f;
    return NULL;
}

uint64_t nd_features_hash(const nd_features *features)
{
    const int32_t head[2] = {(int32_t)features->id, features->units};
    uint64_t h = nd_hash(head, sizeof head, nd_hash(features->values, ND_LINE, 0));
    for (int byte = 0; byte < ND_LINE; byte++)
        for (int value = 0; value < features->values[byte]; value++) {
            nd_term term[ND_MAX_TERMS];
            const int n = features->spell(byte, value, term);
            for (int i = 0; i < n; i++) {
                const int32_t word[2] = {term[i].unit, (int32_t)(2.0f * term[i].coefficient)};
                h = nd_hash(word, sizeof word, h);
            }
        }
    return h;
}
