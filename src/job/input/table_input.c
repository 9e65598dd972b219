/* One way in for all tables, and one for the names of their columns. */
#include "job/input/table_input.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "data/cohort/cohort.h"
#include "data/treat/treat.h"
#include "job/input/table_output.h"
#include "job/input/treatment_input.h"

/* ---- opening -------------------------------------------------------------------------------- */

/* What a path's ending tells; CSV where it tells nothing. */
static const kan_source_kind *kind_of(const char *path) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SOURCE); i++) {
        const kan_source_kind *kind =
            (const kan_source_kind *)kan_registry_at(KAN_FAMILY_SOURCE, i);
        if (!kind->takes || kind->takes(path))
            return kind;
    }
    return &kan_source_csv;
}

const char *kan_path_format(const char *path) {
    const kan_source_kind *kind = kind_of(path ? path : "");
    return kind->title ? kind->title : kind->kind.name;
}

/* The engine that counts the rows of files; NULL: they are read. */
static const kan_source_kind *engine_of(const kan_job *job) {
    const char *name = kan_options_find(&job->options, "engine");
    return name ? (const kan_source_kind *)kan_registry_find(KAN_FAMILY_SOURCE, name) : NULL;
}

/* A folder or a pattern of files, which no ending tells, is for the engine; so is what says so. */
static bool is_for_engine(const kan_source_kind *kind, const char *path) {
    return !kan_path_is_address(path) && (kind->is_for_engine || kan_is_directory(path) ||
                                          (strpbrk(path, "*?[") && access(path, F_OK) != 0));
}

/* --format is about the input, and about other tables whose ending tells nothing. */
static const kan_source_kind *choose_kind(const kan_job *job, const char *path) {
    const char *name = kan_options_find(&job->options, "format");
    const char *input = kan_options_find(&job->options, "input");
    const kan_source_kind *kind = kind_of(path), *engine = engine_of(job);
    if (engine && is_for_engine(kind, path))
        return engine;
    const kan_kind *named = name ? kan_registry_find(KAN_FAMILY_SOURCE, name) : NULL;
    const bool is_told =
        (kind->takes != NULL && !(input && strcmp(path, input) == 0)) || kan_path_is_address(path);
    return named && !is_told ? (const kan_source_kind *)named : kind;
}

bool kan_input_is_text(const kan_job *job, const char *path) {
    return choose_kind(job, path)->is_text;
}

const char *kan_input_text_path(const kan_job *job) {
    const char *path = kan_options_find(&job->options, "input");
    const bool is_file = !job->table && path && strcmp(path, "-") != 0;
    return is_file && choose_kind(job, path)->is_text ? path : NULL;
}

static kan_status list_columns(kan_input *input) {
    input->n_columns =
        input->source ? kan_source_n_columns(input->source) : input->table->n_columns;
    KAN_TRY(kan_alloc(input->run, input->n_columns, sizeof *input->columns, &input->columns));
    for (size_t i = 0; i < input->n_columns; i++)
        input->columns[i] = input->source ? kan_source_column_name(input->source, i)
                                          : input->table->columns[i].name;
    KAN_TRY(kan_alloc_zero(input->run, input->n_columns, sizeof *input->as_is, &input->as_is));
    KAN_TRY(
        kan_alloc_zero(input->run, input->n_columns, sizeof *input->compared, &input->compared));
    return kan_alloc_zero(input->run, input->n_columns, sizeof *input->encode, &input->encode);
}

static kan_status open_kind(const kan_job *job, const char *path, const kan_source_kind *kind,
                            kan_source_options options, kan_input *out) {
    const char *text = kan_options_find(&job->options, "separator");
    *out = (kan_input){.run = job->run, .job = job};
    if (text)
        (void)kan_separator_parse(text, &options.separator);
    KAN_TRY(kan_source_open(job->run, kind, path, &options, &out->source));
    out->is_file = true;
    out->name = kan_source_name(out->source);
    KAN_TRY(list_columns(out));
    return kan_input_find_spellings(out, &out->spellings);
}

/* Opens with all that settings say of any table. */
static kan_status open_path(const kan_job *job, const char *path, kan_source_options options,
                            kan_input *out) {
    const kan_source_kind *kind = choose_kind(job, path);
    *out = (kan_input){.run = job->run, .job = job};
    options.given = &job->options;
    if (kan_path_is_address(path) && !kind->takes)
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "%.*s: databases of this kind are not supported here; `kanon list` shows what is",
            (int)strcspn(path, ":"), path);
    if (!kan_path_is_address(path) && kind->close == kan_engine_close && kind != engine_of(job))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--format %s: %s is not the address of such a table (%s); --engine lets an "
                        "engine count the rows of files",
                        kind->kind.name, path, kind->kind.summary);
    return open_kind(job, path, kind, options, out);
}

kan_status kan_input_open_as(const kan_job *job, const char *path, const kan_source_kind *kind,
                             const kan_source_options *options, kan_input *out) {
    return open_kind(job, path, kind, *options, out);
}

kan_status kan_input_open_path(const kan_job *job, const char *path, bool is_guarded,
                               kan_input *out) {
    const char *encoding = kan_options_find(&job->options, "output-encoding");
    const kan_source_options options = {
        .is_guarded = is_guarded,
        .encoding = encoding ? encoding : kan_options_find(&job->options, "encoding"),
        .encodes_if_needed = !encoding};
    return open_path(job, path, options, out);
}

/* Batches in memory are read as a file is. */
static kan_status open_arrow(const kan_table *table, kan_input *out) {
    const kan_source_options options = {.arrow = table->arrow};
    KAN_TRY(kan_source_open(out->run, &kan_source_arrow, NULL, &options, &out->source));
    KAN_TRY(list_columns(out));
    return kan_input_find_spellings(out, &out->spellings);
}

/* What a table is called that has no path. */
static const char *name_of(const char *setting) {
    return strcmp(setting, "original") == 0     ? "the original"
           : strcmp(setting, "population") == 0 ? "the population"
                                                : "the table";
}

/* Values in memory are as kanon writes them; what can be said of them is that they are text. */
static kan_status take_text(kan_input *input) {
    kan_table *table = input->owned;
    for (unsigned s = 0; s < KAN_N_WRITINGS; s++)
        if (kan_options_find(&input->job->options, kan_writing_names[s]))
            return kan_fail(input->run, KAN_BAD_INPUT,
                            "--missing, --decimal, --thousands and --date-format are about tables "
                            "in files; write the values of a table in memory as kanon does");
    for (size_t i = 0; i < table->n_columns; i++) {
        const kan_spelling *said = kan_spellings_find(input->spellings, table->columns[i].name);
        kan_spelling *settled;
        if (!said || !table->columns[i].is_encoded)
            continue;
        KAN_TRY(kan_arena_alloc(&table->arena, 1, sizeof *settled, &settled));
        KAN_TRY(kan_spelling_settle(&table->arena, said, KAN_SPELLED_TEXT, settled));
        table->columns[i].spelling = settled;
        KAN_TRY(kan_column_take(input->run, &table->columns[i], settled));
    }
    return KAN_OK;
}

/* A table of the job, or nothing. */
static kan_status open_table(const kan_job *job, const char *setting, kan_input *out) {
    const kan_table *table = kan_job_table(job, setting);
    *out = (kan_input){.run = job->run, .job = job};
    if (!table)
        return KAN_OK;
    out->name = name_of(setting);
    out->is_population = strcmp(setting, "population") == 0;
    if (table->arrow)
        return open_arrow(table, out);
    out->table = table;
    KAN_TRY(list_columns(out));
    KAN_TRY(kan_input_find_spellings(out, &out->spellings));
    const bool is_said = out->spellings && !(job->is_table_taken && table == job->table);
    if (table->counts || is_said) /* its rows may be divided, and it is not ours */
        KAN_TRY(kan_table_copy(job->run, table, &out->owned));
    out->table = out->raw = out->owned ? out->owned : table;
    return is_said ? take_text(out) : KAN_OK;
}

kan_status kan_input_open_release(const kan_job *job, const char *setting, bool is_guarded,
                                  kan_input *out) {
    const char *path = kan_options_find(&job->options, setting);
    KAN_TRY(open_table(job, setting, out));
    return out->name || !path ? KAN_OK : kan_input_open_path(job, path, is_guarded, out);
}

/* Options of other formats, such as --sheet with CSV, unless another table or the release may be
 * meant. */
static void note_unused(const kan_job *job, const kan_input *input) {
    const kan_sink_kind *sink = kan_output_kind(job);
    const bool is_alone = !kan_options_find(&job->options, "original") &&
                          !kan_options_find(&job->options, "population");
    if (is_alone && !input->source->kind->takes_encoding &&
        kan_options_find(&job->options, "encoding"))
        kan_note(job->run, "--encoding does nothing to %s: the text in such a file is always UTF-8",
                 input->name);
    if (is_alone && !(sink && sink->kind.n_options > 0))
        kan_registry_note_unused(job->run, KAN_FAMILY_SOURCE, &input->source->kind->kind, "format",
                                 &job->options, NULL);
}

/* A table of which there are counts alone, or nothing: its columns are those that settings name. */
static kan_status open_script(const kan_job *job, const char *path, kan_input *out) {
    const kan_role_setting *setting;
    kan_source_options options = {.given = &job->options};
    const char **said;
    size_t n = 0;
    for (size_t i = 0; (setting = kan_role_setting_at(i)) != NULL; i++)
        n += kan_said_count(&job->options, setting);
    KAN_TRY(kan_arena_alloc((kan_arena *)(uintptr_t)&job->arena, n, sizeof *said, &said));
    for (size_t i = 0; (setting = kan_role_setting_at(i)) != NULL; i++)
        for (size_t j = 0; j < kan_said_count(&job->options, setting); j++) {
            const kan_slice name = kan_said_at(&job->options, setting, j).name;
            if (setting->takes_patterns &&
                (memchr(name.bytes, '*', name.size) || memchr(name.bytes, '?', name.size)))
                return kan_fail(job->run, KAN_BAD_INPUT,
                                "--%s: with --emit the columns of the table are not known here; "
                                "name each, and no pattern",
                                setting->name);
            KAN_TRY(kan_arena_copy((kan_arena *)(uintptr_t)&job->arena, name.bytes, name.size,
                                   &said[options.n_said++]));
        }
    options.said = said;
    return open_kind(job, path, &kan_source_script, options, out);
}

/* ---- a cohort ------------------------------------------------------------------------------- */

/* A table in memory that has no source. */
static kan_status cut_table(kan_input *input, const kan_cohort *cohort) {
    uint64_t *rows = NULL, n_rows;
    if (!input->owned)
        KAN_TRY(kan_table_copy(input->run, input->table, &input->owned));
    input->table = input->raw = input->owned;
    kan_status status =
        kan_cohort_choose(input->run, cohort, input->owned, input->name, NULL, &rows, &n_rows);
    if (status == KAN_OK)
        status = kan_cohort_cut(input->owned, rows, n_rows);
    kan_free(input->run, rows);
    return status;
}

/* The report prints the command. */
static void tell_report(const kan_job *job) {
    if (job->makes_release && kan_options_find(&job->options, "report"))
        kan_note(job->run, "the report shows --where as it was written: look over its constants "
                           "before you hand it on");
}

static kan_status choose_by(kan_input *input, kan_cohort *cohort) {
    kan_problems_begin(input->run);
    for (size_t i = 0; i < cohort->n_tests; i++)
        if (!kan_input_find(input, cohort->tests[i].column, &cohort->tests[i].at))
            kan_input_add_unknown(input, "where", cohort->tests[i].column);
    KAN_TRY(kan_problems_end(input->run));
    input->is_cohort = true;
    return input->source ? kan_source_choose(input->source, cohort->text)
                         : cut_table(input, cohort);
}

/* --where is about the table that a release is made of: what kan_input_open_release opens is none. */
static kan_status choose_rows(const kan_job *job, const char *setting, kan_input *input) {
    const char *text = kan_options_find(&job->options, "where");
    const bool is_input = strcmp(setting, "input") == 0;
    const bool is_made_from = is_input || strcmp(setting, "original") == 0;
    kan_arena arena;
    kan_cohort *cohort;
    if (!text || !input->name || !is_made_from)
        return KAN_OK;
    if (is_input && job->is_table_taken) { /* by whoever read it */
        input->is_cohort = true;
        return KAN_OK;
    }
    if (is_input && kan_output_is_script(job))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--where is not taken with --emit: the statements are about a whole table; "
                        "make a view of the rows that are wanted, name it, and leave --where out");
    kan_arena_init(&arena, job->run);
    kan_status status = kan_cohort_parse(job->run, &arena, text, &cohort);
    if (status == KAN_OK)
        status = choose_by(input, cohort);
    if (status == KAN_OK)
        tell_report(job);
    kan_arena_destroy(&arena);
    return status;
}

static kan_status open_any(const kan_job *job, const char *setting, bool is_guarded,
                           kan_input *out) {
    const char *path = kan_options_find(&job->options, setting);
    const kan_source_options options = {.is_guarded = is_guarded,
                                        .encoding = kan_options_find(&job->options, "encoding")};
    KAN_TRY(open_table(job, setting, out));
    if (out->name || !path)
        return KAN_OK;
    if (kan_output_is_script(job) && strcmp(setting, "input") == 0)
        return open_script(job, path, out);
    const kan_source_kind *engine = engine_of(job);
    if (engine && !kan_path_is_address(path) && choose_kind(job, path) != engine)
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--engine %s counts the rows of Parquet files, and %s is not one; leave the flag out",
            engine->kind.name, path);
    KAN_TRY(open_path(job, path, options, out));
    out->is_population = strcmp(setting, "population") == 0;
    note_unused(job, out);
    return KAN_OK;
}

kan_status kan_input_open(const kan_job *job, const char *setting, bool is_guarded,
                          kan_input *out) {
    KAN_TRY(open_any(job, setting, is_guarded, out));
    return choose_rows(job, setting, out);
}

/* ---- columns -------------------------------------------------------------------------------- */

bool kan_input_find(const kan_input *input, kan_slice name, size_t *column) {
    for (size_t i = 0; i < input->n_columns; i++)
        if (kan_slice_is(name, input->columns[i])) {
            *column = i;
            return true;
        }
    return false;
}

bool kan_input_take(kan_input *input, const char *flag, kan_slice name, size_t *column) {
    if (!kan_input_find(input, name, column)) {
        kan_input_add_unknown(input, flag, name);
        return false;
    }
    input->encode[*column] = true;
    return true;
}

/* Whether a column has that name apart from blanks around it, which nobody sees. */
static bool is_but_for_blanks(const char *column, const char *wanted) {
    const char *first = column + strspn(column, " \t");
    const size_t size = strlen(wanted), start = strspn(wanted, " \t");
    size_t end = strlen(first), wanted_end = size;
    while (end > 0 && (first[end - 1] == ' ' || first[end - 1] == '\t'))
        end--;
    while (wanted_end > start && (wanted[wanted_end - 1] == ' ' || wanted[wanted_end - 1] == '\t'))
        wanted_end--;
    return end > 0 && end == wanted_end - start && memcmp(first, wanted + start, end) == 0;
}

const char *kan_input_nearest(const kan_input *input, kan_slice name) {
    char wanted[64];
    const char *nearest = NULL;
    /* Two edits turn a short word into any other. */
    unsigned least = name.size < 5 ? 2 : 3;
    snprintf(wanted, sizeof wanted, "%.*s", (int)(name.size < 63 ? name.size : 63), name.bytes);
    for (size_t i = 0; i < input->n_columns; i++) {
        unsigned distance = kan_edit_distance(wanted, input->columns[i]);
        if (strcasecmp(wanted, input->columns[i]) == 0 ||
            is_but_for_blanks(input->columns[i], wanted))
            distance = 0;
        if (distance < least) {
            least = distance;
            nearest = input->columns[i];
        }
    }
    return nearest;
}

void kan_input_add_unknown(const kan_input *input, const char *flag, kan_slice name) {
    char quoted[256], meant[256];
    const char *nearest = kan_input_nearest(input, name);
    kan_problem_add(input->run, "%s: no column %s (--%s)%s%s%s", input->name,
                    kan_quote(name, quoted), flag, nearest ? "; did you mean " : "",
                    nearest ? kan_quote(kan_slice_of(nearest), meant) : "",
                    nearest          ? "?"
                    : input->is_file ? "; the first line of the file names the columns"
                                     : "");
}

const kan_field *kan_input_field(const kan_input *input, size_t column) {
    for (size_t i = 0; input->treated_fields && i < input->n_treatments; i++)
        if (input->treatments[i].column == column)
            return input->treated_fields[i].name ? &input->treated_fields[i] : NULL;
    return input->source ? kan_source_field(input->source, column) : NULL;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The first row of a column whose value is not UTF-8; the number of rows where there is none. */
static kan_status find_bad_row(kan_run *run, const kan_column *column, uint64_t *row) {
    const kan_dictionary *dictionary = &column->dictionary;
    const size_t n_bytes = dictionary->start[dictionary->n];
    uint8_t *is_bad;
    *row = column->n_rows;
    if (kan_utf8_find_bad(dictionary->bytes, n_bytes) == n_bytes)
        return KAN_OK;
    KAN_TRY(kan_alloc(run, dictionary->n, 1, &is_bad));
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        is_bad[code] = kan_utf8_find_bad(value.bytes, value.size) < value.size;
    }
    for (*row = 0; *row < column->n_rows && !is_bad[kan_column_code(column, *row)];)
        ++*row;
    kan_free(run, is_bad);
    return KAN_OK;
}

/* Bytes that are not UTF-8 are kept, but look wrong wherever UTF-8 is expected, and fit no
 * hierarchy in UTF-8. What was read is looked at, not all of the file: that would take longer. */
static kan_status note_encoding(kan_input *input) {
    uint64_t first = input->table->n_rows, line;
    size_t bad = 0;
    bool is_found = false;
    char name[256], place[32] = "";
    for (size_t i = 0; i < input->table->n_columns && !input->is_noted; i++) {
        uint64_t row = first;
        if (input->table->columns[i].is_encoded)
            KAN_TRY(find_bad_row(input->run, &input->table->columns[i], &row));
        if (row < first) {
            first = row;
            bad = i;
        }
    }
    if (input->is_noted || first == input->table->n_rows)
        return KAN_OK;
    input->is_noted = true;
    KAN_TRY(kan_source_find_lines(input->source, &first, 1, &line, &is_found));
    if (is_found)
        snprintf(place, sizeof place, ":%llu", (unsigned long long)line);
    kan_note(input->run,
             "%s%s: column %s has text that is not UTF-8, and is kept as it is; if it comes from "
             "Windows or Excel, add --encoding windows-1252",
             input->name, place, kan_quote(kan_slice_of(input->columns[bad]), name));
    return KAN_OK;
}

/* What was read before goes. */
static void forget_rows(kan_input *input) {
    kan_treated_destroy(input->treated, input->raw);
    kan_table_destroy(input->owned);
    input->treated = input->owned = NULL;
    input->table = input->raw = NULL;
}

static kan_status read_rows(kan_input *input, const kan_spellings *spellings) {
    if (!input->source)
        return input->owned && !input->takes_counts ? kan_table_repeat(input->owned) : KAN_OK;
    forget_rows(input);
    input->source->spellings = spellings;
    input->source->takes_counts |= input->takes_counts;
    input->source->compared = input->compared;
    KAN_TRY(kan_source_read(input->source, input->encode, input->as_is, &input->owned));
    input->table = input->raw = input->owned;
    if (input->is_cohort && input->table->n_rows == 0)
        return kan_fail(input->run, KAN_BAD_INPUT, "%s: --where chooses none of its rows",
                        input->name);
    return note_encoding(input);
}

/* Settings about how a column is written must name one that is there. */
static kan_status check_names(const kan_input *input) {
    const kan_options *options = &input->job->options;
    size_t unused;
    kan_problems_begin(input->run);
    for (unsigned s = 0; s < KAN_N_WRITINGS; s++)
        for (size_t i = 0; i < kan_options_count_of(options, kan_writing_names[s]); i++) {
            kan_slice name;
            const char *rest;
            kan_spelled_parse(kan_options_at(options, kan_writing_names[s], i), &name, &rest);
            if (name.size > 0 && !kan_input_find(input, name, &unused))
                kan_input_add_unknown(input, kan_writing_names[s], name);
        }
    kan_input_check_text(input);
    return kan_problems_end(input->run);
}

kan_status kan_input_read(kan_input *input) {
    if (input->spellings && !input->is_population)
        KAN_TRY(check_names(input));
    KAN_TRY(read_rows(input, input->spellings));
    return input->is_tied ? KAN_OK : kan_input_treat(input);
}

/* Labels where the original has them, codes where it has those. */
static void show_like(const kan_input *release, const kan_input *original) {
    const kan_source *source = release->source;
    for (size_t i = 0; source && source->kind->show_like && i < release->n_columns; i++) {
        size_t column;
        const kan_field *like =
            kan_input_find(original, kan_slice_of(release->columns[i]), &column) && original->source
                ? kan_source_field(original->source, column)
                : NULL;
        if (like)
            source->kind->show_like(source->state, i, like);
    }
}

kan_status kan_input_read_release(kan_input *release, const kan_input *original) {
    const kan_spellings *spellings;
    if (original)
        show_like(release, original);
    KAN_TRY(kan_input_spell_release(release->run, release->spellings,
                                    original ? original->table : NULL, &spellings));
    KAN_TRY(read_rows(release, spellings));
    return original && original->table ? KAN_OK : kan_input_take_ends(release);
}

void kan_input_take_counts(kan_input *input) {
    input->takes_counts = true;
}

kan_status kan_input_divide(const kan_input *input, const uint64_t *row_of, uint64_t n_rows,
                            uint64_t *counts) {
    KAN_ASSERT(input->owned && input->owned->counts);
    KAN_TRY(kan_table_divide(input->owned, row_of, n_rows, counts));
    return input->treated ? kan_treated_divide(input->treated, input->owned, row_of) : KAN_OK;
}

void kan_input_close(kan_input *input) {
    kan_treated_destroy(input->treated, input->raw);
    kan_table_destroy(input->owned);
    kan_input_forget_key(input);
    kan_free(input->run, input->treatments);
    kan_free(input->run, input->end_texts);
    kan_free(input->run, input->treated_fields);
    kan_free(input->run, input->columns);
    kan_free(input->run, input->encode);
    kan_free(input->run, input->as_is);
    kan_free(input->run, input->compared);
    kan_source_close(input->source);
}
