/* `verify`: recounts a release that anyone made, and compares it with the original when that is
 * given.
 *
 * Order: open both tables, find the columns in them, read only what is needed, bind the hierarchies
 * to the original, recount, cover, tell. Without the original the quasi-identifiers alone are read;
 * with it every column that both tables have. A table that does not keep its promise is a result,
 * not an error: out->holds says no. A certificate is checked elsewhere (job/certificate_verify.c).
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "analyze/verify.h"
#include "io/csv.h"
#include "job/certificate.h"
#include "job/result.h"
#include "job/settings.h"
#include "job/setup.h"

/* Rows whose lines are told: examples of small groups, and the first without an original row. */
enum { MOST_PLACES = KAN_RECOUNT_EXAMPLES + 1 };

/* One of the two tables. */
typedef struct {
    kan_csv_source *source; /* NULL: the rows are in memory */
    kan_table *owned;
    const kan_table *table;
    bool *encode; /* by column of the source */
    const char *name;
} side;

typedef struct {
    kan_job *job;
    kan_run *run;
    side release, original;
    bool has_original;
    size_t n_quasi, n_others;
    size_t *columns;    /* of the release: the quasi-identifiers */
    const char **specs; /* hierarchy of each as the user wrote it, or NULL */
    kan_hierarchy **hierarchies;
    kan_cover_pair *quasi, *others;
    uint64_t k;
    bool accepts_suppressed;
    kan_recount recount;
    kan_cover cover;
    bool groups_hold;
    /* Places in the release: rows from 0, in order, and the lines on which they start. */
    size_t n_places;
    uint64_t rows[MOST_PLACES], lines[MOST_PLACES];
    bool has_lines;
    double start_ms, read_ms, verify_ms;
} verification;

/* ---- columns -------------------------------------------------------------------------------- */

static size_t n_columns(const side *s) {
    return s->source ? kan_csv_n_columns(s->source) : s->table->n_columns;
}

static const char *column_name(const side *s, size_t column) {
    return s->source ? kan_csv_column_name(s->source, column) : s->table->columns[column].name;
}

static bool find_column(const side *s, kan_slice name, size_t *column) {
    for (size_t i = 0; i < n_columns(s); i++)
        if (kan_slice_is(name, column_name(s, i))) {
            *column = i;
            return true;
        }
    return false;
}

static void add_unknown(kan_run *run, const side *s, kan_slice name) {
    char quoted[256], meant[256];
    const char *near = NULL;
    unsigned least = 3;
    for (size_t i = 0; i < n_columns(s); i++) {
        const char *known = column_name(s, i);
        char wanted[64] = "";
        memcpy(wanted, name.bytes, name.size < 63 ? name.size : 63);
        unsigned distance = strcasecmp(wanted, known) == 0 ? 0 : kan_edit_distance(wanted, known);
        if (distance < least) {
            least = distance;
            near = known;
        }
    }
    kan_problem_add(run, "%s: no column %s (--qi)%s%s%s", s->name, kan_quote(name, quoted),
                    near ? "; did you mean " : "; the first line of the file names the columns",
                    near ? kan_quote(kan_slice_of(near), meant) : "", near ? "?" : "");
}

static kan_status find_quasi(verification *v) {
    const kan_options *options = &v->job->options;
    size_t n = kan_options_count_of(options, "qi");
    KAN_TRY(kan_alloc_zero(v->run, n, sizeof *v->columns, &v->columns));
    KAN_TRY(kan_alloc_zero(v->run, n, sizeof *v->specs, &v->specs));
    KAN_TRY(kan_alloc_zero(v->run, n, sizeof *v->quasi, &v->quasi));
    KAN_TRY(kan_alloc_zero(v->run, n, sizeof *v->hierarchies, &v->hierarchies));
    v->n_quasi = n;
    kan_problems_begin(v->run);
    if (n == 0)
        kan_problem_add(v->run, "no quasi-identifier: name the columns by which somebody could be "
                                "recognised with --qi NAME,NAME");
    for (size_t i = 0; i < n; i++) {
        kan_cover_pair *pair = &v->quasi[i];
        kan_slice name;
        kan_quasi_parse(kan_options_at(options, "qi", i), &name, &v->specs[i]);
        if (find_column(&v->release, name, &pair->released)) {
            v->columns[i] = pair->released;
            v->release.encode[pair->released] = true;
        } else {
            add_unknown(v->run, &v->release, name);
        }
        if (!v->has_original)
            continue;
        if (find_column(&v->original, name, &pair->original))
            v->original.encode[pair->original] = true;
        else
            add_unknown(v->run, &v->original, name);
    }
    return kan_problems_end(v->run);
}

/* Every other column that both tables have: released as it was, so it must be equal. */
static kan_status find_others(verification *v) {
    KAN_TRY(kan_alloc_zero(v->run, n_columns(&v->release), sizeof *v->others, &v->others));
    for (size_t i = 0; v->has_original && i < n_columns(&v->release); i++) {
        const char *name = column_name(&v->release, i);
        kan_cover_pair *pair = &v->others[v->n_others];
        if (v->release.encode[i])
            continue;
        if (!find_column(&v->original, kan_slice_of(name), &pair->original)) {
            kan_note(v->run, "column '%s' is not in %s: its values are not checked", name,
                     v->original.name);
            continue;
        }
        pair->released = i;
        v->original.encode[pair->original] = true;
        v->n_others++;
    }
    for (size_t i = 0; i < v->n_others; i++)
        v->release.encode[v->others[i].released] = true;
    return KAN_OK;
}

/* ---- tables --------------------------------------------------------------------------------- */

static kan_status open_side(verification *v, const char *path, side *s) {
    const char *text = kan_options_find(&v->job->options, "separator");
    char separator = 0;
    if (text)
        (void)kan_separator_parse(text, &separator);
    KAN_TRY(kan_csv_open(v->run, path, separator, &s->source));
    s->name = kan_csv_path(s->source);
    return kan_alloc_zero(v->run, n_columns(s), sizeof *s->encode, &s->encode);
}

static kan_status open_tables(verification *v) {
    const kan_options *options = &v->job->options;
    const char *original = kan_options_find(options, "original");
    if (v->job->table) {
        v->release.table = v->job->table;
        v->release.name = "the table";
        KAN_TRY(kan_alloc_zero(v->run, n_columns(&v->release), sizeof *v->release.encode,
                               &v->release.encode));
    } else {
        KAN_TRY(open_side(v, kan_options_find(options, "input"), &v->release));
    }
    v->has_original = original != NULL;
    return original ? open_side(v, original, &v->original) : KAN_OK;
}

static kan_status read_side(side *s) {
    if (!s->source)
        return KAN_OK;
    KAN_TRY(kan_csv_read(s->source, s->encode, &s->owned));
    s->table = s->owned;
    return KAN_OK;
}

/* The same rule as for `anonymize`, save that nothing is built where nothing was said. */
static kan_status bind_hierarchies(verification *v) {
    const char *dir = kan_options_find(&v->job->options, "hierarchies");
    kan_problems_begin(v->run);
    for (size_t i = 0; v->has_original && i < v->n_quasi; i++) {
        const kan_column *column = &v->original.table->columns[v->quasi[i].original];
        size_t before = kan_problems_count(v->run);
        bool lacks_file = !dir;
        if (dir && !v->specs[i])
            KAN_TRY(kan_setup_lacks_file(v->job, column, &lacks_file));
        if (!v->specs[i] && lacks_file) {
            kan_note(v->run,
                     "column '%s' has no hierarchy: a released value must be the original one, an "
                     "interval or a list that holds it, or *; --hierarchies DIR or --qi %s=FILE "
                     "gives it one",
                     column->name, column->name);
            continue;
        }
        kan_status status = kan_setup_hierarchy(v->job, column, v->specs[i], &v->hierarchies[i]);
        if (status != KAN_OK && kan_problems_count(v->run) == before)
            return status;
        v->quasi[i].hierarchy = v->hierarchies[i];
    }
    return kan_problems_end(v->run);
}

static kan_status read_tables(verification *v) {
    KAN_TRY(open_tables(v));
    KAN_TRY(find_quasi(v));
    KAN_TRY(find_others(v));
    KAN_TRY(read_side(&v->release));
    KAN_TRY(read_side(&v->original));
    return bind_hierarchies(v);
}

/* ---- checking ------------------------------------------------------------------------------- */

static kan_status check(verification *v) {
    kan_report_progress(v->run, "verify", 0, 0);
    KAN_TRY(
        kan_verify_recount(v->run, v->release.table, v->columns, v->n_quasi, v->k, &v->recount));
    v->groups_hold = kan_recount_holds(&v->recount, v->accepts_suppressed);
    if (!v->has_original)
        return KAN_OK;
    kan_cover_question question = {.release = v->release.table,
                                   .original = v->original.table,
                                   .quasi = v->quasi,
                                   .n_quasi = v->n_quasi,
                                   .others = v->others,
                                   .n_others = v->n_others,
                                   .reads_intervals = true};
    return kan_verify_cover(v->run, &question, &v->cover);
}

typedef struct {
    verification *v;
    uint64_t n_records;
    size_t next; /* place whose line is not known yet */
} line_search;

/* Record 0 is the header, so row 0 is record 1. Ends the walk when all lines are known. */
static kan_status note_line(void *context, uint64_t line, const kan_slice *fields,
                            size_t n_fields) {
    line_search *search = context;
    verification *v = search->v;
    (void)fields;
    (void)n_fields;
    while (search->next < v->n_places && v->rows[search->next] + 1 == search->n_records)
        v->lines[search->next++] = line;
    search->n_records++;
    return search->next < v->n_places ? KAN_OK : KAN_UNSATISFIED;
}

static void add_place(verification *v, uint64_t row) {
    size_t at = v->n_places++;
    for (; at > 0 && v->rows[at - 1] > row; at--)
        v->rows[at] = v->rows[at - 1];
    v->rows[at] = row;
}

/* A line helps where a row does not: values may hold line breaks. Standard input cannot be read
 * again; then rows are told. */
static kan_status find_lines(verification *v) {
    const char *path = kan_options_find(&v->job->options, "input");
    line_search search = {.v = v};
    for (size_t i = 0; !v->groups_hold && i < v->recount.n_examples; i++)
        add_place(v, v->recount.examples[i]);
    if (v->cover.first_unmatched > 0)
        add_place(v, v->cover.first_unmatched - 1);
    if (v->n_places == 0 || !v->release.source || strcmp(path, "-") == 0)
        return KAN_OK;
    kan_problems_begin(v->run);
    kan_status status =
        kan_csv_records(v->run, path, kan_csv_separator(v->release.source), note_line, &search);
    v->has_lines = search.next == v->n_places;
    return status == KAN_CANCELLED ? status : KAN_OK;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *path_json(const verification *v, const char *setting) {
    const char *path = kan_options_find(&v->job->options, setting);
    return path ? kan_json_text(path) : json_null();
}

static json_t *names_json(const verification *v) {
    json_t *names = json_array();
    for (size_t i = 0; i < v->n_quasi; i++)
        if (json_array_append_new(names, kan_json_text(column_name(&v->release, v->columns[i]))) !=
            0) {
            json_decref(names);
            return NULL;
        }
    return names;
}

static json_t *original_json(const verification *v) {
    if (!v->has_original)
        return json_null();
    return json_pack("{s:o, s:o, s:b, s:b, s:o, s:o}", "path", path_json(v, "original"), "rows",
                     kan_json_count(v->original.table->n_rows), "holds", (int)v->cover.holds,
                     "in_order", (int)v->cover.in_order, "unmatched_rows",
                     kan_json_count(v->cover.n_unmatched), "not_released",
                     kan_json_count(v->cover.n_not_released));
}

/* Whether the rows of * alone are set aside, being fewer than k. */
static bool sets_star_aside(const verification *v) {
    return v->accepts_suppressed && v->recount.star_is_small;
}

static uint64_t n_groups(const verification *v) {
    return v->recount.n_groups - (sets_star_aside(v) ? 1 : 0);
}

static uint64_t n_small_groups(const verification *v) {
    return v->recount.n_small_groups - (sets_star_aside(v) ? 1 : 0);
}

static uint64_t n_small_rows(const verification *v) {
    return v->recount.n_small_rows - (sets_star_aside(v) ? v->recount.n_star_rows : 0);
}

static uint64_t smallest_group(const verification *v) {
    return sets_star_aside(v) ? v->recount.smallest_other_group : v->recount.smallest_group;
}

static json_t *result_json(const verification *v, bool holds) {
    json_t *times =
        json_pack("{s:o, s:o, s:o}", "read", kan_json_time(v->read_ms), "verify",
                  kan_json_time(v->verify_ms), "total", kan_json_time(kan_now_ms() - v->start_ms));
    json_t *input =
        json_pack("{s:o, s:o}", "path", v->release.source ? path_json(v, "input") : json_null(),
                  "rows", kan_json_count(v->recount.n_rows));
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:[{s:s, s:o, s:b}], s:o, s:o, s:o, s:o, s:o, s:o, s:b, "
        "s:o, s:o}",
        "kanon", KANON_VERSION, "command", "verify", "input", input, "quasi_identifiers",
        names_json(v), "privacy", "model", "k-anonymity", "k", kan_json_count(v->k), "holds",
        (int)v->groups_hold, "groups", kan_json_count(n_groups(v)), "smallest_group",
        kan_json_count(smallest_group(v)), "small_groups", kan_json_count(n_small_groups(v)),
        "small_rows", kan_json_count(n_small_rows(v)), "suppressed_rows_shown",
        kan_json_count(v->recount.n_star_rows), "original", original_json(v), "verified",
        (int)holds, "time_ms", times, "peak_memory_bytes",
        kan_json_count(kan_run_peak_memory(v->run)));
}

/* ---- the summary ---------------------------------------------------------------------------- */

static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* "line 3", "row 2" for a row of the release. */
static void add_row_place(const verification *v, uint64_t row, kan_text *text) {
    size_t at = 0;
    while (at < v->n_places && v->rows[at] != row)
        at++;
    if (v->has_lines && at < v->n_places)
        kan_text_print(text, "line %" PRIu64, v->lines[at]);
    else
        kan_text_print(text, "row %" PRIu64, row + 1);
}

static void add_groups(const verification *v, kan_text *text) {
    char groups[32], smallest[32], small[32], rows[32];
    uint64_t n = n_groups(v), least = smallest_group(v);
    kan_text_print(text, "  promise     k-anonymity k=%" PRIu64 ": %s\n", v->k,
                   v->groups_hold ? "holds" : "does not hold");
    kan_text_print(text, "  groups      %s, the smallest has %s row%s\n", kan_count_text(n, groups),
                   kan_count_text(least, smallest), plural(least));
    if (v->recount.n_star_rows > 0)
        kan_text_print(text, "  suppressed  %s row%s with nothing but * in the quasi-identifiers\n",
                       kan_count_text(v->recount.n_star_rows, rows),
                       plural(v->recount.n_star_rows));
    if (v->groups_hold)
        return;
    kan_text_print(text, "  too small   %s group%s with %s row%s",
                   kan_count_text(n_small_groups(v), small), plural(n_small_groups(v)),
                   kan_count_text(n_small_rows(v), rows), plural(n_small_rows(v)));
    for (size_t i = 0; i < v->recount.n_examples; i++) {
        kan_text_print(text, i == 0 ? ", such as that of " : ", ");
        add_row_place(v, v->recount.examples[i], text);
    }
    kan_text_print(text, "\n");
}

static void add_original(const verification *v, kan_text *text) {
    const kan_cover *cover = &v->cover;
    char rows[32], lost[32];
    if (!v->has_original)
        return;
    kan_text_print(text, "  original    %s: %s rows, %s of them not released\n", v->original.name,
                   kan_count_text(v->original.table->n_rows, rows),
                   kan_count_text(cover->n_not_released, lost));
    if (cover->holds) {
        kan_text_print(text,
                       "  cover       holds: every released row stands for an original row of its "
                       "own, %s\n",
                       cover->in_order ? "in the same order" : "in another order");
        return;
    }
    kan_text_print(text, "  cover       does not hold: %s released row%s no original row left, ",
                   kan_count_text(cover->n_unmatched, rows),
                   cover->n_unmatched == 1 ? " has" : "s have");
    kan_text_print(text, cover->n_unmatched == 1 ? "that of " : "the first is that of ");
    add_row_place(v, cover->first_unmatched - 1, text);
    if (cover->fault_column)
        kan_text_print(text, " (column '%s' shows what no original value becomes)",
                       cover->fault_column);
    kan_text_print(text, "\n");
}

static void add_advice(const verification *v, kan_text *text) {
    if (!v->groups_hold && v->recount.star_is_small && !v->accepts_suppressed)
        kan_text_print(text, "\n  Rows of * alone count as a group. If they are suppressed rows "
                             "that were kept, say --keep-suppressed.\n");
    if (!v->groups_hold && n_small_groups(v) > (v->recount.star_is_small ? 1 : 0))
        kan_text_print(text, "\n  Do not publish this table: generalize it further or leave these "
                             "rows out, as kanon anonymize does.\n");
    if (v->has_original && !v->cover.holds)
        kan_text_print(text, "\n  Values were changed, or rows were added or repeated. Were the "
                             "hierarchies given that the release was made with?\n");
}

static kan_status write_result(const verification *v, kan_result *out) {
    kan_text *text = &out->summary;
    char rows[32], memory[32];
    out->holds = v->groups_hold && (!v->has_original || v->cover.holds);
    KAN_TRY(kan_result_set_json(out, result_json(v, out->holds)));
    kan_text_print(text, "%s: %s\n\n", v->release.name,
                   out->holds ? "verified" : "NOT what was promised");
    kan_text_print(text, "  rows        %s, by %zu quasi-identifier%s\n",
                   kan_count_text(v->recount.n_rows, rows), v->n_quasi, plural(v->n_quasi));
    add_groups(v, text);
    add_original(v, text);
    add_advice(v, text);
    kan_text_print(text, "\n  %.3f s: read %.0f ms, verify %.0f; %s of memory\n",
                   (kan_now_ms() - v->start_ms) / 1e3, v->read_ms, v->verify_ms,
                   kan_bytes_text(kan_run_peak_memory(v->run), memory));
    return kan_text_status(text);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static void side_close(kan_run *run, side *s) {
    kan_table_destroy(s->owned);
    kan_free(run, s->encode);
    kan_csv_close(s->source);
}

static void verification_destroy(verification *v) {
    for (size_t i = 0; v->hierarchies && i < v->n_quasi; i++)
        kan_hierarchy_destroy(v->hierarchies[i]);
    kan_free(v->run, v->hierarchies);
    kan_free(v->run, v->columns);
    kan_free(v->run, v->specs);
    kan_free(v->run, v->quasi);
    kan_free(v->run, v->others);
    side_close(v->run, &v->release);
    side_close(v->run, &v->original);
}

static kan_status walk(verification *v, kan_result *out) {
    KAN_TRY(read_tables(v));
    v->read_ms = kan_now_ms() - v->start_ms;
    KAN_TRY(check(v));
    KAN_TRY(find_lines(v));
    v->verify_ms = kan_now_ms() - v->start_ms - v->read_ms;
    return write_result(v, out);
}

kan_status kan_walk_verify(kan_job *job, kan_result *out) {
    const kan_options *options = &job->options;
    verification v = {.job = job,
                      .run = job->run,
                      .k = kan_options_count(options, "k", 0),
                      .accepts_suppressed = kan_options_switch(options, "keep-suppressed"),
                      .start_ms = kan_now_ms()};
    if (kan_options_find(options, "certificate"))
        return kan_certificate_verify(job, out);
    if (v.k == 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "verify counts groups: say how many rows must look alike with --k N");
    kan_status status = walk(&v, out);
    verification_destroy(&v);
    return status;
}
