/* `verify --recoding NAME`: does the release obey the rule of a recoding model (analyze/recodings)?
 *
 * With the original its values and the hierarchies bound to them say what labels cover; rows are
 * known where they stand in the order of the original, and each could be one alone. Without it the
 * values are those of the hierarchy's file; of a column without one, those that the release shows,
 * and the ends of its ranges of numbers: two ranges that overlap have an end of one of them in
 * common. */
#include <stdio.h>
#include <string.h>

#include "io/side_files/side_files.h"
#include "job/verify/verify_inside.h"

typedef struct {
    kan_verification *v;
    kan_shape_question question;
    kan_shape_column columns[KAN_MAX_ATTRIBUTES];
    kan_table *values[KAN_MAX_ATTRIBUTES];          /* that were made here; NULL: the original */
    kan_hierarchy *hierarchies[KAN_MAX_ATTRIBUTES]; /* bound to these */
    uint64_t *row_of;
} shape;

/* ---- values without the original ------------------------------------------------------------ */

static kan_status add_value(kan_table *values, kan_slice value) {
    kan_text text;
    kan_text_init(&text, values->run);
    kan_text_add(&text, value.bytes, value.size);
    kan_text_add(&text, "", 1);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_table_add_row(values, (const char *const[]){text.bytes});
    kan_text_destroy(&text);
    return status;
}

static kan_status make_values(const kan_verification *v, size_t i, kan_table **out) {
    const char *name = v->release.input.columns[v->quasi_columns[i]];
    return kan_table_create(v->run, 1, &name, out);
}

/* All values of a hierarchy's file, those that no row has among them. */
static kan_status take_file(shape *s, size_t i, const char *path) {
    kan_run *run = s->v->run;
    const kan_column *released = &s->v->release.table->columns[s->v->quasi_columns[i]];
    kan_hierarchy_lines *lines = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_hierarchy_read_lines(run, path, released->spelling, &lines));
    KAN_TRY_DONE(make_values(s->v, i, &s->values[i]));
    for (size_t n = 0; n < lines->values.n; n++)
        KAN_TRY_DONE(add_value(s->values[i], lines->values.nodes[n].label));
    KAN_TRY_DONE(kan_table_seal(s->values[i]));
    KAN_TRY_DONE(kan_hierarchy_bind(lines, &s->values[i]->columns[0], &s->hierarchies[i]));
    s->columns[i].hierarchy = s->hierarchies[i];
done:
    kan_hierarchy_lines_destroy(lines);
    return status;
}

typedef struct {
    kan_table *values;
    bool is_range;
} range_ends;

static kan_status add_end(void *context, double number) {
    range_ends *ends = context;
    char text[64];
    const int size = snprintf(text, sizeof text, "%.15g", number);
    return add_value(ends->values, (kan_slice){text, (size_t)size});
}

/* An end that is not in the range is one of another, or of none. */
static kan_status add_range(void *context, const kan_label_range *range) {
    range_ends *ends = context;
    ends->is_range = true;
    KAN_TRY(add_end(context, range->lo));
    return add_end(context, range->hi);
}

static kan_status ignore_codes(void *context, uint32_t first, uint32_t end) {
    (void)context, (void)first, (void)end;
    return KAN_OK;
}

/* Every label that is no range counts as a value. */
static kan_status take_labels(shape *s, size_t i, kan_label_reader *reader) {
    const kan_dictionary *shown = &s->v->release.table->columns[s->v->quasi_columns[i]].dictionary;
    range_ends ends = {.values = s->values[i]};
    for (uint32_t code = 0; code < shown->n; code++) {
        const kan_slice label = kan_dictionary_value(shown, code);
        ends.is_range = false;
        if (kan_slice_is(label, "*"))
            continue;
        KAN_TRY(kan_label_read_ranges(reader, label, ignore_codes, add_range, &ends));
        if (ends.is_range) {
            s->columns[i].has_ends |=
                memchr(label.bytes, '<', label.size) || memchr(label.bytes, '>', label.size);
            continue;
        }
        s->columns[i].is_unread |= label.size > 0 && strchr("[({", label.bytes[0]) != NULL;
        KAN_TRY(add_value(s->values[i], label));
    }
    return kan_table_seal(s->values[i]);
}

/* A column of one number: ranges are read against it. */
static kan_status take_shown(shape *s, size_t i) {
    kan_run *run = s->v->run;
    kan_table *number = NULL;
    kan_label_reader reader;
    kan_status status;
    bool has_reader = false;
    s->columns[i].lacks_values = true;
    KAN_TRY(make_values(s->v, i, &s->values[i]));
    KAN_TRY_DONE(make_values(s->v, i, &number));
    KAN_TRY_DONE(add_value(number, kan_slice_of("0")));
    KAN_TRY_DONE(kan_table_seal(number));
    has_reader = true;
    KAN_TRY_DONE(kan_label_reader_init(&reader, run, &number->columns[0]));
    KAN_TRY_DONE(take_labels(s, i, &reader));
done:
    if (has_reader)
        kan_label_reader_destroy(&reader);
    kan_table_destroy(number);
    return status;
}

/* The file of a hierarchy, or nothing where none was named. */
static kan_status take_values(shape *s, size_t i) {
    const kan_verification *v = s->v;
    const char *dir = kan_options_find(&v->job->options, "hierarchies");
    const kan_column *released = &v->release.table->columns[v->quasi_columns[i]];
    const char *spec = v->specs[i];
    char quoted[256];
    kan_text path;
    bool is_missing = true;
    if (spec && strcmp(spec, "suppress") != 0 && kan_hierarchy_is_spec(spec)) {
        kan_problem_add(v->run,
                        "--recoding: the hierarchy of column %s is built from data, and only the "
                        "original has that; name it with --original, or a file of the hierarchy "
                        "(kanon hierarchy build writes one)",
                        kan_quote(kan_slice_of(released->name), quoted));
        return KAN_BAD_INPUT;
    }
    if (spec && !kan_hierarchy_is_spec(spec))
        return take_file(s, i, spec);
    if (spec || !dir)
        return take_shown(s, i);
    kan_status status = kan_input_find_hierarchy(v->run, dir, released->name, &path, &is_missing);
    if (status == KAN_OK)
        status = is_missing ? take_shown(s, i) : take_file(s, i, path.bytes);
    kan_text_destroy(&path);
    return status;
}

static kan_status take_all_values(shape *s) {
    kan_problems_begin(s->v->run);
    for (size_t i = 0; i < s->v->n_quasi; i++) {
        const size_t before = kan_problems_count(s->v->run);
        const kan_status status = take_values(s, i);
        if (status != KAN_OK && kan_problems_count(s->v->run) == before)
            return status;
        s->columns[i].values = s->values[i];
    }
    return kan_problems_end(s->v->run);
}

/* ---- with the original ---------------------------------------------------------------------- */

static void take_original(shape *s) {
    const kan_verification *v = s->v;
    s->question.has_original = true;
    for (size_t i = 0; i < v->n_quasi; i++) {
        s->columns[i].values = v->original.table;
        s->columns[i].value_column = v->quasi_originals[i];
        s->columns[i].hierarchy = v->hierarchies[i];
    }
}

/* Which row is which, where that can be said. */
static kan_status find_rows(shape *s, const kan_cover_question *question) {
    const kan_verification *v = s->v;
    kan_rows_found found;
    if (!v->has_original || !v->cover.holds || !v->cover.in_order || question->release->counts ||
        question->original->counts)
        return KAN_OK;
    KAN_TRY(kan_alloc(v->run, question->release->n_rows, sizeof *s->row_of, &s->row_of));
    KAN_TRY(kan_verify_certain_rows(v->run, question, s->row_of, &found));
    if (found.in_order) {
        s->question.row_of = s->row_of;
        s->question.knows_all = found.n_open == 0;
    }
    return KAN_OK;
}

/* ---- asking --------------------------------------------------------------------------------- */

static bool has_means(const kan_verification *v) {
    return v->n_means > 0 || v->n_groups_by > v->n_quasi;
}

/* Whether there is a rule to ask for; where there is none, the rest is verified all the same. */
static void find_rule(kan_verification *v) {
    static const char no_rule[] = "no rule of this model can be read off a release; groups and "
                                  "their means are recounted in any case";
    if (!v->recoding)
        return;
    if (has_means(v))
        v->shape.unchecked = "anything, as means are neither values nor labels";
    if (kan_shape_has_rule(v->recoding))
        return;
    kan_note(v->run, "--recoding %s: %s", v->recoding, no_rule);
    v->recoding = NULL;
}

/* A hierarchy that is built needs the original; told where it is named. */
static bool is_built(const kan_verification *v) {
    for (size_t i = 0; i < v->n_quasi; i++)
        if (v->specs[i] && strcmp(v->specs[i], "suppress") != 0 &&
            kan_hierarchy_is_spec(v->specs[i]))
            return true;
    return false;
}

static kan_status count_narrow(shape *s) {
    uint64_t counts[KAN_MAX_ATTRIBUTES];
    if (!s->question.row_of)
        return KAN_OK;
    KAN_TRY(kan_shape_count_narrow(s->v->run, &s->question, counts));
    for (size_t i = 0; i < s->v->n_quasi; i++)
        s->v->n_narrow += counts[i];
    s->v->counts_narrow = true;
    return KAN_OK;
}

static kan_status ask(shape *s, const kan_cover_question *question) {
    kan_verification *v = s->v;
    if (v->has_original)
        take_original(s);
    else
        KAN_TRY(take_all_values(s));
    KAN_TRY(find_rows(s, question));
    KAN_TRY(kan_shape_check(v->run, v->recoding, &s->question, &v->shape));
    return count_narrow(s);
}

kan_status kan_verify_check_recoding(kan_verification *v, const kan_cover_question *question) {
    shape s = {.v = v};
    v->shape.holds = true;
    find_rule(v);
    if (v->recoding && !v->has_original && v->job->origins && is_built(v)) {
        kan_note(v->run,
                 "--recoding %s is not checked without --original: hierarchies are built "
                 "from it",
                 v->recoding);
        v->recoding = NULL;
    }
    if (v->release.is_blank || has_means(v) || !v->recoding || v->n_quasi > KAN_MAX_ATTRIBUTES)
        return KAN_OK;
    for (size_t i = 0; i < v->n_quasi; i++)
        s.columns[i].released = v->quasi_columns[i];
    s.question = (kan_shape_question){
        .release = v->release.table, .columns = s.columns, .n_columns = v->n_quasi};
    const kan_status status = ask(&s, question);
    for (size_t i = 0; i < v->n_quasi; i++) {
        kan_hierarchy_destroy(s.hierarchies[i]);
        kan_table_destroy(s.values[i]);
    }
    kan_free(v->run, s.row_of);
    return status;
}
