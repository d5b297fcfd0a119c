/* How long a search takes: ms a choice and an evaluation at 0..3 plies, median and mean over
 * mid-game positions of the nets' own games, process CPU time, nothing cached from before.
 *
 *   bench_search FOLDER [positions [plies]]     FOLDER holds contact.net race.net small.net */
#include <time.h>

#include "net_files.h"
#include "play.h"
#include "search/nply.h"

enum { MOST = 1000 };

static struct {
    nd_board board;
    int d1, d2;
} question[MOST];

static double took[MOST];

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static nd_net *part(const char *folder, const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.net", folder, name);
    return open_net(path);
}

/* Every third position from the sixth ply on while there is contact. */
static void collect(const nd_evaluator *ev, nd_search *s, int wanted)
{
    int n = 0;
    for (uint32_t game = 0; n < wanted; game++) {
        playout p = playout_begin(ev->rules, "", 5, game);
        while (n < wanted && ev->rules->phase(&p.board) == ND_PHASE_CONTACT) {
            if (p.ply >= 6 && p.ply % 3 == 0) {
                question[n].board = p.board;
                question[n].d1 = p.d1;
                question[n++].d2 = p.d2;
            }
            nd_board next;
            if (nd_best_play(ev, s, &p.board, p.d1, p.d2, &next) != ND_OK) abort();
            p.board = next;
            p.ply++;
            playout_roll(&p);
        }
    }
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *what, int plies, int n, double unit)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += took[i];
    qsort(took, (size_t)n, sizeof *took, rising);
    printf("%d-ply %-10s median %8.3f ms  mean %8.3f  90%% %8.3f%s", plies, what, 1e3 * took[n / 2],
           1e3 * sum / n, 1e3 * took[n * 9 / 10], unit ? "" : "\n");
    if (unit) printf("  at that level %.2f\n", unit);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("bench_search FOLDER [positions [plies]]\n", stderr);
        return 2;
    }
    const int n = argc > 2 && atoi(argv[2]) < MOST ? atoi(argv[2]) : 200;
    const int most = argc > 3 ? atoi(argv[3]) : 2;
    nd_net *const contact = part(argv[1], "contact"), *const race = part(argv[1], "race");
    nd_net *const small = part(argv[1], "small");
    nd_bearoff_one *bearoff;
    nd_search *s;
    if (nd_bearoff_one_build(&bearoff) != ND_OK || nd_search_new(&s) != ND_OK) abort();
    nd_evaluator ev = {
        .rules = &nd_backgammon, .kernels = nd_kernels_get(NULL), .bearoff = bearoff};
    ev.net[ND_PHASE_CONTACT] = contact;
    ev.net[ND_PHASE_RACE] = race;
    ev.small[ND_PHASE_CONTACT] = small;
    for (int c = 0; c < ev.rules->outcomes; c++) ev.points[c] = (float)ev.rules->points[c];
    collect(&ev, s, n);
    nd_plan plan = nd_plan_default;
    for (int plies = 0; plies <= most; plies++) {
        double searched = 0;
        for (int i = 0; i < n; i++) {
            nd_search *own; /* a cold cache each */
            if (nd_search_new(&own) != ND_OK) abort();
            const nd_choice *c;
            int count;
            const double start = seconds();
            if (nd_choose_nply(&ev, &plan, own, &question[i].board, question[i].d1, question[i].d2,
                               plies, 1, NULL, &c, &count) != ND_OK)
                abort();
            took[i] = seconds() - start;
            for (int k = 0; k < count && c[k].level == plies; k++) searched++;
            nd_search_free(own);
        }
        report("choice", plies, n, searched / n);
        for (int i = 0; i < n; i++) {
            nd_search *own;
            if (nd_search_new(&own) != ND_OK) abort();
            float p[ND_MAX_OUTCOMES];
            const double start = seconds();
            if (nd_evaluate_nply(&ev, &plan, own, &question[i].board, plies, p) != ND_OK) abort();
            took[i] = seconds() - start;
            nd_search_free(own);
        }
        report("evaluation", plies, n, 0);
    }
    nd_search_free(s);
    nd_bearoff_one_free(bearoff);
    nd_net_free(contact), nd_net_free(race), nd_net_free(small);
    return 0;
}
