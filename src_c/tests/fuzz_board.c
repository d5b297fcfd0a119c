/* Boards from outside: `check` either refuses one, or everything the rules promise holds of it:
 * results are boards again, keep both sides' checkers, and steps of listed sequences are let
 * pass. */
#include "features/features.h"
#include "fuzz.h"
#include "random_boards.h"
#include "rules/rules.h"

enum { SEQUENCES = 256 };

static int checkers(const uint32_t planes[ND_PLANES])
{
    return nd_checkers(planes, ND_BIT(ND_SLOTS) - 1);
}

/* Half of the inputs are counts of checkers, since hardly any planes are a board. */
static nd_board take_board(input *in, bool counts, const nd_rules *rules)
{
    nd_board b;
    take(in, &b, sizeof b);
    if (!counts) return b;
    int8_t n[2][ND_SLOTS] = {{0}};
    const uint8_t *const slot = (const uint8_t *)&b;
    for (int i = 0; i < 32; i++) {
        const int side = i & 1, at = slot[i] % ND_SLOTS;
        const bool full = i >= 30;
        const int there = rules == &nd_backgammon ? 25 - at : at > 12 ? at - 12 : at + 12;
        if (full || (at >= 1 && at <= 24 && n[1 - side][there])) continue;
        n[side][at]++;
    }
    for (int side = 0; side < 2; side++) {
        int sum = 0;
        for (int s = 0; s < ND_SLOTS; s++) sum += n[side][s];
        n[side][ND_OFF] = (int8_t)(n[side][ND_OFF] + ND_CHECKERS - sum);
    }
    nd_board_from_counts(n[0], n[1], &b);
    return b;
}

/* Of what is listed the input picks a sequence and the step of it that is asked about: asking about
 * all would be nearly all of the work. */
static void sequences(const nd_rules *rules, const nd_board *board, int d1, int d2,
                      const nd_options *opt, int dice, input *in)
{
    static nd_play plays[SEQUENCES];
    const int count = rules->sequences(board, d1, d2, opt, plays, SEQUENCES);
    EXPECT((count == 0) == (dice == 0));
    if (count == 0) return;
    const nd_play picked = plays[take8(in) % (count < SEQUENCES ? count : SEQUENCES)];
    const int asked = take8(in) % dice;
    nd_play played = 0;
    nd_board b = *board;
    for (int k = 0; k < 4 && (picked >> 8 * k & 0xFF); k++) {
        const uint32_t step = picked >> 8 * k & 0xFF;
        if (k == asked)
            EXPECT(rules->why(board, d1, d2, opt, played, ND_STEP_FROM(step), ND_STEP_DIE(step)) ==
                   ND_REFUSED_NOT);
        rules->step(&b, ND_STEP_FROM(step), ND_STEP_DIE(step));
        played |= step << 8 * k;
    }
    EXPECT(checkers(b.own) == checkers(board->own) && checkers(b.opp) == checkers(board->opp));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static nd_results *results;
    if (!results) results = malloc(sizeof *results);
    EXPECT(results);
    input in = {data, size};
    const uint8_t how = take8(&in), dice = take8(&in);
    const nd_rules *const rules = how & 1 ? &nd_long_nardy : &nd_backgammon;
    const int d1 = 1 + dice % 6, d2 = 1 + dice / 6 % 6;
    const nd_options opt = {.no_hit_and_off = how >> 1 & 1,
                            .head_limit = how >> 2 & 1,
                            .head_exception = take8(&in) % (ND_HEAD_NONE + 1),
                            .head_scope = how >> 3 & 1,
                            .wall_rule = take8(&in) % (ND_WALL_MOBILITY + 1),
                            .wall_check = how >> 4 & 1,
                            .no_larger_die = how >> 5 & 1,
                            .bearoff_from = how >> 6 & 1,
                            .bearoff_forced = take8(&in) & 1};
    const nd_board board = take_board(&in, how & 0x80, rules);
    if (rules->check(&board) != ND_OK) return 0;
    EXPECT((rules->phase(&board) == ND_PHASE_OVER) == (rules->outcome(&board) >= 0));
    int8_t own[ND_SLOTS], opp[ND_SLOTS];
    nd_board back;
    counts_of(&board, own, opp);
    nd_board_from_counts(own, opp, &back);
    back.own[0] |= board.own[0] & ND_OWED; /* counts do not tell who is owed a last roll */
    back.opp[0] |= board.opp[0] & ND_OWED;
    EXPECT(nd_equal(&board, &back));
    if (rules->outcome(&board) >= 0) return 0;

    rules->generate(&board, d1, d2, &opt, results);
    EXPECT(results->count >= 1 && results->count <= ND_MAX_RESULTS);
    for (int i = 0; i < results->count; i++) {
        const nd_board next = nd_swap(&results->board[i]);
        EXPECT(rules->check(&next) == ND_OK);
        EXPECT(checkers(next.own) == checkers(board.opp));
        EXPECT(checkers(next.opp) == checkers(board.own));
    }
    for (const nd_features *const *f = nd_features_list(); *f; f++) {
        uint8_t line[ND_LINE];
        if ((*f)->name[0] != rules->name[0]) continue; /* another game's */
        (*f)->fill(&board, line);
        bool inside = true;
        for (int byte = 0; byte < ND_LINE; byte++)
            inside &= line[byte] < (*f)->values[byte] + !(*f)->values[byte];
        EXPECT(inside);
    }
    const nd_play played = take32(&in);
    const uint8_t step = take8(&in);
    const nd_refusal reason =
        rules->why(&board, d1, d2, &opt, played, 1 + step % 25, 1 + step / 25 % 6);
    EXPECT(reason < ND_REFUSALS && nd_refusal_text(reason)[0]);
    sequences(rules, &board, d1, d2, &opt, results->dice, &in);
    return 0;
}
