/* The cover relation as a table: for each original value the release's code of the value itself and
 * of each of its labels. Labels are looked up by their bytes in a small hash table over the
 * release's dictionary. O(original values * levels) in time and memory. */
#include "analyze/relation.h"

#include "core/hash.h"

/* The codes of a dictionary by value; code + 1, 0 is free. */
typedef struct {
    const kan_dictionary *dictionary;
    uint32_t *slots;
    size_t mask;
} value_index;

static kan_status index_values(kan_run *run, const kan_dictionary *dictionary, value_index *out) {
    size_t n_slots = 8;
    uint32_t *slots;
    while (n_slots < 2 * (size_t)dictionary->n)
        n_slots *= 2;
    KAN_TRY(kan_alloc_zero(run, n_slots, sizeof *slots, &slots));
    for (uint32_t code = 0; code < dictionary->n; code++) {
        kan_slice value = kan_dictionary_value(dictionary, code);
        size_t at = (size_t)kan_hash_bytes(value.bytes, value.size) & (n_slots - 1);
        while (slots[at] != 0)
            at = (at + 1) & (n_slots - 1);
        slots[at] = code + 1;
    }
    *out = (value_index){dictionary, slots, n_slots - 1};
    return KAN_OK;
}

static uint32_t code_of(const value_index *index, kan_slice value) {
    size_t at = (size_t)kan_hash_bytes(value.bytes, value.size) & index->mask;
    for (; index->slots[at] != 0; at = (at + 1) & index->mask)
        if (kan_slice_equal(kan_dictionary_value(index->dictionary, index->slots[at] - 1), value))
            return index->slots[at] - 1;
    return KAN_NO_CODE;
}

/* The values themselves, then what the hierarchy shows for them. */
static void fill(kan_relation *relation, const kan_hierarchy *hierarchy, const value_index *index) {
    const kan_dictionary *original = &relation->original->dictionary;
    for (uint32_t code = 0; code < original->n; code++) {
        uint32_t *shown_as = relation->shown_as + (size_t)code * relation->n_levels;
        shown_as[0] = code_of(index, kan_dictionary_value(original, code));
        for (unsigned level = 1; level < relation->n_levels; level++) {
            const kan_level *here = &hierarchy->levels[level];
            shown_as[level] =
                code_of(index, here->label[here->from_leaf[hierarchy->leaf_of[code]]]);
        }
    }
}

static kan_status check_columns(kan_run *run, const kan_relation *relation,
                                const kan_hierarchy *hierarchy) {
    if (!relation->released->is_encoded || !relation->original->is_encoded)
        return kan_fail(run, KAN_FAILED, "column '%s' was not read, so it cannot be compared",
                        relation->released->name);
    if (hierarchy && hierarchy->n_codes != relation->original->dictionary.n)
        return kan_fail(run, KAN_FAILED,
                        "the hierarchy of column '%s' is bound to another column than the "
                        "original's",
                        relation->released->name);
    return KAN_OK;
}

kan_status kan_relation_init(kan_relation *relation, kan_run *run,
                             const kan_cover_question *question, const kan_cover_pair *pair,
                             bool is_quasi) {
    const kan_hierarchy *hierarchy = is_quasi ? pair->hierarchy : NULL;
    kan_relation made = {.released = &question->release->columns[pair->released],
                         .original = &question->original->columns[pair->original],
                         .star = KAN_NO_CODE,
                         .n_levels = hierarchy ? hierarchy->height + 1 : 1};
    value_index index;
    KAN_TRY(check_columns(run, &made, hierarchy));
    KAN_TRY(index_values(run, &made.released->dictionary, &index));
    kan_status status = kan_alloc(run, (size_t)made.original->dictionary.n * made.n_levels,
                                  sizeof *made.shown_as, &made.shown_as);
    if (status == KAN_OK) {
        fill(&made, hierarchy, &index);
        if (is_quasi)
            made.star = code_of(&index, kan_slice_of("*"));
        *relation = made;
    }
    kan_free(run, index.slots);
    return status;
}

void kan_relation_destroy(kan_relation *relation, kan_run *run) {
    kan_free(run, relation->shown_as);
    relation->shown_as = NULL;
}
