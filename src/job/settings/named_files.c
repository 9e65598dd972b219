/* What a job reads and writes, and whether two names are one file. */
#include "job/settings/named_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/hierarchies/hierarchies.h"
#include "job/settings/settings.h"

/* ---- lists ---------------------------------------------------------------------------------- */

/* Several tables may come from one workbook: it is one file. */
static bool is_listed(const kan_named_files *list, const kan_named_file *file) {
    for (size_t i = 0; i < list->n; i++)
        if (!file->column && strcmp(list->files[i].setting, file->setting) == 0 &&
            strcmp(list->files[i].path, file->path) == 0)
            return true;
    return false;
}

static kan_status add(kan_job *job, kan_named_files *list, kan_named_file file) {
    if (kan_memory_file_is_name(file.path) || is_listed(list, &file))
        return KAN_OK;
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

/* DIR/NAME.ENDING, where that exists. */
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

/* All hierarchies of a folder: for commands that look into it before they know the columns. */
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

bool kan_is_directory(const char *path) {
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
    if (!dir || strcmp(setting, "column") == 0) /* whose hierarchies are made */
        return KAN_OK;
    KAN_TRY(add_if_there(job, list, dir, name, ".csv"));
    return add_if_there(job, list, dir, name, ".txt");
}

/* Whether the command reads a certificate, which says itself what columns it is about. */
static bool reads_certificate(const kan_job *job, const char *command) {
    const kan_setting_entry *entry = kan_setting_entry_for("certificate", command);
    return entry && entry->setting.file == KAN_FILE_READ &&
           kan_options_find(&job->options, "certificate");
}

static kan_status add_path(kan_job *job, const char *command, const char *setting,
                           const char *value, kan_named_files *list) {
    const bool is_hierarchy = strcmp(setting, "hierarchy") == 0;
    if ((is_hierarchy && kan_hierarchy_is_spec(value)) ||
        (job->table && strcmp(setting, "input") == 0))
        return KAN_OK;
    /* Of a folder what the quasi-identifiers need, unless nobody knows them yet. */
    if (strcmp(setting, "hierarchies") == 0)
        return reads_certificate(job, command) ? add_folder(job, list, value) : KAN_OK;
    if (is_hierarchy && kan_is_directory(value))
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

static kan_status add_read(kan_job *job, const kan_job *from, const char *command,
                           kan_named_files *out) {
    for (size_t i = 0; i < from->options.n; i++) {
        const struct kan_option_value *said = &from->options.values[i];
        const kan_setting_entry *entry = kan_setting_entry_for(said->name, command);
        if (entry && entry->setting.file == KAN_FILE_READ)
            KAN_TRY(add_value(job, command, entry, said->value, out));
    }
    return KAN_OK;
}

kan_status kan_named_files_read(kan_job *job, const char *command, kan_named_files *out) {
    *out = (kan_named_files){.n = 0};
    KAN_TRY(add_read(job, job, command, out));
    for (const kan_job_part *part = job->parts; part; part = part->next) {
        const bool has_own = kan_options_find(&part->job->options, "hierarchies") != NULL;
        KAN_TRY(add_read(has_own ? part->job : job, part->job, command, out));
    }
    for (const kan_job_origin *origin = job->origins; origin; origin = origin->next)
        KAN_TRY(add(job, out, (kan_named_file){.setting = "job", .path = origin->path}));
    return KAN_OK;
}

/* ---- what is written ------------------------------------------------------------------------ */

static bool is_folder(const char *path) {
    const size_t size = strlen(path);
    return size == 0 || path[size - 1] == '/' || kan_is_directory(path);
}

/* Files of one use, in the order of the settings. */
static kan_status add_written(kan_job *job, const char *command, kan_file_use use,
                              kan_named_files *list) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting_entry *entry = kan_setting_entry_at(i);
        const char *path = kan_options_find(&job->options, entry->setting.name);
        if (path && entry->setting.file == use && kan_setting_is_for(&entry->setting, command) &&
            !(entry->may_be_folder && is_folder(path)))
            KAN_TRY(add(job, list, (kan_named_file){.setting = entry->setting.name, .path = path}));
    }
    return KAN_OK;
}

kan_status kan_named_files_written(kan_job *job, const char *command, kan_named_files *out) {
    *out = (kan_named_files){.n = 0};
    KAN_TRY(add_written(job, command, KAN_FILE_WRITTEN, out));
    return add_written(job, command, KAN_FILE_EXTENDED, out);
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
        /* A terminal or a pipe cannot be overwritten. */
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

/* Of tables in a database that are written differently the engine itself knows it. */
static bool is_same_file(const char *a, int a_standard, const char *b, int b_standard) {
    if (kan_path_is_address(a) || kan_path_is_address(b))
        return strcmp(a, b) == 0;
    const identity first = identity_of(a, a_standard), second = identity_of(b, b_standard);
    return is_same(&first, &second);
}

bool kan_named_file_is_read(const kan_named_file *written, const kan_named_file *read) {
    return is_same_file(written->path, STDOUT_FILENO, read->path, STDIN_FILENO);
}

bool kan_named_file_is_written(const kan_named_file *written, const kan_named_file *other) {
    return is_same_file(written->path, STDOUT_FILENO, other->path, STDOUT_FILENO);
}

/* ---- telling -------------------------------------------------------------------------------- */

const char *kan_named_file_what(const kan_named_file *file, char *room, size_t size) {
    const kan_setting_entry *entry = kan_setting_entry_find(file->setting);
    char quoted[256];
    if (file->column) {
        const bool is_order = strcmp(file->setting, "order") == 0;
        snprintf(room, size, "the %s of %s", is_order ? "order" : "hierarchy",
                 kan_quote((kan_slice){file->column, file->column_size}, quoted));
    } else if (entry && entry->what) {
        snprintf(room, size, "the %s", entry->what);
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
