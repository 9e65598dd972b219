/* The kind of a release, by its name or by the ending of its file. */
#include "job/input/table_output.h"
#include "core/signs.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What the ending tells; NULL where no kind but the one that takes any takes it. */
static const kan_sink_kind *kind_told(const char *path) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SINK); i++) {
        const kan_sink_kind *kind = (const kan_sink_kind *)kan_registry_at(KAN_FAMILY_SINK, i);
        if (kind->takes && kind->takes(path))
            return kind;
    }
    return NULL;
}

const kan_sink_kind *kan_output_kind_of(const char *path) {
    const kan_sink_kind *told = kind_told(path);
    return told ? told : &kan_sink_csv;
}

bool kan_output_is_script(const kan_job *job) {
    return kan_options_find(&job->options, "emit") != NULL;
}

bool kan_output_is_engine(const kan_job *job) {
    if (kan_output_is_script(job))
        return true;
    const char *path = kan_options_find(&job->options, "output");
    if (!path || !kan_options_find(&job->options, "engine"))
        return path && kan_path_is_address(path);
    const kan_sink_kind *told = kind_told(path);
    return kan_path_is_address(path) || (told && told->reader->is_for_engine);
}

bool kan_output_is_arrow(const kan_job *job) {
    return job->makes_release && !kan_options_find(&job->options, "output") &&
           (job->wants_arrow || (job->table && job->table->arrow));
}

const kan_sink_kind *kan_output_kind(const kan_job *job) {
    const char *name = kan_options_find(&job->options, "output-format");
    const char *path = kan_options_find(&job->options, "output");
    const kan_kind *named = name ? kan_registry_find(KAN_FAMILY_SINK, name) : NULL;
    if (!path && kan_output_is_arrow(job))
        return &kan_sink_arrow;
    if (!path || kan_output_is_engine(job))
        return NULL;
    return named ? (const kan_sink_kind *)named : kan_output_kind_of(path);
}

bool kan_output_is_alike(const kan_job *job, const kan_input *input) {
    const kan_sink_kind *kind = kan_output_kind(job);
    return kind && input->source && kind->passes && kind->passes(input->source->kind);
}

bool kan_output_passes(const kan_job *job, const kan_input *input) {
    const kan_sink_kind *kind = kan_output_kind(job);
    /* Rows that were chosen here are no longer those of the file. */
    return !kind || !input->source || (!input->source->cohort && kan_output_is_alike(job, input));
}

bool kan_output_passes_column(const kan_job *job, const kan_input *input, size_t column) {
    const kan_field *field = kan_input_field(input, column);
    if (!kan_output_is_arrow(job) || !field)
        return true;
    /* An asterisk fits no type. */
    return !kan_options_switch(&job->options, "keep-suppressed") && !field->is_nested;
}

/* ---- endings that promise something else ------------------------------------------------------ */

/* Whether a path ends as files of a kind do that is not written here. */
static bool is_foreign(const char *path) {
    static const char *const endings[] = {
        ".xls",     ".xlsm", ".xlsb",   ".ods", ".rds",   ".rdata", ".rda", ".arrow",
        ".feather", ".db",   ".sqlite", ".mdb", ".accdb", ".pdf",   ".zip", ".sas7bdat"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (kan_path_ends_with(path, endings[i]))
            return true;
    return false;
}

/* The path without the ending of a packed file; false where it is not one. */
static bool unpacked(const char *path, char *room, size_t size) {
    const size_t n = strlen(path), cut = kan_path_ends_with(path, ".gz")    ? 3
                                         : kan_path_ends_with(path, ".zst") ? 4
                                                                            : 0;
    if (cut == 0 || n - cut >= size)
        return false;
    memcpy(room, path, n - cut);
    room[n - cut] = '\0';
    return true;
}

kan_status kan_output_check_path(kan_run *run, const char *setting, const char *path) {
    char plain[4096];
    if (kind_told(path))
        return KAN_OK;
    if (is_foreign(path))
        return kan_fail(
            run, KAN_BAD_INPUT,
            "--%s %s: files of this kind cannot be written; use an ending from `kanon list`%s",
            setting, path,
            strcmp(setting, "output") == 0
                ? ", or use --output-format csv to get CSV in a file of that name"
                : "");
    if (!unpacked(path, plain, sizeof plain))
        return KAN_OK;
    const kan_sink_kind *kind = kind_told(plain);
    if (kind)
        return kan_fail(
            run, KAN_BAD_INPUT,
            "--%s %s: a file of the kind %s is not compressed; leave out the last ending", setting,
            path, kind->kind.name);
    return KAN_OK;
}

/* The rows stay where they are: what has them makes the release. */
static kan_status check_engine(const kan_job *job) {
    const char *input = kan_options_find(&job->options, "input");
    if (!job->table && input && kan_output_is_script(job))
        return KAN_OK;
    if (!job->table && input &&
        (kan_path_is_address(input) || kan_options_find(&job->options, "engine")))
        return KAN_OK;
    return kan_fail(job->run, KAN_BAD_INPUT,
                    "--output: a release in a database is made of a table there, and the input is "
                    "not one; load the table into the database first, and name its address as the "
                    "input, or write the release to a file and load that");
}

kan_engine *kan_input_engine(const kan_input *input) {
    return input->source ? kan_engine_of(input->source) : NULL;
}

kan_status kan_output_prepare(const kan_job *job, const kan_input *input, bool divides) {
    kan_engine *engine = kan_input_engine(input);
    if (!engine || !kan_output_is_engine(job))
        return KAN_OK;
    if (kan_output_is_script(job) && !kan_options_find(&job->options, "counts"))
        return KAN_OK; /* nothing is released yet */
    if (kan_options_switch(&job->options, "shuffle") ||
        kan_options_find(&job->options, "shuffle-key"))
        KAN_TRY(kan_engine_check_shuffle(engine));
    return kan_engine_prepare(engine, kan_options_find(&job->options, "output"),
                              kan_options_switch(&job->options, "force"), divides);
}

kan_status kan_output_check(const kan_job *job) {
    const char *path = kan_options_find(&job->options, "output");
    if (kan_output_is_engine(job))
        return check_engine(job);
    const kan_sink_kind *chosen = kan_output_kind(job);
    if (chosen && !chosen->is_text && kan_options_find(&job->options, "output-encoding"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--output-encoding: a file of the kind %s says itself how its text is "
                        "encoded; leave the flag out, or write CSV",
                        chosen->kind.name);
    if (!path || kan_options_find(&job->options, "output-format"))
        return KAN_OK;
    return kan_output_check_path(job->run, "output", path);
}
