/* `hierarchy-build`: hierarchies from a spec, for one column or several.
 *
 * Order: open the table, find the columns, open the targets, read the columns, build and check all,
 * write all beside their targets, then give them their names. Nothing has a name before everything
 * is written. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/signs.h"
#include "data/mixture.h"
#include "io/side_files/side_files.h"
#include "io/streams/streams.h"
#include "job/hierarchies/hierarchy_inside.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

/* One column. */
typedef struct {
    size_t column;
    const char *spec; /* as the user wrote it, else proposed */
    bool is_proposed;
    char room[KAN_SPEC_BYTES];
    const char *path; /* NULL: nothing is written */
    kan_target *target;
    kan_known_hierarchy known;
} built;

typedef struct {
    kan_job *job;
    kan_run *run;
    kan_input data;
    kan_roles roles;
    built *columns;
    size_t n;
    const char *output; /* NULL: nothing is written */
    bool is_dir, made_dir;
    double start_ms;
} build_walk;

/* ---- columns and targets -------------------------------------------------------------------- */

/* An unknown builder is told before the rows are read. */
static bool has_builder(const build_walk *b, const built *here) {
    const kan_column column = {.name = b->data.columns[here->column]};
    kan_hierarchy_lines *none = NULL;
    return !here->spec || kan_hierarchy_is_spec(here->spec) ||
           kan_hierarchy_build_lines(b->run, here->spec, &column, &none) == KAN_OK;
}

/* Columns that are handed on to the next step must be there, too, and have one role. */
static kan_status find_columns(build_walk *b) {
    const kan_role_table table = {
        .input = &b->data, .needs = KAN_ROLES_ALL, .reads = KAN_ROLE_SET(KAN_ROLE_QUASI)};
    const char *method = kan_options_find(&b->job->options, "method");
    const kan_role_list *named = &b->roles.named[KAN_ROLE_QUASI];
    kan_problems_begin(b->run);
    KAN_TRY(kan_roles_read(b->job, "hierarchy-build", &table, 1, &b->roles));
    KAN_TRY(kan_alloc_zero(b->run, named->n, sizeof *b->columns, &b->columns));
    for (size_t i = 0; i < named->n; i++) {
        built *here = &b->columns[b->n];
        here->column = named->columns[i].at[0];
        here->spec = named->columns[i].hierarchy ? named->columns[i].hierarchy : method;
        if (here->column != KAN_NO_COLUMN && has_builder(b, here))
            b->n++;
    }
    return kan_problems_end(b->run);
}

/* One file, or a directory with a file for each column. */
static kan_status check_output(build_walk *b) {
    const char *output = b->output;
    b->is_dir = kan_ends_with(output, "/") || kan_is_directory(output) || b->n > 1;
    if (b->n > 1 && (strcmp(output, "-") == 0 || kan_ends_with(output, ".csv") ||
                     kan_ends_with(output, ".txt")))
        return kan_fail(b->run, KAN_BAD_INPUT,
                        "-o %s is one file, and there are %zu columns; write -o DIR/ for a file "
                        "DIR/NAME.csv for each",
                        output, b->n);
    for (size_t i = 0; b->is_dir && i < b->n; i++) {
        const char *name = b->data.columns[b->columns[i].column];
        char quoted[256];
        if (strchr(name, '/'))
            return kan_fail(b->run, KAN_BAD_INPUT,
                            "column %s cannot be the name of a file; build it alone, with -o FILE",
                            kan_quote(kan_slice_of(name), quoted));
    }
    if (!b->is_dir)
        return KAN_OK;
    b->made_dir = mkdir(output, 0777) == 0;
    const int why = errno;
    if (b->made_dir || kan_is_directory(output))
        return KAN_OK;
    const bool is_bad = why == ENOENT || why == ENOTDIR || why == EEXIST;
    return kan_fail(b->run, is_bad ? KAN_BAD_INPUT : KAN_FAILED,
                    "%s: the directory cannot be created: %s; %s", output, strerror(why),
                    why == ENOENT ? "create the one above it first, or choose another with -o DIR/"
                    : why == EACCES ? "check the permissions above it, or choose another with -o "
                                      "DIR/"
                                    : "choose another one with -o DIR/");
}

static kan_status open_targets(build_walk *b) {
    const bool overwrite = kan_options_switch(&b->job->options, "force");
    if (!b->output)
        return KAN_OK;
    KAN_TRY(check_output(b));
    for (size_t i = 0; i < b->n; i++) {
        built *here = &b->columns[i];
        kan_text path;
        kan_text_init(&path, b->run);
        if (b->is_dir)
            kan_text_print(&path, "%s%s%s.csv", b->output, kan_ends_with(b->output, "/") ? "" : "/",
                           b->data.columns[here->column]);
        else
            kan_text_print(&path, "%s", b->output);
        kan_status status = kan_text_status(&path);
        if (status == KAN_OK)
            status = kan_arena_copy(&b->job->arena, path.bytes, path.size, &here->path);
        kan_text_destroy(&path);
        KAN_TRY(status);
        if (b->is_dir)
            KAN_TRY(
                kan_named_file_check(b->job, "hierarchy-build",
                                     &(kan_named_file){.setting = "output", .path = here->path}));
        KAN_TRY(kan_target_open(b->run, here->path, overwrite, KAN_TARGET_SHARED, &here->target));
    }
    return KAN_OK;
}

/* ---- building ------------------------------------------------------------------------------- */

/* No method is proposed for what is almost dates or numbers. */
static kan_status refuse_mixture(build_walk *b, const kan_column *column) {
    const kan_mixture mixture = kan_mixture_find(column);
    char quoted[256], what[KAN_MIXTURE_BYTES];
    kan_text advice;
    kan_text_init(&advice, b->run);
    const kan_status status = kan_input_add_advice(b->run, column, &advice);
    if (status == KAN_OK && advice.size > 0)
        kan_problem_add(b->run, "%s; or name a method, such as --column NAME=suppress",
                        advice.bytes);
    else if (status == KAN_OK)
        kan_problem_add(b->run,
                        "column %s holds %s: no method suits it; %s, or name a method, such as "
                        "--column NAME=suppress",
                        kan_quote(kan_slice_of(column->name), quoted),
                        kan_mixture_text(&mixture, what), kan_mixture_remedy(&mixture));
    kan_text_destroy(&advice);
    return status;
}

static kan_status build_all(build_walk *b) {
    kan_problems_begin(b->run);
    for (size_t i = 0; i < b->n; i++) {
        built *here = &b->columns[i];
        const kan_column *column = &b->data.table->columns[here->column];
        const size_t before = kan_problems_count(b->run);
        here->is_proposed = !here->spec;
        if (!here->spec) {
            const kan_status tried =
                kan_hierarchy_propose_tried(b->run, column, here->room, &here->spec);
            if (tried != KAN_OK && kan_problems_count(b->run) == before)
                return tried;
            if (tried != KAN_OK)
                continue;
        }
        if (!here->spec) {
            KAN_TRY(refuse_mixture(b, column));
            continue;
        }
        if (!here->is_proposed)
            KAN_TRY(kan_input_note_advice(b->run, column));
        const kan_status status =
            kan_known_hierarchy_load(b->run, here->spec, column, &here->known);
        if (status != KAN_OK && kan_problems_count(b->run) == before)
            return status;
    }
    return kan_problems_end(b->run);
}

static kan_status write_all(build_walk *b) {
    for (size_t i = 0; b->output && i < b->n; i++) {
        built *here = &b->columns[i];
        kan_text text;
        kan_text_init(&text, b->run);
        kan_status status = kan_hierarchy_is_text_name(here->path)
                                ? kan_taxonomy_compose(here->known.tree, &text)
                                : kan_hierarchy_compose(here->known.tree, &text);
        if (status == KAN_OK)
            status = kan_target_write(here->target, text.bytes, text.size);
        kan_text_destroy(&text);
        KAN_TRY(status);
        KAN_TRY(kan_target_finish(here->target));
        KAN_TRY(kan_target_sync(here->target));
    }
    return kan_check_cancel(b->run);
}

static kan_status commit_all(build_walk *b) {
    for (size_t i = 0; b->output && i < b->n; i++)
        KAN_TRY(kan_target_commit(b->columns[i].target));
    return KAN_OK;
}

/* ---- telling -------------------------------------------------------------------------------- */

static json_t *result_json(const build_walk *b) {
    const char *input = b->data.is_file ? kan_options_find(&b->job->options, "input") : NULL;
    json_t *columns = json_array();
    for (size_t i = 0; columns && i < b->n; i++) {
        const built *here = &b->columns[i];
        columns = kan_json_append(
            columns, json_pack("{s:o, s:o, s:b, s:o, s:o}", "column",
                               kan_json_text(b->data.columns[here->column]), "method",
                               kan_json_text(here->spec), "proposed", (int)here->is_proposed,
                               "path", here->path ? kan_json_text(here->path) : json_null(),
                               "levels", kan_hierarchy_levels_json(here->known.tree)));
    }
    json_t *read = json_pack("{s:o, s:o}", "path", input ? kan_json_text(input) : json_null(),
                             "rows", kan_json_count(b->data.table->n_rows));
    json_t *times = json_pack("{s:o}", "total", kan_json_time(kan_now_ms() - b->start_ms));
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "kanon", KANON_VERSION, "command",
                     "hierarchy-build", "input", read, "columns", columns, "time_ms", times,
                     "peak_memory_bytes", kan_json_count(kan_run_peak_memory(b->run)));
}

/* The other columns, as they were handed on, and what is needed to read the table. */
static void add_roles(const build_walk *b, kan_next_step *next) {
    static const kan_role handed_on[] = {KAN_ROLE_ID, KAN_ROLE_PERSON, KAN_ROLE_SENSITIVE};
    const kan_options *options = &b->job->options;
    for (unsigned r = 0; r < sizeof handed_on / sizeof *handed_on; r++)
        for (size_t i = 0, n = 0; i < kan_role_count(options, handed_on[r]);)
            kan_next_name(next, kan_role_setting_of(handed_on[r])->name,
                          kan_role_at(options, handed_on[r], i++).name.bytes, false, &n);
    kan_next_reading(next, options);
}

/* Where nothing was written yet: the same, written. */
static void add_next_build(const build_walk *b, const char *input, kan_text *text) {
    char dir[KAN_NEXT_PATH + 1];
    kan_next_step next = kan_next_begin(text, "next: kanon hierarchy build");
    kan_next_word(&next, input);
    for (size_t i = 0; i < b->n; i++) {
        const char *name = b->data.columns[b->columns[i].column];
        size_t n = 0;
        kan_next_name(&next, "column", name, true, &n);
        kan_text_print(text, "=%s", b->columns[i].spec);
        next.is_sayable &= !strchr(name, '/');
    }
    add_roles(b, &next);
    kan_next_free_path(input, "hierarchies", dir);
    strcat(dir, "/");
    kan_text_print(text, " -o");
    kan_next_word(&next, dir);
    (void)kan_next_end(&next);
}

/* A release with its report, by all columns that have a hierarchy now. */
static void add_next(const build_walk *b, kan_text *text) {
    enum { FEW = 5, MANY = 12 }; /* rows of a group; columns that are searched in no time */
    const char *input = b->data.is_file ? kan_options_find(&b->job->options, "input") : NULL;
    char release[KAN_NEXT_PATH], report[KAN_NEXT_PATH];
    size_t n = 0;
    if (!input || strcmp(input, "-") == 0 || (b->output && strcmp(b->output, "-") == 0))
        return;
    if (!b->output) {
        add_next_build(b, input, text);
        return;
    }
    kan_next_step next = kan_next_begin(text, "next: kanon anonymize");
    kan_next_word(&next, input);
    if (b->is_dir)
        kan_next_flag(&next, "hierarchies", b->output);
    for (size_t i = 0; i < b->n; i++)
        kan_next_name(&next, "qi", b->data.columns[b->columns[i].column], true, &n);
    if (!b->is_dir)
        kan_next_value(&next, b->output);
    add_roles(b, &next);
    kan_text_print(text, " --k %d --suppress 5%% --cost ncp%s",
                   b->data.table->n_rows < FEW ? 2 : FEW, b->n > MANY ? " --time-limit 60" : "");
    kan_next_flag(&next, "report", kan_next_free_path(input, "report.html", report));
    kan_text_print(text, " -o");
    kan_next_word(&next, kan_next_free_path(input, "release.csv", release));
    (void)kan_next_end(&next);
}

static const char *type_text(kan_type type) {
    return type == KAN_TYPE_NUMBER ? "numbers" : type == KAN_TYPE_DATE ? "dates" : "text";
}

static kan_status write_summary(const build_walk *b, kan_text *text) {
    bool has_words = false;
    for (size_t i = 0; i < b->n; i++) {
        const built *here = &b->columns[i];
        const kan_column *column = &b->data.table->columns[here->column];
        kan_text_print(text, "%s: %s", column->name, here->spec);
        if (here->is_proposed)
            kan_text_print(text, " (proposed for %s)", type_text(column->dictionary.type));
        if (here->path && strcmp(here->path, "-") != 0)
            kan_text_print(text, ", written to %s", here->path);
        kan_text_print(text, "\n");
        kan_hierarchy_levels_text(here->known.tree, text);
        kan_text_print(text, "\n");
        has_words |= here->is_proposed && column->dictionary.type == KAN_TYPE_TEXT &&
                     strncmp(here->spec, "frequency", 9) == 0;
    }
    if (has_words)
        kan_text_print(text, "Words are grouped by how rare they are, not by what they mean. A "
                             "tree that you\nwrite is better: -o NAME.txt gives one to begin "
                             "with.\n");
    add_next(b, text);
    return kan_text_status(text);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static kan_status walk(build_walk *b, kan_result *out) {
    KAN_TRY(kan_input_open(b->job, "input", false, &b->data));
    KAN_TRY(find_columns(b));
    KAN_TRY(open_targets(b));
    KAN_TRY(kan_input_read(&b->data));
    KAN_TRY(build_all(b));
    KAN_TRY(write_all(b));
    KAN_TRY(kan_result_set_json(out, result_json(b)));
    KAN_TRY(write_summary(b, &out->summary));
    return commit_all(b);
}

kan_status kan_walk_hierarchy_build(kan_job *job, kan_result *out) {
    build_walk b = {.job = job,
                    .run = job->run,
                    .data = {.run = job->run},
                    .output = kan_options_find(&job->options, "output"),
                    .start_ms = kan_now_ms()};
    const kan_status status = walk(&b, out);
    for (size_t i = 0; i < b.n; i++) {
        kan_target_close(b.columns[i].target);
        kan_known_hierarchy_destroy(b.run, &b.columns[i].known);
    }
    kan_free(b.run, b.columns);
    kan_input_close(&b.data);
    /* Only a directory that this call made, and only while it is empty. */
    if (status != KAN_OK && b.made_dir)
        (void)rmdir(b.output);
    return status;
}
