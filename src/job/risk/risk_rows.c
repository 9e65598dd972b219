/* The rows of `risk`: what is known of each row of the table, as a file with a line for each.
 *
 * The file tells which rows are easy to find, and by what: nobody may see it who may not see the
 * table. So its first column is called internal_row, a new file can be read by its owner alone, and
 * a note says so. It is made as a table of texts, which any sink can write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/risk/risk_inside.h"

enum { MOST_COLUMNS = 15, ROWS_BETWEEN_CHECKS = 1 << 12 };
enum { WEIGHT_DIGITS = 15, RISK_DIGITS = 13 }; /* as many as are the same on every machine */

typedef struct {
    const kan_risk_walk *w;
    const kan_risk_special *special; /* of the table */
    const char *names[MOST_COLUMNS];
    size_t n_columns;
    kan_text text;              /* the values of one row, each with a NUL behind it */
    size_t start[MOST_COLUMNS]; /* of each value */
    size_t n_values;
    double *dis_suda; /* by unique row; NULL: not known */
    /* Where people are counted and there is a population: by row, the people of it who match the row's
     * group, and the least of these over all rows of its person. */
    uint64_t *people, *person_people;
    kan_table *table;
} rows_writer;

/* ---- values --------------------------------------------------------------------------------- */

static void begin_value(rows_writer *r) {
    r->start[r->n_values++] = r->text.size;
}

static void end_value(rows_writer *r) {
    kan_text_add(&r->text, "", 1);
}

static void add_count(rows_writer *r, uint64_t count) {
    char digits[32];
    begin_value(r);
    kan_text_add(&r->text, digits,
                 (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)count));
    end_value(r);
}

/* Six digits that count; what a table of numbers takes for one. */
static void add_real(rows_writer *r, double number) {
    begin_value(r);
    kan_text_print(&r->text, number > 0 && number < 1e-4 ? "%.12f" : "%.6g", number);
    end_value(r);
}

static void add_text(rows_writer *r, const char *text) {
    begin_value(r);
    kan_text_add(&r->text, text, strlen(text));
    end_value(r);
}

/* "age + town; zip": sets by size, then in the order of the columns. */
static void add_sets(rows_writer *r, uint32_t unique) {
    const kan_suda *suda = &r->special->suda;
    const kan_risk_walk *w = r->w;
    const uint32_t first = suda->first_set[unique], end = suda->first_set[unique + 1];
    begin_value(r);
    for (uint32_t i = first; i < end; i++)
        for (unsigned place = 0; place < KAN_SUDA_SIZE; place++) {
            const unsigned column = kan_suda_column(suda->sets[i], place);
            if (column == KAN_SUDA_NONE)
                break;
            kan_text_print(&r->text, "%s%s",
                           place       ? " + "
                           : i > first ? "; "
                                       : "",
                           w->sides[KAN_RISK_TABLE].input.columns[w->groups_by[column]]);
        }
    if (kan_suda_sets_of(suda, unique) > end - first)
        kan_text_print(&r->text, "; ...");
    end_value(r);
}

static unsigned smallest_of(const kan_suda *suda, uint32_t unique) {
    for (unsigned s = 0; s < KAN_SUDA_SIZE; s++)
        if (suda->n_minimal_of[s][unique] > 0)
            return s + 1;
    return 0;
}

static void add_special(rows_writer *r, uint32_t unique) {
    const kan_suda *suda = &r->special->suda;
    const bool is_unique = unique != UINT32_MAX;
    const unsigned smallest = is_unique ? smallest_of(suda, unique) : 0;
    add_text(r, is_unique ? "yes" : "no");
    if (smallest)
        add_count(r, smallest);
    else
        add_text(r, "");
    add_count(r, is_unique ? kan_suda_sets_of(suda, unique) : 0);
    add_count(r, is_unique ? kan_suda_score(suda, unique) : 0);
    if (r->dis_suda)
        add_real(r, is_unique ? r->dis_suda[unique] : 0);
    if (is_unique)
        add_sets(r, unique);
    else
        add_text(r, "");
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define NAME(name) r->names[r->n_columns++] = (name)

/* The order of values in add_person. */
static void name_person_columns(rows_writer *r) {
    NAME("internal_row");
    NAME("group_people");
    NAME("risk");
    NAME("person_group_people");
    NAME("person_risk");
    if (!r->w->has[KAN_RISK_POPULATION])
        return;
    NAME("people");
    NAME("journalist_risk");
    NAME("person_people");
    NAME("person_journalist_risk");
}

/* The order of values in add_shown. */
static void name_columns(rows_writer *r) {
    const kan_risk_walk *w = r->w;
    if (w->person) {
        name_person_columns(r);
        return;
    }
    NAME("internal_row");
    NAME("group_size");
    if (w->matches_missing)
        NAME("matches");
    NAME("risk");
    if (w->has[KAN_RISK_POPULATION]) {
        NAME("people");
        NAME("journalist_risk");
    }
    if (w->wants_individual) {
        if (kan_risk_has_weights(w))
            NAME("group_weight");
        NAME("individual_risk");
        if (kan_roles_only(&w->roles, KAN_ROLE_HOUSEHOLD))
            NAME("household_risk");
    }
    NAME("unique");
    NAME("smallest_set");
    NAME("n_sets");
    NAME("suda");
    if (r->dis_suda)
        NAME("dis_suda");
    NAME("minimal_sets");
    KAN_ASSERT(r->n_columns <= MOST_COLUMNS);
}

#undef NAME

static void add_crowd(rows_writer *r, uint64_t people) {
    add_count(r, people);
    add_real(r, people ? 1 / (double)people : 1);
}

/* Where people are counted: the row's group, and the smallest one of its person. */
static void add_person(rows_writer *r, uint64_t row, uint32_t person) {
    const kan_people_near *near = &r->w->measures[KAN_RISK_TABLE].near;
    add_crowd(r, near->in_group[row]);
    add_crowd(r, near->least[person]);
    if (!r->people)
        return;
    add_crowd(r, r->people[row]);
    add_crowd(r, r->person_people[row]);
}

/* So many digits from the first that is not 0, without an exponent: risks of large groups of heavy
 * rows are tiny, and sums of weights may have many digits. */
static void add_precise(rows_writer *r, int digits, double number) {
    enum { LONGEST = 64 };
    char text[LONGEST];
    snprintf(text, sizeof text, "%.*e", digits - 1, number);
    const long places = digits - 1 - strtol(strchr(text, 'e') + 1, NULL, 10);
    int length = snprintf(text, sizeof text, "%.*f", places > 0 ? (int)places : 0, number);
    while (places > 0 && text[length - 1] == '0')
        length--;
    length -= text[length - 1] == '.';
    begin_value(r);
    kan_text_add(&r->text, text, (size_t)length);
    end_value(r);
}

static void add_individual(rows_writer *r, uint64_t row, uint32_t tuple) {
    const kan_risk_special *special = r->special;
    const kan_individual_risks *risks = &special->individual;
    if (!r->w->wants_individual)
        return;
    if (special->stands_for)
        add_precise(r, WEIGHT_DIGITS, special->stands_for[tuple]);
    add_precise(r, RISK_DIGITS, risks->of_tuple[tuple]);
    if (risks->has_households)
        add_precise(r, RISK_DIGITS, risks->of_household[kan_risk_household_of(r->w, row)]);
}

/* A row of the table that shows something; `row` counts those. */
static void add_shown(rows_writer *r, uint64_t row) {
    const kan_risk_special *special = r->special;
    const uint32_t tuple = special->tuples.tuple_of_row[row];
    const uint64_t size = special->tuples.rows[tuple];
    const uint64_t crowd = special->matches ? special->matches[tuple] : size;
    add_count(r, size);
    if (r->w->matches_missing)
        add_count(r, crowd);
    add_real(r, 1 / (double)crowd);
    if (r->w->has[KAN_RISK_POPULATION])
        add_crowd(r, special->people[special->people_at[row]]);
    add_individual(r, row, tuple);
    add_special(r, special->suda.unique_of_tuple[tuple]);
}

static kan_status put_row(rows_writer *r) {
    const char *values[MOST_COLUMNS];
    while (r->n_values < r->n_columns)
        add_text(r, "");
    KAN_TRY(kan_text_status(&r->text));
    for (size_t i = 0; i < r->n_columns; i++)
        values[i] = r->text.bytes + r->start[i];
    return kan_table_add_row(r->table, values);
}

/* Rows of nothing but * have a line with their number alone. */
static kan_status add_rows(rows_writer *r) {
    const kan_verify_side *side = &r->w->sides[KAN_RISK_TABLE];
    const uint64_t n_rows = side->input.table->n_rows;
    const uint64_t n_shown = side->is_blank ? 0 : side->table->n_rows;
    const kan_column *person =
        r->w->person ? kan_table_find(side->table, r->w->person, NULL) : NULL;
    uint64_t next = 0; /* of those that show something */
    for (uint64_t row = 0; row < n_rows; row++) {
        const bool is_shown = next < n_shown && kan_shown_row(&side->shown, next) == row;
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(r->w->run));
        r->text.size = 0;
        r->n_values = 0;
        add_count(r, row + 1);
        if (is_shown && person)
            add_person(r, next, kan_column_code(person, next));
        else if (is_shown)
            add_shown(r, next);
        next += is_shown;
        KAN_TRY(put_row(r));
    }
    KAN_ASSERT(next == n_shown);
    return kan_table_seal(r->table);
}

/* ---- the file ------------------------------------------------------------------------------- */

static kan_status write_table(const rows_writer *r, const char *path, kan_sink **out) {
    kan_run *run = r->w->run;
    kan_release_column columns[MOST_COLUMNS] = {0};
    kan_slice *labels[MOST_COLUMNS] = {0};
    kan_status status = KAN_OK;
    const kan_options *options = &r->w->job->options;
    const kan_release release = {.n_rows = r->table->n_rows,
                                 .n_released = r->table->n_rows,
                                 .n_columns = r->n_columns,
                                 .columns = columns};
    const kan_sink_order order = {.kind = kan_output_kind_of(path),
                                  .release = &release,
                                  .target = path,
                                  .overwrite = kan_options_switch(options, "force"),
                                  .is_private = true,
                                  .given = options};
    for (size_t c = 0; c < r->n_columns; c++) {
        const kan_column *column = &r->table->columns[c];
        KAN_TRY_DONE(kan_alloc(run, column->dictionary.n, sizeof **labels, &labels[c]));
        for (uint32_t code = 0; code < column->dictionary.n; code++)
            labels[c][code] = kan_dictionary_value(&column->dictionary, code);
        columns[c] = (kan_release_column){.name = column->name,
                                          .width = column->width,
                                          .codes = column->codes,
                                          .labels = labels[c],
                                          .n_labels = column->dictionary.n,
                                          .shows_values = true};
    }
    KAN_TRY_DONE(kan_sink_write(run, &order, out));
done:
    for (size_t c = 0; c < r->n_columns; c++)
        kan_free(run, labels[c]);
    return status;
}

/* What DIS-SUDA takes: how much of the population the table is, and few enough columns. */
static kan_status spread_dis(rows_writer *r) {
    const kan_suda *suda = &r->special->suda;
    if (!r->special->has_dis)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(r->w->run, suda->n_unique, sizeof *r->dis_suda, &r->dis_suda));
    if (suda->n_unique > 0)
        kan_suda_spread(suda, r->special->dis, r->dis_suda);
    return KAN_OK;
}

static kan_status find_person_people(rows_writer *r) {
    const kan_risk_special *special = r->special;
    const uint64_t n_rows = r->w->sides[KAN_RISK_TABLE].table->n_rows;
    if (!r->w->person || !special->people_at)
        return KAN_OK;
    KAN_TRY(kan_alloc(r->w->run, (size_t)n_rows, sizeof *r->people, &r->people));
    for (uint64_t row = 0; row < n_rows; row++)
        r->people[row] = special->people[special->people_at[row]];
    return kan_risk_least_of_person(r->w, r->people, &r->person_people);
}

static kan_status make_table(rows_writer *r) {
    KAN_TRY(spread_dis(r));
    KAN_TRY(find_person_people(r));
    name_columns(r);
    KAN_TRY(kan_table_create(r->w->run, r->n_columns, r->names, &r->table));
    return add_rows(r);
}

kan_status kan_risk_rows_check(const kan_risk_walk *w) {
    const char *path = kan_options_find(&w->job->options, "rows");
    return path ? kan_output_check_path(w->run, "rows", path) : KAN_OK;
}

kan_status kan_risk_rows_begin(const kan_risk_walk *w) {
    const char *path = kan_options_find(&w->job->options, "rows");
    const kan_sink_kind *kind = path ? kan_output_kind_of(path) : NULL;
    rows_writer r = {.w = w};
    if (!kind || !kind->check)
        return KAN_OK;
    name_columns(&r);
    const kan_sink_sketch sketch = {.target = path,
                                    .n_columns = r.n_columns,
                                    .columns = r.names,
                                    .n_rows = w->sides[KAN_RISK_TABLE].input.table->n_rows,
                                    .given = &w->job->options};
    return kind->check(w->run, &sketch);
}

kan_status kan_risk_rows_write(const kan_risk_walk *w, kan_sink **out) {
    const char *path = kan_options_find(&w->job->options, "rows");
    rows_writer r = {.w = w, .special = &w->special[KAN_RISK_TABLE]};
    kan_status status;
    if (!path)
        return KAN_OK;
    kan_report_progress(w->run, "rows", 0, 0);
    kan_text_init(&r.text, w->run);
    KAN_TRY_DONE(make_table(&r));
    KAN_TRY_DONE(write_table(&r, path, out));
    status = kan_sink_sync(*out);
done:
    kan_text_destroy(&r.text);
    kan_table_destroy(r.table);
    kan_free(w->run, r.dis_suda);
    kan_free(w->run, r.people);
    kan_free(w->run, r.person_people);
    return status;
}

void kan_risk_rows_note(const kan_risk_walk *w) {
    const char *path = kan_options_find(&w->job->options, "rows");
    if (path)
        kan_note(w->run,
                 "%s shows how single rows are found: it is for those who may see the table, and "
                 "must not be shared",
                 strcmp(path, "-") == 0 ? "what is on standard output" : path);
}
