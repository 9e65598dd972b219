/* The cover relation as a table: for each original value the release's code of the value itself and
 * of each of its labels. Labels are looked up by their bytes in a small hash table over the
 * release's dictionary. What is neither a value nor a label may be an interval or a list: each is
 * read once, and kept as the runs of original values that it holds. However many there are, and
 * however they overlap, it is O(original values * levels + items of the labels) in time and memory;
 * a pair of values then costs a look at each level and a bisection of the runs. */
#include "analyze/cover/relation.h"

#include <stdlib.h>

#include "analyze/cover/read_interval.h"
#include "core/hash.h"
#include "core/memory.h"

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
        /* 30-39 does not hold 39.5 */
        const bool has_names = !hierarchy || !hierarchy->names_whole ||
                               kan_value_is_unknown(kan_dictionary_value(original, code)) ||
                               kan_value_is_whole(kan_dictionary_value(original, code));
        for (unsigned level = 1; level < relation->n_levels; level++) {
            const kan_level *here = &hierarchy->levels[level];
            shown_as[level] = KAN_NO_CODE;
            if (!has_names && level < hierarchy->height)
                continue;
            shown_as[level] =
                code_of(index, here->label[here->from_leaf[hierarchy->leaf_of[code]]]);
        }
    }
}

/* ---- intervals ------------------------------------------------------------------------------ */

typedef struct {
    kan_run *run;
    kan_code_run *runs;
    size_t n, capacity;
} held_runs;

static kan_status add_run(void *context, uint32_t first, uint32_t end) {
    held_runs *held = context;
    KAN_TRY(kan_reserve(held->run, held->n + 1, sizeof *held->runs, &held->capacity, &held->runs));
    held->runs[held->n++] = (kan_code_run){first, end};
    return KAN_OK;
}

static int compare_runs(const void *a, const void *b) {
    const kan_code_run *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Puts the runs from `first` on in order, and joins those that touch. */
static void join_runs(held_runs *held, size_t first) {
    bool is_sorted = true;
    size_t kept = first;
    for (size_t i = first + 1; i < held->n && is_sorted; i++)
        is_sorted = held->runs[i - 1].first <= held->runs[i].first;
    if (!is_sorted)
        qsort(held->runs + first, held->n - first, sizeof *held->runs, compare_runs);
    for (size_t i = first; i < held->n; i++) {
        const kan_code_run next = held->runs[i];
        if (kept > first && next.first <= held->runs[kept - 1].end) {
            if (next.end > held->runs[kept - 1].end)
                held->runs[kept - 1].end = next.end;
        } else {
            held->runs[kept++] = next;
        }
    }
    held->n = kept;
}

/* What is a value, a label or * is that alone, however it looks. */
static kan_status read_labels(const kan_relation *relation, kan_label_reader *reader,
                              held_runs *held, size_t *start) {
    const kan_dictionary *released = &relation->released->dictionary;
    const size_t n_shown = (size_t)relation->original->dictionary.n * relation->n_levels;
    uint8_t *is_known;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc_zero(held->run, released->n, sizeof *is_known, &is_known));
    for (size_t i = 0; i < n_shown; i++)
        if (relation->shown_as[i] != KAN_NO_CODE)
            is_known[relation->shown_as[i]] = 1;
    for (uint32_t code = 0; code < released->n && status == KAN_OK; code++) {
        start[code] = held->n;
        if (is_known[code] || code == relation->star)
            continue;
        status = kan_label_read(reader, kan_dictionary_value(released, code), add_run, held);
        join_runs(held, start[code]);
    }
    start[released->n] = held->n;
    kan_free(held->run, is_known);
    return status;
}

static kan_status add_intervals(kan_relation *relation, kan_run *run) {
    kan_label_reader reader;
    held_runs held = {.run = run};
    size_t *start = NULL;
    kan_status status = kan_label_reader_init(&reader, run, relation->original);
    if (status == KAN_OK)
        status =
            kan_alloc(run, (size_t)relation->released->dictionary.n + 1, sizeof *start, &start);
    if (status == KAN_OK)
        status = read_labels(relation, &reader, &held, start);
    kan_label_reader_destroy(&reader);
    if (status == KAN_OK && held.n > 0) {
        relation->run_start = start;
        relation->runs = held.runs;
        return KAN_OK;
    }
    kan_free(run, start);
    kan_free(run, held.runs);
    return status;
}

/* ---- the relation --------------------------------------------------------------------------- */

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
    }
    kan_free(run, index.slots);
    if (status == KAN_OK && is_quasi && question->reads_intervals)
        status = add_intervals(&made, run);
    if (status == KAN_OK)
        *relation = made;
    else
        kan_free(run, made.shown_as);
    return status;
}

void kan_relation_destroy(kan_relation *relation, kan_run *run) {
    kan_free(run, relation->shown_as);
    kan_free(run, relation->run_start);
    kan_free(run, relation->runs);
    relation->shown_as = NULL;
    relation->run_start = NULL;
    relation->runs = NULL;
}
