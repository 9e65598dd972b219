#include "first_project.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "project.h"

/* ---- a file --------------------------------------------------------------------------------- */

/* Whether the project was made of this file: the copy has its size and its time. */
static bool is_of(const sv_project *project, const struct stat *file) {
    const char *input = project->error ? NULL : sv_setting(project, "input", 0);
    sv_text path = {0};
    struct stat seen;
    const bool is_same = input && sv_project_path(project, input, &path) &&
                         lstat(path.bytes, &seen) == 0 && seen.st_size == file->st_size &&
                         seen.st_mtim.tv_sec == file->st_mtim.tv_sec &&
                         seen.st_mtim.tv_nsec == file->st_mtim.tv_nsec;
    sv_text_free(&path);
    return is_same;
}

static bool find_made(sv_server *server, const struct stat *file, char **name) {
    char **names;
    const size_t n = sv_project_names(server, &names);
    *name = NULL;
    for (size_t i = 0; i < n; i++) {
        sv_project *project = *name ? NULL : sv_project_open(server, names[i]);
        if (project && is_of(project, file))
            *name = strdup(names[i]);
        sv_project_close(project);
        free(names[i]);
    }
    free(names);
    return *name != NULL;
}

bool sv_first_of_file(sv_server *server, const char *path, char **name, sv_text *error) {
    struct stat seen;
    if (stat(path, &seen) != 0) {
        sv_print(error, "%s: %s", path, strerror(errno));
        return false;
    }
    if (!S_ISREG(seen.st_mode)) {
        sv_print(error, "%s: this is not a file; name the file of a table", path);
        return false;
    }
    if (find_made(server, &seen, name))
        return true;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const struct timespec times[2] = {seen.st_mtim, seen.st_mtim};
    sv_text copy = {0};
    sv_print(&copy, "%s/.incoming-first", sv_folder(server));
    bool is_good = !copy.failed;
    if (is_good)
        (void)unlink(copy.bytes);
    if (is_good && !sv_file_copy(path, copy.bytes)) {
        sv_print(error, "%s: could not be copied to %s: %s", path, sv_folder(server),
                 strerror(errno));
        is_good = false;
    }
    if (is_good) {
        (void)utimensat(AT_FDCWD, copy.bytes, times, 0); /* else it is copied again next time */
        is_good = sv_project_create(server, "", copy.bytes, base, name, error);
    }
    if (!copy.failed)
        (void)unlink(copy.bytes);
    sv_text_free(&copy);
    return is_good;
}

/* ---- the demo ------------------------------------------------------------------------------- */

/* Columns by their number in the table, and what part they play; a quasi-identifier has its
 * hierarchy in a file of the same number. */
static const struct {
    const char *column;
    bool is_quasi;
} demo_columns[] = {
    {"age", true},           {"gender", true},
    {"race", true},          {"marital-status", true},
    {"education", false},    {"native-country", true},
    {"work-class", false},   {"occupation", false},
    {"salary-class", false},
};

enum { N_DEMO = sizeof demo_columns / sizeof *demo_columns };

static void ignore_line(void *user, const char *line, size_t size) {
    (void)user, (void)line, (void)size;
}

static void ignore_child(void *user, pid_t child) {
    (void)user, (void)child;
}

static void ignore_beat(void *user) {
    (void)user;
}

static bool generate(const char *program, const char *folder) {
    static const char *const words[] = {"generate", "census", "-o", "census.csv", "-q", NULL};
    static const char *const none[] = {NULL};
    const sv_child child = {.program = program,
                            .folder = folder,
                            .words = words,
                            .flags = none,
                            .on_line = ignore_line,
                            .on_child = ignore_child,
                            .on_beat = ignore_beat};
    sv_text why = {0};
    const int status = sv_child_run(&child, &why);
    sv_text_free(&why);
    return status == 0;
}

static bool move(const char *from_folder, const char *from, const char *to_folder, const char *to) {
    sv_text a = {0}, b = {0};
    sv_print(&a, "%s/%s", from_folder, from);
    sv_print(&b, "%s/%s", to_folder, to);
    const bool is_good = !a.failed && !b.failed && rename(a.bytes, b.bytes) == 0;
    sv_text_free(&a);
    sv_text_free(&b);
    return is_good;
}

/* The choices that `kanon demo` makes, too. */
static bool choose(sv_project *project, const char *made) {
    static const char *const keep[] = {"salary-class"};
    static const char *const drop[] = {"education", "work-class", "occupation"};
    char *values[N_DEMO];
    size_t n = 0;
    bool is_good = true;
    for (size_t i = 0; i < N_DEMO && is_good; i++) {
        sv_text from = {0}, to = {0}, value = {0};
        if (!demo_columns[i].is_quasi)
            continue;
        sv_print(&from, "census-hierarchies/%s.csv", demo_columns[i].column);
        sv_hierarchy_file(i, demo_columns[i].column, &to);
        sv_raw(&to, ".csv");
        is_good = !from.failed && !to.failed && move(made, from.bytes, project->folder, to.bytes);
        if (is_good)
            sv_print(&value, "%s=%s", demo_columns[i].column, to.bytes);
        is_good = is_good && !value.failed;
        sv_text_free(&from);
        sv_text_free(&to);
        if (is_good)
            values[n++] = value.bytes;
    }
    is_good = is_good && sv_set_all(project, "qi", (const char *const *)values, n) &&
              sv_set_all(project, "keep", keep, 1) && sv_set_all(project, "drop", drop, 3) &&
              sv_set(project, "k", "5") && sv_set(project, "suppress", "1%") &&
              sv_set(project, "cost", "ncp") && sv_project_save(project);
    while (n > 0)
        free(values[--n]);
    return is_good;
}

bool sv_first_of_demo(sv_server *server, const char *program, char **name, sv_text *error) {
    sv_project *there = sv_project_open(server, "census-demo");
    if (there) {
        sv_project_close(there);
        *name = strdup("census-demo");
        return *name != NULL;
    }
    sv_text made = {0}, table = {0};
    sv_print(&made, "%s/.new-demo-XXXXXX", sv_folder(server));
    bool is_good = !made.failed && mkdtemp(made.bytes) && generate(program, made.bytes);
    sv_print(&table, "%s/census.csv", made.failed ? "" : made.bytes);
    is_good = is_good && !table.failed &&
              sv_project_create(server, "census-demo", table.bytes, "census.csv", name, error);
    if (is_good) {
        sv_project *project = sv_project_open(server, *name);
        is_good = project && choose(project, made.bytes);
        sv_project_close(project);
    }
    if (!is_good && error->size == 0)
        sv_raw(error, "the built-in table could not be created");
    if (!made.failed)
        (void)sv_folder_remove(made.bytes);
    sv_text_free(&made);
    sv_text_free(&table);
    return is_good;
}
