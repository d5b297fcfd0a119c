/* How fast nets are: ns a position and multiply-adds a second of the second layer, by kernel set
 * and shape, for the replies to positions of random games. Process CPU time, best of a few runs.
 *
 *   bench_nets [kernel set]      all that the machine has, unless one is named */
#include <stdio.h>
#include <time.h>

#include "play.h"
#include "random_params.h"

enum { GAMES = 12, MANY = 60000, MAX_GROUPS = 4000 };

typedef struct group { /* the replies to one roll */
    nd_board base;
    int first, count;
} group;

static nd_board boards[MANY];
static group groups[MAX_GROUPS];
static nd_results results;
static float out[MANY * 8];
static int n_groups, n_boards;

static void collect(void)
{
    const nd_options options = {0};
    for (uint32_t game = 0; game < GAMES; game++) {
        playout p = playout_begin(&nd_backgammon, "", 7, game);
        do {
            nd_backgammon.generate(&p.board, p.d1, p.d2, &options, &results);
            if (n_groups == MAX_GROUPS || n_boards + results.count > MANY) return;
            groups[n_groups++] = (group){nd_swap(&p.board), n_boards, results.count};
            for (int i = 0; i < results.count; i++) boards[n_boards++] = nd_swap(&results.board[i]);
        } while (playout_next(&p, &results));
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum way { NEAR, FULL, FILL };

static double run(const nd_net *net, const nd_kernels *k, nd_scratch *scratch, enum way way)
{
    const int outcomes = nd_net_get_info(net)->outcomes;
    double best = 1e9;
    for (int repeat = 0; repeat < 5; repeat++) {
        const double start = seconds();
        if (way == FILL) {
            uint8_t line[ND_LINE];
            unsigned sum = 0;
            for (int i = 0; i < n_boards; i++) {
                nd_net_get_info(net)->features->fill(&boards[i], line);
                sum += line[28];
            }
            out[0] = (float)sum;
        } else if (way == FULL) {
            nd_net_evaluate(net, k, scratch, boards, (size_t)n_boards, out);
        } else {
            for (int g = 0; g < n_groups; g++)
                nd_net_evaluate_near(net, k, scratch, &groups[g].base, boards + groups[g].first,
                                     (size_t)groups[g].count, out + groups[g].first * outcomes);
        }
        const double took = seconds() - start;
        best = took < best ? took : best;
    }
    return best / n_boards * 1e9;
}

static void bench(const nd_features *f, int h1, int h2, int outcomes, const char *only)
{
    nd_params p = random_params(f, h1, h2, outcomes);
    nd_net *net;
    nd_scratch *scratch;
    const double start = seconds();
    if (nd_net_from_params(&p, NULL, &net) != ND_OK || nd_scratch_new(&scratch) != ND_OK) abort();
    printf("%s %dx%dx%d: made in %.0f ms, %.2f MB, fill %.0f ns\n", f->name, h1, h2, outcomes,
           1e3 * (seconds() - start), 1e-6 * (double)nd_net_payload_size(net),
           run(net, NULL, NULL, FILL));
    for (const char *const *name = nd_kernels_list(); *name; name++) {
        if (only && strcmp(only, *name) != 0) continue;
        const nd_kernels *k = nd_kernels_get(*name);
        const double near = run(net, k, scratch, NEAR), full = run(net, k, scratch, FULL);
        printf("  %-10s near %7.1f ns %6.2f M/s %6.1f GMAC/s    full %7.1f ns %6.2f M/s\n", *name,
               near, 1e3 / near, h1 * h2 / near, full, 1e3 / full);
    }
    nd_net_free(net);
    nd_scratch_free(scratch);
    free_params(&p);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    collect();
    printf("%d replies to %d rolls\n", n_boards, n_groups);
    bench(&nd_backgammon_race_1, 64, 32, 6, only);
    bench(&nd_backgammon_contact_1, 64, 32, 6, only);
    bench(&nd_backgammon_contact_1, 256, 32, 6, only);
    bench(&nd_backgammon_contact_1, 512, 32, 6, only);
    bench(&nd_backgammon_race_1, 1024, 32, 6, only);
    bench(&nd_backgammon_contact_1, 1024, 32, 6, only);
    bench(&nd_backgammon_contact_1, 2048, 32, 6, only);
    bench(&nd_backgammon_contact_1, 128, 16, 8, only);
    return 0;
}
