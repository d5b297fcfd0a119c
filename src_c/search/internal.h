/* What the files of this room share: the scratch of one thread, and judging the replies to one
 * position. */
#ifndef ND_SEARCH_INTERNAL_H
#define ND_SEARCH_INTERNAL_H

#include "search/cache.h"
#include "search/cubeful.h"
#include "search/evaluator.h"
#include "search/nply.h"

/* The results of some rolls, one roll after the other. Those of roll r are begin[r]..begin[r+1]-1
 * in the arrays of the search. If `selected`, only chosen[kept[r]..kept[r+1]-1] of them were judged
 * by the playing nets, and they stand in the small net's order. */
typedef struct nd_replies {
    bool selected;
    size_t begin[ND_ROLLS + 1];
    size_t kept[ND_ROLLS + 1];
    uint32_t chosen[ND_ROLLS * ND_MAX_KEEP];
} nd_replies;

/* Positions waiting for their turn in one level of the tree. */
typedef struct nd_frame {
    size_t capacity;
    nd_board *board;
} nd_frame;

/* Growing arrays of one thread. */
struct nd_search {
    nd_scratch *nets;
    nd_results results;
    nd_results *last; /* of a last roll; NULL until there was one */
    nd_replies replies;
    size_t capacity; /* entries of the next six */
    nd_board *board; /* positions under evaluation, side on roll = own */
    float *value;    /* their probabilities, [capacity][outcomes] */
    float *equity;   /* for the mover */
    nd_candidate *candidate;
    nd_board *once;                /* replies to several rolls, equal ones once */
    uint32_t *twin;                /* of a reply in `board`, which of them it is */
    uint32_t *place;               /* of one of them among those judged by the playing nets */
    uint32_t *table;               /* to find them by hash: number + 1, 0 = nobody */
    size_t table_size, table_room; /* entries in use, and there */
    size_t group_capacity;         /* entries of the next three, used by nd_static alone */
    uint32_t *order;
    nd_board *group;
    float *group_out;
    size_t choice_capacity;
    nd_choice *choice;
    nd_frame frame[ND_MAX_PLIES + 1];
    nd_cache *cache;
    const nd_stop *stop;
    nd_met met; /* room for the other side's match equity table */
};

/* What stays the same in one search. Sides: 0 = on roll where it began, 1 = the other. */
typedef struct nd_tree {
    const nd_evaluator *ev;
    const nd_plan *plan;
    nd_search *s;
    float points[2][ND_MAX_OUTCOMES];  /* worth of the classes to each side when it has moved */
    float settled[ND_MAX_OUTCOMES];    /* the same to side 0 if the cube stays as it is */
    uint64_t tag[2][ND_MAX_PLIES + 1]; /* of cached values: side on roll, plies */
    const nd_cube_setting *set;        /* NULL = without a cube */
    nd_stakes stakes[2];               /* by the side that sees them */
    nd_cube_ladder ladder[2];          /* of them, from the cube at the root */
    int owner;                         /* of the cube at the root: a side or ND_NOBODY */
    bool endless;                      /* one turned cube is like another: money without a limit */
} nd_tree;

enum { ND_NOBODY = 2 };

/* The owner of the cube as a side sees him. */
static inline nd_owner nd_cube_seen(int owner, int side)
{
    return owner == ND_NOBODY ? ND_CENTRE : owner == side ? ND_OWN : ND_OPP;
}

/* Checks the arguments, works out what the tree needs and makes the cache. */
nd_status nd_tree_begin(nd_tree *t, const nd_evaluator *ev, const nd_plan *plan, nd_search *s,
                        int plies, const nd_cube_setting *set);

/* Puts the replies to a roll that are worth looking at first in s->candidate, best first, as indices,
 * and returns how many. */
size_t nd_promising(const nd_search *s, int roll, nd_filter f);

nd_status nd_frame_reserve(nd_frame *frame, size_t n);

/* Side 0 has moved and side 1 is on roll at `board`, where 0 plies of look-ahead give it `chances`:
 * the equity of side 0. */
double nd_cubeful_static(const nd_tree *t, const nd_board *board, const float *chances);

/* The same after `plies` of look-ahead, which give the chances, too. */
nd_status nd_cubeful_ahead(const nd_tree *t, const nd_board *board, int plies, nd_worth *out);

/* Make the array hold `n` entries of `size` bytes; `array` is the address of the pointer. */
bool nd_grow(void *array, size_t n, size_t size);

/* Worth of probabilities as the other side sees them: nd_flip, then the product with `points`. */
float nd_worth_flipped(const float *points, int outcomes, const float *other_sides);

/* Generate and judge the results of some rolls: s->replies, s->board (other side on roll), s->value
 * and s->equity (the mover's, classes worth `points` to him). After a single roll s->results still
 * holds its plays. */
nd_status nd_judge_replies(const nd_evaluator *ev, nd_search *s, const nd_board *board,
                           const uint8_t (*dice)[2], int rolls, nd_filter select,
                           const float *points);

/* How many replies to the roll the playing nets judged, and the k-th of them. */
static inline size_t nd_replies_count(const nd_replies *r, int roll)
{
    return r->selected ? r->kept[roll + 1] - r->kept[roll] : r->begin[roll + 1] - r->begin[roll];
}

static inline size_t nd_reply_at(const nd_replies *r, int roll, size_t k)
{
    return r->selected ? r->chosen[r->kept[roll] + k] : r->begin[roll] + k;
}

/* The best of them, the first generated of equals. */
static inline size_t nd_best_reply(const nd_search *s, int roll)
{
    const size_t n = nd_replies_count(&s->replies, roll);
    size_t top = nd_reply_at(&s->replies, roll, 0);
    for (size_t k = 1; k < n; k++) {
        const size_t i = nd_reply_at(&s->replies, roll, k);
        if (s->equity[i] > s->equity[top] || (s->equity[i] == s->equity[top] && i < top)) top = i;
    }
    return top;
}

#endif
