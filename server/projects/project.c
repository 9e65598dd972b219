#include "project.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

#define JOB_FILE    "kanon.yaml"
#define HIERARCHIES "hierarchies"

enum { MOST_NAME = 60, MOST_SMALL = 64 << 20 };

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_project_name(const char *name) {
    const size_t n = strlen(name);
    if (n == 0 || n > MOST_NAME + 12 || !sv_is_letter_or_digit(name[0]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!sv_is_letter_or_digit(name[i]) && name[i] != '-' && name[i] != '_')
            return false;
    return true;
}

/* What is left of a text as the name of a file or a folder: letters, digits, `others`; a `-` for
 * each run of anything else. */
static void add_name(sv_text *out, const char *text, size_t size, const char *others) {
    const size_t began = out->size;
    bool has_gap = false;
    for (size_t i = 0; i < size && out->size - began < MOST_NAME; i++) {
        const bool is_good = sv_is_letter_or_digit(text[i]) || (text[i] && strchr(others, text[i]));
        if (is_good && has_gap && out->size > began)
            sv_raw(out, "-");
        if (is_good)
            sv_bytes(out, &text[i], 1);
        has_gap = !is_good;
    }
}

/* A release has its job file beside the table, and would overwrite it. */
static bool is_release_job(const char *name) {
    const char *ending = strrchr(name, '.');
    return strncasecmp(name, "release-", 8) == 0 && ending && strcasecmp(ending, ".yaml") == 0;
}

/* The name of the table's file: its own, as far as it is plain. Its ending says what it is. */
static void table_name(const char *file_name, sv_text *out) {
    const char *slash = strrchr(file_name, '/'), *back = strrchr(file_name, '\\');
    const char *base = slash ? slash + 1 : file_name;
    if (back && back + 1 > base)
        base = back + 1;
    while (*base && !sv_is_letter_or_digit(*base))
        base++;
    const size_t size = strlen(base), kept = 40, began = out->size;
    /* A long name keeps its end. */
    if (size > MOST_NAME)
        add_name(out, base, kept, "_");
    add_name(out, size > MOST_NAME ? base + size - 16 : base, size > MOST_NAME ? 16 : size,
             size > MOST_NAME ? "._" : "._-");
    if (out->size == began)
        sv_raw(out, "table.csv");
    const char *const ours[] = {JOB_FILE, "work", "hierarchies", "releases"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!out->failed && strcasecmp(out->bytes, ours[i]) == 0)
            sv_raw(out, ".csv");
    if (!out->failed && is_release_job(out->bytes))
        sv_raw(out, ".csv");
}

/* ---- opening -------------------------------------------------------------------------------- */

void sv_project_close(sv_project *project) {
    if (!project)
        return;
    kan_job_destroy(project->job);
    kan_job_destroy(project->tables);
    kan_run_destroy(project->run);
    free(project->name);
    free(project->folder);
    free(project->error);
    free(project);
}

/* A value with the project's own folder left out of its path: job files that are loaded have whole
 * paths, and commands run in the folder. */
static void shorten(const sv_project *project, const char *value, sv_text *out) {
    const char *at = strstr(value, project->folder);
    const size_t n = strlen(project->folder);
    if (at && (at == value || at[-1] == '=') && at[n] == '/') {
        sv_bytes(out, value, (size_t)(at - value));
        value = at + n + 1;
    }
    sv_raw(out, value);
}

/* Whether an earlier line of the table has the same name. */
static bool is_repeated(size_t index) {
    return kan_setting_find(kan_setting_at(index)->name) != kan_setting_at(index);
}

/* Adds every setting of a job to another, but one of them; NULL: but secrets. */
static kan_status add_all(const sv_project *project, kan_job *to, const kan_job *from,
                          const char *but) {
    kan_status status = KAN_OK;
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const char *name = kan_setting_at(i)->name, *value;
        if (is_repeated(i) ||
            (but ? strcmp(name, but) == 0 : kan_setting_is_secret(kan_setting_at(i))))
            continue;
        for (size_t at = 0; status == KAN_OK && (value = kan_job_get(from, name, at)); at++) {
            sv_text plain = {0};
            shorten(project, value, &plain);
            status = plain.failed ? KAN_FAILED : kan_job_add(to, name, plain.bytes);
            sv_text_free(&plain);
        }
    }
    return status;
}

static bool load(sv_project *project, const char *file) {
    sv_text path = {0};
    kan_job *read = NULL;
    struct stat seen;
    const char *text; /* pages write what they read; what cannot be written is refused here */
    bool is_good = sv_below(project->folder, file, &path) && !path.failed;
    if (is_good && lstat(path.bytes, &seen) == 0 && !S_ISREG(seen.st_mode)) {
        /* a pipe would be waited for, and the server with it */
        sv_text_free(&path);
        project->error = strdup("The job file is not a plain file.");
        return project->error != NULL;
    }
    is_good = is_good && kan_job_create(project->run, &read) == KAN_OK;
    bool is_read = is_good && kan_job_load(read, path.bytes) == KAN_OK;
    const bool has_tables = is_read && kan_job_n_tables(read) > 0;
    is_read = is_read && (has_tables || kan_job_write(read, &text) == KAN_OK) &&
              add_all(project, project->job, read, "") == KAN_OK;
    if (is_good && !is_read) {
        project->error = strdup(kan_run_error(project->run));
        is_good = project->error != NULL;
    } else if (has_tables) {
        project->tables = read;
        read = NULL;
    }
    kan_job_destroy(read);
    sv_text_free(&path);
    return is_good;
}

/* Takes the name of the folder. */
static sv_project *open_job(char *folder, const char *name, const char *file) {
    sv_project *project = calloc(1, sizeof *project);
    if (!project || !folder) {
        free(project);
        free(folder);
        return NULL;
    }
    project->folder = folder;
    project->name = strdup(name);
    project->run = kan_run_create();
    if (!project->name || !project->run || kan_job_create(project->run, &project->job) != KAN_OK ||
        !load(project, file)) {
        sv_project_close(project);
        return NULL;
    }
    return project;
}

sv_project *sv_project_open(sv_server *server, const char *name) {
    sv_text folder = {0};
    struct stat seen;
    if (!is_project_name(name) || !sv_below(sv_folder(server), name, &folder) || folder.failed ||
        lstat(folder.bytes, &seen) != 0 || !S_ISDIR(seen.st_mode)) {
        sv_text_free(&folder);
        return NULL;
    }
    return open_job(folder.bytes, name, JOB_FILE);
}

sv_project *sv_project_open_job(const sv_project *project, const char *file) {
    return open_job(strdup(project->folder), project->name, file);
}

typedef struct {
    char *name;
    struct timespec changed;
} listed;

static int by_change(const void *a, const void *b) {
    const listed *x = a, *y = b;
    if (x->changed.tv_sec != y->changed.tv_sec)
        return x->changed.tv_sec < y->changed.tv_sec ? 1 : -1;
    if (x->changed.tv_nsec != y->changed.tv_nsec)
        return x->changed.tv_nsec < y->changed.tv_nsec ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* When the job file of a project was changed; false: there is none. */
static bool job_time(const char *folder, const char *name, struct timespec *out) {
    sv_text path = {0};
    struct stat seen;
    sv_print(&path, "%s/%s/" JOB_FILE, folder, name);
    const bool is_there = !path.failed && lstat(path.bytes, &seen) == 0 && S_ISREG(seen.st_mode);
    sv_text_free(&path);
    if (is_there)
        *out = seen.st_mtim;
    return is_there;
}

size_t sv_project_names(sv_server *server, char ***names) {
    DIR *list = opendir(sv_folder(server));
    listed *all = NULL;
    size_t n = 0, room = 0;
    *names = NULL;
    if (!list)
        return 0;
    for (struct dirent *entry; (entry = readdir(list));) {
        struct timespec changed;
        if (!is_project_name(entry->d_name) ||
            !job_time(sv_folder(server), entry->d_name, &changed))
            continue;
        if (n == room) {
            room = room ? 2 * room : 16;
            listed *more = realloc(all, room * sizeof *all);
            if (!more)
                break;
            all = more;
        }
        all[n] = (listed){strdup(entry->d_name), changed};
        if (!all[n].name)
            break;
        n++;
    }
    closedir(list);
    if (n > 1)
        qsort(all, n, sizeof *all, by_change);
    *names = n ? malloc(n * sizeof **names) : NULL;
    for (size_t i = 0; i < n; i++)
        if (*names)
            (*names)[i] = all[i].name;
        else
            free(all[i].name);
    free(all);
    return *names ? n : 0;
}

/* ---- making and deleting -------------------------------------------------------------------- */

static bool fill(const char *folder, const char *path, const char *table) {
    sv_text to = {0}, job = {0};
    const char *const inner[] = {"hierarchies", "work", "releases"};
    sv_print(&to, "%s/%s", folder, table);
    bool is_good = !to.failed && rename(path, to.bytes) == 0;
    for (size_t i = 0; i < 3 && is_good; i++) {
        to.size = 0;
        sv_print(&to, "%s/%s", folder, inner[i]);
        is_good = !to.failed && sv_folder_make(to.bytes);
    }
    to.size = 0;
    sv_print(&to, "%s/" JOB_FILE, folder);
    sv_print(&job, "input: %s\ncost: ncp\n", table); /* its name is plain: table_name */
    is_good = is_good && !to.failed && !job.failed && sv_file_write(to.bytes, job.bytes, job.size);
    sv_text_free(&to);
    sv_text_free(&job);
    return is_good;
}

/* Gives the folder the first free name: title, title-2, title-3. */
static bool name_it(sv_server *server, const char *made, const char *title, char **name) {
    for (unsigned i = 1; i < 10000; i++) {
        sv_text to = {0}, given = {0};
        add_name(&given, title, strcspn(title, "."), "_");
        if (given.size == 0)
            sv_raw(&given, "project");
        if (i > 1)
            sv_print(&given, "-%u", i);
        sv_print(&to, "%s/%s", sv_folder(server), given.bytes ? given.bytes : "");
        const bool is_there = to.failed || given.failed || access(to.bytes, F_OK) == 0;
        const bool is_done = !is_there && rename(made, to.bytes) == 0;
        sv_text_free(&to);
        if (is_done) {
            sv_folder_sync(sv_folder(server));
            *name = given.bytes;
            return true;
        }
        sv_text_free(&given);
        if (!is_there && errno != EEXIST && errno != ENOTEMPTY)
            return false;
    }
    return false;
}

bool sv_project_create(sv_server *server, const char *title, const char *path,
                       const char *file_name, char **name, sv_text *error) {
    sv_text made = {0}, table = {0};
    sv_print(&made, "%s/.new-XXXXXX", sv_folder(server));
    table_name(file_name, &table);
    const char *wanted = *title ? title : table.failed ? "" : table.bytes;
    bool is_good = !made.failed && !table.failed && mkdtemp(made.bytes);
    if (is_good) {
        is_good = fill(made.bytes, path, table.bytes) && name_it(server, made.bytes, wanted, name);
        if (!is_good)
            sv_print(error, "The project could not be created: %s.", strerror(errno));
        if (!is_good)
            (void)sv_folder_remove(made.bytes);
    } else {
        sv_print(error, "No folder could be created in %s: %s.", sv_folder(server),
                 strerror(errno));
    }
    sv_text_free(&made);
    sv_text_free(&table);
    return is_good;
}

bool sv_project_delete(sv_server *server, const char *name, sv_text *error) {
    sv_text path = {0}, gone = {0};
    /* Under a name that no project has first: a kill in the middle leaves no half project. */
    bool is_good = is_project_name(name) && sv_below(sv_folder(server), name, &path);
    sv_print(&gone, "%s/.gone-%s", sv_folder(server), name);
    is_good = is_good && !path.failed && !gone.failed;
    if (is_good)
        (void)sv_folder_remove(gone.bytes);
    is_good = is_good && rename(path.bytes, gone.bytes) == 0 && sv_folder_remove(gone.bytes);
    if (!is_good)
        sv_print(error, "The project could not be deleted: %s.", strerror(errno));
    sv_text_free(&path);
    sv_text_free(&gone);
    return is_good;
}

/* ---- settings ------------------------------------------------------------------------------- */

const char *sv_setting(const sv_project *project, const char *name, size_t index) {
    return kan_job_get(project->job, name, index);
}

bool sv_table_setting(const sv_project *project, size_t table, const char *name, size_t index,
                      sv_text *out) {
    const char *value = kan_job_table_get(project->tables, table, name, index);
    if (value)
        shorten(project, value, out);
    return value != NULL;
}

bool sv_set_all(sv_project *project, const char *name, const char *const *values, size_t n) {
    kan_job *job = NULL;
    if (kan_job_create(project->run, &job) != KAN_OK)
        return false;
    kan_status status = add_all(project, job, project->job, name);
    for (size_t i = 0; i < n && status == KAN_OK; i++)
        status = kan_job_add(job, name, values[i]);
    if (status != KAN_OK) {
        kan_job_destroy(job);
        return false;
    }
    kan_job_destroy(project->job);
    project->job = job;
    return true;
}

bool sv_set(sv_project *project, const char *name, const char *value) {
    return sv_set_all(project, name, &value, value ? 1 : 0);
}

bool sv_project_save(sv_project *project) {
    const char *text;
    return !project->tables && kan_job_write(project->job, &text) == KAN_OK &&
           sv_project_write(project, JOB_FILE, text, strlen(text));
}

/* A line for each secret of the project. */
static void tell_secrets(const sv_project *project, sv_text *out) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (!is_repeated(i) && kan_setting_is_secret(setting) &&
            sv_setting(project, setting->name, 0))
            sv_print(out, "# %s: a secret, which is not shown\n", setting->name);
    }
}

char *sv_project_shown(const sv_project *project, size_t *size) {
    sv_text out = {0};
    kan_job *job = NULL;
    const char *text = "";
    tell_secrets(project, &out);
    if (out.size == 0 && !out.failed)
        return sv_project_text(project, JOB_FILE, size);
    if (project->tables) { /* the rest cannot be told from the secret without writing it anew */
        *size = out.size;
        return out.bytes;
    }
    if (kan_job_create(project->run, &job) == KAN_OK &&
        add_all(project, job, project->job, NULL) == KAN_OK && kan_job_write(job, &text) == KAN_OK)
        sv_raw(&out, text);
    kan_job_destroy(job);
    *size = out.size;
    return out.bytes;
}

/* The name, size and time of a file of the project. */
static void add_file_key(const sv_project *project, const char *relative, sv_text *out) {
    sv_text path = {0};
    struct stat seen;
    if (sv_below(project->folder, relative, &path) && !path.failed && lstat(path.bytes, &seen) == 0)
        sv_print(out, "%s %lld %lld.%09ld\n", relative, (long long)seen.st_size,
                 (long long)seen.st_mtim.tv_sec, seen.st_mtim.tv_nsec);
    sv_text_free(&path);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of all files in a folder of the project. */
static void add_folder_keys(const sv_project *project, const char *folder, sv_text *out) {
    sv_text path = {0};
    char *names[1024];
    size_t n = 0;
    DIR *list = sv_below(project->folder, folder, &path) ? opendir(path.bytes) : NULL;
    for (struct dirent *entry; list && n < 1024 && (entry = readdir(list));)
        if (entry->d_name[0] != '.' && (names[n] = strdup(entry->d_name)))
            n++;
    if (list)
        closedir(list);
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++) {
        path.size = 0;
        sv_print(&path, "%s/%s", folder, names[i]);
        if (!path.failed)
            add_file_key(project, path.bytes, out);
        free(names[i]);
    }
    sv_text_free(&path);
}

/* What a key is of. */
typedef enum { OF_TABLE, OF_ALL, OF_RELEASE } key_of;

/* The setting as a command knows it; NULL: it is none of that command. */
static const kan_setting *setting_for(const char *name, const char *command) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (strcmp(setting->name, name) == 0 && kan_setting_is_for(setting, command))
            return setting;
    }
    return NULL;
}

/* Whether what is found depends on the file that a setting names. What a search adds to is its own: with
 * that in its key, a result would be stale as soon as it is there. And so would a release be, with
 * what is added to when it is made. */
static bool depends_on_file(const kan_setting *first, key_of of) {
    const kan_setting *setting = setting_for(first->name, "anonymize");
    setting = setting ? setting : first;
    if ((setting->traits & KAN_TRAIT_OUTPUT) || strcmp(setting->name, "input") == 0)
        return false;
    if (of == OF_TABLE && !(setting->traits & KAN_TRAIT_READING) &&
        !(kan_setting_takes_path(setting) && setting_for(setting->name, "profile")))
        return false;
    if (setting->file == KAN_FILE_EXTENDED) {
        const kan_setting *search = setting_for(setting->name, "search");
        return of == OF_ALL && (!search || search->file == KAN_FILE_READ);
    }
    return setting->file == KAN_FILE_READ;
}

/* A value is a path, or has one behind an equals sign. Columns may have that sign in their names, and
 * what stands behind it may be no file at all: every end of the value that is a file counts.
 * Those in hierarchies/ have a line already. */
static void add_value_keys(const sv_project *project, const char *value, sv_text *out) {
    for (const char *at = value, *sign; at; at = sign ? sign + 1 : NULL) {
        sv_text path = {0};
        struct stat seen;
        sign = strchr(at, '=');
        if (strncmp(at, HIERARCHIES "/", sizeof HIERARCHIES) != 0 && strcmp(at, HIERARCHIES) != 0 &&
            sv_below(project->folder, at, &path) && !path.failed && lstat(path.bytes, &seen) == 0) {
            sv_raw(out, "reads ");
            if (S_ISREG(seen.st_mode))
                add_file_key(project, at, out);
            else
                add_folder_keys(project, at, out);
        }
        sv_text_free(&path);
    }
}

/* Of several tables: the job file, and the time of each table's own, and of what it reads. */
static void add_tables_key(const sv_project *project, key_of of, sv_text *out) {
    add_file_key(project, JOB_FILE, out);
    for (size_t t = 0; t < kan_job_n_tables(project->tables); t++)
        for (size_t i = 0; i < kan_setting_count(); i++) {
            const kan_setting *setting = kan_setting_at(i);
            const bool is_input = strcmp(setting->name, "input") == 0;
            sv_text value = {0};
            for (size_t at = 0;
                 !is_repeated(i) && sv_table_setting(project, t, setting->name, at, &value);
                 at++, value.size = 0)
                if (!value.failed && is_input)
                    add_file_key(project, value.bytes, out);
                else if (!value.failed && depends_on_file(setting, of))
                    add_value_keys(project, value.bytes, out);
            sv_text_free(&value);
        }
}

static void add_key(const sv_project *project, key_of of, sv_text *out) {
    const char *input = sv_setting(project, "input", 0), *value;
    if (input)
        add_file_key(project, input, out);
    if (project->tables)
        add_tables_key(project, of, out);
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        const bool is_part = of != OF_TABLE || (setting->traits & KAN_TRAIT_READING);
        if (is_repeated(i) || !sv_setting(project, setting->name, 0))
            continue;
        const bool is_of_file = depends_on_file(setting, of);
        for (size_t at = 0; (value = sv_setting(project, setting->name, at)); at++) {
            if (is_part)
                sv_print(out, "%s: %s\n", setting->name, value);
            if (is_of_file)
                add_value_keys(project, value, out);
        }
    }
    if (of != OF_TABLE)
        add_folder_keys(project, HIERARCHIES, out);
}

void sv_project_key(const sv_project *project, bool whole, sv_text *out) {
    add_key(project, whole ? OF_ALL : OF_TABLE, out);
}

void sv_project_release_key(const sv_project *project, sv_text *out) {
    add_key(project, OF_RELEASE, out);
}

/* ---- files ---------------------------------------------------------------------------------- */

bool sv_project_path(const sv_project *project, const char *relative, sv_text *out) {
    return sv_below(project->folder, relative, out) && !out->failed;
}

char *sv_project_text(const sv_project *project, const char *relative, size_t *size) {
    sv_text path = {0};
    char *text = NULL;
    if (sv_project_path(project, relative, &path))
        text = sv_file_read(path.bytes, MOST_SMALL, size);
    sv_text_free(&path);
    return text;
}

bool sv_project_has(const sv_project *project, const char *relative) {
    sv_text path = {0};
    const bool is_there =
        sv_project_path(project, relative, &path) && access(path.bytes, R_OK) == 0;
    sv_text_free(&path);
    return is_there;
}

json_t *sv_project_json(const sv_project *project, const char *relative) {
    size_t size;
    char *text = sv_project_text(project, relative, &size);
    json_t *json = text ? json_loadb(text, size, 0, NULL) : NULL;
    free(text);
    return json;
}

bool sv_project_is_large(const sv_project *project, const char *relative) {
    sv_text path = {0};
    struct stat seen;
    const bool is_large = sv_project_path(project, relative, &path) &&
                          lstat(path.bytes, &seen) == 0 && S_ISREG(seen.st_mode) &&
                          seen.st_size > MOST_SMALL;
    sv_text_free(&path);
    return is_large;
}

bool sv_project_write(const sv_project *project, const char *relative, const char *bytes,
                      size_t size) {
    sv_text path = {0};
    const bool is_good =
        sv_project_path(project, relative, &path) && sv_file_write(path.bytes, bytes, size);
    sv_text_free(&path);
    return is_good;
}

bool sv_project_remove(const sv_project *project, const char *relative) {
    sv_text path = {0};
    const bool is_good = sv_project_path(project, relative, &path) && sv_folder_remove(path.bytes);
    sv_text_free(&path);
    return is_good;
}

bool sv_project_bring(const sv_project *project, const char *prefix, const char *path,
                      const char *file_name, sv_text *stored) {
    sv_text to = {0};
    sv_raw(stored, prefix);
    table_name(file_name, stored);
    const bool is_good = !stored->failed && sv_project_path(project, stored->bytes, &to) &&
                         rename(path, to.bytes) == 0;
    sv_text_free(&to);
    return is_good;
}

/* ---- columns -------------------------------------------------------------------------------- */

json_t *sv_profile_columns(const json_t *profile) {
    json_t *columns = json_object_get(profile, "columns");
    return json_is_array(columns) ? columns : NULL;
}

/* Where a value of the setting qi ends to be the name of this column: at its end, or before an
 * equals sign; NULL: it names another. */
static const char *after_name(const char *value, const char *column) {
    const size_t n = strlen(column);
    /* A name with signs of its own stands in double quotes (kan_job_set_column). */
    if (value[0] == '"' && strncmp(value + 1, column, n) == 0 && value[n + 1] == '"' &&
        (value[n + 2] == '\0' || value[n + 2] == '='))
        return value + n + 2 + (value[n + 2] == '=');
    if (strncmp(value, column, n) != 0 || (value[n] != '\0' && value[n] != '='))
        return NULL;
    return value + n + (value[n] == '=');
}

char *sv_column_hierarchy(const sv_project *project, const char *column) {
    const char *value, *spec;
    for (size_t i = 0; (value = sv_setting(project, "qi", i)); i++)
        if ((spec = after_name(value, column)))
            return strdup(spec);
    return NULL;
}

void sv_hierarchy_file(size_t index, const char *column, sv_text *out) {
    sv_print(out, "hierarchies/c%zu", index);
    sv_text name = {0};
    add_name(&name, column, strlen(column), "_");
    if (name.size)
        sv_print(out, "-%.40s", name.bytes);
    sv_text_free(&name);
}
