/* The encoder's slow half: new values, and growing the table. Finding is inline in the header.
 *
 * Open addressing with linear probing. A small table is kept nearly empty, as every second look
 * costs more than the look-up itself; one that no cache holds may be three quarters full. 32 bytes
 * per slot, 8 per value, and the values' bytes. */
#include "data/encoder.h"

enum { FIRST_SLOTS = 1 << 6, SMALL_SLOTS = 1 << 10, LARGE_SLOTS = 1 << 16 };

/* Values that a table of so many slots may hold. */
static size_t most_values(size_t n_slots) {
    return n_slots <= SMALL_SLOTS   ? n_slots / 4
           : n_slots <= LARGE_SLOTS ? n_slots / 2
                                    : n_slots / 4 * 3;
}

static uint64_t hash_value(const char *bytes, kan_encoder_key key) {
    uint64_t hash = kan_encoder_hash_key(key);
    for (size_t i = 16; i + 8 < key.size; i += 8)
        hash = kan_mix(hash ^ kan_load_word(bytes + i), 0xa0761d6478bd642fu);
    return hash;
}

/* Whether two values of the same key agree in what the key leaves out. */
static bool same_rest(const char *a, const char *b, size_t size) {
    return size <= 24 || memcmp(a + 16, b + 16, size - 24) == 0;
}

uint32_t kan_encoder_find_long(const kan_encoder *encoder, const char *bytes, size_t size) {
    kan_encoder_key key = kan_encoder_key_of(bytes, size);
    size_t at = hash_value(bytes, key) >> encoder->shift;
    for (;; at = (at + 1) & encoder->mask) {
        const kan_encoder_slot *slot = &encoder->slots[at];
        if (slot->size == KAN_CODE_LIMIT)
            return KAN_CODE_LIMIT;
        if (slot->size == size && slot->head == key.head && slot->middle == key.middle &&
            slot->tail == key.tail &&
            same_rest(encoder->bytes + encoder->start[slot->code], bytes, size))
            return slot->code;
    }
}

static kan_status slots_create(kan_run *run, size_t n, kan_encoder_slot **out) {
    kan_encoder_slot *slots;
    KAN_TRY(kan_alloc(run, n, sizeof *slots, &slots));
    for (size_t i = 0; i < n; i++)
        slots[i] = (kan_encoder_slot){.size = KAN_CODE_LIMIT};
    *out = slots;
    return KAN_OK;
}

kan_status kan_encoder_init(kan_encoder *encoder, kan_run *run) {
    kan_encoder made = {.run = run, .mask = FIRST_SLOTS - 1, .shift = 64 - 6};
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

static kan_encoder_slot *empty_slot(kan_encoder_slot *slots, size_t mask, unsigned shift,
                                    uint64_t hash) {
    size_t at = hash >> shift;
    while (slots[at].size != KAN_CODE_LIMIT)
        at = (at + 1) & mask;
    return &slots[at];
}

static kan_status grow(kan_encoder *encoder) {
    size_t n = encoder->mask + 1;
    kan_encoder_slot *slots;
    KAN_TRY(slots_create(encoder->run, n * 2, &slots));
    for (size_t i = 0; i < n; i++) {
        const kan_encoder_slot *slot = &encoder->slots[i];
        if (slot->size == KAN_CODE_LIMIT)
            continue;
        kan_encoder_key key = {slot->head, slot->middle, slot->tail, slot->size};
        uint64_t hash = hash_value(encoder->bytes + encoder->start[slot->code], key);
        *empty_slot(slots, n * 2 - 1, encoder->shift - 1, hash) = *slot;
    }
    kan_free(encoder->run, encoder->slots);
    encoder->slots = slots;
    encoder->mask = n * 2 - 1;
    encoder->shift--;
    return KAN_OK;
}

kan_status kan_encoder_insert(kan_encoder *encoder, const char *bytes, size_t size, uint32_t *out) {
    uint64_t used = encoder->start[encoder->n];
    if (encoder->n == KAN_CODE_LIMIT - 1 || size >= KAN_CODE_LIMIT)
        return kan_fail(encoder->run, KAN_BAD_INPUT,
                        encoder->n == KAN_CODE_LIMIT - 1
                            ? "a column has more than 4,294,967,294 distinct values; "
                              "leave it out of the quasi-identifiers"
                            : "a value is longer than 4 GiB; leave its column out");
    if (encoder->n + 1 > most_values(encoder->mask + 1))
        KAN_TRY(grow(encoder));
    KAN_TRY(kan_reserve(encoder->run, (size_t)encoder->n + 2, sizeof *encoder->start,
                        &encoder->start_capacity, &encoder->start));
    KAN_TRY(kan_reserve(encoder->run, used + size, 1, &encoder->bytes_capacity, &encoder->bytes));
    kan_encoder_key key = kan_encoder_key_of(bytes, size);
    uint64_t hash = hash_value(bytes, key);
    memcpy(encoder->bytes + used, bytes, size);
    *empty_slot(encoder->slots, encoder->mask, encoder->shift, hash) =
        (kan_encoder_slot){key.head, key.middle, key.tail, key.size, encoder->n};
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
    uint32_t code =
        value.size < KAN_CODE_LIMIT ? kan_encoder_find(encoder, bytes, value.size) : KAN_CODE_LIMIT;
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
