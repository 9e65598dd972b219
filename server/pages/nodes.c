#include "nodes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 48 << 20 };

static const char *const known[SV_COSTS] = {
    [SV_HEIGHT] = "height",
    [SV_SATISFIES] = "satisfies",
    [SV_SUPPRESSED] = "suppressed_rows",
    [SV_GROUPS] = "groups",
    [SV_SMALLEST] = "smallest_group",
    [SV_HIGHEST_RISK] = "highest_risk",
    [SV_AVERAGE_RISK] = "average_risk",
    [SV_FAILING_GROUPS] = "failing_groups",
    [SV_FAILING_ROWS] = "failing_rows",
    [SV_ONES] = "groups_of_one",
    [SV_TWOS] = "groups_of_two",
    [SV_SMALLEST_FAILING] = "smallest_failing_group",
};

void sv_nodes_free(sv_nodes *nodes) {
    if (!nodes)
        return;
    for (size_t i = 0; i < SV_MOST_COLUMNS; i++)
        free(nodes->columns[i]);
    for (size_t i = 0; i < SV_MOST_FIGURES; i++)
        free(nodes->names[i]);
    free(nodes->levels);
    free(nodes->figures);
    free(nodes);
}

/* ---- the file ------------------------------------------------------------------------------- */

static char *read_all(const sv_project *project, size_t *size, sv_text *why) {
    sv_text path = {0};
    struct stat seen;
    char *bytes = NULL;
    FILE *file = sv_project_path(project, "work/nodes.csv", &path) ? fopen(path.bytes, "rb") : NULL;
    if (file && fstat(fileno(file), &seen) == 0) {
        *size = (size_t)seen.st_size;
        if (*size > MOST_BYTES)
            sv_print(why, "There are too many combinations to show each. Narrow the levels below, "
                          "and search again.");
        else
            bytes = malloc(*size + 1);
    }
    if (bytes) {
        *size = fread(bytes, 1, *size, file);
        bytes[*size] = '\0';
    }
    if (file)
        fclose(file);
    sv_text_free(&path);
    return bytes;
}

/* The next field of a line, without quotes, NUL-terminated in place; `*at` goes behind it, and is
 * NULL at the end of the line. */
static char *next_field(char **at) {
    char *begin = *at, *to = begin, *from = begin;
    if (*from == '"') {
        for (from++; *from; from++)
            if (*from != '"')
                *to++ = *from;
            else if (from[1] == '"')
                *to++ = *from++;
            else
                break;
        from += *from == '"';
    } else {
        from += strcspn(from, ",\n");
        to = from - (from > begin && from[-1] == '\r');
    }
    from += strcspn(from, ",\n");
    const char end = *from;
    *to = '\0';
    *at = end == ',' ? from + 1 : NULL;
    return begin;
}

/* A number as the engine writes it; quicker than strtod, which takes most of the time otherwise. */
static double number(const char *text) {
    double value = 0, unit = 1;
    const char *at = text;
    if (!*at)
        return (double)NAN;
    if (*at == 't' || *at == 'y')
        return 1;
    if (*at == 'f' || (*at == 'n' && at[1] == 'o'))
        return 0;
    for (; *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9'; at++) {
            value = value * 10 + (*at - '0');
            unit *= 10;
        }
    if (*at || at - text > 15) {
        char *end;
        value = strtod(text, &end);
        return *end ? (double)NAN : value;
    }
    return value / unit;
}

/* ---- the header ----------------------------------------------------------------------------- */

/* Which figure each field of a line is; the first n_columns are levels. */
static bool read_header(sv_nodes *nodes, char *line, size_t n_columns, size_t *places, size_t *n) {
    size_t costs = SV_COSTS;
    *n = 0;
    for (size_t i = 0; i < SV_COSTS; i++)
        nodes->names[i] = strdup(known[i]);
    for (char *at = line; at; (*n)++) {
        char *name = next_field(&at);
        if (*n == SV_MOST_COLUMNS + SV_MOST_FIGURES)
            return false;
        if (*n < n_columns) {
            nodes->columns[*n] = strdup(name);
            continue;
        }
        size_t figure = 0;
        while (figure < SV_COSTS && strcmp(known[figure], name) != 0)
            figure++;
        if (figure == SV_COSTS) {
            if (costs == SV_MOST_FIGURES)
                return false;
            nodes->names[costs] = strdup(name);
            figure = costs++;
        }
        places[*n] = figure;
    }
    nodes->n_columns = n_columns;
    nodes->n_figures = costs;
    return *n > n_columns;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static bool read_line(sv_nodes *nodes, char *line, const size_t *places, size_t n_fields) {
    uint8_t *levels = nodes->levels + nodes->n * nodes->n_columns;
    double *figures = nodes->figures + nodes->n * nodes->n_figures;
    size_t f = 0, height = 0;
    for (size_t i = 0; i < nodes->n_figures; i++)
        figures[i] = (double)NAN;
    for (char *at = line; at && f < n_fields; f++) {
        const double value = number(next_field(&at));
        if (f >= nodes->n_columns) {
            figures[places[f]] = value;
            continue;
        }
        if (!(value >= 0 && value < 256))
            return false;
        levels[f] = (uint8_t)value;
        height += levels[f];
        if (levels[f] > nodes->most[f])
            nodes->most[f] = levels[f];
    }
    if (f != n_fields)
        return false;
    figures[SV_HEIGHT] = (double)height;
    if (height > nodes->most_height)
        nodes->most_height = height;
    nodes->n++;
    return true;
}

static bool read_lines(sv_nodes *nodes, char *bytes, size_t n_columns) {
    size_t places[SV_MOST_COLUMNS + SV_MOST_FIGURES] = {0}, n_fields, n_lines = 0;
    for (const char *at = bytes; (at = strchr(at, '\n')); at++)
        n_lines++;
    char *body = strchr(bytes, '\n'); /* no name of ours has a line break: see below */
    if (!body || !read_header(nodes, bytes, n_columns, places, &n_fields))
        return false;
    nodes->levels = calloc(n_lines + 1, n_columns);
    nodes->figures = calloc((n_lines + 1) * nodes->n_figures, sizeof *nodes->figures);
    if (!nodes->levels || !nodes->figures)
        return false;
    for (char *line = body + 1; *line;) {
        char *end = strchr(line, '\n');
        if (!end)
            return false; /* a line that is not whole */
        if (!read_line(nodes, line, places, n_fields))
            return false;
        line = end + 1;
    }
    return nodes->n > 0;
}

/* The header may hold names with line breaks in quotes: as blanks they do no harm. */
static void mend_header(char *bytes) {
    bool is_quoted = false;
    for (char *at = bytes; *at && (is_quoted || *at != '\n'); at++) {
        if (*at == '"')
            is_quoted = !is_quoted;
        else if (*at == '\n' || *at == '\r')
            *at = is_quoted ? ' ' : *at;
    }
}

sv_nodes *sv_nodes_read(const sv_project *project, sv_text *why) {
    const size_t n_columns = sv_setting_count(project, "qi");
    size_t size = 0;
    char *bytes = read_all(project, &size, why);
    sv_nodes *nodes = calloc(1, sizeof *nodes);
    if (bytes)
        mend_header(bytes);
    if (!bytes || !nodes || n_columns == 0 || n_columns > SV_MOST_COLUMNS ||
        !read_lines(nodes, bytes, n_columns)) {
        sv_nodes_free(nodes);
        nodes = NULL;
    }
    free(bytes);
    return nodes;
}

/* ---- names ---------------------------------------------------------------------------------- */

void sv_node_name(const sv_nodes *nodes, size_t node, sv_text *out) {
    for (size_t c = 0; c < nodes->n_columns; c++)
        sv_print(out, "%s%u", c ? "-" : "", nodes->levels[node * nodes->n_columns + c]);
}

static size_t find_levels(const sv_nodes *nodes, const uint8_t *levels) {
    for (size_t i = 0; i < nodes->n; i++)
        if (memcmp(nodes->levels + i * nodes->n_columns, levels, nodes->n_columns) == 0)
            return i;
    return SIZE_MAX;
}

size_t sv_node_find(const sv_nodes *nodes, const char *name) {
    uint8_t levels[SV_MOST_COLUMNS];
    for (size_t c = 0; c < nodes->n_columns; c++) {
        char *end;
        if (*name < '0' || *name > '9')
            return SIZE_MAX;
        const unsigned long level = strtoul(name, &end, 10);
        if (level > 255 || *end != (c + 1 < nodes->n_columns ? '-' : '\0'))
            return SIZE_MAX;
        levels[c] = (uint8_t)level;
        name = end + (*end == '-');
    }
    return find_levels(nodes, levels);
}

size_t sv_node_of(const sv_nodes *nodes, const json_t *array) {
    uint8_t levels[SV_MOST_COLUMNS];
    if (json_array_size(array) != nodes->n_columns)
        return SIZE_MAX;
    for (size_t c = 0; c < nodes->n_columns; c++)
        levels[c] = (uint8_t)json_integer_value(json_array_get(array, c));
    return find_levels(nodes, levels);
}

size_t sv_figure_find(const sv_nodes *nodes, const char *name) {
    for (size_t i = 0; i < nodes->n_figures; i++)
        if (strcmp(nodes->names[i], name) == 0)
            return i;
    return SV_HEIGHT;
}

bool sv_is_node_name(const sv_project *project, const char *name) {
    size_t n = 0;
    for (;; n++) {
        const size_t digits = strspn(name, "0123456789");
        if (digits == 0 || digits > 3)
            return false;
        name += digits;
        if (*name != '-')
            break;
        name++;
    }
    return *name == '\0' && n + 1 == sv_setting_count(project, "qi");
}
