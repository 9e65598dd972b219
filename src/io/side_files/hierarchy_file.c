/* Hierarchy files: columns or a taxonomy (io/side_files/taxonomy_file.h), reading the lines,
 * writing them.
 *
 * The separator of columns is looked for in the first megabyte: the one of ; tab , that splits
 * every line into the same number of fields, separators within quotes not counted. The file is then
 * read by the CSV reader, which names malformed lines, and the lines are bound (data/hierarchies/hierarchy.h).
 * Time and memory are linear in the size of the file. */
#include "io/side_files/hierarchy_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "data/spelling.h"
#include "io/csv/csv.h"
#include "io/side_files/taxonomy_file.h"
#include "io/streams/streams.h"

enum { SAMPLE_BYTES = 1 << 20, N_SEPARATORS = 3 };

/* In the order in which they win: labels often hold commas, seldom tabs, hardly ever semicolons. */
static const char separators[N_SEPARATORS] = {';', '\t', ','};

/* ---- the separator -------------------------------------------------------------------------- */

typedef struct {
    size_t n_lines, n_with; /* lines, and those that have the separator */
    bool is_constant;       /* each of them equally often */
} separator_count;

/* Takes the end of a line into account; blank lines do not count. */
static void count_line(separator_count *count, const char *line, size_t size, size_t n_here,
                       size_t *n_first) {
    if (size == 0 || (size == 1 && line[0] == '\r'))
        return;
    if (count->n_lines++ == 0)
        *n_first = n_here;
    count->n_with += n_here > 0;
    count->is_constant &= n_here == *n_first;
}

/* Counts a separator in whole lines; the rest of a line that the sample cut is left out. A field
 * that starts with a quote ends with one; in it each quote ends or begins what is quoted. */
static separator_count count_separator(const char *bytes, size_t size, char separator,
                                       bool is_whole_file) {
    separator_count count = {.is_constant = true};
    size_t n_here = 0, n_first = 0, line = 0;
    bool is_inside = false, at_start = true, has_quotes = false;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '"' && (has_quotes || at_start)) {
            has_quotes = true;
            is_inside = !is_inside;
            at_start = false;
        } else if (is_inside) {
            continue;
        } else if (bytes[i] == '\n') {
            count_line(&count, bytes + line, i - line, n_here, &n_first);
            line = i + 1;
            n_here = 0;
            at_start = true;
            has_quotes = false;
        } else {
            at_start = bytes[i] == separator;
            has_quotes &= !at_start;
            n_here += at_start;
        }
    }
    if (is_whole_file)
        count_line(&count, bytes + line, size - line, n_here, &n_first);
    return count;
}

/* When no separator splits every line alike, some line is wrong: the separator that is on most
 * lines lets the checks name it. */
static char find_separator(const char *bytes, size_t size, bool is_whole_file) {
    char best = separators[0];
    size_t most = 0;
    for (int i = 0; i < N_SEPARATORS; i++) {
        separator_count count = count_separator(bytes, size, separators[i], is_whole_file);
        if (count.is_constant && count.n_with == count.n_lines && count.n_lines > 0)
            return separators[i];
        if (count.n_with > most) {
            most = count.n_with;
            best = separators[i];
        }
    }
    return best;
}

static char detect_separator(const kan_stream *stream) {
    size_t size = stream->size < SAMPLE_BYTES ? stream->size : SAMPLE_BYTES;
    size_t mark = size >= 3 && memcmp(stream->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return find_separator(stream->bytes + mark, size - mark, size == stream->size);
}

/* ---- reading -------------------------------------------------------------------------------- */

static kan_status add_record(void *context, uint64_t line, const kan_slice *fields,
                             size_t n_fields) {
    if (n_fields == 1 && fields[0].size == 0)
        return KAN_OK; /* a blank line says nothing */
    return kan_hierarchy_lines_add(context, line, fields, n_fields);
}

static kan_status read_lines(kan_run *run, const char *path, kan_hierarchy_lines *lines) {
    kan_stream stream;
    struct stat state;
    /* no bytes, no lines: the check tells what a hierarchy needs; the reader speaks of tables */
    if (stat(path, &state) == 0 && S_ISREG(state.st_mode) && state.st_size == 0)
        return KAN_OK;
    KAN_TRY(kan_stream_open(run, path, &stream));
    const bool is_taxonomy = kan_taxonomy_is(path, stream.bytes, stream.size);
    const char separator = is_taxonomy ? 0 : detect_separator(&stream);
    kan_status status = KAN_OK;
    if (is_taxonomy) {
        status = kan_taxonomy_parse(run, path, stream.bytes, stream.size, lines);
        if (status == KAN_OK)
            status = kan_stream_check_unchanged(&stream);
    }
    kan_stream_close(&stream);
    return is_taxonomy ? status : kan_csv_records(run, path, separator, add_record, lines);
}

/* A file that cannot be read at all is one problem among those of the other hierarchies: the text
 * of that failure, which took their place, is added behind them. */
static kan_status read_with_problems(kan_run *run, const char *path, kan_hierarchy_lines *lines) {
    kan_text before;
    kan_text_init(&before, run);
    size_t n_before = kan_problems_count(run);
    const char *told = n_before ? kan_run_error(run) : "";
    kan_text_add(&before, told, strlen(told));
    kan_status status;
    KAN_TRY_DONE(kan_text_status(&before));
    status = read_lines(run, path, lines);
    if (status == KAN_BAD_INPUT && kan_problems_count(run) == n_before) {
        char failure[1024];
        snprintf(failure, sizeof failure, "%s", kan_run_error(run));
        status = kan_fail(run, KAN_BAD_INPUT, "%s", before.bytes);
        kan_problem_add(run, "%s", failure);
    }
done:
    kan_text_destroy(&before);
    return status;
}

kan_status kan_hierarchy_read_lines(kan_run *run, const char *path, const kan_spelling *spelling,
                                    kan_hierarchy_lines **out) {
    kan_hierarchy_lines *lines;
    KAN_TRY(kan_hierarchy_lines_create(run, path, &lines));
    kan_hierarchy_lines_spell(lines, spelling);
    const kan_status status = read_with_problems(run, path, lines);
    if (status == KAN_OK)
        *out = lines;
    else
        kan_hierarchy_lines_destroy(lines);
    return status;
}

kan_status kan_hierarchy_read(kan_run *run, const char *path, const kan_column *column,
                              kan_hierarchy **out) {
    kan_hierarchy_lines *lines = NULL;
    kan_hierarchy *hierarchy = NULL;
    size_t before = kan_problems_count(run);
    kan_status status;
    KAN_TRY_DONE(kan_hierarchy_read_lines(run, path, column->spelling, &lines));
    KAN_TRY_DONE(kan_hierarchy_bind(lines, column, &hierarchy));
    if (kan_problems_count(run) > before) {
        /* a malformed line was skipped: what was bound is not what the file says */
        kan_hierarchy_destroy(hierarchy);
        status = KAN_BAD_INPUT;
        goto done;
    }
    *out = hierarchy;
done:
    kan_hierarchy_lines_destroy(lines);
    return status;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Quoted where a reader could take it for something else, such as a byte order mark. */
static void add_field(kan_text *text, kan_slice field, char end) {
    bool is_plain = !kan_stream_is_marked(field);
    for (size_t i = 0; i < field.size && is_plain; i++)
        is_plain = !strchr(";\"\r\n", field.bytes[i]) || field.bytes[i] == '\0';
    if (is_plain) {
        kan_text_add(text, field.bytes, field.size);
    } else {
        kan_text_add(text, "\"", 1);
        for (size_t i = 0; i < field.size; i++)
            kan_text_add(text, field.bytes[i] == '"' ? "\"\"" : field.bytes + i,
                         field.bytes[i] == '"' ? 2 : 1);
        kan_text_add(text, "\"", 1);
    }
    kan_text_add(text, &end, 1);
}

/* The lines of the values below a node; `labels` has those of the levels above it. */
static void compose_node(const kan_hierarchy_tree *tree, unsigned level, uint32_t node,
                         kan_slice *labels, kan_text *text) {
    char room[KAN_SPELLING_ROOM];
    const kan_tree_level *here = &tree->levels[level];
    labels[level] = here->nodes[node].label;
    if (level > 0) {
        for (uint32_t i = here->start[node]; i < here->start[node + 1]; i++)
            compose_node(tree, level - 1, here->child[i], labels, text);
        return;
    }
    for (unsigned i = 0; i <= tree->height; i++)
        add_field(text, kan_spelling_put(tree->spelling, labels[i], room),
                  i == tree->height ? '\n' : ';');
}

kan_status kan_hierarchy_compose(const kan_hierarchy_tree *tree, kan_text *text) {
    kan_slice labels[KAN_HEIGHT_MOST + 1];
    compose_node(tree, tree->height, 0, labels, text);
    return kan_text_status(text);
}
