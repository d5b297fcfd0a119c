/* Drives a fuzz target where no engine does: the same inputs on every run and machine.
 *
 *     fuzz_NAME [RUNS] [SEED]      mutated inputs
 *     fuzz_NAME FILE...            each file once
 *
 * Inputs are random bytes, or earlier ones cut, grown and changed. Nothing guides them; long runs
 * take an engine that is guided by coverage (make fuzz-guided). */
#include <ctype.h>

#include "fuzz.h"
#include "random_boards.h"

enum { LONGEST = 256, KEPT = 64 };

static uint8_t kept[KEPT][LONGEST];
static size_t lengths[KEPT];

static void mutate(void)
{
    const int from = random_below(KEPT), to = random_below(KEPT);
    size_t n = lengths[from];
    memcpy(kept[to], kept[from], sizeof kept[to]);
    if (n == 0 || random_below(16) == 0) {
        n = (size_t)random_below(LONGEST + 1);
        for (size_t i = 0; i < n; i++) kept[to][i] = (uint8_t)random_bits();
    }
    static const uint8_t telling[] = {0, 1, 0x7F, 0x80, 0xFE, 0xFF};
    for (int changes = 1 + random_below(4); changes > 0 && n > 0; changes--) {
        uint8_t *const byte = &kept[to][random_below((int)n)];
        switch (random_below(4)) {
        case 0: *byte = (uint8_t)random_bits(); break;
        case 1: *byte ^= (uint8_t)(1 << random_below(8)); break;
        case 2: *byte = telling[random_below(sizeof telling)]; break;
        default: n = (size_t)random_below((int)n + 9), n = n < LONGEST ? n : LONGEST; break;
        }
    }
    lengths[to] = n;
    /* A copy of exact size, so that a sanitizer sees a read past its end. */
    uint8_t *const exact = malloc(n ? n : 1);
    if (!exact) exit(1);
    memcpy(exact, kept[to], n);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

static int run_file(const char *name)
{
    FILE *const file = fopen(name, "rb");
    uint8_t *const data = malloc(1 << 20);
    if (!file || !data) return fprintf(stderr, "%s: cannot be read\n", name), 1;
    const size_t n = fread(data, 1, 1 << 20, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, n);
    free(data);
    return 0;
}

int main(int count, char **words)
{
    if (count > 1 && !isdigit((unsigned char)words[1][0])) {
        for (int i = 1; i < count; i++)
            if (run_file(words[i])) return 1;
        return 0;
    }
    const long runs = count > 1 ? atol(words[1]) : 10000;
    random_state += count > 2 ? (uint64_t)atol(words[2]) : 0;
    for (long i = 0; i < runs; i++) mutate();
    printf("%-24s %ld inputs\n", words[0], runs);
    return 0;
}
