/* `generate`: a synthetic table with its hierarchies. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "generate/generate.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

/* NAME.csv and NAME-hierarchies beside each other, unless the user says otherwise. */
static kan_status choose_paths(kan_job *job, const char *name, const char **table,
                               const char **hierarchies) {
    kan_text text;
    kan_status status = KAN_OK;
    kan_text_init(&text, job->run);
    *table = kan_options_find(&job->options, "output");
    *hierarchies = kan_options_find(&job->options, "hierarchies");
    if (!*table) {
        kan_text_print(&text, "%s.csv", name);
        KAN_TRY_DONE(kan_text_status(&text));
        KAN_TRY_DONE(kan_arena_copy(&job->arena, text.bytes, text.size, table));
    }
    if (!*hierarchies && strcmp(*table, "-") != 0) {
        const char *slash = strrchr(*table, '/');
        kan_text_destroy(&text);
        if (slash)
            kan_text_add(&text, *table, (size_t)(slash + 1 - *table));
        kan_text_print(&text, "%s-hierarchies", name);
        KAN_TRY_DONE(kan_text_status(&text));
        KAN_TRY_DONE(kan_arena_copy(&job->arena, text.bytes, text.size, hierarchies));
    }
done:
    kan_text_destroy(&text);
    return status;
}

static void write_summary(const kan_generator_kind *kind, const char *table,
                          const char *hierarchies, kan_text *text) {
    const bool is_streamed = strcmp(table, "-") == 0;
    kan_text_print(text, "wrote %s%s%s\n", is_streamed ? "the table to standard output" : table,
                   hierarchies ? " and its hierarchies in " : "", hierarchies ? hierarchies : "");
    if (kind->suggestion && hierarchies && !is_streamed)
        kan_text_print(text, "next: kanon anonymize %s --hierarchies %s %s -o release.csv\n", table,
                       hierarchies, kind->suggestion);
}

static kan_status write_result(const kan_job *job, const kan_generator_kind *kind,
                               const char *table, const char *hierarchies, kan_result *out) {
    uint64_t rows = kan_options_count(&job->options, "rows", 0);
    uint64_t seed = kan_options_count(&job->options, "seed", kind->default_seed);
    out->holds = true;
    write_summary(kind, table, hierarchies, &out->summary);
    KAN_TRY(kan_text_status(&out->summary));
    return kan_result_set_json(
        out, json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:o}", "kanon", KANON_VERSION, "command",
                       "generate", "generator", kind->kind.name, "rows",
                       (json_int_t)(rows ? rows : kind->default_rows), "seed", (json_int_t)seed,
                       "path", kan_json_text(table), "hierarchies",
                       hierarchies ? kan_json_text(hierarchies) : json_null()));
}

static kan_status make_directory(const kan_job *job, const char *path, bool *is_new) {
    *is_new = mkdir(path, 0777) == 0;
    if (*is_new || errno == EEXIST)
        return KAN_OK;
    bool is_misnamed = errno == ENOENT || errno == ENOTDIR;
    return kan_fail(job->run, is_misnamed ? KAN_BAD_INPUT : KAN_FAILED,
                    "%s: the directory cannot be created: %s; %s", path, strerror(errno),
                    is_misnamed ? "create the directory above it first"
                                : "choose another one with --hierarchies DIR");
}

void kan_generate_check(kan_job *job) {
    const char *rows = kan_options_find(&job->options, "rows");
    const kan_setting_entry *entry = kan_setting_entry_for("rows", "generate");
    if (rows && kan_setting_check_count(job->run, entry, rows) != KAN_OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", kan_run_error(job->run));
        kan_problem_add(job->run, "%s", message);
    }
}

/* The result is made before the files: whoever is told that the job failed finds none. */
kan_status kan_walk_generate(kan_job *job, kan_result *out) {
    const char *name = kan_options_find(&job->options, "generator");
    const char *table, *hierarchies;
    const kan_kind *kind;
    bool made_dir = false;
    if (!name)
        return kan_fail(job->run, KAN_BAD_INPUT, "which table? kanon list shows the generators");
    KAN_TRY(kan_registry_need(job->run, KAN_FAMILY_GENERATOR, name, &kind));
    const kan_generator_kind *generator = (const kan_generator_kind *)kind;
    KAN_TRY(choose_paths(job, name, &table, &hierarchies));
    if (!kan_options_find(&job->options, "output"))
        KAN_TRY(kan_named_file_check(job, "generate",
                                     &(kan_named_file){.setting = "output", .path = table}));
    KAN_TRY(write_result(job, generator, table, hierarchies, out));
    if (hierarchies)
        KAN_TRY(make_directory(job, hierarchies, &made_dir));
    kan_status status =
        generator->generate(job->run, kan_options_count(&job->options, "rows", 0),
                            kan_options_count(&job->options, "seed", generator->default_seed),
                            table, hierarchies, kan_options_switch(&job->options, "force"));
    /* Only a directory that this call made, and only while it is empty. */
    if (status != KAN_OK && made_dir)
        (void)rmdir(hierarchies);
    return status;
}
