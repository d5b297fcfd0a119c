/* Table files of all kinds, damaged under right checksums; of what is accepted every entry is
 * read, since a probe may ask for any. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/container.h"
#include "base/file.h"
#include "base/hash.h"
#include "fuzz.h"
#include "tables/bearoff.h"
#include "tables/long_race.h"

enum { KINDS = 3, FRONT = 1024 };

static uint8_t *whole[KINDS], *image;
static size_t sizes[KINDS];
static char path[256];

static void clean(void) { unlink(path); }

static void keep(int kind)
{
    nd_view view;
    EXPECT(nd_file_view(path, &view) == ND_OK);
    sizes[kind] = view.bytes;
    whole[kind] = malloc(view.bytes);
    EXPECT(whole[kind]);
    memcpy(whole[kind], view.data, view.bytes);
    nd_file_release(&view);
}

static void begin(void)
{
    const char *folder = getenv("TMPDIR");
    if (!folder) folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof path, "%.200s/nardy_fuzz_%ld.ndb", folder, (long)getpid());
    atexit(clean);
    nd_bearoff_one *one;
    nd_bearoff_two *two;
    nd_long_race *race;
    EXPECT(nd_bearoff_one_build(&one) == ND_OK && nd_bearoff_one_save(one, path) == ND_OK);
    keep(0);
    EXPECT(nd_bearoff_two_build(&two) == ND_OK && nd_bearoff_two_save(two, path) == ND_OK);
    keep(1);
    EXPECT(nd_long_race_build(ND_LONG_RACE_MIN_POINTS, NULL, &race) == ND_OK);
    EXPECT(nd_long_race_save(race, path) == ND_OK);
    keep(2);
    nd_bearoff_one_free(one);
    nd_bearoff_two_free(two);
    nd_long_race_free(race);
    size_t most = 0;
    for (int k = 0; k < KINDS; k++) most = sizes[k] > most ? sizes[k] : most;
    image = malloc(most + FRONT);
    EXPECT(image);
}

static double sum; /* so that nothing read is optimised away */

static void read_one(void)
{
    nd_bearoff_one *t;
    if (nd_bearoff_one_open(path, &t) != ND_OK) {
        EXPECT(!t);
        return;
    }
    for (uint32_t x = 0; x < ND_BEAROFF_POSITIONS; x += 7) {
        const nd_bearoff_rolls r = nd_bearoff_one_all(t, x), f = nd_bearoff_one_first(t, x);
        sum += r.p[0] + r.p[r.count - 1] + f.p[0] + f.p[f.count - 1];
    }
    double out[6];
    nd_bearoff_one_outcomes(t, ND_BEAROFF_POSITIONS - 1, ND_BEAROFF_FULL, out);
    nd_bearoff_one_free(t);
}

static void read_two(void)
{
    nd_bearoff_two *t;
    if (nd_bearoff_two_open(path, &t) != ND_OK) {
        EXPECT(!t);
        return;
    }
    sum += nd_bearoff_two_probe(t, 0, 0).cubeless;
    sum += nd_bearoff_two_probe(t, ND_BEAROFF_TWO_POSITIONS - 1, ND_BEAROFF_TWO_POSITIONS - 1).own;
    nd_bearoff_two_free(t);
}

/* Fifteen checkers spread by the input's bytes over the points the table says it knows. */
static void read_race(input *in)
{
    nd_long_race *t;
    if (nd_long_race_open(path, &t) != ND_OK) {
        EXPECT(!t);
        return;
    }
    for (int i = 0; i < 64; i++) {
        const int highest = nd_long_race_points(t);
        int8_t counts[2][ND_SLOTS] = {{0}};
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < ND_CHECKERS; k++) {
                const int lowest = i & 1 ? 1 : 0, top = lowest ? highest : 6;
                counts[side][lowest + (take8(in) + i * k) % (top - lowest + 1)]++;
            }
        nd_board board;
        nd_long_race_side side;
        nd_board_from_counts(counts[0], counts[1], &board);
        if (!nd_long_race_find(t, board.own, &side)) continue;
        for (int n = 0; n < side.all_off.count; n++) sum += side.all_off.p[n];
        for (int n = 0; n < side.all_home.count; n++) sum += side.all_home.p[n];
        for (int n = 0; n < side.first_off.count; n++) sum += side.first_off.p[n];
        float out[8];
        if (!(nd_any(board.own) & ~1u) || !(nd_any(board.opp) & ~1u)) continue;
        nd_long_race_outcomes(t, &board, out);
    }
    nd_long_race_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!image) begin();
    input in = {data, size};
    const uint8_t how = take8(&in);
    const int kind = how % KINDS;
    nd_container c;
    EXPECT(nd_container_parse(whole[kind], sizes[kind], false, &c) == ND_OK);
    const size_t front = sizes[kind] - c.payload_bytes;
    size_t bytes = sizes[kind];
    if (how & 0x20) bytes -= take32(&in) % (how & 0x40 ? 64 : c.payload_bytes);
    memcpy(image, whole[kind], bytes);
    input read = in;
    damage(&in, image + (how & 0x10 ? 0 : front), bytes - (how & 0x10 ? 0 : front));
    if (how & 0x80) {
        nd_store64(image + 32, bytes - front);
        nd_store64(image + 40, nd_hash(image + front, bytes - front, 0));
        nd_store64(image + 56, nd_hash(image + ND_CONTAINER_HEADER, strlen(c.provenance),
                                       nd_hash(image, 56, 0)));
    }
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    EXPECT(file >= 0 && write(file, image, bytes) == (ssize_t)bytes && close(file) == 0);
    read_one();
    read_two();
    read_race(&read);
    return 0;
}
