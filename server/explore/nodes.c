#include "nodes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* About a hundred thousand nodes: what a page can be made of in a moment. */
enum { MOST_BYTES = 16 << 20, MOST_FIELDS = 64 };

static const char *const known[SV_COSTS] = {
    [SV_HEIGHT] = "height",
    [SV_SATISFIES] = "satisfies",
    [SV_SUPPRESSED] = "suppressed_rows",
    [SV_PEOPLE] = "suppressed_people",
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
    for (; sv_is_digit(*at); at++)
        value = value * 10 + (*at - '0');
    if (*at == '.')
        for (at++; sv_is_digit(*at); at++) {
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

static size_t find_known(const char *name) {
    size_t figure = 0;
    while (figure < SV_COSTS && strcmp(known[figure], name) != 0)
        figure++;
    return figure;
}

/* Which figure each field of a line is, but the first, the levels; costs are called cost_NAME, and
 * what is neither is SV_MOST_FIGURES. False: it is no such file. */
static bool read_header(sv_nodes *nodes, char *line, size_t *places, size_t *n) {
    char *at = line;
    size_t costs = SV_COSTS;
    if (strcmp(next_field(&at), "levels") != 0)
        return false;
    for (size_t i = 0; i < SV_COSTS; i++)
        nodes->names[i] = strdup(known[i]);
    for (*n = 0; at && *n < MOST_FIELDS; (*n)++) {
        const char *name = next_field(&at);
        const size_t figure = find_known(name);
        places[*n] = figure < SV_COSTS ? figure : SV_MOST_FIGURES;
        if (strncmp(name, "cost_", 5) == 0 && strcmp(name, "cost_height") != 0 &&
            costs < SV_MOST_FIGURES) {
            nodes->names[costs] = strdup(name + 5);
            places[*n] = costs++;
        }
    }
    nodes->n_figures = costs;
    return *n > 0 && !at;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* "2,0,1" */
static bool read_levels(sv_nodes *nodes, const char *text, size_t *height) {
    uint8_t *levels = nodes->levels + nodes->n * nodes->n_columns;
    *height = 0;
    for (size_t c = 0; c < nodes->n_columns; c++) {
        unsigned level = 0;
        if (!sv_is_digit(*text))
            return false;
        for (; sv_is_digit(*text) && level < 256; text++)
            level = 10 * level + (unsigned)(*text - '0');
        if (level > 255 || *text != (c + 1 < nodes->n_columns ? ',' : '\0'))
            return false;
        text += *text == ',';
        levels[c] = (uint8_t)level;
        *height += level;
        if (level > nodes->most[c])
            nodes->most[c] = level;
    }
    return true;
}

static bool read_line(sv_nodes *nodes, char *line, const size_t *places, size_t n_fields) {
    double *figures = nodes->figures + nodes->n * nodes->n_figures;
    char *at = line;
    size_t f = 0, height;
    for (size_t i = 0; i < nodes->n_figures; i++)
        figures[i] = (double)NAN;
    if (!read_levels(nodes, next_field(&at), &height))
        return false;
    for (; at && f < n_fields; f++) {
        const double value = number(next_field(&at));
        if (places[f] < SV_MOST_FIGURES)
            figures[places[f]] = value;
    }
    figures[SV_HEIGHT] = (double)height;
    if (height > nodes->most_height)
        nodes->most_height = height;
    nodes->n++;
    return f == n_fields && !at;
}

static bool read_lines(sv_nodes *nodes, char *bytes) {
    size_t places[MOST_FIELDS], n_fields, n_lines = 0;
    for (const char *at = bytes; (at = strchr(at, '\n')); at++)
        n_lines++;
    char *body = strchr(bytes, '\n');
    if (!body || !read_header(nodes, bytes, places, &n_fields))
        return false;
    nodes->levels = calloc(n_lines, nodes->n_columns);
    nodes->figures = calloc(n_lines * nodes->n_figures, sizeof *nodes->figures);
    if (!nodes->levels || !nodes->figures)
        return false;
    for (char *line = body + 1; *line;) {
        char *end = strchr(line, '\n');
        if (!end || !read_line(nodes, line, places, n_fields))
            return false; /* it was made for other columns, or it is not whole */
        line = end + 1;
    }
    return nodes->n > 0;
}

sv_nodes *sv_nodes_read(const sv_project *project, sv_text *why) {
    sv_nodes *nodes = calloc(1, sizeof *nodes);
    sv_text name = {0};
    size_t size = 0;
    char *bytes = nodes ? read_all(project, &size, why) : NULL;
    while (bytes && nodes->n_columns < SV_MOST_COLUMNS &&
           sv_quasi_name(project, nodes->n_columns, &name)) {
        nodes->columns[nodes->n_columns++] = name.bytes;
        name = (sv_text){0};
    }
    if (!bytes || nodes->n_columns == 0 || !read_lines(nodes, bytes)) {
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
