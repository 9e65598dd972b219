#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows.h"

enum { PLACE = 21 /* bytes of a place, with its end */, LONGEST = 64 << 20 /* bytes of a line */ };

/* A place in the file, at a place in the file; false: there is none. */
static bool read_place(FILE *file, off_t at, uint64_t *out) {
    char text[PLACE + 1] = "", *end;
    if (fseeko(file, at, SEEK_SET) != 0 || fread(text, 1, PLACE, file) != PLACE)
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && end == text + PLACE - 1 && *end == '\n' && *out <= INT64_MAX;
}

/* The line that stands from one place to another. */
static json_t *read_line(FILE *file, uint64_t from, uint64_t to) {
    char *text = to > from && to - from <= LONGEST ? malloc((size_t)(to - from)) : NULL;
    json_t *line = NULL;
    if (text && fseeko(file, (off_t)from, SEEK_SET) == 0 &&
        fread(text, 1, (size_t)(to - from), file) == to - from)
        line = json_loadb(text, (size_t)(to - from), 0, NULL);
    free(text);
    return line;
}

static FILE *open_file(const sv_project *project, const char *relative, uint64_t *size) {
    sv_text path = {0};
    struct stat seen;
    FILE *file = NULL;
    const int opened = sv_project_path(project, relative, &path)
                           ? open(path.bytes, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
                           : -1;
    if (opened >= 0 && fstat(opened, &seen) == 0 && S_ISREG(seen.st_mode)) {
        *size = (uint64_t)seen.st_size;
        file = fdopen(opened, "rb");
    }
    if (opened >= 0 && !file)
        close(opened);
    sv_text_free(&path);
    return file;
}

/* Whether what the head says is what the file has. */
static bool read_head(sv_rows *rows, uint64_t size) {
    uint64_t first;
    if (size < (uint64_t)2 * PLACE ||
        !read_place(rows->file, (off_t)(size - PLACE), &rows->places) ||
        rows->places > size - (uint64_t)2 * PLACE ||
        !read_place(rows->file, (off_t)rows->places, &first) || first > rows->places)
        return false;
    rows->head = read_line(rows->file, 0, first);
    rows->n = sv_json_count(rows->head, "rows");
    rows->of_page = sv_json_count(rows->head, "rows_of_line");
    return json_is_array(sv_rows_columns(rows)) && rows->n > 0 && rows->of_page > 0 &&
           rows->of_page <= 1000 && (size - rows->places) / PLACE == sv_rows_pages(rows) + 1;
}

sv_rows *sv_rows_open(const sv_project *project, const char *relative) {
    sv_rows *rows = calloc(1, sizeof *rows);
    uint64_t size = 0;
    if (!rows)
        return NULL;
    rows->file = open_file(project, relative, &size);
    if (rows->file && read_head(rows, size))
        return rows;
    sv_rows_close(rows);
    return NULL;
}

void sv_rows_close(sv_rows *rows) {
    if (!rows)
        return;
    if (rows->file)
        fclose(rows->file);
    json_decref(rows->head);
    free(rows);
}

const json_t *sv_rows_columns(const sv_rows *rows) {
    return json_object_get(rows->head, "columns");
}

uint64_t sv_rows_pages(const sv_rows *rows) {
    return (rows->n - 1) / rows->of_page + 1;
}

json_t *sv_rows_page(const sv_rows *rows, uint64_t page) {
    uint64_t from, to = rows->places;
    const off_t at = (off_t)(rows->places + page * PLACE);
    if (page >= sv_rows_pages(rows) || !read_place(rows->file, at, &from) ||
        (page + 1 < sv_rows_pages(rows) && !read_place(rows->file, at + PLACE, &to)))
        return NULL;
    json_t *line = read_line(rows->file, from, to);
    if (json_is_array(line))
        return line;
    json_decref(line);
    return NULL;
}
