/* The encoder's slow half: new values, and growing the table. Finding is inline in the header.
 *
 * Open addressing with linear probing, at most half full while the table fits the caches and three
 * quarters full beyond. 24 bytes per slot, 8 per value, and the values' bytes. */
#include "data/encoder.h"

enum { FIRST_SLOTS = 64, SMALL_SLOTS = 1 << 16 };

static kan_status slots_create(kan_run *run, size_t n, kan_encoder_slot **out) {
    kan_encoder_slot *slots;
    KAN_TRY(kan_alloc(run, n, sizeof *slots, &slots));
    for (size_t i = 0; i < n; i++)
        slots[i] = (kan_encoder_slot){0, 0, 0, KAN_CODE_LIMIT};
    *out = slots;
    return KAN_OK;
}

kan_status kan_encoder_init(kan_encoder *encoder, kan_run *run) {
    kan_encoder made = {.run = run, .mask = FIRST_SLOTS - 1};
    KAN_TRY(slots_create(run, FIRST_SLOTS, &made.slots));
    kan_status status = kan_reserve(run, 1, sizeof *made.start, &made.start_capacity, &made.start);
    if (status == KAN_OK)
        status = kan_reserve(run, 64, 1, &made.bytes_capacity, &made.bytes);
    if (status != KAN_OK) {
        kan_encoder_destroy(&made);
        return status;
    }
    made.start[0] = 0;
    *encoder = made;
    return KAN_OK;
}

void kan_encoder_destroy(kan_encoder *encoder) {
    kan_free(encoder->run, encoder->slots);
    kan_free(encoder->run, encoder->bytes);
    kan_free(encoder->run, encoder->start);
    *encoder = (kan_encoder){.run = encoder->run};
}

static kan_encoder_slot *empty_slot(kan_encoder_slot *slots, size_t mask, uint64_t hash) {
    size_t at = hash & mask;
    while (slots[at].code != KAN_CODE_LIMIT)
        at = (at + 1) & mask;
    return &slots[at];
}

static kan_status grow(kan_encoder *encoder) {
    size_t n = encoder->mask + 1;
    kan_encoder_slot *slots;
    KAN_TRY(slots_create(encoder->run, n * 2, &slots));
    for (size_t i = 0; i < n; i++) {
        const kan_encoder_slot *slot = &encoder->slots[i];
        if (slot->code == KAN_CODE_LIMIT)
            continue;
        uint64_t hash = kan_encoder_hash(encoder->bytes + encoder->start[slot->code], slot->size,
                                         slot->head, slot->tail);
        *empty_slot(slots, n * 2 - 1, hash) = *slot;
    }
    kan_free(encoder->run, encoder->slots);
    encoder->slots = slots;
    encoder->mask = n * 2 - 1;
    return KAN_OK;
}

kan_status kan_encoder_insert(kan_encoder *encoder, const char *bytes, size_t size, uint32_t *out) {
    size_t n_slots = encoder->mask + 1;
    uint64_t used = encoder->start[encoder->n];
    if (encoder->n == KAN_CODE_LIMIT - 1 || size > UINT32_MAX)
        return kan_fail(encoder->run, KAN_BAD_INPUT,
                        encoder->n == KAN_CODE_LIMIT - 1
                            ? "a column has more than 4,294,967,294 distinct values; "
                              "leave it out of the quasi-identifiers"
                            : "a value is longer than 4 GiB; leave its column out");
    if (encoder->n + 1 > (n_slots <= SMALL_SLOTS ? n_slots / 2 : n_slots / 4 * 3))
        KAN_TRY(grow(encoder));
    KAN_TRY(kan_reserve(encoder->run, (size_t)encoder->n + 2, sizeof *encoder->start,
                        &encoder->start_capacity, &encoder->start));
    KAN_TRY(kan_reserve(encoder->run, used + size, 1, &encoder->bytes_capacity, &encoder->bytes));
    uint64_t word_mask = kan_word_mask(size);
    uint64_t head = kan_load_word(bytes) & word_mask;
    uint64_t tail = kan_load_word(bytes + (size > 8 ? size - 8 : 0)) & word_mask;
    uint64_t hash = kan_encoder_hash(bytes, size, head, tail);
    memcpy(encoder->bytes + used, bytes, size);
    *empty_slot(encoder->slots, encoder->mask, hash) =
        (kan_encoder_slot){head, tail, (uint32_t)size, encoder->n};
    *out = encoder->n++;
    encoder->start[encoder->n] = used + size;
    return KAN_OK;
}

kan_status kan_encoder_add(kan_encoder *encoder, kan_slice value, uint32_t *out) {
    char room[8] = {0};
    const char *bytes = value.bytes;
    if (value.size < sizeof room) {
        if (value.size)
            memcpy(room, bytes, value.size);
        bytes = room;
    }
    uint32_t code = kan_encoder_find(encoder, bytes, value.size);
    if (code == KAN_CODE_LIMIT)
        return kan_encoder_insert(encoder, bytes, value.size, out);
    *out = code;
    return KAN_OK;
}

/* ---- codes ---------------------------------------------------------------------------------- */

static inline uint32_t code_at(const void *codes, unsigned width, size_t i) {
    return width == 1   ? ((const uint8_t *)codes)[i]
           : width == 2 ? ((const uint16_t *)codes)[i]
                        : ((const uint32_t *)codes)[i];
}

/* One loop, called with constant widths. */
static inline __attribute__((always_inline)) void map_codes(const void *codes, unsigned width,
                                                            const uint32_t *map, size_t n,
                                                            void *out, unsigned out_width) {
    for (size_t i = 0; i < n; i++) {
        uint32_t code = map[code_at(codes, width, i)];
        if (out_width == 1)
            ((uint8_t *)out)[i] = (uint8_t)code;
        else if (out_width == 2)
            ((uint16_t *)out)[i] = (uint16_t)code;
        else
            ((uint32_t *)out)[i] = code;
    }
}

static inline __attribute__((always_inline)) void map_from(const void *codes, unsigned width,
                                                           const uint32_t *map, size_t n, void *out,
                                                           unsigned out_width) {
    if (width == 1)
        map_codes(codes, 1, map, n, out, out_width);
    else if (width == 2)
        map_codes(codes, 2, map, n, out, out_width);
    else
        map_codes(codes, 4, map, n, out, out_width);
}

void kan_codes_map(const void *codes, unsigned width, const uint32_t *map, size_t n, void *out,
                   unsigned out_width) {
    if (out_width == 1)
        map_from(codes, width, map, n, out, 1);
    else if (out_width == 2)
        map_from(codes, width, map, n, out, 2);
    else
        map_from(codes, width, map, n, out, 4);
}
