/* What this core can do at most, and how near a kernel set comes to it. Built once for each set, with
 * its instructions; `make floor` runs those that the machine has.
 *
 *   floor_SET [NET…]     net files, wider than NARROW units, as others make no recipes; without one
 *                        only the peaks
 *
 * Peaks: the set's own DOT on registers (int16 multiply-adds a second), its addition of rows with one
 * operand in the first-level cache, int8 multiply-adds where there is an instruction for them, and
 * reading of memory that fits the caches or does not.
 *
 * Nets: replies to rolls of the net's own games, and of each layer what it has to do, what it took
 * and what the peak of its arithmetic would take. CPU time of this process, best of some. */
#include "net_files.h"
#include "play.h"

#ifdef SET_FILE
#include <time.h>

#include SET_FILE
#endif

#if defined(SET)
enum { MANY = 20000, REPEATS = 30, CHAINS = TILE * 2 };

static nd_board boards[MANY];
static float out[MANY * ND_MAX_OUTCOMES];
static int n_boards;
static volatile unsigned sink; /* so that nothing is optimised away */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Keeps the least time that the statement has taken so far. */
#define LEAST(into, statement)                                                                     \
    do {                                                                                           \
        const double start_ = seconds();                                                           \
        statement;                                                                                 \
        const double took_ = seconds() - start_;                                                   \
        (into) = took_ < (into) ? took_ : (into);                                                  \
    } while (0)

/* ---- peaks ------------------------------------------------------------------------------------ */

enum { ROUNDS = 100000 };

/* The compiler may neither drop a vector nor keep it anywhere but in a register. */
#if defined(__x86_64__)
#define IN_REGISTER(v) __asm__ volatile("" : "+v"(v))
#define LOADED(v, p) __asm__ volatile("" : : "v"(v), "m"(*(p)))
#else
#define IN_REGISTER(v) __asm__ volatile("" : "+w"(v))
#define LOADED(v, p) __asm__ volatile("" : : "w"(v), "m"(*(p)))
#endif

/* Multiplications that wait for one another: three cycles each, on all that this runs on. */
static void ticks(void)
{
    uint64_t x = sink, y = 3;
    __asm__ volatile("" : "+r"(y));
    for (int i = 0; i < ROUNDS; i++) {
    UNROLL
        for (int c = 0; c < 8; c++) {
            x *= y;
            __asm__ volatile("" : "+r"(x));
        }
    }
    sink += (unsigned)x;
}

/* Sums in registers, as many as the set's tile has, to which DOT_ adds products. */
#define DOTS(name, DOT_)                                                                           \
    static void name(void)                                                                         \
    {                                                                                              \
        i32v low[TILE] = {{0}}, high[TILE] = {{0}};                                                \
        i32v a = {3}, w[2] = {{1, 2, 3}, {4, 5, 6}};                                               \
        for (int i = 0; i < ROUNDS; i++) {                                                         \
            UNROLL                                                                                 \
            for (int c = 0; c < TILE; c++) {                                                       \
                IN_REGISTER(a); /* another one, for all that is known */                           \
                DOT_(low[c], a, w[0]);                                                             \
                DOT_(high[c], a, w[1]);                                                            \
            }                                                                                      \
        }                                                                                          \
        UNROLL                                                                                     \
        for (int c = 0; c < TILE; c++) sink += (unsigned)(low[c][0] + high[c][0]);                 \
    }

DOTS(dots, DOT)

/* Additions of a row that lies in the first-level cache to sums in registers. */
static void additions(const int16_t *row)
{
    u16v sum[8] = {{0}};
    for (int i = 0; i < ROUNDS; i++) {
        const u16v *at = (const u16v *)(const void *)(row + i % 8 * 8 * I16_LANES);
        UNROLL
        for (int v = 0; v < 8; v++) sum[v] += at[v];
        UNROLL
        for (int v = 0; v < 8; v++) IN_REGISTER(sum[v]);
    }
    UNROLL
    for (int v = 0; v < 8; v++) sink += sum[v][0];
}

static void reading(const char *from, size_t bytes, size_t times)
{
    for (size_t t = 0; t < times; t++)
        for (const char *p = from; p < from + bytes; p += 8 * WIDTH) {
            const i32v *at = (const i32v *)(const void *)p;
            UNROLL
            for (int v = 0; v < 8; v++) LOADED(at[v], p);
        }
}

#if defined(__AVX512VNNI__)
#define BYTE_DOT(acc, a, w) __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(w))
#elif defined(__AVX2__) && !defined(__AVX512F__)
#define BYTE_DOT(acc, a, w)                                                                        \
    ((acc) += (i32v)_mm256_madd_epi16(_mm256_maddubs_epi16((__m256i)(a), (__m256i)(w)),           \
                                      _mm256_set1_epi16(1)))
#elif defined(__AVX512F__)
#define BYTE_DOT(acc, a, w)                                                                        \
    ((acc) += (i32v)_mm512_madd_epi16(_mm512_maddubs_epi16((__m512i)(a), (__m512i)(w)),           \
                                      _mm512_set1_epi16(1)))
#endif

#ifdef BYTE_DOT
DOTS(byte_dots, BYTE_DOT)
#endif

enum { LARGEST = 256 << 20, READ = 32 << 20, SIZES = 4 };
static const struct {
    const char *name;
    size_t bytes;
} sizes[SIZES] = {{"16 KB", 16 << 10}, {"512 KB", 512 << 10}, {"8 MB", 8 << 20}, {"256 MB", LARGEST}};

/* Seconds of each piece of work above; the least that was seen. */
static struct {
    double ticks, dots, byte_dots, additions, reading[SIZES];
} least;
static char *memory;

static void look_at_peaks(bool all)
{
    LEAST(least.ticks, ticks());
    LEAST(least.dots, dots());
    LEAST(least.additions, additions((const int16_t *)(const void *)memory));
    if (!all) return;
#ifdef BYTE_DOT
    LEAST(least.byte_dots, byte_dots());
#endif
    for (int i = 0; i < SIZES; i++) {
        const size_t times = sizes[i].bytes < READ ? READ / sizes[i].bytes : 1;
        LEAST(least.reading[i], reading(memory, sizes[i].bytes, times));
    }
}

static double multiply_adds(void) { return (double)ROUNDS * CHAINS * I16_LANES / least.dots; }
static double additions_a_second(void) { return (double)ROUNDS * 8 * I16_LANES / least.additions; }

static void peaks(void)
{
    memory = aligned_alloc(64, LARGEST);
    if (!memory) abort();
    memset(memory, 1, LARGEST);
    least.ticks = least.dots = least.byte_dots = least.additions = 1e9;
    for (int i = 0; i < SIZES; i++) least.reading[i] = 1e9;
    for (int i = 0; i < REPEATS; i++) look_at_peaks(true);
    printf("%-11s clock %.2f GHz  int16 multiply-adds %.0f G/s", ND_TEXT(SET),
           1e-9 * ROUNDS * 8 * 3 / least.ticks, 1e-9 * multiply_adds());
#ifdef BYTE_DOT
    printf("  int8 %.0f G/s", 1e-9 * (double)ROUNDS * CHAINS * WIDTH / least.byte_dots);
#endif
    printf("  int16 additions from L1 %.0f G/s\n%-11s reading", 1e-9 * additions_a_second(), "");
    for (int i = 0; i < SIZES; i++) {
        const size_t times = sizes[i].bytes < READ ? READ / sizes[i].bytes : 1;
        printf("  %s %.0f GB/s", sizes[i].name,
               1e-9 * (double)(sizes[i].bytes * times) / least.reading[i]);
    }
    printf("\n");
}

/* ---- nets ------------------------------------------------------------------------------------- */

static double equity(const nd_rules *rules, const float *p)
{
    double sum = 0;
    for (int c = 0; c < rules->outcomes; c++) sum += (double)p[c] * rules->points[c];
    return sum;
}

/* The replies to rolls of games in which the net plays both sides, as long as they are its own. */
static void collect(const nd_net *net, const nd_kernels *k, nd_scratch *scratch)
{
    static nd_results results;
    const bool short_game = strncmp(net->info.features->name, "backgammon", 10) == 0;
    const nd_rules *const rules = short_game ? &nd_backgammon : &nd_long_nardy;
    const bool race = strstr(net->info.features->name, "-race-") != NULL;
    const nd_options options = {0};
    n_boards = 0;
    for (uint32_t game = 0;; game++) {
        playout p = playout_begin(rules, "", 7, game);
        for (;;) {
            rules->generate(&p.board, p.d1, p.d2, &options, &results);
            if (n_boards + results.count > MANY) return;
            nd_board *const mine = boards + n_boards;
            for (int i = 0; i < results.count; i++) mine[i] = nd_swap(&results.board[i]);
            nd_net_evaluate(net, k, scratch, mine, (size_t)results.count, out);
            int best = 0;
            for (int i = 1; i < results.count; i++)
                if (equity(rules, out + i * rules->outcomes) <
                    equity(rules, out + best * rules->outcomes))
                    best = i;
            const nd_phase phase = rules->phase(&p.board);
            if (phase == (race ? ND_PHASE_RACE : ND_PHASE_CONTACT)) n_boards += results.count;
            p.board = mine[best];
            if (rules->outcome(&p.board) >= 0) break;
            p.ply++;
            playout_roll(&p);
        }
    }
}

/* The steps of `evaluate` by themselves, over all blocks. */
#define EACH_BLOCK(at, m)                                                                          \
    for (int at = 0, m; at < n_boards && (m = n_boards - at < ND_BLOCK ? n_boards - at : ND_BLOCK); \
         at += ND_BLOCK)

static void list_recipes(const nd_net *net, nd_scratch *scratch)
{
    recipe recipes[ND_BLOCK];
    EACH_BLOCK(at, m) make_recipes(m, net, NULL, boards + at, scratch, recipes);
}

static void first_layers(const nd_net *net, nd_scratch *scratch)
{
    EACH_BLOCK(at, m) first_layer(m, net, NULL, boards + at, scratch);
}

static void last_layers(const nd_net *net, nd_scratch *scratch)
{
    for (int at = 0; at < n_boards; at += ND_WAITING)
        last_layer(n_boards - at < ND_WAITING ? n_boards - at : ND_WAITING, net, scratch, out);
}

/* What there is to do, summed over all positions. */
typedef struct layers {
    double rows, pairs; /* a pair of units counts for each position of its block */
} layers;

static layers count(const nd_net *net, nd_scratch *scratch)
{
    layers sum = {0};
    EACH_BLOCK(at, m)
    {
        recipe recipes[ND_BLOCK];
        make_recipes(m, net, NULL, boards + at, scratch, recipes);
        for (int p = 0; p < m; p++) sum.rows += recipes[p].all;
        sum.pairs += m * (double)first_layer(m, net, NULL, boards + at, scratch);
    }
    return sum;
}

static void bench(const char *path, const nd_kernels *k)
{
    nd_net *const net = open_net(path);
    nd_scratch *scratch;
    if (nd_scratch_new(&scratch) != ND_OK) abort();
    collect(net, k, scratch);
    const int h1 = net->info.h1, h2 = net->info.h2;
    double whole = 1e9, first = 1e9, recipes = 1e9, last = 1e9;
    for (int i = 0; i < REPEATS; i++) { /* in turn: what disturbs one disturbs all */
        look_at_peaks(false);
        LEAST(whole, nd_net_evaluate(net, k, scratch, boards, (size_t)n_boards, out));
        LEAST(recipes, list_recipes(net, scratch));
        LEAST(first, first_layers(net, scratch));
        LEAST(last, last_layers(net, scratch));
    }
    const layers all = count(net, scratch);
    const double n = n_boards, ns = 1e9 / n;
    const double adds = all.rows * h1, macs = all.pairs * 2 * h2;
    const double add_floor = adds / additions_a_second(), dot_floor = macs / multiply_adds();
    const double second = whole - first - last;
    printf("%-11s %s %dx%d: %.2f M positions/s, %.0f ns, of which lines %.0f, rows %.0f, second layer "
           "%.0f, last %.0f\n",
           ND_TEXT(SET), net->info.features->name, h1, h2, 1e-6 * n / whole, ns * whole,
           ns * recipes, ns * (first - recipes), ns * second, ns * last);
    printf("%-11s   rows      %5.1f a position, %6.0f kB; at the peak of additions %4.0f ns: %3.0f %%, "
           "%.1f GB/s\n",
           "", all.rows / n, 2e-3 * adds / n, ns * add_floor, 100 * add_floor / (first - recipes),
           2e-9 * adds / (first - recipes));
    printf("%-11s   second    %5.0f multiply-adds of %d; at the peak %4.0f ns: %3.0f %%\n", "",
           macs / n, h1 * h2, ns * dot_floor, 100 * dot_floor / second);
    printf("%-11s   both      at the peak of their arithmetic %4.0f ns: %3.0f %%; the whole net: %3.0f "
           "%%\n",
           "", ns * (add_floor + dot_floor),
           100 * (add_floor + dot_floor) / (first - recipes + second),
           100 * (add_floor + dot_floor) / whole);
    nd_scratch_free(scratch);
    nd_net_free(net);
}

int main(int argc, char **argv)
{
    const nd_kernels *const k = nd_kernels_get(ND_TEXT(SET));
    if (!k) return 0; /* not on this machine */
    peaks();
    for (int i = 1; i < argc; i++) bench(argv[i], k);
    return 0;
}
#else
int main(void) { return 0; } /* a set of another processor */
#endif
