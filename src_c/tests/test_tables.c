/* Containers against damage of every kind; bear-off tables against small cases worked by hand. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/container.h"
#include "base/file.h"
#include "base/hash.h"
#include "tables/bearoff.h"
#include "tables/long_race.h"
#include "tests/check.h"
#include "tests/container_image.h"

static void near(double got, double wanted, double within, const char *what)
{
    if (!(fabs(got - wanted) <= within))
        fprintf(stderr, "%s: %.12f not %.12f\n", what, got, wanted);
    CHECK(fabs(got - wanted) <= within);
}

/* ---- containers ------------------------------------------------------------------------------ */

static const nd_container sample = {
    .kind = ND_KIND_NET,
    .layout = 7,
    .rules_id = 2,
    .rules_version = 3,
    .provenance = "made by hand, \xC3\xBC",
    .payload = "payload of 21 bytes..",
    .payload_bytes = 21,
};

static void container_round_trip(void)
{
    const size_t bytes = image_size(&sample);
    uint8_t *image = malloc(bytes);
    nd_container c;
    CHECK_INT(bytes, 128 + 21);
    image_fill(&sample, image);
    CHECK_INT(nd_container_parse(image, bytes, true, &c), ND_OK);
    CHECK_INT(c.kind, sample.kind);
    CHECK_INT(c.layout, sample.layout);
    CHECK_INT(c.rules_id, sample.rules_id);
    CHECK_INT(c.rules_version, sample.rules_version);
    CHECK(strcmp(c.provenance, sample.provenance) == 0);
    CHECK_INT(c.payload_bytes, 21);
    CHECK(memcmp(c.payload, sample.payload, 21) == 0);
    CHECK(c.payload_hash == nd_hash(sample.payload, 21, 0));
    CHECK_INT(nd_container_expect(&c, ND_KIND_NET, 7), ND_OK);
    CHECK_INT(nd_container_expect(&c, ND_KIND_BEAROFF_ONE, 7), ND_BAD_FILE);
    CHECK_INT(nd_container_expect(&c, ND_KIND_NET, 8), ND_BAD_VERSION);
    free(image);
}

static void container_damage(void)
{
    const size_t bytes = image_size(&sample);
    uint8_t *image = malloc(bytes + 1);
    nd_container c;
    image_fill(&sample, image);
    image[bytes] = 0;

    for (size_t at = 0; at < bytes; at++)
        for (int bit = 0; bit < 8; bit++) {
            image[at] ^= (uint8_t)(1 << bit);
            CHECK(nd_container_parse(image, bytes, true, &c) != ND_OK);
            if (at >= 128) CHECK_INT(nd_container_parse(image, bytes, false, &c), ND_OK);
            image[at] ^= (uint8_t)(1 << bit);
        }
    CHECK_INT(nd_container_parse(image, bytes + 1, true, &c), ND_BAD_FILE);
    for (size_t n = 0; n < bytes; n++) {
        uint8_t *cut = malloc(n + 1); /* of exact size + 1, so that a sanitizer sees overruns */
        memcpy(cut, image, n);
        CHECK_INT(nd_container_parse(cut, n, true, &c), ND_BAD_FILE);
        free(cut);
    }
    CHECK_INT(nd_container_parse(NULL, 0, true, &c), ND_BAD_FILE);

    /* Lengths that overflow or point outside, under a right checksum. */
    static const uint64_t lengths[] = {UINT64_MAX, UINT64_MAX - 127, 1u << 31, 22, 20, 0};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        image_fill(&sample, image);
        nd_store64(image + 32, lengths[i]);
        nd_store64(image + 56, image_hash(image, nd_load32(image + 28)));
        CHECK_INT(nd_container_parse(image, bytes, true, &c), ND_BAD_FILE);
    }
    static const uint32_t names[] = {UINT32_MAX, 1u << 20, 85, 64};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        image_fill(&sample, image);
        nd_store32(image + 28, names[i]);
        CHECK_INT(nd_container_parse(image, bytes, true, &c), ND_BAD_FILE);
    }
    image_fill(&sample, image);
    nd_store32(image + 8, 2);
    CHECK_INT(nd_container_parse(image, bytes, true, &c), ND_BAD_VERSION);
    free(image);
}

static void container_files(const char *directory)
{
    char path[256], missing[256];
    snprintf(path, sizeof path, "%s/sample.ndb", directory);
    snprintf(missing, sizeof missing, "%s/none/sample.ndb", directory);
    nd_container_file *file;
    CHECK_INT(nd_container_open(path, true, &file), ND_IO);
    CHECK(file == NULL);
    CHECK_INT(nd_container_write(missing, &sample), ND_IO);
    CHECK_INT(nd_container_open(directory, true, &file), ND_IO);

    CHECK_INT(nd_container_write(path, &sample), ND_OK);
    nd_view view;
    uint8_t image[256];
    image_fill(&sample, image);
    CHECK_INT(nd_file_view(path, &view), ND_OK);
    CHECK(view.bytes == image_size(&sample) && memcmp(view.data, image, view.bytes) == 0);
    nd_file_release(&view);
    CHECK_INT(nd_container_open(path, true, &file), ND_OK);
    nd_container changed = *nd_container_get(file);
    CHECK(strcmp(changed.provenance, sample.provenance) == 0);
    CHECK_INT((uintptr_t)changed.payload % 16, 0);

    /* Replacing leaves the open one as it is. */
    nd_container other = sample;
    other.payload_bytes = 3;
    CHECK_INT(nd_container_write(path, &other), ND_OK);
    CHECK(memcmp(changed.payload, sample.payload, 21) == 0);
    nd_container_close(file);
    CHECK_INT(nd_container_open(path, true, &file), ND_OK);
    CHECK_INT(nd_container_get(file)->payload_bytes, 3);
    nd_container_close(file);
    nd_container_close(NULL);

    CHECK_INT(truncate(path, 0), 0);
    CHECK_INT(nd_container_open(path, true, &file), ND_BAD_FILE);
    CHECK_INT(unlink(path), 0);
}

/* ---- bear-off -------------------------------------------------------------------------------- */

static void indices(void)
{
    for (uint32_t index = 0; index < ND_BEAROFF_POSITIONS; index++) {
        uint8_t counts[ND_BEAROFF_POINTS];
        int8_t own[ND_SLOTS] = {0}, opp[ND_SLOTS] = {0};
        nd_board b;
        int sum = 0;
        nd_bearoff_counts_of_index(index, counts);
        for (int i = 0; i < ND_BEAROFF_POINTS; i++) {
            own[i + 1] = (int8_t)counts[i];
            sum += counts[i];
        }
        own[0] = (int8_t)(15 - sum);
        own[7] = own[24] = 9; /* not looked at */
        nd_board_from_counts(own, opp, &b);
        if (nd_bearoff_index_of_counts(counts) != index || nd_bearoff_index(b.own) != index ||
            (sum == 15) != (index >= ND_BEAROFF_FULL) ||
            (sum <= ND_BEAROFF_TWO_CHECKERS) != (index < ND_BEAROFF_TWO_POSITIONS))
            CHECK(index == UINT32_MAX);
    }
    CHECK(1);
}

static uint32_t at(const char *digits)
{
    uint8_t counts[ND_BEAROFF_POINTS];
    for (int i = 0; i < ND_BEAROFF_POINTS; i++) counts[i] = (uint8_t)(digits[i] - '0');
    return nd_bearoff_index_of_counts(counts);
}

static void one_sided(const nd_bearoff_one *t)
{
    double mean, deviation, out[6];

    /* One checker on the six point: 27 of 36 throws bear it off, all others in two. */
    nd_bearoff_rolls r = nd_bearoff_one_all(t, at("000001"));
    CHECK_INT(r.first, 1);
    CHECK_INT(r.count, 2);
    near(r.p[0], 27. / 36, 1e-15, "six point");
    r = nd_bearoff_one_all(t, 0);
    CHECK_INT(r.first, 0);
    CHECK_INT(r.count, 1);
    nd_bearoff_moments(r, &mean, &deviation);
    near(mean, 0, 0, "mean of nothing");
    near(deviation, 0, 0, "deviation of nothing");

    /* Fifteen on the ace point: the first is off at once. */
    r = nd_bearoff_one_first(t, at("600900"));
    CHECK_INT(r.first, 1);
    r = nd_bearoff_one_first(t, nd_bearoff_index_of_counts((uint8_t[]){15, 0, 0, 0, 0, 0}));
    CHECK_INT(r.first, 1);
    CHECK_INT(r.count, 1);
    r = nd_bearoff_one_first(t, at("000060"));
    CHECK_INT(r.first, 0);

    for (uint32_t x = 0; x < ND_BEAROFF_POSITIONS; x++)
        for (int first = 0; first < 2; first++) {
            r = first ? nd_bearoff_one_first(t, x) : nd_bearoff_one_all(t, x);
            double sum = 0;
            int negative = 0;
            for (int i = 0; i < r.count; i++) sum += r.p[i], negative += r.p[i] < 0;
            if (!(fabs(sum - 1) < 1e-14) || negative) near(sum, 1, 1e-14, "sum of a distribution");
        }

    /* Off already, or the other side is: won and lost, by a gammon while all 15 stand. */
    nd_bearoff_one_outcomes(t, 0, at("300000"), out);
    near(out[0], 1, 0, "own side off");
    nd_bearoff_one_outcomes(t, at("300000"), 0, out);
    near(out[3], 1, 0, "other side off");
    nd_bearoff_one_outcomes(t, at("000555"), 0, out);
    near(out[4], 1, 0, "gammon lost");
    /* One checker on the six point against 15 there: 9 of 36 throws leave them a roll, and 17 of 36
     * bring one off: 11 sixes, 51 and 42 twice each, 22 and 33. */
    nd_bearoff_one_outcomes(t, at("000001"), ND_BEAROFF_POSITIONS - 1, out);
    near(out[1], .75 + .25 * 19. / 36, 1e-15, "gammon against fifteen on the six point");
    near(out[0] + out[1], 1, 1e-15, "certain win");
}

static void two_sided(const nd_bearoff_two *t)
{
    nd_bearoff_equities e = nd_bearoff_two_probe(t, at("000001"), at("100000"));
    near(e.cubeless, .5, 1e-15, "last roll");
    near(e.own, .5, 1e-15, "last roll, own cube");
    near(e.centred, .5, 1e-15, "last roll, centred cube");
    near(e.opponent, .5, 1e-15, "last roll, opponent's cube");
    e = nd_bearoff_two_probe(t, 0, at("100000"));
    near(e.centred, 1, 0, "won");
    e = nd_bearoff_two_probe(t, at("100000"), 0);
    near(e.centred, -1, 0, "lost");

    /* Owning the cube never hurts, and a doubled cube is no more than a claim to a point. */
    for (uint32_t x = 1; x < ND_BEAROFF_TWO_POSITIONS; x++)
        for (uint32_t y = 1; y < ND_BEAROFF_TWO_POSITIONS; y++) {
            e = nd_bearoff_two_probe(t, x, y);
            if (!(e.own >= e.centred - 1e-12 && e.centred >= e.opponent - 1e-12 && e.own <= 1 &&
                  e.opponent >= -1 && e.own >= e.cubeless - 1e-12 &&
                  e.cubeless >= e.opponent - 1e-12))
                CHECK(x == 0);
        }
}

static void table_files(const char *directory, const nd_bearoff_one *one, const nd_bearoff_two *two)
{
    char path[256];
    snprintf(path, sizeof path, "%s/table.ndb", directory);
    nd_bearoff_one *again_one;
    nd_bearoff_two *again_two;

    CHECK_INT(nd_bearoff_one_open(path, &again_one), ND_IO);
    CHECK_INT(nd_bearoff_one_save(one, path), ND_OK);
    CHECK_INT(nd_bearoff_two_open(path, &again_two), ND_BAD_FILE); /* the other kind */
    CHECK(again_two == NULL);
    CHECK_INT(nd_bearoff_one_open(path, &again_one), ND_OK);
    one_sided(again_one);
    nd_bearoff_one_free(again_one);
    struct stat info;
    CHECK_INT(stat(path, &info), 0);
    CHECK(info.st_size < 20000000);

    CHECK_INT(nd_bearoff_two_save(two, path), ND_OK);
    CHECK_INT(nd_bearoff_one_open(path, &again_one), ND_BAD_FILE);
    CHECK_INT(nd_bearoff_two_open(path, &again_two), ND_OK);
    two_sided(again_two);
    nd_bearoff_two_free(again_two);

    CHECK_INT(stat(path, &info), 0);
    CHECK_INT(truncate(path, info.st_size - 8), 0);
    CHECK_INT(nd_bearoff_two_open(path, &again_two), ND_BAD_FILE);
    CHECK_INT(truncate(path, info.st_size), 0); /* ends in a zero now */
    CHECK_INT(nd_bearoff_two_open(path, &again_two), ND_BAD_CHECKSUM);
    CHECK_INT(unlink(path), 0);

    /* A right checksum over entries that point outside the pool. */
    const size_t bytes = (54264 + 15504) * 8 + 80;
    uint8_t *payload = calloc(1, bytes);
    nd_container crafted = {.kind = ND_KIND_BEAROFF_ONE,
                            .layout = 1,
                            .provenance = "crafted",
                            .payload = payload,
                            .payload_bytes = bytes};
    for (size_t i = 0; i < 54264 + 15504; i++) payload[8 * i + 5] = 10; /* at 0, ten long: fits */
    CHECK_INT(nd_container_write(path, &crafted), ND_OK);
    CHECK_INT(nd_bearoff_one_open(path, &again_one), ND_OK);
    nd_bearoff_one_free(again_one);
    static const uint32_t outside[] = {1, 10, 11, UINT32_MAX, UINT32_MAX - 9};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        nd_store32(payload + 8 * 54264, outside[i]);
        CHECK_INT(nd_container_write(path, &crafted), ND_OK);
        CHECK_INT(nd_bearoff_one_open(path, &again_one), ND_BAD_FILE);
    }
    free(payload);
    CHECK_INT(unlink(path), 0);
}

/* ---- the race table of long nardy ------------------------------------------------------------ */

/* Counts of points 1..8, the rest of fifteen off. */
static void place(uint32_t side[ND_PLANES], const int counts[8])
{
    int off = ND_CHECKERS;
    memset(side, 0, ND_PLANES * sizeof *side);
    for (int p = 0; p < 8; p++)
        for (int n = 0; n < counts[p]; n++) nd_add(side, ND_BIT(p + 1)), off--;
    while (off--) nd_add(side, ND_BIT(ND_OFF));
}

static void long_race(const char *directory)
{
    char path[512];
    snprintf(path, sizeof path, "%s/race.ndb", directory);
    nd_long_race *t, *again;
    nd_stop stop = {1};
    CHECK_INT(nd_long_race_build(6, NULL, &t), ND_BAD_ARGUMENT);
    CHECK_INT(nd_long_race_build(13, NULL, &t), ND_BAD_ARGUMENT);
    CHECK_INT(nd_long_race_build(8, &stop, &t), ND_CANCELLED);
    CHECK(t == NULL);
    CHECK_INT(nd_long_race_build(8, NULL, &t), ND_OK);
    CHECK_INT(nd_long_race_points(t), 8);

    /* One checker on 7, fourteen on 1: only it can play the first die, and is at home then. */
    nd_board b;
    nd_long_race_side side;
    place(b.own, (const int[8]){14, 0, 0, 0, 0, 0, 1});
    CHECK(nd_long_race_find(t, b.own, &side));
    CHECK_INT(side.all_home.first, 1);
    CHECK_INT(side.all_home.count, 1);
    CHECK_INT(side.first_off.first, 1);
    /* One checker on 1 against the whole other side outside: a mars, certainly. */
    place(b.own, (const int[8]){1});
    place(b.opp, (const int[8]){0, 0, 0, 0, 0, 0, 15});
    float p[8];
    CHECK(nd_long_race_outcomes(t, &b, p));
    near(p[1], 1, 1e-6, "mars");
    /* The other to roll: 1-1 to 6-6 leave fifteen outside or bring up to four home. */
    b = nd_swap(&b);
    CHECK(nd_long_race_outcomes(t, &b, p));
    near(p[5], 1, 1e-6, "lost mars");
    /* Fifteen on 6, none off: a six bears off, and 5-1, 4-2, 3-3 and 2-2 with one checker. */
    place(b.own, (const int[8]){0, 0, 0, 0, 0, 15});
    CHECK(nd_long_race_outcomes(t, &b, p));
    near(p[7], 19.0 / 36, 1e-4, "lost home mars");
    near(p[4], 17.0 / 36, 1e-4, "lost oin");
    place(b.own, (const int[8]){0, 0, 0, 0, 0, 0, 0, 3});
    CHECK(!nd_long_race_outcomes(t, &b, p)); /* twelve off before all were home */

    CHECK_INT(nd_long_race_save(t, path), ND_OK);
    CHECK_INT(nd_long_race_open(path, &again), ND_OK);
    CHECK_INT(nd_long_race_points(again), 8);
    nd_long_race_free(again);
    struct stat info;
    CHECK_INT(stat(path, &info), 0);
    CHECK_INT(truncate(path, info.st_size - 2), 0);
    CHECK_INT(nd_long_race_open(path, &again), ND_BAD_FILE);
    CHECK(again == NULL);
    CHECK_INT(unlink(path), 0);
    nd_long_race_free(t);
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    char directory[128];
    snprintf(directory, sizeof directory, "%.64s/nardy_tables_XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(directory) != NULL);

    container_round_trip();
    container_damage();
    container_files(directory);

    nd_bearoff_one *one;
    nd_bearoff_two *two;
    indices();
    CHECK_INT(nd_bearoff_one_build(&one), ND_OK);
    CHECK_INT(nd_bearoff_two_build(&two), ND_OK);
    one_sided(one);
    two_sided(two);
    long_race(directory);
    table_files(directory, one, two);
    nd_bearoff_one_free(one);
    nd_bearoff_one_free(NULL);
    nd_bearoff_two_free(two);
    nd_bearoff_two_free(NULL);
    CHECK_INT(rmdir(directory), 0); /* and so nothing was left behind */
    return check_end("tables");
}
