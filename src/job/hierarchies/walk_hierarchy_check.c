/* `hierarchy-check`: hierarchy files against each other's rules and against the data.
 *
 * What makes a hierarchy unusable is a problem, with file and line, and the problems of all files
 * are told together. What only looks odd is a warning of the result. Values go into messages and
 * the summary, which are for those who hold the data; the JSON has numbers. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/signs.h"
#include "job/hierarchies/hierarchy_inside.h"
#include "job/input/input.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

/* A file, and the column it is for. */
typedef struct {
    const char *path;
    bool has_column;
    size_t column;
    kan_known_hierarchy known;
    kan_tree_finding findings[KAN_TREE_FINDINGS_MOST];
    size_t n_findings;
} checked;

typedef struct {
    kan_job *job;
    kan_run *run;
    const char *path; /* as the user wrote it */
    bool is_dir;
    kan_input data;
    checked *files;
    size_t n, capacity;
    size_t n_unused; /* files of a directory that are for no column */
    const char *unused;
    double start_ms;
} check_walk;

/* ---- files ---------------------------------------------------------------------------------- */

static kan_status add_file(check_walk *c, const char *path, bool has_column, size_t column) {
    KAN_TRY(kan_reserve(c->run, c->n + 1, sizeof *c->files, &c->capacity, &c->files));
    checked *file = &c->files[c->n];
    *file = (checked){.has_column = has_column, .column = column};
    KAN_TRY(kan_arena_copy(&c->job->arena, path, strlen(path), &file->path));
    if (has_column)
        c->data.encode[column] = true;
    c->n++;
    return KAN_OK;
}

/* "age" of "dir/age.csv"; empty when the name is not that of a hierarchy file. */
static kan_slice stem_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t size = strlen(name);
    const bool is_known = size > 4 && (kan_ends_with(name, ".csv") || kan_ends_with(name, ".txt"));
    return (kan_slice){name, is_known ? size - 4 : 0};
}

static kan_status find_one(check_walk *c) {
    const kan_options *options = &c->job->options;
    const char *named = kan_options_find(options, "column");
    size_t column = 0;
    if (!c->data.name)
        return add_file(c, c->path, false, 0);
    if (kan_options_count_of(options, "column") > 1)
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "%s is one hierarchy, and --column names several columns; leave one",
                        c->path);
    if (named && !kan_input_take(&c->data, "column", kan_hierarchy_column_name(named), &column))
        return KAN_BAD_INPUT;
    const kan_slice stem = stem_of(c->path);
    if (!named && !kan_input_find(&c->data, stem, &column))
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "%s: for which column of %s? None has the name of the file; write --column "
                        "NAME",
                        c->path, c->data.name);
    return add_file(c, c->path, true, column);
}

/* The file of one column in the directory; not having one is a problem when it `must` be there. */
static kan_status find_for(check_walk *c, size_t column, bool must) {
    kan_text path;
    bool is_missing = false;
    const size_t before = kan_problems_count(c->run);
    kan_status status =
        kan_input_find_hierarchy(c->run, c->path, c->data.columns[column], &path, &is_missing);
    if (status == KAN_OK && !is_missing)
        status = add_file(c, path.bytes, true, column);
    else if (status == KAN_OK && must)
        kan_problem_add(c->run, "%s: no hierarchy for column '%s'; kanon hierarchy build makes one",
                        path.bytes, c->data.columns[column]);
    kan_text_destroy(&path);
    return kan_problems_count(c->run) > before ? KAN_OK : status;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of hierarchy files in the directory, sorted; in the job's arena. */
static kan_status list_names(check_walk *c, const char ***names, size_t *n) {
    DIR *dir = opendir(c->path);
    struct dirent *entry;
    size_t capacity = 0;
    kan_status status = KAN_OK;
    if (!dir)
        return kan_fail(c->run, KAN_BAD_INPUT, "%s: %s", c->path, strerror(errno));
    while (status == KAN_OK && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.' || stem_of(entry->d_name).size == 0)
            continue;
        status = kan_reserve(c->run, *n + 1, sizeof **names, &capacity, names);
        if (status == KAN_OK)
            status =
                kan_arena_copy(&c->job->arena, entry->d_name, strlen(entry->d_name), &(*names)[*n]);
        *n += status == KAN_OK;
    }
    closedir(dir);
    if (*n > 0)
        qsort(*names, *n, sizeof **names, compare_names);
    return status;
}

static kan_status add_from_dir(check_walk *c, const char *name) {
    kan_text path;
    const size_t size = strlen(c->path);
    kan_text_init(&path, c->run);
    kan_text_print(&path, "%s%s%s", c->path, c->path[size - 1] == '/' ? "" : "/", name);
    kan_status status = kan_text_status(&path);
    if (status == KAN_OK)
        status = add_file(c, path.bytes, false, 0);
    kan_text_destroy(&path);
    return status;
}

/* Without data all files; with data those of its columns, and the others are counted. */
static kan_status find_all(check_walk *c) {
    const kan_options *options = &c->job->options;
    const size_t n_named = kan_options_count_of(options, "column");
    const char **names = NULL;
    size_t n = 0, column;
    kan_status status;
    kan_problems_begin(c->run);
    for (size_t i = 0; i < n_named; i++)
        if (kan_input_take(&c->data, "column",
                           kan_hierarchy_column_name(kan_options_at(options, "column", i)),
                           &column))
            KAN_TRY(find_for(c, column, true));
    for (column = 0; n_named == 0 && column < c->data.n_columns; column++)
        KAN_TRY(find_for(c, column, false));
    if (n_named == 0) {
        KAN_TRY_DONE(list_names(c, &names, &n));
        for (size_t i = 0; i < n; i++) {
            if (!c->data.name)
                KAN_TRY_DONE(add_from_dir(c, names[i]));
            else if (!kan_input_find(&c->data, stem_of(names[i]), &column) && c->n_unused++ == 0)
                c->unused = names[i];
        }
    }
    status = kan_problems_end(c->run);
    if (status == KAN_OK && c->n == 0)
        status = kan_fail(c->run, KAN_BAD_INPUT,
                          "%s holds no hierarchy %s; a file NAME.csv or NAME.txt is that of column "
                          "NAME",
                          c->path, c->data.name ? "of a column of the data" : "file");
done:
    kan_free(c->run, names);
    return status;
}

/* ---- checking ------------------------------------------------------------------------------- */

static kan_status check_file(check_walk *c, checked *file) {
    const kan_column *column = file->has_column ? &c->data.table->columns[file->column] : NULL;
    KAN_TRY(kan_known_hierarchy_load(c->run, file->path, column, &file->known));
    kan_hierarchy_tree_check_labels(file->known.tree, file->known.lines);
    file->n_findings = kan_hierarchy_tree_review(file->known.tree, file->known.lines,
                                                 file->known.code_of_node, file->findings);
    return KAN_OK;
}

static kan_status check_all(check_walk *c) {
    kan_problems_begin(c->run);
    for (size_t i = 0; i < c->n; i++) {
        const size_t before = kan_problems_count(c->run);
        const kan_status status = check_file(c, &c->files[i]);
        if (status != KAN_OK && kan_problems_count(c->run) == before)
            return status;
        KAN_TRY(kan_check_cancel(c->run));
    }
    return kan_problems_end(c->run);
}

/* ---- telling -------------------------------------------------------------------------------- */

static const char *const remark_names[] = {[KAN_TREE_ABSENT] = "absent-values",
                                           [KAN_TREE_IDLE] = "idle-level",
                                           [KAN_TREE_LOPSIDED] = "lopsided-level",
                                           [KAN_TREE_NESTED] = "nested-label"};

static json_t *findings_json(const checked *file) {
    json_t *list = json_array();
    for (size_t i = 0; list && i < file->n_findings; i++) {
        const kan_tree_finding *finding = &file->findings[i];
        list = kan_json_append(
            list, json_pack("{s:s, s:i, s:o}", "warning", remark_names[finding->remark], "level",
                            (int)finding->level, "count", kan_json_count(finding->count)));
    }
    return list;
}

static json_t *result_json(const check_walk *c) {
    const char *input = c->data.is_file ? kan_options_find(&c->job->options, "input") : NULL;
    json_t *files = json_array();
    for (size_t i = 0; files && i < c->n; i++) {
        const checked *file = &c->files[i];
        files = kan_json_append(
            files,
            json_pack("{s:o, s:o, s:o, s:o}", "path", kan_json_text(file->path), "column",
                      file->has_column ? kan_json_text(c->data.columns[file->column]) : json_null(),
                      "levels", kan_hierarchy_levels_json(file->known.tree), "warnings",
                      findings_json(file)));
    }
    json_t *read = c->data.name
                       ? json_pack("{s:o, s:o}", "path", input ? kan_json_text(input) : json_null(),
                                   "rows", kan_json_count(c->data.table->n_rows))
                       : json_null();
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:{s:o}, s:o}", "kanon", KANON_VERSION, "command",
                     "hierarchy-check", "input", read, "hierarchies", files, "unused_files",
                     kan_json_count(c->n_unused), "time_ms", "total",
                     kan_json_time(kan_now_ms() - c->start_ms), "peak_memory_bytes",
                     kan_json_count(kan_run_peak_memory(c->run)));
}

static void add_finding(const check_walk *c, const checked *file, const kan_tree_finding *finding,
                        kan_text *text) {
    const kan_tree_level *level = &file->known.tree->levels[finding->level];
    const kan_label_node *node = &level->nodes[finding->node];
    char quoted[256], count[32];
    kan_text_print(text, "  warning: ");
    switch (finding->remark) {
    case KAN_TREE_ABSENT:
        kan_text_print(text, "%s value%s not in the data, the first is %s (line %" PRIu64 ")\n",
                       kan_count_text(finding->count, count), finding->count == 1 ? " is" : "s are",
                       kan_quote(node->label, quoted), node->line);
        break;
    case KAN_TREE_IDLE:
        kan_text_print(text, "level %u merges nothing: it has as many labels as level %u\n",
                       finding->level, finding->level - 1);
        break;
    case KAN_TREE_LOPSIDED:
        kan_text_print(text, "level %u: the label %s has %.1f%% of the rows\n", finding->level,
                       kan_quote(node->label, quoted),
                       100 * (double)finding->count / (double)c->data.table->n_rows);
        break;
    case KAN_TREE_NESTED:
        kan_text_print(text, "the label %s of level %u covers more at level %u (line %" PRIu64,
                       kan_quote(node->label, quoted), finding->level, finding->upper, node->line);
        if (finding->count > 1)
            kan_text_print(text, "; and %s more labels like it",
                           kan_count_text(finding->count - 1, count));
        kan_text_print(text, ")\n");
        break;
    }
}

/* A release with its report, by all columns whose hierarchies were checked. */
static void add_next(const check_walk *c, kan_text *text) {
    enum { FEW = 5 };
    const char *input = c->data.is_file ? kan_options_find(&c->job->options, "input") : NULL;
    char release[KAN_NEXT_PATH], report[KAN_NEXT_PATH];
    size_t n = 0;
    if (!input || strcmp(input, "-") == 0)
        return;
    kan_next_step next = kan_next_begin(text, "\nnext: kanon anonymize");
    kan_next_word(&next, input);
    if (c->is_dir)
        kan_next_flag(&next, "hierarchies", c->path);
    for (size_t i = 0; i < c->n; i++)
        kan_next_name(&next, "qi", c->data.columns[c->files[i].column], true, &n);
    if (!c->is_dir)
        kan_next_value(&next, c->path);
    kan_next_reading(&next, &c->job->options);
    kan_text_print(text, " --k %d --suppress 5%% --cost ncp",
                   c->data.table->n_rows < FEW ? 2 : FEW);
    kan_next_flag(&next, "report", kan_next_free_path(input, "report.html", report));
    kan_text_print(text, " -o");
    kan_next_word(&next, kan_next_free_path(input, "release.csv", release));
    (void)kan_next_end(&next);
}

static kan_status write_summary(const check_walk *c, kan_text *text) {
    size_t n_warnings = c->n_unused > 0;
    for (size_t i = 0; i < c->n; i++) {
        const checked *file = &c->files[i];
        kan_text_print(text, "%s", file->path);
        if (file->has_column)
            kan_text_print(text, ": column %s of %s", c->data.columns[file->column], c->data.name);
        kan_text_print(text, "\n");
        kan_hierarchy_levels_text(file->known.tree, text);
        for (size_t j = 0; j < file->n_findings; j++)
            add_finding(c, file, &file->findings[j], text);
        n_warnings += file->n_findings;
        kan_text_print(text, "\n");
    }
    if (c->n_unused > 0)
        kan_text_print(text,
                       "warning: %s has %zu file%s that %s not named like any column, the first is "
                       "%s\n\n",
                       c->path, c->n_unused, c->n_unused == 1 ? "" : "s",
                       c->n_unused == 1 ? "is" : "are", c->unused);
    kan_text_print(text, "%zu hierarch%s: no problem", c->n, c->n == 1 ? "y" : "ies");
    if (n_warnings > 0)
        kan_text_print(text, ", %zu warning%s", n_warnings, n_warnings == 1 ? "" : "s");
    kan_text_print(text, "%s\n", c->data.name ? "" : "; --input DATA checks them against the data");
    add_next(c, text);
    return kan_text_status(text);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static kan_status walk(check_walk *c, kan_result *out) {
    struct stat status_of;
    if (stat(c->path, &status_of) != 0)
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "%s: %s; name a hierarchy file, or a directory of "
                        "them",
                        c->path, strerror(errno));
    c->is_dir = S_ISDIR(status_of.st_mode);
    KAN_TRY(kan_input_open(c->job, "input", false, &c->data));
    kan_problems_begin(c->run);
    KAN_TRY(c->is_dir ? find_all(c) : find_one(c));
    KAN_TRY(kan_input_read(&c->data));
    KAN_TRY(check_all(c));
    KAN_TRY(kan_result_set_json(out, result_json(c)));
    return write_summary(c, &out->summary);
}

kan_status kan_walk_hierarchy_check(kan_job *job, kan_result *out) {
    check_walk c = {.job = job,
                    .run = job->run,
                    .path = kan_options_find(&job->options, "hierarchy"),
                    .data = {.run = job->run},
                    .start_ms = kan_now_ms()};
    const kan_status status = walk(&c, out);
    for (size_t i = 0; i < c.n; i++)
        kan_known_hierarchy_destroy(c.run, &c.files[i].known);
    kan_free(c.run, c.files);
    kan_input_close(&c.data);
    return status;
}
