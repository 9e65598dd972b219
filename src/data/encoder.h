/* The encoder: gives each distinct value of a column a number, in the order of their first
 * appearance. Each thread that reads has one per column; kan_dictionary_build joins them into the
 * column's dictionary, whose codes no longer depend on who saw which value first.
 *
 * A value's key is its first and its last eight bytes (which overlap below sixteen) and its size:
 * with that, values of up to 16 bytes are found without touching anything but one slot of the
 * table, and without a branch on their size. Longer ones are compared in full. The hash is one
 * multiplication. Values that collide by accident or by intent make it slower, never wrong. */
#ifndef KANON_DATA_ENCODER_H
#define KANON_DATA_ENCODER_H

#include "core/hash.h"
#include "data/table.h"

/* Codes and sizes of values end below this. */
#define KAN_CODE_LIMIT UINT32_MAX

typedef struct kan_encoder_key {
    uint64_t head, middle, tail;
    uint32_t size;
} kan_encoder_key;

typedef struct kan_encoder_slot {
    uint64_t head, middle, tail;
    uint32_t size; /* KAN_CODE_LIMIT: nothing is here; no value is as long */
    uint32_t code;
} kan_encoder_slot;

typedef struct kan_encoder {
    kan_run *run;
    kan_encoder_slot *slots;
    size_t mask;     /* slots - 1; their number is a power of two */
    unsigned shift;  /* from a hash to a slot */
    uint32_t n;      /* values */
    char *bytes;     /* the values, one after the other */
    uint64_t *start; /* n + 1 offsets into bytes */
    size_t bytes_capacity, start_capacity;
} kan_encoder;

KAN_MUST_USE kan_status kan_encoder_init(kan_encoder *encoder, kan_run *run);
void kan_encoder_destroy(kan_encoder *encoder);

static inline kan_slice kan_encoder_value(const kan_encoder *encoder, uint32_t code) {
    return (kan_slice){encoder->bytes + encoder->start[code],
                       encoder->start[code + 1] - encoder->start[code]};
}

static inline uint64_t kan_load_word(const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

/* Eight bytes must be readable at `bytes`, whatever `size`. Choices by arithmetic: the sizes of
 * values vary too much for a processor to guess. */
static inline kan_encoder_key kan_encoder_key_of(const char *bytes, size_t size) {
    static const char ones_then_zeros[16] = "\xff\xff\xff\xff\xff\xff\xff\xff";
    size_t first = size ^ ((size ^ 8) & ((size_t)0 - (size > 8))); /* the less of size and 8 */
    uint64_t mask = kan_load_word(ones_then_zeros + 8 - first);
    return (kan_encoder_key){kan_load_word(bytes) & mask,
                             kan_load_word(bytes + ((size_t)(size > 16) << 3)) & mask,
                             kan_load_word(bytes + (size - first)) & mask, (uint32_t)size};
}

/* The upper bits are the good ones. Values longer than 24 bytes hash the rest, too, see encoder.c.
 */
static inline uint64_t kan_encoder_hash_key(kan_encoder_key key) {
    return key.head * 0x9e3779b97f4a7c15u + key.middle * 0xd6e8feb86659fd93u +
           key.tail * 0xa0761d6478bd642fu;
}

/* As kan_encoder_find, for values of more than 24 bytes. */
uint32_t kan_encoder_find_long(const kan_encoder *encoder, const char *bytes, size_t size);

/* The code of a value, or KAN_CODE_LIMIT. Eight bytes must be readable at `bytes`, whatever `size`,
 * which must be below KAN_CODE_LIMIT. */
static inline __attribute__((always_inline)) uint32_t
kan_encoder_find(const kan_encoder *encoder, const char *bytes, size_t size) {
    if (__builtin_expect(size > 24, 0))
        return kan_encoder_find_long(encoder, bytes, size);
    kan_encoder_key key = kan_encoder_key_of(bytes, size);
    size_t at = kan_encoder_hash_key(key) >> encoder->shift;
    for (;; at = (at + 1) & encoder->mask) {
        const kan_encoder_slot *slot = &encoder->slots[at];
        uint64_t differs = (slot->head ^ key.head) | (slot->middle ^ key.middle) |
                           (slot->tail ^ key.tail) | (slot->size ^ key.size);
        if (differs == 0)
            return slot->code;
        if (slot->size == KAN_CODE_LIMIT)
            return KAN_CODE_LIMIT;
    }
}

/* The code of a value that kan_encoder_find did not find: it is added. The same eight bytes. */
KAN_MUST_USE kan_status kan_encoder_insert(kan_encoder *encoder, const char *bytes, size_t size,
                                           uint32_t *out);
/* Both in one, for values of which no byte beyond the last may be read. */
KAN_MUST_USE kan_status kan_encoder_add(kan_encoder *encoder, kan_slice value, uint32_t *out);

/* Joins the encoders (they stay the caller's; the first takes in the values of all others) into a
 * dictionary in value order. maps[i][c] is the dictionary's code of value c of encoders[i]; both
 * are the caller's to free. `encoders` are n_encoders >= 1 encoders that stand `stride` apart. */
KAN_MUST_USE kan_status kan_dictionary_build(kan_run *run, kan_encoder *encoders, size_t n_encoders,
                                             size_t stride, uint32_t **maps, kan_dictionary *out);
/* The same of one encoder, with what was said of its column: its values may be ends of a capped one
 * (NULL: they are none), or text whatever they look like. */
KAN_MUST_USE kan_status kan_dictionary_build_column(kan_run *run, kan_encoder *encoder,
                                                    const kan_ends *ends, bool is_text,
                                                    uint32_t **map, kan_dictionary *out);
void kan_dictionary_destroy(kan_run *run, kan_dictionary *dictionary);

/* Bytes that a code of a dictionary of n values needs: 1, 2 or 4. */
static inline unsigned kan_code_width(uint64_t n_values) {
    return n_values <= 0x100 ? 1 : n_values <= 0x10000 ? 2 : 4;
}

/* out[i] = map[codes[i]] for n codes of `width` bytes into codes of `out_width` bytes. */
void kan_codes_map(const void *codes, unsigned width, const uint32_t *map, size_t n, void *out,
                   unsigned out_width);

#endif
