/* `profile`: what a table holds, which columns might play which part, and which combinations of
 * columns single people out.
 *
 * Order: open, read and count the columns, suggest roles, look at combinations, write the job file,
 * tell. A wide table is read in batches of columns, so that the codes of a few of them are in
 * memory at a time; what is kept of a column is small. The columns of the combinations, at most 64,
 * are then read once more. */
#include <stdlib.h>

#include "core/pool.h"
#include "job/profile/profile_inside.h"
#include "job/settings/settings.h"

enum {
    FEW_COLUMNS = 64,      /* are read at once, however many rows there are */
    BATCH_CELLS = 1 << 27, /* of a wide table that are in memory at a time */
    ENCODER_BYTES = 4096   /* about, of a column with few values while it is read, per thread */
};

/* ---- the table ------------------------------------------------------------------------------ */

/* Whether the rows are counted where they are: what is read comes without an order, and together
 * only where it is read at once. */
static bool is_counted(const kan_profile_walk *p) {
    return p->input.source && p->input.source->kind->count;
}

static kan_status open_table(kan_profile_walk *p) {
    KAN_TRY(kan_profile_find_encoding(p));
    KAN_TRY(kan_input_open(p->job, "input", false, &p->input));
    kan_input_take_counts(&p->input);
    if ((p->first_rows || kan_options_find(&p->job->options, "all-rows")) && is_counted(p))
        return kan_fail(p->run, KAN_BAD_INPUT,
                        "--%s: the rows of %s are counted where they are, and none of them is the "
                        "first; leave it out",
                        p->first_rows ? "first-rows" : "all-rows", p->input.name);
    if (p->job->table) {
        p->n_rows = kan_table_total(p->job->table);
        if (p->n_rows == 0)
            return kan_fail(p->run, KAN_BAD_INPUT,
                            "the table has no row; add one with kan_table_add_row");
    }
    KAN_TRY(kan_profile_find_household(p));
    p->skip = kan_profile_common(p->input.columns, p->input.n_columns);
    return kan_alloc_zero(p->run, p->input.n_columns, sizeof *p->columns, &p->columns);
}

/* Reads the columns that are marked. */
static kan_status read_columns(kan_profile_walk *p) {
    if (is_counted(p))
        KAN_TRY(kan_profile_some_ask(p));
    KAN_TRY(kan_input_read(&p->input));
    kan_profile_some_take(p);
    return KAN_OK;
}

bool kan_profile_is_nested(const kan_profile_walk *p, size_t column) {
    const kan_field *field = kan_input_field(&p->input, column);
    return field && field->is_nested;
}

/* ---- counting ------------------------------------------------------------------------------- */

typedef struct {
    kan_profile_walk *p;
    size_t first;
} batch;

static kan_status profile_task(void *context, size_t task, unsigned worker) {
    const batch *b = context;
    kan_profile_walk *p = b->p;
    const size_t c = b->first + task;
    (void)worker;
    if (kan_profile_is_nested(p, c)) {
        kan_profile_suggest_nested(&p->columns[c], p->n_rows);
        p->columns[c].name = p->input.columns[c];
        return KAN_OK;
    }
    KAN_TRY(kan_profile_some_count(p, c));
    p->columns[c].name = p->input.columns[c];
    kan_profile_suggest(&p->columns[c], p->skip);
    kan_report_progress(p->run, "columns", c, p->input.n_columns);
    return KAN_OK;
}

/* Counts columns that are in memory. Those that may turn out to be quasi-identifiers get a
 * hierarchy while their values are there. */
static kan_status profile_batch(kan_profile_walk *p, size_t first, size_t end) {
    batch b = {p, first};
    KAN_TRY(kan_parallel(p->run, end - first, profile_task, &b));
    KAN_TRY(kan_profile_rows_take(p, first, end));
    KAN_TRY(kan_profile_take_household(p, first, end));
    for (size_t c = first; c < end; c++) {
        kan_profile_column *column = &p->columns[c];
        KAN_TRY(kan_check_cancel(p->run));
        if (column->role == KAN_ROLE_QUASI ||
            (column->role == KAN_ROLE_OTHER && column->certainty == KAN_PERHAPS))
            KAN_TRY(kan_profile_suggest_hierarchy(p->run, &p->input.table->columns[c], column));
    }
    return KAN_OK;
}

/* Columns to be read at a time; learns the number of rows where it matters. */
static kan_status batch_size(kan_profile_walk *p, size_t *out) {
    *out = is_counted(p) ? 1 : p->input.n_columns; /* a column by itself has few distinct rows */
    if (!p->input.source || is_counted(p) || p->input.n_columns <= FEW_COLUMNS)
        return KAN_OK;
    KAN_TRY(read_columns(p)); /* none of them: rows are counted */
    const uint64_t left = kan_run_memory_left(p->run);
    const uint64_t column_bytes =
        12 * p->n_rows + (uint64_t)ENCODER_BYTES * kan_run_threads(p->run);
    uint64_t columns = BATCH_CELLS / p->n_rows;
    if (columns > left / 2 / column_bytes)
        columns = left / 2 / column_bytes;
    if (columns < *out)
        *out = columns < 1 ? 1 : (size_t)columns;
    return KAN_OK;
}

typedef kan_status (*batch_fn)(kan_profile_walk *p, size_t first, size_t end);

/* All columns, `size` at a time. */
static kan_status each_batch(kan_profile_walk *p, size_t size, batch_fn fn) {
    bool *encode = p->input.encode;
    for (size_t first = 0; first < p->input.n_columns; first += size) {
        const size_t end = p->input.n_columns - first < size ? p->input.n_columns : first + size;
        for (size_t c = 0; c < p->input.n_columns; c++)
            encode[c] = ((c >= first && c < end) || (p->has_household && c == p->household)) &&
                        !kan_profile_is_nested(p, c);
        if (p->input.source && !p->is_read)
            KAN_TRY(read_columns(p));
        KAN_TRY(fn(p, first, end));
    }
    return KAN_OK;
}

/* To read a column where rows are counted takes long: it is counted when it is looked at, and once more
 * only where it turns out to be written in some other way. */
static kan_status look_and_profile(kan_profile_walk *p, size_t first, size_t end) {
    KAN_TRY(kan_profile_look(p, first, end));
    return profile_batch(p, first, end);
}

/* How the table is written comes first: what values are depends on it. */
static kan_status find_conventions(kan_profile_walk *p, size_t size, bool *is_counted_so) {
    bool is_changed;
    *is_counted_so = false;
    if (!p->input.source)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(p->run, p->input.n_columns, sizeof *p->conventions, &p->conventions));
    KAN_TRY(each_batch(p, size, is_counted(p) ? look_and_profile : kan_profile_look));
    KAN_TRY(kan_profile_take_conventions(p, &is_changed));
    p->is_read = !is_changed && size >= p->input.n_columns;
    *is_counted_so = !is_changed && is_counted(p);
    return KAN_OK;
}

static kan_status profile_columns(kan_profile_walk *p) {
    size_t size, n_quasi = 0;
    bool is_done;
    KAN_TRY(batch_size(p, &size));
    KAN_TRY(find_conventions(p, size, &is_done));
    if (!is_done)
        KAN_TRY(each_batch(p, size, profile_batch));
    for (size_t c = 0; c < p->input.n_columns; c++)
        n_quasi += p->columns[c].role == KAN_ROLE_QUASI;
    for (size_t c = 0; c < p->input.n_columns && n_quasi == 0; c++)
        kan_profile_suggest_any(&p->columns[c]);
    kan_profile_settle_household(p);
    return KAN_OK;
}

/* ---- combinations --------------------------------------------------------------------------- */

static int compare_interest(const void *a, const void *b) {
    const kan_profile_column *x = *(const kan_profile_column *const *)a,
                             *y = *(const kan_profile_column *const *)b;
    const bool x_first = x->role == KAN_ROLE_QUASI, y_first = y->role == KAN_ROLE_QUASI;
    if (x_first != y_first)
        return x_first ? -1 : 1;
    if (x->n_together != y->n_together)
        return x->n_together < y->n_together ? -1 : 1;
    return (x > y) - (x < y); /* of one array: in the order of the table */
}

/* Quasi-identifiers first, and of each kind those that tell most pairs of rows apart. A column that
 * names people, or a free text, singles out everybody whatever stands beside it, one with the same
 * value everywhere nobody. */
static kan_status choose_interesting(kan_profile_walk *p) {
    const kan_u128 pairs = (kan_u128)p->n_rows * (p->n_rows - 1) / 2;
    const kan_profile_column **order;
    size_t n = 0;
    KAN_TRY(kan_alloc(p->run, p->input.n_columns, sizeof *order, &order));
    for (size_t c = 0; c < p->input.n_columns; c++) {
        const bool is_id = p->columns[c].role == KAN_ROLE_ID || p->columns[c].role == KAN_ROLE_DROP;
        const bool is_constant = !is_id && p->columns[c].n_together == pairs && p->n_rows > 1;
        p->n_ids += is_id;
        p->n_constant += is_constant;
        if (!is_id && !is_constant)
            order[n++] = &p->columns[c];
    }
    qsort(order, n, sizeof *order, compare_interest);
    p->n_interesting = n < KAN_SUBSET_COLUMNS ? (unsigned)n : KAN_SUBSET_COLUMNS;
    p->n_beyond = n - p->n_interesting;
    const kan_status status =
        kan_alloc(p->run, p->n_interesting, sizeof *p->interesting, &p->interesting);
    for (unsigned i = 0; status == KAN_OK && i < p->n_interesting; i++)
        p->interesting[i] = (size_t)(order[i] - p->columns);
    kan_free(p->run, order);
    return status;
}

/* The interesting columns must be in memory; a table that was read at once is. */
static kan_status read_interesting(kan_profile_walk *p) {
    bool is_read = true;
    for (unsigned i = 0; i < p->n_interesting; i++)
        is_read = is_read && p->input.table->columns[p->interesting[i]].is_encoded;
    if (is_read)
        return KAN_OK;
    memset(p->input.encode, 0, p->input.n_columns * sizeof *p->input.encode);
    for (unsigned i = 0; i < p->n_interesting; i++)
        p->input.encode[p->interesting[i]] = true;
    KAN_TRY(read_columns(p));
    kan_profile_some_draw(p);
    return KAN_OK;
}

/* ---- beside the quasi-identifiers ------------------------------------------------------------ */

static bool is_asked_about(const kan_profile_column *column) {
    return column->role == KAN_ROLE_OTHER || column->role == KAN_ROLE_SENSITIVE;
}

/* What undecided and sensitive columns add to the quasi-identifiers, where both are in memory and
 * the rows are no more than a sample would be. */
static kan_status measure_singled(kan_profile_walk *p) {
    const uint64_t most = kan_options_count(&p->job->options, "sample", KAN_PROFILE_SAMPLE);
    size_t quasi[KAN_SUBSET_COLUMNS], others[KAN_SUBSET_COLUMNS];
    uint64_t n_with[KAN_SUBSET_COLUMNS], n_before;
    kan_singled_question question = {.table = p->input.table, .quasi = quasi, .others = others};
    if (p->n_rows > most)
        return KAN_OK;
    for (unsigned i = 0; i < p->n_interesting; i++) {
        const size_t c = p->interesting[i];
        if (p->columns[c].role == KAN_ROLE_QUASI)
            quasi[question.n_quasi++] = c;
        else if (is_asked_about(&p->columns[c]))
            others[question.n_others++] = c;
    }
    if (question.n_quasi == 0 || question.n_others == 0)
        return KAN_OK;
    KAN_TRY(kan_profile_singled(p->run, &question, n_with, &n_before));
    for (size_t i = 0; i < question.n_others; i++) {
        p->columns[others[i]].is_risk_known = true;
        p->columns[others[i]].n_alone = n_with[i];
        p->columns[others[i]].n_singled = n_with[i] - n_before;
    }
    return KAN_OK;
}

static kan_status measure_subsets(kan_profile_walk *p) {
    const kan_options *options = &p->job->options;
    const char *most = kan_options_find(options, "subsets");
    if (most)
        KAN_TRY(kan_setting_check_count(p->run, kan_setting_entry_for("subsets", "profile"), most));
    KAN_TRY(choose_interesting(p));
    if (p->n_interesting == 0)
        return KAN_OK;
    KAN_TRY(read_interesting(p));
    const kan_subset_question question = {
        .table = p->input.table,
        .columns = p->interesting,
        .n_columns = p->n_interesting,
        .n_rows = kan_options_count(options, "sample", KAN_PROFILE_SAMPLE),
        .n_subsets = kan_options_count(options, "subsets", KAN_PROFILE_SUBSETS),
        .telling = KAN_PROFILE_TELLING};
    KAN_TRY(kan_subsets_measure(p->run, &question, &p->subsets));
    p->subsets.is_sampled |= p->subsets.n_rows < p->n_rows;
    return measure_singled(p);
}

/* ---- the walk ------------------------------------------------------------------------------- */

kan_status kan_profile_measure(kan_profile_walk *p) {
    KAN_TRY(kan_profile_rows_begin(p));
    KAN_TRY(open_table(p));
    if (p->input.source)
        KAN_TRY(kan_source_list_tables(p->input.source, &p->tables));
    KAN_TRY(profile_columns(p));
    p->read_ms = kan_now_ms() - p->start_ms;
    KAN_TRY(measure_subsets(p));
    p->subsets_ms = kan_now_ms() - p->start_ms - p->read_ms;
    return KAN_OK;
}

void kan_profile_init(kan_profile_walk *p, kan_job *job) {
    *p = (kan_profile_walk){.job = job,
                            .run = job->run,
                            .shows_values = !kan_options_switch(&job->options, "no-values"),
                            .subsets = {.run = job->run},
                            .start_ms = kan_now_ms()};
}

void kan_profile_destroy(kan_profile_walk *p) {
    json_decref(p->first_rows);
    kan_subsets_destroy(&p->subsets);
    kan_free(p->run, p->interesting);
    kan_free(p->run, p->columns);
    kan_free(p->run, p->conventions);
    kan_free(p->run, p->sums);
    kan_free(p->run, p->n_differing);
    if (p->rules)
        kan_rules_end(p->rules);
    kan_free(p->run, p->rules);
    kan_input_close(&p->input);
}

/* What a rule says of the columns (--rules); the table is read once more for it. */
static kan_status judge(kan_profile_walk *p) {
    const char *input = kan_options_find(&p->job->options, "input");
    if (!kan_options_find(&p->job->options, "rules"))
        return KAN_OK;
    if (p->input.is_file && strcmp(input, "-") == 0)
        return kan_fail(p->run, KAN_BAD_INPUT,
                        "--rules: the table is read a second time for it; name a file, not "
                        "standard input");
    KAN_TRY(kan_alloc_zero(p->run, 1, sizeof *p->rules, &p->rules));
    KAN_TRY(kan_rules_begin(p->job, p->rules));
    if (p->rules->has_promise) { /* profile counts no groups */
        p->rules->promise = KAN_RULES_UNCHECKED;
        p->rules->promise_reason = "what the rule promises was not counted; kanon check does";
    }
    KAN_TRY(kan_rules_open(p->rules, "input"));
    return kan_rules_judge(p->rules);
}

static kan_status walk(kan_profile_walk *p, kan_result *out) {
    KAN_TRY(kan_profile_measure(p));
    KAN_TRY(judge(p));
    kan_target *rows = NULL;
    KAN_TRY(kan_profile_write(p, out));
    kan_status status = kan_profile_rows_write(p, &rows);
    /* Last: whatever fails before leaves no file. */
    if (status == KAN_OK)
        status = kan_profile_write_job(p);
    if (status == KAN_OK && rows) {
        status = kan_target_commit(rows);
        if (status != KAN_OK)
            kan_target_withdraw(kan_options_find(&p->job->options, "job-out"));
    }
    kan_target_close(rows);
    return status;
}

kan_status kan_walk_profile(kan_job *job, kan_result *out) {
    kan_profile_walk p;
    if (kan_options_find(&job->options, "beside") && kan_options_find(&job->options, "rules"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--rules is about one table; look at each with a profile of its own");
    if (kan_options_find(&job->options, "beside"))
        return kan_profile_several(job, out);
    kan_profile_init(&p, job);
    const kan_status status = walk(&p, out);
    kan_profile_destroy(&p);
    return status;
}
