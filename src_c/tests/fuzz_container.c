/* Containers: any bytes, and well-formed ones damaged under right checksums. */
#include "container_image.h"
#include "fuzz.h"

/* What was accepted is inside the image, and packs into the same bytes. */
static void parse(const uint8_t *image, size_t bytes)
{
    nd_container loose, c;
    const nd_status status = nd_container_parse(image, bytes, true, &c);
    if (nd_container_parse(image, bytes, false, &loose) != ND_OK) EXPECT(status != ND_OK);
    if (status != ND_OK) return;
    EXPECT((const uint8_t *)c.payload + c.payload_bytes == image + bytes);
    EXPECT(strlen(c.provenance) == nd_load32(image + 28));
    EXPECT(image_size(&c) == bytes);
    uint8_t *const again = malloc(bytes);
    EXPECT(again);
    image_fill(&c, again);
    EXPECT(memcmp(image, again, bytes) == 0);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    const uint8_t how = take8(&in);
    if (how & 1) {
        parse(in.at, in.left);
        return 0;
    }
    char provenance[256] = {0};
    uint8_t payload[64];
    take(&in, provenance, how >> 1);
    take(&in, payload, sizeof payload);
    const nd_container made = {.kind = take8(&in) % 6,
                               .layout = take8(&in) % 3,
                               .provenance = provenance,
                               .payload = payload,
                               .payload_bytes = take8(&in) % (sizeof payload + 1)};
    const size_t bytes = image_size(&made);
    uint8_t *const image = malloc(bytes);
    EXPECT(image);
    image_fill(&made, image);
    parse(image, bytes);
    const uint8_t repair = take8(&in);
    damage(&in, image, bytes);
    const size_t text = nd_load32(image + 28), front = image_front(text);
    if (repair & 1 && front <= bytes)
        nd_store64(image + 40, nd_hash(image + front, bytes - front, 0));
    if (repair & 2 && text <= bytes - 64) nd_store64(image + 56, image_hash(image, text));
    parse(image, bytes);
    free(image);
    return 0;
}
