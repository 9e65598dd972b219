/* Builders that work on characters: `digits` masks from the right, `prefix` keeps from the left.
 *
 * A character is a valid UTF-8 sequence, or one byte where the bytes are not valid. Bytes are cut
 * only between characters, so what is left of a value has the same characters as before, and its
 * next label follows from the label alone. That makes each level a function of the level below,
 * also for values of different lengths:
 *
 *   digits  At level i a value of n > i characters shows its first n - i and i stars: two values
 *           with one label have the same length and the same first n - i characters, hence one
 *           label at level i + 1. A value of n <= i shows a single *, and * stays *. No value of
 *           n > i shows a single *: its label has n >= 2 characters.
 *   prefix  At length p a value of n > p characters shows p characters and a star, p + 1 in all;
 *           others show themselves, at most p. So a label tells which of both it is, and the first
 *           q < p characters and whether something was cut follow from it.
 *
 * Time and memory are linear in the bytes of the values times the levels. */
#include <inttypes.h>

#include "data/hierarchies/hierarchy_build.h"

/* Bytes of the character at `at`. */
static size_t character_size(const unsigned char *at, size_t left) {
    size_t n = at[0] < 0xc2 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 1;
    if (n > left)
        return 1;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 1;
    return n;
}

static size_t count_characters(kan_slice value) {
    size_t n = 0;
    for (size_t at = 0; at < value.size; n++)
        at += character_size((const unsigned char *)value.bytes + at, value.size - at);
    return n;
}

/* Bytes of the first n characters; n is at most their number. */
static size_t prefix_bytes(kan_slice value, size_t n) {
    size_t at = 0;
    for (; n > 0; n--)
        at += character_size((const unsigned char *)value.bytes + at, value.size - at);
    return at;
}

/* What is missing is a category of its own, and "?" stands for no number and no date: nothing of
 * them is masked below the top. */
static bool keeps_label(const kan_column *column, kan_slice value) {
    return value.size == 0 ||
           (column->dictionary.type != KAN_TYPE_TEXT && kan_value_is_unknown(value));
}

/* ---- digits --------------------------------------------------------------------------------- */

/* The first n - level characters, then `level` stars; appended to `room`, which holds them. */
static void mask(kan_slice value, size_t n_characters, size_t level, kan_text *room) {
    static const char stars[] = "****************************************************************";
    _Static_assert(sizeof stars - 1 >= KAN_HEIGHT_MOST, "a star for each level");
    if (n_characters <= level) {
        kan_text_add(room, "*", 1);
        return;
    }
    kan_text_add(room, value.bytes, prefix_bytes(value, n_characters - level));
    kan_text_add(room, stars, level);
}

static kan_status add_digits(const kan_hierarchy_plan *plan, unsigned n_levels, bool adds_top,
                             kan_text *room) {
    const kan_dictionary *dictionary = &plan->column->dictionary;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        kan_slice value = kan_dictionary_value(dictionary, code), labels[KAN_HEIGHT_MOST];
        size_t n_characters = count_characters(value), end[KAN_HEIGHT_MOST];
        bool is_kept = keeps_label(plan->column, value);
        room->size = 0;
        for (unsigned level = 1; level <= n_levels; level++) {
            if (is_kept && (level < n_levels || adds_top))
                kan_text_add(room, value.bytes, value.size);
            else
                mask(value, n_characters, level, room);
            end[level - 1] = room->size;
        }
        KAN_TRY(kan_text_status(room));
        for (unsigned i = 0; i < n_levels; i++) {
            size_t start = i ? end[i - 1] : 0;
            labels[i] = (kan_slice){room->bytes + start, end[i] - start};
        }
        KAN_TRY(kan_plan_add(plan, code, labels, n_levels, adds_top));
    }
    return KAN_OK;
}

kan_status kan_build_digits(const kan_hierarchy_plan *plan) {
    uint64_t n_levels;
    if (!kan_plan_count(kan_slice_of(plan->arguments), 1, KAN_HEIGHT_MOST - 1, &n_levels)) {
        kan_problem_add(plan->run,
                        "%s (column %s): the number of characters to mask must be 1 .. %d; write "
                        "it after the colon, such as digits:5",
                        plan->spec, plan->column->name, KAN_HEIGHT_MOST - 1);
        return KAN_BAD_INPUT;
    }
    /* The last mask is the top when it leaves nothing of any value. */
    const kan_dictionary *dictionary = &plan->column->dictionary;
    bool adds_top = false;
    for (uint32_t code = 0; code < dictionary->n && !adds_top; code++)
        adds_top = count_characters(kan_dictionary_value(dictionary, code)) > n_levels;
    kan_text room;
    kan_text_init(&room, plan->run);
    kan_status status = add_digits(plan, (unsigned)n_levels, adds_top, &room);
    kan_text_destroy(&room);
    return status;
}

/* ---- prefix --------------------------------------------------------------------------------- */

static kan_status parse_lengths(const kan_hierarchy_plan *plan, uint64_t *lengths,
                                unsigned *n_lengths) {
    const char *rest = plan->arguments;
    kan_slice piece;
    unsigned n = 0;
    while (kan_plan_next(&rest, &piece)) {
        char quoted[256];
        if (n == KAN_HEIGHT_MOST - 1) {
            kan_problem_add(plan->run, "%s (column %s): more than %d lengths; leave some out",
                            plan->spec, plan->column->name, KAN_HEIGHT_MOST - 1);
            return KAN_BAD_INPUT;
        }
        if (!kan_plan_count(piece, 1, UINT32_MAX, &lengths[n])) {
            kan_problem_add(plan->run,
                            "%s (column %s): %s is not a number of characters to keep; write whole "
                            "numbers from 1, such as prefix:3,1",
                            plan->spec, plan->column->name, kan_quote(piece, quoted));
            return KAN_BAD_INPUT;
        }
        if (n > 0 && lengths[n] >= lengths[n - 1]) {
            kan_problem_add(plan->run,
                            "%s (column %s): %" PRIu64 " characters after %" PRIu64
                            "; write decreasing lengths, such as prefix:3,1",
                            plan->spec, plan->column->name, lengths[n], lengths[n - 1]);
            return KAN_BAD_INPUT;
        }
        n++;
    }
    *n_lengths = n;
    return KAN_OK;
}

static kan_status add_prefixes(const kan_hierarchy_plan *plan, const uint64_t *lengths,
                               unsigned n_lengths, kan_text *room) {
    const kan_dictionary *dictionary = &plan->column->dictionary;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        kan_slice value = kan_dictionary_value(dictionary, code), labels[KAN_HEIGHT_MOST];
        size_t n_characters = count_characters(value), end[KAN_HEIGHT_MOST];
        room->size = 0;
        for (unsigned i = 0; i < n_lengths; i++) {
            bool is_cut = n_characters > lengths[i];
            kan_text_add(room, value.bytes, is_cut ? prefix_bytes(value, lengths[i]) : value.size);
            kan_text_add(room, "*", is_cut);
            end[i] = room->size;
        }
        KAN_TRY(kan_text_status(room));
        for (unsigned i = 0; i < n_lengths; i++) {
            size_t start = i ? end[i - 1] : 0;
            labels[i] = (kan_slice){room->bytes + start, end[i] - start};
        }
        KAN_TRY(kan_plan_add(plan, code, labels, n_lengths, true));
    }
    return KAN_OK;
}

kan_status kan_build_prefixes(const kan_hierarchy_plan *plan) {
    uint64_t lengths[KAN_HEIGHT_MOST];
    unsigned n_lengths = 0;
    KAN_TRY(parse_lengths(plan, lengths, &n_lengths));
    kan_text room;
    kan_text_init(&room, plan->run);
    kan_status status = add_prefixes(plan, lengths, n_lengths, &room);
    kan_text_destroy(&room);
    return status;
}
