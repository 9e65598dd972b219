/* Numbering groups part by part: see numbers.h. */
#include "group/freqsets/numbers.h"

#include <string.h>

enum { MOST_TUPLES = 1 << 18 };
#define MOST_NUMBERS (UINT64_C(1) << 56)

void kan_numbers_destroy(kan_numbers *numbers, kan_run *run) {
    kan_free(run, numbers->parts);
    kan_free(run, numbers->slices.tables);
    kan_scatter_destroy(&numbers->scatter, run);
    *numbers = (kan_numbers){.parts = NULL};
}

/* Fields of one word that are added next. */
typedef struct {
    kan_digit digits[KAN_MAX_FIELDS];
    unsigned n, word;
} key_share;

static inline void add_to_parts(const kan_bitslices *map, const kan_freqset *from, unsigned word,
                                uint64_t *restrict parts, const unsigned n_slices) {
    const size_t step = from->layout.n_words;
    const uint64_t *restrict keys = from->keys + word;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = 0; i < from->n; i++)
        parts[i] += kan_bitslices_map(slices, keys[i * step], n_slices);
}

static kan_status add_share(kan_numbers *numbers, kan_run *run, const kan_freqset *from,
                            key_share *share, bool *fits) {
    if (share->n == 0 || !*fits)
        return KAN_OK;
    KAN_TRY(kan_bitslices_make(run, share->digits, share->n, from->n, &numbers->slices, fits));
    share->n = 0;
    if (!*fits)
        return KAN_OK;
#define ADD(number) add_to_parts(&numbers->slices, from, share->word, numbers->parts, number)
    KAN_BITSLICES_SWITCH(numbers->slices.n, ADD)
#undef ADD
    return KAN_OK;
}

/* Groups by what is known of them so far. */
static kan_status number_parts(kan_numbers *numbers, kan_run *run, const kan_freqset *from,
                               size_t *out) {
    uint64_t *restrict parts = numbers->parts;
    uint32_t n = 0;
    KAN_TRY(kan_scatter_reserve(&numbers->scatter, run, from->n));
    const kan_scatter scatter = numbers->scatter;
    for (size_t i = 0; i < from->n; i++)
        parts[i] = kan_scatter_number(&scatter, parts[i], &n);
    kan_scatter_clear(&numbers->scatter, n);
    *out = n;
    return KAN_OK;
}

/* A part, and for each slot a key, a number and a place; there are up to four slots for a tuple. */
bool kan_numbers_have_room(const kan_numbers *numbers, const kan_run *run,
                           const kan_freqset *from) {
    return from->n <= MOST_TUPLES &&
           (from->n <= numbers->scatter.slot_room / 4 || kan_run_memory_left(run) / 1024 > from->n);
}

static kan_status add_fields(kan_numbers *numbers, const kan_space *space, const kan_freqset *from,
                             const unsigned *levels, bool *fits) {
    const kan_layout *layout = &from->layout;
    uint64_t n_possible = 1;
    key_share next = {.n = 0};
    for (unsigned f = layout->n_fields; f-- > 0 && *fits;) {
        const kan_key_field *field = &layout->fields[f];
        if (field->dimension >= space->n_attributes)
            continue;
        const unsigned level = levels[field->dimension];
        const uint32_t n_groups = kan_dimension_groups(&space->dimensions[field->dimension], level);
        if (n_groups == 1)
            continue;
        const bool is_too_large = n_possible > MOST_NUMBERS / n_groups;
        if (is_too_large || field->word != next.word)
            KAN_TRY(add_share(numbers, space->run, from, &next, fits));
        if (is_too_large && *fits) {
            size_t n;
            KAN_TRY(number_parts(numbers, space->run, from, &n));
            n_possible = n;
        }
        next.word = field->word;
        next.digits[next.n++] = kan_digit_of(space, field, level, n_possible);
        n_possible *= n_groups;
    }
    return add_share(numbers, space->run, from, &next, fits);
}

kan_status kan_numbers_make(kan_numbers *numbers, const kan_space *space, const kan_freqset *from,
                            const unsigned *levels, uint32_t *number_of, size_t *n, bool *fits) {
    *fits = kan_numbers_have_room(numbers, space->run, from);
    if (!*fits)
        return KAN_OK;
    KAN_TRY(kan_reserve(space->run, from->n + 1, sizeof *numbers->parts, &numbers->room,
                        &numbers->parts));
    memset(numbers->parts, 0, from->n * sizeof *numbers->parts);
    KAN_TRY(add_fields(numbers, space, from, levels, fits));
    if (!*fits)
        return KAN_OK;
    KAN_TRY(number_parts(numbers, space->run, from, n));
    for (size_t i = 0; i < from->n; i++)
        number_of[i] = (uint32_t)numbers->parts[i];
    return KAN_OK;
}
