/* Arrays, value after value, of what each code is. A value costs a look-up and a store. */
#include <string.h>

#include "io/arrow/arrow_inside.h"

static bool is_text(const kan_arrow_builder *builder) {
    return builder->type.layout == KAN_ARROW_TEXT32 || builder->type.layout == KAN_ARROW_TEXT64;
}

static void *buffer(const kan_arrow_builder *builder, size_t i) {
    return (void *)(uintptr_t)builder->array->buffers[i];
}

kan_status kan_arrow_build_begin(kan_run *run, const kan_arrow_type *type, size_t n,
                                 struct ArrowArray *array, kan_arrow_builder *out) {
    *out = (kan_arrow_builder){.run = run, .type = *type, .array = array, .n_most = n};
    KAN_TRY(kan_arrow_make_array(run, is_text(out) ? 3 : 2, 0, array));
    array->length = (int64_t)n;
    KAN_TRY(kan_arrow_buffer(run, (n + 7) / 8, &array->buffers[0]));
    memset(buffer(out, 0), 0xff, (n + 7) / 8);
    if (is_text(out)) {
        KAN_TRY(kan_arrow_buffer(run, (n + 1) * (type->layout == KAN_ARROW_TEXT32 ? 4 : 8),
                                 &array->buffers[1]));
        return kan_arrow_buffer(run, 0, &array->buffers[2]);
    }
    const size_t bytes = type->layout == KAN_ARROW_BITS ? (n + 7) / 8 : n * type->scalar.size;
    return kan_arrow_buffer(run, bytes, &array->buffers[1]);
}

static void mark_nulls(const kan_arrow_builder *builder, const bool *is_null, const uint32_t *codes,
                       size_t n) {
    uint8_t *validity = buffer(builder, 0);
    for (size_t i = 0; i < n; i++)
        if (is_null[codes[i]]) {
            const size_t at = builder->n + i;
            validity[at / 8] &= (uint8_t) ~(1u << at % 8);
            builder->array->null_count++;
        }
}

/* ---- words ---------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void
put_words(char *out, const char *words, const uint32_t *codes, size_t n, unsigned size) {
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * size, words + (size_t)codes[i] * size, size);
}

static void add_words(const kan_arrow_builder *builder, const char *words, const uint32_t *codes,
                      size_t n) {
    const unsigned size = builder->type.scalar.size;
    char *out = (char *)buffer(builder, 1) + builder->n * size;
    switch (size) {
    case 1:
        put_words(out, words, codes, n, 1);
        break;
    case 2:
        put_words(out, words, codes, n, 2);
        break;
    case 4:
        put_words(out, words, codes, n, 4);
        break;
    case 8:
        put_words(out, words, codes, n, 8);
        break;
    default:
        put_words(out, words, codes, n, 16);
    }
}

static void add_bits(const kan_arrow_builder *builder, const char *words, const uint32_t *codes,
                     size_t n) {
    uint8_t *bits = buffer(builder, 1);
    for (size_t i = 0; i < n; i++) {
        const size_t at = builder->n + i;
        bits[at / 8] |= (uint8_t)((words[codes[i]] != 0) << at % 8);
    }
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* Offsets of 32 bits become such of 64. */
static kan_status widen(kan_arrow_builder *builder) {
    const int32_t *before = buffer(builder, 1);
    int64_t *offsets;
    KAN_TRY(kan_arrow_buffer(builder->run, (builder->n_most + 1) * sizeof *offsets, &offsets));
    for (size_t i = 0; i <= builder->n; i++)
        offsets[i] = before[i];
    kan_arrow_buffer_free(buffer(builder, 1));
    builder->array->buffers[1] = offsets;
    builder->type = kan_arrow_type_find("U");
    return KAN_OK;
}

static kan_status reserve_bytes(kan_arrow_builder *builder, size_t n) {
    size_t room = builder->room ? builder->room : 1024;
    if (builder->n_bytes + n <= builder->room)
        return KAN_OK;
    while (room < builder->n_bytes + n)
        room += room / 2;
    KAN_TRY(kan_arrow_buffer_grow(builder->run, room, &builder->array->buffers[2]));
    builder->room = room;
    return KAN_OK;
}

static kan_status add_texts(kan_arrow_builder *builder, const kan_slice *texts,
                            const uint32_t *codes, size_t n) {
    size_t more = 0;
    for (size_t i = 0; i < n; i++)
        more += texts[codes[i]].size;
    KAN_TRY(reserve_bytes(builder, more));
    if (builder->type.layout == KAN_ARROW_TEXT32 && builder->n_bytes + more > INT32_MAX)
        KAN_TRY(widen(builder));
    char *bytes = buffer(builder, 2);
    size_t end = builder->n_bytes;
    for (size_t i = 0; i < n; i++) {
        const kan_slice text = texts[codes[i]];
        memcpy(bytes + end, text.bytes, text.size);
        end += text.size;
        if (builder->type.layout == KAN_ARROW_TEXT32)
            ((int32_t *)buffer(builder, 1))[builder->n + i + 1] = (int32_t)end;
        else
            ((int64_t *)buffer(builder, 1))[builder->n + i + 1] = (int64_t)end;
    }
    builder->n_bytes = end;
    return KAN_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

kan_status kan_arrow_build_add(kan_arrow_builder *builder, const kan_arrow_palette *palette,
                               const uint32_t *codes, size_t n) {
    KAN_ASSERT(builder->n + n <= builder->n_most);
    mark_nulls(builder, palette->is_null, codes, n);
    if (is_text(builder))
        KAN_TRY(add_texts(builder, palette->texts, codes, n));
    else if (builder->type.layout == KAN_ARROW_BITS)
        add_bits(builder, palette->words, codes, n);
    else
        add_words(builder, palette->words, codes, n);
    builder->n += n;
    return KAN_OK;
}

void kan_arrow_build_end(kan_arrow_builder *builder) {
    KAN_ASSERT(builder->n == builder->n_most);
    if (builder->array->null_count == 0) {
        kan_arrow_buffer_free(buffer(builder, 0));
        builder->array->buffers[0] = NULL;
    }
}
