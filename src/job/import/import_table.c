/* The table of a project, looked at before a job is made of it: which columns it has, how many rows, and whether ARX's
 * text for what is missing is in it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "job/import/import_inside.h"

static const char missing[] = "NULL"; /* as ARX writes what is missing */

/* A column of the definition, among others in the order of their names. */
typedef struct named {
    const char *name;
    bool is_there;
} named;

typedef struct scan {
    char separator, quote, escape; /* escape 0: quotes are doubled */
    bool is_quoted, was_quote, is_escaped, is_begun, has_missing;
    uint64_t n_lines; /* that are not empty */
    kan_text field;
    named *columns;
    size_t n_columns;
} scan;

static int by_name(const void *a, const void *b) {
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

/* The column of that name; the field has no byte 0 behind it. */
static named *find(const scan *s, kan_slice name) {
    size_t low = 0, high = s->n_columns;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *const other = s->columns[middle].name;
        const size_t size = strlen(other);
        const size_t least = size < name.size ? size : name.size;
        int order = least ? memcmp(other, name.bytes, least) : 0;
        if (order == 0)
            order = (size > name.size) - (size < name.size);
        if (order == 0)
            return &s->columns[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void end_field(scan *s) {
    static const char mark[] = "\xef\xbb\xbf";
    kan_slice field = {s->field.size ? s->field.bytes : "", s->field.size};
    named *column;
    if (s->n_lines > 0) {
        s->has_missing |= kan_slice_is(field, missing);
    } else {
        if (field.size >= 3 && memcmp(field.bytes, mark, 3) == 0)
            field = (kan_slice){field.bytes + 3, field.size - 3};
        if ((column = find(s, field)) != NULL)
            column->is_there = true;
    }
    s->field.size = 0;
    s->was_quote = false;
}

/* Of a row no more is kept than tells whether it is the text for what is missing. */
static void add(scan *s, char byte) {
    if (s->n_lines == 0 || s->field.size < sizeof missing)
        kan_text_add(&s->field, &byte, 1);
}

static void take_byte(scan *s, char byte) {
    if (!s->is_quoted && (byte == '\n' || byte == '\r')) {
        if (s->is_begun) {
            end_field(s);
            s->n_lines++;
        }
        s->is_begun = false;
        return;
    }
    s->is_begun = true;
    if (s->is_escaped) {
        s->is_escaped = false;
        add(s, byte);
    } else if (s->escape && byte == s->escape) {
        s->is_escaped = true;
    } else if (byte == s->quote) {
        if (!s->is_quoted && s->was_quote)
            add(s, byte);
        s->was_quote = s->is_quoted;
        s->is_quoted = !s->is_quoted;
    } else if (!s->is_quoted && byte == s->separator) {
        end_field(s);
    } else {
        s->was_quote = false;
        add(s, byte);
    }
}

static kan_status look(void *context, const char *bytes, size_t size) {
    scan *const s = context;
    for (size_t i = 0; i < size; i++)
        take_byte(s, bytes[i]);
    return kan_text_status(&s->field);
}

static kan_status check(kan_import *import, const char *part, const scan *s) {
    char quoted[256];
    for (size_t i = 0; i < s->n_columns; i++)
        if (!s->columns[i].is_there)
            return kan_fail(import->run, KAN_BAD_INPUT,
                            "%s: input/definition.xml names column %s, which %s does not have; "
                            "save the project again in ARX",
                            import->package.stream.name,
                            kan_quote(kan_slice_of(s->columns[i].name), quoted), part);
    return KAN_OK;
}

static kan_status look_at(kan_import *import, const char *part, scan *s) {
    kan_text_init(&s->field, import->run);
    kan_status status = kan_package_copy(&import->package, part, look, s);
    if (status == KAN_OK && s->is_begun)
        take_byte(s, s->is_quoted ? s->quote : '\n');
    if (status == KAN_OK && s->is_begun)
        take_byte(s, '\n');
    if (status == KAN_OK)
        status = kan_text_status(&s->field);
    kan_text_destroy(&s->field);
    return status == KAN_OK ? check(import, part, s) : status;
}

static char sign(const char *said, char otherwise) {
    return said && *said ? *said : otherwise;
}

kan_status kan_import_look(kan_import *import, const char *part, uint64_t *n_rows) {
    scan s = {.separator = sign(import->separator, ';'),
              .quote = sign(import->quote, '"'),
              .escape = sign(import->escape, '"'),
              .n_columns = import->n_columns};
    if (s.escape == s.quote)
        s.escape = '\0';
    KAN_TRY(kan_alloc(import->run, s.n_columns, sizeof *s.columns, &s.columns));
    for (size_t i = 0; i < s.n_columns; i++)
        s.columns[i] = (named){import->columns[i].name, false};
    qsort(s.columns, s.n_columns, sizeof *s.columns, by_name);
    const kan_status status = look_at(import, part, &s);
    kan_free(import->run, s.columns);
    import->has_missing |= s.has_missing;
    *n_rows = s.n_lines > 0 ? s.n_lines - 1 : 0;
    return status;
}

/* ---- whether a part is a file, byte for byte -------------------------------------------------- */

typedef struct comparing {
    kan_import *import;
    const char *path;
    int file;
    bool differs;
} comparing;

/* As many bytes as there are, at most `size`. */
static kan_status read_all(const comparing *c, char *bytes, size_t size, size_t *out) {
    *out = 0;
    while (*out < size) {
        const ssize_t n = read(c->file, bytes + *out, size - *out);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return kan_fail(c->import->run, KAN_FAILED, "%s: cannot be read: %s", c->path,
                            strerror(errno));
        if (n == 0)
            break;
        *out += (size_t)n;
    }
    return KAN_OK;
}

static kan_status compare(void *context, const char *bytes, size_t size) {
    comparing *const c = context;
    char room[4096];
    for (size_t at = 0, n; at < size && !c->differs; at += n) {
        const size_t want = size - at < sizeof room ? size - at : sizeof room;
        KAN_TRY(read_all(c, room, want, &n));
        c->differs = n < want || memcmp(room, bytes + at, n) != 0;
    }
    return KAN_OK;
}

kan_status kan_import_is_file(kan_import *import, const char *part, const char *path, bool *out) {
    comparing c = {.import = import, .path = path, .file = open(path, O_RDONLY | O_CLOEXEC)};
    size_t n = 0;
    char more;
    if (c.file < 0)
        return kan_fail(import->run, KAN_FAILED, "%s: cannot be read: %s", path, strerror(errno));
    kan_status status = kan_package_copy(&import->package, part, compare, &c);
    if (status == KAN_OK && !c.differs)
        status = read_all(&c, &more, 1, &n);
    (void)close(c.file);
    *out = !c.differs && n == 0;
    return status;
}
