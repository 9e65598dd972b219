/* The folder of a project: made beside its place, under a name that nobody can guess, and named when all is in it.
 * Every name in it is this file's own. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/signs.h"
#include "job/import/import_inside.h"

enum { MOST_NAME = 80 };

static kan_status fail_system(const kan_import *import, const char *path, const char *what) {
    const int error = errno;
    return kan_fail(import->run,
                    error == ENOENT || error == ENOTDIR || error == EACCES ? KAN_BAD_INPUT
                                                                           : KAN_FAILED,
                    "%s: %s: %s; choose another place with -o", path, what, strerror(error));
}

static kan_status join(kan_import *import, const char *folder, const char *name, const char **out) {
    kan_text text;
    kan_text_init(&text, import->run);
    kan_text_print(&text, "%s/%s", folder, name);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(import->arena, text.bytes, text.size, out);
    kan_text_destroy(&text);
    return status;
}

kan_status kan_import_begin(kan_import *import) {
    struct stat there;
    size_t size = strlen(import->folder);
    const char *inner;
    char *room;
    while (size > 1 && import->folder[size - 1] == '/')
        size--;
    KAN_TRY(kan_arena_copy(import->arena, import->folder, size, &import->folder));
    if (lstat(import->folder, &there) == 0)
        return kan_fail(import->run, KAN_BAD_INPUT,
                        "%s: is there already; name a folder that is not, it will be made",
                        import->folder);
    KAN_TRY(kan_arena_alloc(import->arena, size + 8, 1, &room));
    (void)snprintf(room, size + 8, "%s.XXXXXX", import->folder);
    if (!mkdtemp(room))
        return fail_system(import, import->folder, "the folder cannot be made");
    import->hidden = room;
    KAN_TRY(join(import, import->hidden, "hierarchies", &inner));
    return mkdir(inner, 0700) == 0 ? KAN_OK
                                   : fail_system(import, inner, "the folder cannot be made");
}

/* ---- files ---------------------------------------------------------------------------------- */

static kan_status take_bytes(void *context, const char *bytes, size_t size) {
    return kan_target_write(context, bytes, size);
}

/* `top`: a line ends with this sign and *; 0: lines are copied as they are. */
typedef struct copying {
    kan_target *target;
    char top;
    bool is_quoted, is_begun;
} copying;

static kan_status end_with_top(copying *c) {
    const char end[] = {c->top, '*', '\n'};
    c->is_begun = false;
    return kan_target_write(c->target, end, sizeof end);
}

static kan_status take_line_bytes(void *context, const char *bytes, size_t size) {
    copying *const c = context;
    for (size_t i = 0; i < size; i++) {
        c->is_quoted ^= bytes[i] == '"';
        if (!c->is_quoted && bytes[i] == '\n' && c->is_begun)
            KAN_TRY(end_with_top(c));
        else if (c->is_quoted || (bytes[i] != '\n' && bytes[i] != '\r')) {
            c->is_begun = true;
            KAN_TRY(kan_target_write(c->target, bytes + i, 1));
        }
    }
    return KAN_OK;
}

static kan_status copy_bytes(kan_import *import, const char *part, char top, kan_target *target) {
    copying c = {.target = target, .top = top};
    if (!top)
        return kan_package_copy(&import->package, part, take_bytes, target);
    KAN_TRY(kan_package_copy(&import->package, part, take_line_bytes, &c));
    return c.is_begun ? end_with_top(&c) : KAN_OK;
}

static kan_status copy_part(kan_import *import, const char *part, const char *name, char top) {
    const char *path;
    kan_target *target;
    KAN_TRY(join(import, import->hidden, name, &path));
    KAN_TRY(kan_target_open(import->run, path, false, KAN_TARGET_PRIVATE, &target));
    kan_status status = copy_bytes(import, part, top, target);
    if (status == KAN_OK)
        status = kan_target_finish(target);
    if (status == KAN_OK)
        status = kan_target_sync(target);
    if (status == KAN_OK)
        status = kan_target_commit(target);
    kan_target_close(target);
    return status;
}

kan_status kan_import_put(kan_import *import, const char *name, const char *text) {
    const char *path;
    KAN_TRY(join(import, import->hidden, name, &path));
    return kan_target_put(import->run, path, false, KAN_TARGET_PRIVATE, text, strlen(text));
}

/* ---- hierarchies ---------------------------------------------------------------------------- */

typedef struct shape {
    char separator;
    bool is_quoted, was_quote, is_begun, has_top;
    uint64_t n_levels, n_fields; /* of the first line, and of this one */
    uint64_t n_lines;
    kan_text field, top;
} shape;

static void end_line(shape *s) {
    s->n_fields++;
    if (s->n_lines++ == 0) {
        s->n_levels = s->n_fields;
        kan_text_add(&s->top, s->field.size ? s->field.bytes : "", s->field.size);
    } else if (s->field.size != s->top.size ||
               (s->field.size && memcmp(s->field.bytes, s->top.bytes, s->field.size) != 0)) {
        s->has_top = false;
    }
    s->n_fields = 0;
    s->field.size = 0;
    s->is_begun = false;
}

/* How many levels a hierarchy has, and whether the last is one label. */
static kan_status look_at(void *context, const char *bytes, size_t size) {
    shape *const s = context;
    for (size_t i = 0; i < size; i++) {
        const char c = bytes[i];
        s->is_begun |= c != '\n' && c != '\r';
        if (c == '"')
            s->is_quoted = !s->is_quoted;
        else if (!s->is_quoted && c == s->separator)
            s->n_fields++, s->field.size = 0;
        else if (!s->is_quoted && c == '\n' && s->is_begun)
            end_line(s);
        else if (s->is_quoted || (c != '\n' && c != '\r'))
            kan_text_add(&s->field, &c, 1);
    }
    return kan_text_status(&s->field);
}

static char separator_of(const kan_import *import) {
    return import->separator && *import->separator ? *import->separator : ';';
}

static kan_status measure(kan_import *import, const char *part, kan_arx_column *column) {
    shape s = {.separator = separator_of(import), .has_top = true};
    kan_text_init(&s.field, import->run);
    kan_text_init(&s.top, import->run);
    kan_status status = kan_package_copy(&import->package, part, look_at, &s);
    if (status == KAN_OK && s.is_begun)
        end_line(&s);
    if (status == KAN_OK)
        status = kan_text_status(&s.top);
    column->n_levels = s.n_levels;
    column->has_top = s.has_top;
    kan_text_destroy(&s.field);
    kan_text_destroy(&s.top);
    return status;
}

static bool is_plain(const char *name) {
    const size_t size = strlen(name);
    for (size_t i = 0; i < size; i++)
        if (!kan_is_name_sign(name[i]) && name[i] != '-' && (name[i] != ' ' || i == 0))
            return false;
    return size > 0 && size <= MOST_NAME && name[0] != '-';
}

static kan_status copy_hierarchy(kan_import *import, size_t index) {
    kan_arx_column *const column = &import->columns[index];
    char name[MOST_NAME + 32];
    kan_text part;
    kan_text_init(&part, import->run);
    kan_text_print(&part, "input/hierarchies/%s.csv", column->name);
    kan_status status = kan_text_status(&part);
    if (status == KAN_OK && kan_package_has(&import->package, part.bytes)) {
        if (is_plain(column->name))
            (void)snprintf(name, sizeof name, "hierarchies/%s.csv", column->name);
        else
            (void)snprintf(name, sizeof name, "hierarchies/column-%zu.csv", index + 1);
        status = measure(import, part.bytes, column);
        if (status == KAN_OK)
            status =
                copy_part(import, part.bytes, name, column->has_top ? '\0' : separator_of(import));
        if (status == KAN_OK)
            status = kan_arena_copy(import->arena, name, strlen(name), &column->file);
    }
    kan_text_destroy(&part);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------ */

/* ARX writes the rows of a research subset once more; without one, all of them. */
static kan_status copy_table(kan_import *import) {
    static const char table[] = "data/input.csv", subset[] = "data/input_subset.csv";
    const char *path;
    uint64_t n_rows;
    bool is_all;
    if (!kan_package_has(&import->package, table))
        return kan_fail(import->run, KAN_BAD_INPUT,
                        "%s: the project has no table (data/input.csv); save it again in ARX with "
                        "its data",
                        import->package.stream.name);
    KAN_TRY(kan_import_look(import, table, &n_rows));
    KAN_TRY(copy_part(import, table, "data.csv", 0));
    if (!kan_package_has(&import->package, subset))
        return KAN_OK;
    KAN_TRY(join(import, import->hidden, "data.csv", &path));
    KAN_TRY(kan_import_is_file(import, subset, path, &is_all));
    if (is_all)
        return KAN_OK;
    KAN_TRY(kan_import_look(import, subset, &n_rows));
    if (n_rows == 0)
        return kan_fail(import->run, KAN_BAD_INPUT,
                        "%s: the research subset (%s) has no row; choose its rows in ARX, and save "
                        "the project again",
                        import->package.stream.name, subset);
    import->has_subset = true;
    return copy_part(import, subset, "subset.csv", 0);
}

static kan_status check_names(const kan_import *import) {
    char quoted[256];
    for (size_t i = 0; i < import->n_columns; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(import->columns[i].name, import->columns[j].name) == 0)
                return kan_fail(import->run, KAN_BAD_INPUT,
                                "%s: input/definition.xml names column %s twice",
                                import->package.stream.name,
                                kan_quote(kan_slice_of(import->columns[i].name), quoted));
    return KAN_OK;
}

/* Programs differ in which of the two they read. */
static kan_status check_parts(kan_import *import) {
    char quoted[256];
    const char *part;
    for (uint64_t at = 0; (part = kan_package_part_at(&import->package, at)) != NULL; at++) {
        KAN_TRY(kan_check_cancel(import->run));
        if (kan_package_is_double(&import->package, at))
            return kan_fail(import->run, KAN_BAD_INPUT,
                            "%s: the archive has two parts of the name %s, which ARX does not "
                            "write; do not use it",
                            import->package.stream.name, kan_quote(kan_slice_of(part), quoted));
    }
    return KAN_OK;
}

kan_status kan_import_copy(kan_import *import) {
    KAN_TRY(check_parts(import));
    KAN_TRY(check_names(import));
    KAN_TRY(copy_table(import));
    for (size_t i = 0; i < import->n_columns; i++)
        KAN_TRY(copy_hierarchy(import, i));
    return KAN_OK;
}

/* ---- its name ------------------------------------------------------------------------------- */

kan_status kan_import_commit(kan_import *import) {
    struct stat there;
    KAN_TRY(kan_check_cancel(import->run));
    if (lstat(import->folder, &there) == 0)
        return kan_fail(import->run, KAN_BAD_INPUT, "%s: was made by somebody else meanwhile",
                        import->folder);
    if (rename(import->hidden, import->folder) != 0)
        return fail_system(import, import->folder, "the folder cannot be named");
    import->hidden = NULL;
    return KAN_OK;
}

/* Plain files alone, of this file's own. */
static void empty(const char *path) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        (void)closedir(folder);
}

void kan_import_discard(kan_import *import) {
    char inner[4096];
    if (!import->hidden)
        return;
    (void)snprintf(inner, sizeof inner, "%s/hierarchies", import->hidden);
    empty(inner);
    (void)rmdir(inner);
    empty(import->hidden);
    (void)rmdir(import->hidden);
    import->hidden = NULL;
}
