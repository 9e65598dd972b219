/* `generate`: a synthetic table with its hierarchies, or a folder of several that belong together. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "generate/generate.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

/* What is made where. */
typedef struct {
    const kan_generator_kind *kind;
    const char *path;        /* the table; of several the folder */
    const char *hierarchies; /* NULL: none */
    const char *job;         /* of several tables; NULL: there is none */
} made;

static kan_status join(kan_job *job, const char *folder, size_t size, const char *name,
                       const char *ending, const char **out) {
    kan_text text;
    kan_text_init(&text, job->run);
    kan_text_add(&text, folder, size);
    kan_text_print(&text, "%s%s", name, ending);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(&job->arena, text.bytes, text.size, out);
    kan_text_destroy(&text);
    return status;
}

/* NAME.csv and NAME-hierarchies beside each other, unless the user says otherwise. */
static kan_status choose_paths(kan_job *job, const char *name, made *out) {
    out->path = kan_options_find(&job->options, "output");
    out->hierarchies = kan_options_find(&job->options, "hierarchies");
    if (!out->path)
        KAN_TRY(join(job, "", 0, name, ".csv", &out->path));
    if (!out->hierarchies && strcmp(out->path, "-") != 0) {
        const char *slash = strrchr(out->path, '/');
        KAN_TRY(join(job, out->path, slash ? (size_t)(slash + 1 - out->path) : 0, name,
                     "-hierarchies", &out->hierarchies));
    }
    return KAN_OK;
}

/* The folder NAME, unless the user says otherwise, with all of it inside. */
static kan_status choose_folder(kan_job *job, const char *name, made *out) {
    const char *folder = kan_options_find(&job->options, "output");
    folder = folder ? folder : name;
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/')
        size--;
    KAN_TRY(join(job, folder, size, "", "", &out->path));
    KAN_TRY(join(job, out->path, strlen(out->path), "/", out->kind->folder->hierarchies,
                 &out->hierarchies));
    return join(job, out->path, strlen(out->path), "/", out->kind->folder->job, &out->job);
}

static void write_summary(const made *m, kan_text *text) {
    const bool is_streamed = strcmp(m->path, "-") == 0;
    if (m->job) {
        kan_text_print(text, "wrote %s:", m->path);
        for (size_t i = 0; i < m->kind->folder->n_tables; i++)
            kan_text_print(text, "%s %s", i ? "," : "", m->kind->folder->tables[i]);
        kan_text_print(text, ", their hierarchies and the job file %s\n", m->kind->folder->job);
        const size_t before = text->size;
        kan_text_print(text, "next: kanon anonymize --job ");
        kan_words_add_shell(text, m->job);
        kan_text_print(text, " -o release\n");
        kan_words_check_command(text, before);
        return;
    }
    kan_text_print(text, "wrote %s%s%s\n", is_streamed ? "the table to standard output" : m->path,
                   m->hierarchies ? " and its hierarchies in " : "",
                   m->hierarchies ? m->hierarchies : "");
    if (m->kind->suggestion && m->hierarchies && !is_streamed)
        kan_text_print(text, "next: kanon anonymize %s --hierarchies %s %s -o release.csv\n",
                       m->path, m->hierarchies, m->kind->suggestion);
}

/* The paths of the tables: of one its own. */
static json_t *tables_json(const made *m) {
    json_t *list = json_array();
    if (!m->job)
        return kan_json_append(list, kan_json_text(m->path));
    for (size_t i = 0; i < m->kind->folder->n_tables; i++)
        list = kan_json_append(list, json_sprintf("%s/%s", m->path, m->kind->folder->tables[i]));
    return list;
}

static kan_status write_result(const kan_job *job, const made *m, kan_result *out) {
    uint64_t rows = kan_options_count(&job->options, "rows", 0);
    uint64_t seed = kan_options_count(&job->options, "seed", m->kind->default_seed);
    out->holds = true;
    write_summary(m, &out->summary);
    KAN_TRY(kan_text_status(&out->summary));
    return kan_result_set_json(
        out, json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "kanon", KANON_VERSION,
                       "command", "generate", "generator", m->kind->kind.name, "rows",
                       (json_int_t)(rows ? rows : m->kind->default_rows), "seed", (json_int_t)seed,
                       "path", kan_json_text(m->path), "tables", tables_json(m), "hierarchies",
                       m->hierarchies ? kan_json_text(m->hierarchies) : json_null(), "job",
                       m->job ? kan_json_text(m->job) : json_null()));
}

static kan_status make_directory(const kan_job *job, const char *path, const char *remedy,
                                 bool *is_new) {
    *is_new = mkdir(path, 0777) == 0;
    if (*is_new || errno == EEXIST)
        return KAN_OK;
    bool is_misnamed = errno == ENOENT || errno == ENOTDIR;
    return kan_fail(job->run, is_misnamed ? KAN_BAD_INPUT : KAN_FAILED,
                    "%s: the directory cannot be created: %s; %s", path, strerror(errno),
                    is_misnamed ? "create the directory above it first" : remedy);
}

/* What was made here goes again, if nothing is in it. */
static void take_back(const char *path, bool is_new) {
    if (is_new)
        (void)rmdir(path);
}

static kan_status make_folders(const kan_job *job, const made *m, bool *is_folder_new,
                               bool *is_inner_new) {
    const char *remedy = "choose another one with --hierarchies DIR";
    if (m->job) {
        remedy = "choose another folder with -o DIR";
        KAN_TRY(make_directory(job, m->path, remedy, is_folder_new));
        if (!kan_is_directory(m->path))
            return kan_fail(job->run, KAN_BAD_INPUT,
                            "%s: is a file, and several tables need a folder; %s", m->path, remedy);
    }
    return m->hierarchies ? make_directory(job, m->hierarchies, remedy, is_inner_new) : KAN_OK;
}

static kan_status make(kan_job *job, const made *m) {
    bool is_folder_new = false, is_inner_new = false;
    kan_status status = make_folders(job, m, &is_folder_new, &is_inner_new);
    if (status == KAN_OK)
        status =
            m->kind->generate(job->run, kan_options_count(&job->options, "rows", 0),
                              kan_options_count(&job->options, "seed", m->kind->default_seed),
                              m->path, m->hierarchies, kan_options_switch(&job->options, "force"));
    if (status != KAN_OK) {
        take_back(m->hierarchies, is_inner_new);
        take_back(m->path, is_folder_new);
    }
    return status;
}

static void check_rows(kan_job *job) {
    const char *rows = kan_options_find(&job->options, "rows");
    const kan_setting_entry *entry = kan_setting_entry_for("rows", "generate");
    if (rows && kan_setting_check_count(job->run, entry, rows) != KAN_OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", kan_run_error(job->run));
        kan_problem_add(job->run, "%s", message);
    }
}

static bool is_named_as_folder(const char *path) {
    const size_t size = strlen(path);
    return size > 0 && path[size - 1] == '/';
}

/* One table is a file, several are a folder. */
static void check_output(kan_job *job, const kan_generator_kind *kind) {
    const char *output = kan_options_find(&job->options, "output");
    if (kind->folder && kan_options_find(&job->options, "hierarchies"))
        kan_problem_add(job->run,
                        "--hierarchies: %s makes a folder, and the hierarchies are in it; leave "
                        "the flag out",
                        kind->kind.name);
    if (!output)
        return;
    if (kind->folder && strcmp(output, "-") == 0)
        kan_problem_add(job->run,
                        "--output -: %s makes several tables, which need a folder; name one with "
                        "-o DIR",
                        kind->kind.name);
    else if (!kind->folder && kan_is_directory(output))
        kan_problem_add(job->run, "--output %s is a directory; name a file in it", output);
    else if (!kind->folder && is_named_as_folder(output))
        kan_problem_add(job->run, "--output %s names a directory; name a file in it", output);
}

void kan_generate_check(kan_job *job) {
    const char *name = kan_options_find(&job->options, "generator");
    const kan_kind *kind = name ? kan_registry_find(KAN_FAMILY_GENERATOR, name) : NULL;
    check_rows(job);
    if (kind)
        check_output(job, (const kan_generator_kind *)kind);
}

/* The result is made before the files: whoever is told that the job failed finds none. */
kan_status kan_walk_generate(kan_job *job, kan_result *out) {
    const char *name = kan_options_find(&job->options, "generator");
    const kan_kind *kind;
    made m = {.kind = NULL};
    if (!name)
        return kan_fail(job->run, KAN_BAD_INPUT, "which table? kanon list shows the generators");
    KAN_TRY(kan_registry_need(job->run, KAN_FAMILY_GENERATOR, name, &kind));
    m.kind = (const kan_generator_kind *)kind;
    KAN_TRY(m.kind->folder ? choose_folder(job, name, &m) : choose_paths(job, name, &m));
    if (!kan_options_find(&job->options, "output"))
        KAN_TRY(kan_named_file_check(job, "generate",
                                     &(kan_named_file){.setting = "output", .path = m.path}));
    KAN_TRY(write_result(job, &m, out));
    return make(job, &m);
}
