/* Lines of a hierarchy: collecting them, and what can be wrong with them.
 *
 * Order of calls: create, add for each line, then bind (hierarchy.c), which calls
 * kan_hierarchy_lines_check. A label is looked up in a hash set per level, so a line costs the
 * hashing of its bytes, and the lines together hold each label of a level once: 100,000 values with
 * 6 levels take some 10 MB.
 *
 * A fault does not stop the reading: the line is left out of the tree, the fault is noted, and the
 * user hears of all of them together. */
#include "data/hierarchies/hierarchy_lines.h"

#include <inttypes.h>

#include "core/hash.h"
#include "data/spelling.h"

/* ---- sets of labels ------------------------------------------------------------------------- */

static size_t slot_of(const kan_label_set *set, uint64_t hash, kan_slice label) {
    const uint64_t salt = hash & ~(uint64_t)UINT32_MAX;
    size_t mask = set->n_slots - 1, slot = hash & mask;
    for (; set->slots[slot]; slot = (slot + 1) & mask) {
        uint64_t entry = set->slots[slot];
        if ((entry & ~(uint64_t)UINT32_MAX) == salt &&
            kan_slice_equal(set->nodes[(uint32_t)entry - 1].label, label))
            break;
    }
    return slot;
}

uint32_t kan_label_find(const kan_label_set *set, kan_slice label) {
    if (set->n_slots == 0)
        return KAN_NO_NODE;
    uint64_t entry = set->slots[slot_of(set, kan_hash_bytes(label.bytes, label.size), label)];
    return entry ? (uint32_t)entry - 1 : KAN_NO_NODE;
}

/* Keeps the set at most half full. */
static kan_status grow_slots(kan_run *run, kan_label_set *set) {
    if (set->n_slots && set->n < set->n_slots / 2)
        return KAN_OK;
    size_t n_slots = set->n_slots ? set->n_slots * 2 : 16;
    uint64_t *slots;
    KAN_TRY(kan_alloc_zero(run, n_slots, sizeof *slots, &slots));
    for (size_t i = 0; i < set->n; i++) {
        uint64_t hash = kan_hash_bytes(set->nodes[i].label.bytes, set->nodes[i].label.size);
        size_t slot = hash & (n_slots - 1);
        while (slots[slot])
            slot = (slot + 1) & (n_slots - 1);
        slots[slot] = (hash & ~(uint64_t)UINT32_MAX) | (i + 1);
    }
    kan_free(run, set->slots);
    set->slots = slots;
    set->n_slots = n_slots;
    return KAN_OK;
}

/* The label's node; a new one, without a parent, when the level does not have it yet. */
static kan_status intern(kan_hierarchy_lines *lines, kan_label_set *set, kan_slice label,
                         uint64_t line, uint32_t *node, bool *is_new) {
    KAN_TRY(grow_slots(lines->run, set));
    uint64_t hash = kan_hash_bytes(label.bytes, label.size);
    size_t slot = slot_of(set, hash, label);
    *is_new = set->slots[slot] == 0;
    if (!*is_new) {
        *node = (uint32_t)set->slots[slot] - 1;
        return KAN_OK;
    }
    if (set->n >= UINT32_MAX - 1)
        return kan_fail(lines->run, KAN_FAILED,
                        "%s: more than 4 billion values; a hierarchy cannot hold them",
                        lines->path);
    KAN_TRY(kan_reserve(lines->run, set->n + 1, sizeof *set->nodes, &set->capacity, &set->nodes));
    const char *bytes;
    KAN_TRY(kan_arena_copy(&lines->arena, label.bytes, label.size, &bytes));
    set->nodes[set->n++] = (kan_label_node){{bytes, label.size}, line, KAN_NO_NODE, false};
    *node = (uint32_t)set->n - 1;
    set->slots[slot] = (hash & ~(uint64_t)UINT32_MAX) | set->n;
    return KAN_OK;
}

static void set_destroy(kan_run *run, kan_label_set *set) {
    kan_free(run, set->nodes);
    kan_free(run, set->slots);
}

/* ---- collecting ----------------------------------------------------------------------------- */

kan_status kan_hierarchy_lines_create(kan_run *run, const char *path, kan_hierarchy_lines **out) {
    kan_hierarchy_lines *lines;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *lines, &lines));
    lines->run = run;
    kan_arena_init(&lines->arena, run);
    kan_status status = kan_arena_copy(&lines->arena, path, strlen(path), &lines->path);
    if (status != KAN_OK)
        kan_hierarchy_lines_destroy(lines);
    else
        *out = lines;
    return status;
}

void kan_hierarchy_lines_destroy(kan_hierarchy_lines *lines) {
    if (!lines)
        return;
    kan_run *run = lines->run;
    set_destroy(run, &lines->values);
    for (size_t i = 0; lines->levels && i + 1 < lines->n_fields; i++)
        set_destroy(run, &lines->levels[i]);
    kan_free(run, lines->levels);
    kan_free(run, lines->faults);
    kan_arena_destroy(&lines->arena);
    kan_free(run, lines);
}

void kan_hierarchy_lines_spell(kan_hierarchy_lines *lines, const kan_spelling *spelling) {
    lines->spelling = spelling;
}

static kan_status note_fault(kan_hierarchy_lines *lines, kan_line_fault fault) {
    KAN_TRY(kan_reserve(lines->run, lines->n_faults + 1, sizeof *lines->faults,
                        &lines->fault_capacity, &lines->faults));
    lines->faults[lines->n_faults++] = fault;
    return KAN_OK;
}

/* Another node of a tree has the label. All values below say so: told once, as far as they stand
 * together. */
static kan_status note_name(kan_hierarchy_lines *lines, uint64_t line, unsigned level,
                            uint32_t node) {
    enum { LOOKED_BACK = 32 };
    for (size_t i = lines->n_faults; i-- > 0 && i + LOOKED_BACK >= lines->n_faults;)
        if (lines->faults[i].kind == KAN_LINE_NAMED_TWICE && lines->faults[i].line == line)
            return KAN_OK;
    return note_fault(
        lines,
        (kan_line_fault){.kind = KAN_LINE_NAMED_TWICE, .line = line, .level = level, .node = node});
}

/* The first line that has labels says how many each line must have. */
static kan_status set_fields(kan_hierarchy_lines *lines, uint64_t line, size_t n_fields) {
    KAN_TRY(kan_alloc_zero(lines->run, n_fields - 1, sizeof *lines->levels, &lines->levels));
    lines->n_fields = n_fields;
    lines->fields_line = line;
    return KAN_OK;
}

/* Hangs the value's node under the labels of its line. `line_of` has the line of each label, NULL
 * where all stand on the same one. */
static kan_status add_labels(kan_hierarchy_lines *lines, uint64_t line, uint32_t value,
                             const kan_slice *fields, const uint64_t *line_of) {
    kan_label_set *below = &lines->values;
    uint32_t child = value;
    for (unsigned level = 1; level < lines->n_fields; level++) {
        kan_label_set *set = &lines->levels[level - 1];
        uint32_t parent;
        bool is_new;
        uint64_t label_line = line_of ? line_of[level] : line;
        char room[KAN_SPELLING_ROOM];
        const kan_slice label = kan_spelling_take(lines->spelling, fields[level], room);
        KAN_TRY(intern(lines, set, label, label_line, &parent, &is_new));
        if (line_of && set->nodes[parent].line != label_line)
            return note_name(lines, label_line, level, parent);
        kan_label_node *node = &below->nodes[child];
        if (node->parent == KAN_NO_NODE) {
            node->parent = parent;
        } else if (node->parent != parent && !node->is_split && level + 1 < lines->n_fields) {
            /* two values at the top are a problem of their own; and a label is named once: the
             * lines of a large group would say the same again */
            node->is_split = true;
            KAN_TRY(note_fault(lines, (kan_line_fault){.kind = KAN_LINE_TWO_PARENTS,
                                                       .line = line,
                                                       .level = level - 1,
                                                       .node = child,
                                                       .parent = parent}));
        }
        below = set;
        child = parent;
    }
    return KAN_OK;
}

/* Whether a line says of a value what another one has said: files are put together from others, and
 * NA and -9 may be one value. */
static bool says_the_same(const kan_hierarchy_lines *lines, uint32_t value, const kan_slice *fields,
                          size_t n_fields) {
    uint32_t node = value;
    if (n_fields != lines->n_fields)
        return false;
    for (unsigned level = 1; level < n_fields; level++) {
        char room[KAN_SPELLING_ROOM];
        node = kan_lines_level(lines, level - 1)->nodes[node].parent;
        if (node == KAN_NO_NODE ||
            !kan_slice_equal(kan_lines_level(lines, level)->nodes[node].label,
                             kan_spelling_take(lines->spelling, fields[level], room)))
            return false;
    }
    return true;
}

static kan_status add_line(kan_hierarchy_lines *lines, uint64_t line_number,
                           const kan_slice *fields, const uint64_t *line_of, size_t n_fields) {
    char room[KAN_SPELLING_ROOM];
    if (n_fields == 0)
        return KAN_OK;
    if (lines->n_lines++ == 0)
        lines->first_line = line_number;
    uint32_t value;
    bool is_new;
    KAN_TRY(intern(lines, &lines->values, kan_spelling_take(lines->spelling, fields[0], room),
                   line_number, &value, &is_new));
    if (!is_new && says_the_same(lines, value, fields, n_fields))
        return KAN_OK;
    if (!is_new)
        return note_fault(
            lines, (kan_line_fault){.kind = KAN_LINE_REPEATED, .line = line_number, .node = value});
    if (n_fields > KAN_HEIGHT_MOST + 1)
        return note_fault(
            lines,
            (kan_line_fault){.kind = KAN_LINE_TOO_LONG, .line = line_number, .n_fields = n_fields});
    if (lines->n_fields == 0 && n_fields > 1)
        KAN_TRY(set_fields(lines, line_number, n_fields));
    if (n_fields != lines->n_fields)
        return note_fault(
            lines,
            (kan_line_fault){.kind = KAN_LINE_RAGGED, .line = line_number, .n_fields = n_fields});
    return add_labels(lines, line_number, value, fields, line_of);
}

kan_status kan_hierarchy_lines_add(kan_hierarchy_lines *lines, uint64_t line_number,
                                   const kan_slice *fields, size_t n_fields) {
    return add_line(lines, line_number, fields, NULL, n_fields);
}

kan_status kan_hierarchy_lines_add_path(kan_hierarchy_lines *lines, const kan_slice *fields,
                                        const uint64_t *line_of, size_t n_fields) {
    return add_line(lines, line_of[0], fields, line_of, n_fields);
}

/* ---- checking ------------------------------------------------------------------------------- */

static const char *plural(size_t n) {
    return n == 1 ? "" : "s";
}

static void tell_two_parents(const kan_hierarchy_lines *lines, const kan_line_fault *fault) {
    char label[256], here[256], before[256];
    const kan_label_set *set = kan_lines_level(lines, fault->level);
    const kan_label_set *above = kan_lines_level(lines, fault->level + 1);
    const kan_label_node *node = &set->nodes[fault->node];
    kan_problem_add(lines->run,
                    "%s:%" PRIu64 ": %s (level %u) lies in %s here and in %s on line %" PRIu64
                    "; a level must be a function of the level below: give it one parent",
                    lines->path, fault->line, kan_quote(node->label, label), fault->level,
                    kan_quote(above->nodes[fault->parent].label, here),
                    kan_quote(above->nodes[node->parent].label, before), node->line);
}

static void tell_fault(const kan_hierarchy_lines *lines, const kan_line_fault *fault) {
    char value[256];
    switch (fault->kind) {
    case KAN_LINE_RAGGED:
        /* a file of values alone is told once, not for each line */
        if (lines->n_fields)
            kan_problem_add(lines->run,
                            "%s:%" PRIu64 ": %zu field%s, line %" PRIu64
                            " has %zu; give every line one label for each level",
                            lines->path, fault->line, fault->n_fields, plural(fault->n_fields),
                            lines->fields_line, lines->n_fields);
        break;
    case KAN_LINE_TOO_LONG:
        kan_problem_add(lines->run,
                        "%s:%" PRIu64 ": %zu fields, a hierarchy has at most %d levels; is the "
                        "separator right?",
                        lines->path, fault->line, fault->n_fields, KAN_HEIGHT_MOST);
        break;
    case KAN_LINE_REPEATED:
        kan_problem_add(lines->run,
                        "%s:%" PRIu64 ": the value %s has other labels here than on line %" PRIu64
                        "; remove one of the two lines",
                        lines->path, fault->line,
                        kan_quote(lines->values.nodes[fault->node].label, value),
                        lines->values.nodes[fault->node].line);
        break;
    case KAN_LINE_TWO_PARENTS:
        tell_two_parents(lines, fault);
        break;
    case KAN_LINE_NAMED_TWICE: {
        const kan_label_node *node = &kan_lines_level(lines, fault->level)->nodes[fault->node];
        kan_problem_add(lines->run,
                        "%s:%" PRIu64 ": the label %s is already on line %" PRIu64
                        ", and both would be shown at level %u; give one of them another name",
                        lines->path, fault->line, kan_quote(node->label, value), node->line,
                        fault->level);
        break;
    }
    }
}

static void check_shape(const kan_hierarchy_lines *lines) {
    bool has_long = false;
    for (size_t i = 0; i < lines->n_faults; i++) {
        has_long |= lines->faults[i].kind == KAN_LINE_TOO_LONG;
        tell_fault(lines, &lines->faults[i]);
    }
    if (lines->n_lines == 0)
        kan_problem_add(lines->run,
                        "%s: it has no lines; write one line for each value: the value, its label "
                        "at each level, and the same value at the end, such as 53715;537**;*",
                        lines->path);
    else if (lines->n_fields == 0 && !has_long)
        kan_problem_add(lines->run,
                        "%s:%" PRIu64
                        ": only one column; after the value, write its label at each level and the "
                        "same value at the end, such as 53715;537**;* (separator ; , or tab)",
                        lines->path, lines->first_line);
}

static void check_top(const kan_hierarchy_lines *lines) {
    if (lines->n_fields == 0)
        return;
    const kan_label_set *top = kan_lines_level(lines, (unsigned)lines->n_fields - 1);
    if (top->n < 2)
        return;
    char first[256], second[256];
    kan_problem_add(lines->run,
                    "%s:%" PRIu64 ": the top level is %s here and %s on line %" PRIu64
                    " (%zu different values in all); end every line with the same value, such as *",
                    lines->path, top->nodes[1].line, kan_quote(top->nodes[1].label, second),
                    kan_quote(top->nodes[0].label, first), top->nodes[0].line, top->n);
}

static void check_values(const kan_hierarchy_lines *lines, const kan_column *column,
                         uint32_t *code_of_node) {
    for (size_t node = 0; node < lines->values.n; node++)
        code_of_node[node] = UINT32_MAX;
    for (uint32_t code = 0; lines->n_lines && code < column->dictionary.n; code++) {
        kan_slice value = kan_dictionary_value(&column->dictionary, code);
        uint32_t node = kan_label_find(&lines->values, value);
        char quoted[256], room[KAN_SPELLING_ROOM];
        if (node != KAN_NO_NODE)
            code_of_node[node] = code;
        else
            kan_problem_add(
                lines->run, "%s: no line for the value %s of column %s; add a line for it",
                lines->path, kan_quote(kan_spelling_put(column->spelling, value, room), quoted),
                column->name);
    }
}

kan_status kan_hierarchy_lines_check(const kan_hierarchy_lines *lines, const kan_column *column,
                                     uint32_t *code_of_node) {
    size_t before = kan_problems_count(lines->run);
    check_shape(lines);
    check_top(lines);
    if (column)
        check_values(lines, column, code_of_node);
    return kan_problems_count(lines->run) == before ? KAN_OK : KAN_BAD_INPUT;
}
