/* Tables for slices of keys: see bitslices.h. */
#include "group/freqsets/bitslices.h"

enum { LEAST_SLICE_BITS = 4, MOST_SLICE_BITS = 11 };

kan_digit kan_digit_of(const kan_space *space, const kan_key_field *field, unsigned level,
                       uint64_t weight) {
    const kan_dimension *dimension = &space->dimensions[field->dimension];
    return (kan_digit){.shift = field->shift,
                       .bits = field->bits,
                       .group_of =
                           level == field->level
                               ? NULL
                               : dimension->maps[field->level * (dimension->height + 1) + level],
                       .n_values = kan_dimension_groups(dimension, field->level),
                       .weight = weight};
}

bool kan_digits_find(const kan_space *space, const kan_layout *layout, const unsigned *levels,
                     unsigned first, uint64_t most, kan_digit *digits, unsigned *n_digits,
                     size_t *n_numbers) {
    unsigned n = 0;
    uint64_t numbers =
        first == KAN_NO_DIGIT ? 1 : kan_dimension_groups(&space->dimensions[first], levels[first]);
    if (layout->n_words > 1)
        return false;
    for (unsigned f = layout->n_fields; f-- > 0 && numbers <= most;) {
        const kan_key_field *field = &layout->fields[f];
        if (field->dimension >= space->n_attributes)
            continue;
        const unsigned level = levels[field->dimension];
        const uint32_t n_groups = kan_dimension_groups(&space->dimensions[field->dimension], level);
        if (n_groups == 1)
            continue;
        const bool is_first = field->dimension == first;
        digits[n++] = kan_digit_of(space, field, level, is_first ? 1 : numbers);
        numbers *= is_first ? 1 : n_groups;
    }
    *n_digits = n;
    *n_numbers = (size_t)numbers;
    return numbers <= most;
}

/* Appends a digit to the table of a slice that has `bits` bits so far: each value of the digit is a
 * copy of what is there, plus its own share. */
static void extend_table(uint64_t *table, unsigned bits, const kan_digit *digit) {
    const size_t size = (size_t)1 << bits, n_values = (size_t)1 << digit->bits;
    for (size_t value = n_values; value-- > 0;) {
        const uint64_t group = value >= digit->n_values ? 0
                               : digit->group_of        ? digit->group_of[value]
                                                        : value;
        for (size_t i = 0; i < size; i++)
            table[value << bits | i] = table[i] + group * digit->weight;
    }
}

static unsigned slice_bits(size_t n) {
    unsigned bits = 0;
    while (n >> (bits + 4) > 0 && bits < MOST_SLICE_BITS)
        bits++;
    return bits < LEAST_SLICE_BITS ? LEAST_SLICE_BITS : bits;
}

/* Digits whose fields are neighbours, or have only little between them, share a slice: those from
 * firsts[s] to firsts[s + 1] - 1, widths[s] bits. Returns the number of slices, or more than there
 * may be. */
static unsigned share_slices(const kan_digit *digits, unsigned n_digits, unsigned most_bits,
                             unsigned *firsts, unsigned *widths) {
    unsigned n = 0;
    for (unsigned d = 0; d < n_digits; n++) {
        if (n == KAN_MOST_BITSLICES)
            return n + 1;
        const unsigned start = digits[d].shift;
        widths[n] = digits[d].bits;
        firsts[n] = d++;
        while (d < n_digits && digits[d].shift + digits[d].bits - start <= most_bits) {
            widths[n] = digits[d].shift + digits[d].bits - start;
            d++;
        }
    }
    firsts[n] = n_digits;
    return n;
}

static void fill_table(const kan_digit *digits, unsigned first, unsigned end, uint64_t *table) {
    const unsigned start = digits[first].shift;
    unsigned bits = 0;
    table[0] = 0;
    for (unsigned d = first; d < end; d++) {
        /* Bits between belong to what no longer matters: they count for nothing. */
        const kan_digit gap = {.bits = digits[d].shift - start - bits, .n_values = 0};
        if (gap.bits > 0)
            extend_table(table, bits, &gap);
        bits = digits[d].shift - start;
        extend_table(table, bits, &digits[d]);
        bits += digits[d].bits;
    }
}

kan_status kan_bitslices_make(kan_run *run, const kan_digit *digits, unsigned n_digits, size_t n,
                              kan_bitslices *out, bool *fits) {
    unsigned widths[KAN_MOST_BITSLICES + 1], firsts[KAN_MOST_BITSLICES + 1];
    const unsigned n_slices = share_slices(digits, n_digits, slice_bits(n), firsts, widths);
    size_t n_entries = 1, at = 0;
    *fits = n_slices <= KAN_MOST_BITSLICES;
    if (!*fits)
        return KAN_OK;
    for (unsigned s = 0; s < n_slices; s++)
        n_entries += (size_t)1 << widths[s];
    KAN_TRY(kan_reserve(run, n_entries, sizeof *out->tables, &out->room, &out->tables));
    for (unsigned s = 0; s < n_slices; s++) {
        fill_table(digits, firsts[s], firsts[s + 1], out->tables + at);
        out->slices[s] = (struct kan_bitslice){digits[firsts[s]].shift,
                                               ((uint64_t)1 << widths[s]) - 1, out->tables + at};
        at += (size_t)1 << widths[s];
    }
    out->n = n_slices;
    return KAN_OK;
}
