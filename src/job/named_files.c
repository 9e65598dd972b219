/* What a job reads and writes, and whether two names are one file. */
#include "job/named_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/hierarchy.h"
#include "job/hierarchies/hierarchies.h"
#include "job/settings/settings.h"

static bool is_one_of(const char *name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof *(names))

/* Whether a command writes what a setting names. */
static bool is_output(const char *setting, const char *command) {
    static const char *const always[] = {"output", "json", "picture", "report",
                                         "proof",  "save", "chart",   "job-out"};
    if (strcmp(setting, "certificate") == 0)
        return strcmp(command, "verify") != 0;
    return IS_ONE_OF(setting, always);
}

/* Whether what a setting names is a folder, whatever is in it. */
static bool is_folder(const char *setting, const char *command) {
    return strcmp(setting, "tmp") == 0 ||
           (strcmp(setting, "hierarchies") == 0 && strcmp(command, "generate") == 0);
}

static const kan_setting_entry *find_entry(const char *name, const char *command) {
    const kan_setting_entry *entry = kan_setting_entry_find(name);
    for (size_t i = 0; entry && i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (strcmp(setting->name, name) == 0 && kan_setting_is_for(setting, command))
            return entry;
    }
    return NULL;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static kan_status add(kan_job *job, kan_named_files *list, kan_named_file file) {
    if (list->n == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 16;
        kan_named_file *files;
        KAN_TRY(kan_arena_alloc(&job->arena, capacity, sizeof *files, &files));
        if (list->n)
            memcpy(files, list->files, list->n * sizeof *files);
        list->files = files;
        list->capacity = capacity;
    }
    list->files[list->n++] = file;
    return KAN_OK;
}

/* DIR/NAME.ENDING, where that is there. */
static kan_status add_if_there(kan_job *job, kan_named_files *list, const char *dir, kan_slice name,
                               const char *ending) {
    const size_t dir_size = strlen(dir), size = dir_size + name.size + strlen(ending) + 2;
    struct stat info;
    char *path;
    KAN_TRY(kan_arena_alloc(&job->arena, size, 1, &path));
    snprintf(path, size, "%s/%.*s%s", dir, (int)name.size, name.bytes, ending);
    if (stat(path, &info) != 0)
        return KAN_OK;
    return add(job, list,
               (kan_named_file){"hierarchies", path, name.size ? name.bytes : NULL, name.size});
}

/* All hierarchies of a folder: of those who look into it before they know the columns. */
static kan_status add_folder(kan_job *job, kan_named_files *list, const char *dir) {
    DIR *folder = opendir(dir);
    kan_status status = KAN_OK;
    const struct dirent *entry;
    while (folder && status == KAN_OK && (entry = readdir(folder))) {
        const char *dot = strrchr(entry->d_name, '.'), *name;
        if (!dot || (strcmp(dot, ".csv") != 0 && strcmp(dot, ".txt") != 0))
            continue;
        const size_t size = (size_t)(dot - entry->d_name);
        status = kan_arena_copy(&job->arena, entry->d_name, size, &name);
        if (status == KAN_OK)
            status = add_if_there(job, list, dir, (kan_slice){name, size},
                                  strcmp(dot, ".csv") == 0 ? ".csv" : ".txt");
    }
    if (folder)
        (void)closedir(folder);
    return status;
}

/* ---- what is read --------------------------------------------------------------------------- */

static bool is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* NAME=HIERARCHY, or NAME alone, whose hierarchy a folder may have. */
static kan_status add_quasi(kan_job *job, const char *setting, const char *value,
                            kan_named_files *list) {
    const char *dir = kan_options_find(&job->options, "hierarchies"), *hierarchy;
    kan_slice name;
    kan_quasi_parse(value, &name, &hierarchy);
    if (hierarchy && kan_hierarchy_is_spec(hierarchy))
        return KAN_OK;
    if (hierarchy)
        return add(job, list, (kan_named_file){setting, hierarchy, name.bytes, name.size});
    if (!dir || strcmp(setting, "qi") != 0)
        return KAN_OK;
    KAN_TRY(add_if_there(job, list, dir, name, ".csv"));
    return add_if_there(job, list, dir, name, ".txt");
}

static kan_status add_path(kan_job *job, const char *command, const char *setting,
                           const char *value, kan_named_files *list) {
    const bool is_hierarchy = strcmp(setting, "hierarchy") == 0;
    if (is_output(setting, command) || is_folder(setting, command) ||
        (is_hierarchy && kan_hierarchy_is_spec(value)) ||
        (job->table && strcmp(setting, "input") == 0))
        return KAN_OK;
    /* A certificate says itself which columns it is about. */
    if (strcmp(setting, "hierarchies") == 0)
        return strcmp(command, "verify") == 0 && kan_options_find(&job->options, "certificate")
                   ? add_folder(job, list, value)
                   : KAN_OK;
    if (is_hierarchy && is_directory(value))
        return add_folder(job, list, value);
    return add(job, list, (kan_named_file){.setting = setting, .path = value});
}

static kan_status add_value(kan_job *job, const char *command, const kan_setting_entry *entry,
                            const char *value, kan_named_files *list) {
    const char *setting = entry->setting.name, *path;
    kan_slice name;
    if (entry->form == KAN_FORM_PATH)
        return add_path(job, command, setting, value, list);
    if (entry->form == KAN_FORM_QUASI)
        return add_quasi(job, setting, value, list);
    if (entry->form == KAN_FORM_ORDER && kan_order_parse(value, &name, &path))
        return add(job, list, (kan_named_file){setting, path, name.bytes, name.size});
    return KAN_OK;
}

kan_status kan_named_files_read(kan_job *job, const char *command, kan_named_files *out) {
    *out = (kan_named_files){.n = 0};
    for (size_t i = 0; i < job->options.n; i++) {
        const struct kan_option_value *said = &job->options.values[i];
        const kan_setting_entry *entry = find_entry(said->name, command);
        if (entry)
            KAN_TRY(add_value(job, command, entry, said->value, out));
    }
    for (const kan_job_origin *origin = job->origins; origin; origin = origin->next)
        KAN_TRY(add(job, out, (kan_named_file){.setting = "job", .path = origin->path}));
    return KAN_OK;
}

/* ---- what is written ------------------------------------------------------------------------ */

kan_status kan_named_files_written(kan_job *job, const char *command, kan_named_files *out) {
    static const char *const names[] = {"output",  "json",   "certificate", "picture", "save",
                                        "job-out", "report", "chart",       "proof"};
    *out = (kan_named_files){.n = 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = kan_options_find(&job->options, names[i]);
        const bool is_folder_of_files = strcmp(names[i], "output") == 0 &&
                                        strcmp(command, "hierarchy-build") == 0 &&
                                        !kan_hierarchy_writes_file(job, command);
        if (path && find_entry(names[i], command) && is_output(names[i], command) &&
            !is_folder_of_files)
            KAN_TRY(add(job, out, (kan_named_file){.setting = names[i], .path = path}));
    }
    return KAN_OK;
}

/* ---- one file or two ------------------------------------------------------------------------ */

/* A file by its inode; one that is not there yet by its folder's, and its name in it. */
typedef struct {
    bool is_known, is_there;
    dev_t device;
    ino_t inode;
    const char *name;
} identity;

static void take_identity(identity *out, const struct stat *info) {
    out->is_known = true;
    out->device = info->st_dev;
    out->inode = info->st_ino;
}

static identity identity_of(const char *path, int standard) {
    identity out = {.is_known = false};
    struct stat info;
    char folder[4096];
    if (strcmp(path, "-") == 0) {
        /* A terminal or a pipe is nothing that could be overwritten. */
        out.is_there = fstat(standard, &info) == 0 && S_ISREG(info.st_mode);
        if (out.is_there)
            take_identity(&out, &info);
        return out;
    }
    out.is_there = stat(path, &info) == 0;
    if (out.is_there) {
        take_identity(&out, &info);
        return out;
    }
    const char *slash = strrchr(path, '/');
    const size_t size = slash ? (size_t)(slash - path) + 1 : 2;
    out.name = slash ? slash + 1 : path;
    if (size >= sizeof folder)
        return out;
    snprintf(folder, sizeof folder, "%.*s", (int)size, slash ? path : "./");
    if (stat(folder, &info) == 0)
        take_identity(&out, &info);
    return out;
}

static bool is_same(const identity *a, const identity *b) {
    return a->is_known && b->is_known && a->is_there == b->is_there && a->device == b->device &&
           a->inode == b->inode && (a->is_there || strcmp(a->name, b->name) == 0);
}

bool kan_named_file_is_read(const kan_named_file *written, const kan_named_file *read) {
    const identity a = identity_of(written->path, STDOUT_FILENO);
    const identity b = identity_of(read->path, STDIN_FILENO);
    return is_same(&a, &b);
}

bool kan_named_file_is_written(const kan_named_file *written, const kan_named_file *other) {
    const identity a = identity_of(written->path, STDOUT_FILENO);
    const identity b = identity_of(other->path, STDOUT_FILENO);
    return is_same(&a, &b);
}

/* ---- telling -------------------------------------------------------------------------------- */

const char *kan_named_file_what(const kan_named_file *file, char *room, size_t size) {
    static const char *const plain[] = {"input",    "original",   "certificate",
                                        "workload", "population", "hierarchy"};
    char quoted[256];
    if (file->column) {
        const bool is_order = strcmp(file->setting, "order") == 0;
        snprintf(room, size, "the %s of %s", is_order ? "order" : "hierarchy",
                 kan_quote((kan_slice){file->column, file->column_size}, quoted));
    } else if (strcmp(file->setting, "job") == 0) {
        snprintf(room, size, "the job file");
    } else if (IS_ONE_OF(file->setting, plain)) {
        snprintf(room, size, "the %s", file->setting);
    } else {
        snprintf(room, size, "the file of --%s", file->setting);
    }
    return room;
}

kan_status kan_named_file_check(kan_job *job, const char *command, const kan_named_file *written) {
    kan_named_files read, others;
    char what[512];
    KAN_TRY(kan_named_files_read(job, command, &read));
    KAN_TRY(kan_named_files_written(job, command, &others));
    for (size_t i = 0; i < read.n; i++)
        if (kan_named_file_is_read(written, &read.files[i]))
            return kan_fail(job->run, KAN_BAD_INPUT, "--%s %s is %s itself; choose another name",
                            written->setting, written->path,
                            kan_named_file_what(&read.files[i], what, sizeof what));
    for (size_t i = 0; i < others.n; i++)
        if (kan_named_file_is_written(written, &others.files[i]))
            return kan_fail(job->run, KAN_BAD_INPUT,
                            "--%s and --%s would both be written to %s; choose two files",
                            written->setting, others.files[i].setting, written->path);
    return KAN_OK;
}
