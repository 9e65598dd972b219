/* The job that a project becomes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "job/import/import_inside.h"

static kan_status leave_refused(kan_import *import, kan_slice what) {
    const char *why;
    const char *const error = kan_run_error(import->run);
    KAN_TRY(kan_arena_copy(import->arena, error, strlen(error), &why));
    return kan_import_leave(import, what, why);
}

kan_status kan_import_set(kan_import *import, kan_slice what, const char *setting,
                          const char *value) {
    const kan_status status = kan_job_add(import->made, setting, value);
    return status == KAN_BAD_INPUT ? leave_refused(import, what) : status;
}

kan_status kan_import_set_column(kan_import *import, kan_slice what, const char *setting,
                                 const char *column, const char *value) {
    const kan_status status = kan_job_set_column(import->made, setting, column, value);
    return status == KAN_BAD_INPUT ? leave_refused(import, what) : status;
}

/* ---- columns -------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *word) {
    return text && strncasecmp(text, word, strlen(word)) == 0;
}

static kan_status set_role(kan_import *import, const kan_arx_column *column) {
    const kan_slice what = kan_slice_of(column->name);
    if (begins(column->type, "QUASI"))
        return kan_import_set_column(import, what, "qi", column->name,
                                     column->file ? column->file : NULL);
    if (begins(column->type, "SENSITIVE"))
        return kan_import_set_column(import, what, "sensitive", column->name, NULL);
    if (begins(column->type, "INSENSITIVE"))
        return kan_import_set_column(import, what, "keep", column->name, NULL);
    if (begins(column->type, "IDENTIFYING"))
        return kan_import_set_column(import, what, "id", column->name, NULL);
    return kan_import_leave(
        import, what,
        "ARX gives the column no role that is known here: it is left out of a release");
}

/* ARX goes to the last level of its own hierarchy; * was put above one that ends in several labels. A column without
 * a hierarchy stays as it is. */
static kan_status set_levels(kan_import *import, const kan_arx_column *column) {
    const kan_slice what = kan_slice_of(column->name);
    char *end, range[64];
    if (!begins(column->type, "QUASI"))
        return KAN_OK;
    if (!column->file || column->n_levels == 0)
        return kan_import_set_column(import, what, "level", column->name, "0");
    uint64_t low = 0, high = column->n_levels - 1;
    const bool has_low = column->min && !begins(column->min, "All");
    const bool has_high = column->max && !begins(column->max, "All");
    if (has_low && (low = strtoull(column->min, &end, 10), *end || low > high))
        return kan_import_leave(import, what, "its lowest level is not one of its hierarchy");
    if (has_high) {
        const uint64_t said = strtoull(column->max, &end, 10);
        if (*end || said < low)
            return kan_import_leave(import, what, "its highest level is not one of its hierarchy");
        high = said < high ? said : high;
    }
    if (low == 0 && high == column->n_levels - 1 && column->has_top)
        return KAN_OK;
    (void)snprintf(range, sizeof range, "%llu..%llu", (unsigned long long)low,
                   (unsigned long long)high);
    return kan_import_set_column(import, what, "level", column->name, range);
}

/* Java's letters of dates; NULL where there are others. */
static const char *date_format(const char *java, char *out, size_t size) {
    static const char *const letters[][2] = {{"yyyy", "%Y"}, {"MM", "%m"}, {"dd", "%d"},
                                             {"HH", "%H"},   {"mm", "%M"}, {"ss", "%S"}};
    size_t n = 0;
    while (*java) {
        size_t i = 0;
        while (i < 6 && strncmp(java, letters[i][0], strlen(letters[i][0])) != 0)
            i++;
        if (n + 3 > size)
            return NULL;
        if (i < 6) {
            n += (size_t)snprintf(out + n, size - n, "%s", letters[i][1]);
            java += strlen(letters[i][0]);
        } else if (strchr("-./: ", *java)) {
            out[n++] = *java++;
        } else {
            return NULL;
        }
    }
    out[n] = '\0';
    return n > 0 ? out : NULL;
}

static kan_status set_writing(kan_import *import, const kan_arx_column *column) {
    const kan_slice what = kan_slice_of(column->name);
    char room[64];
    if (!column->format || !*column->format)
        return KAN_OK;
    if (!begins(column->datatype, "Date"))
        return kan_import_leave(
            import, what,
            "the format of its values: kanon finds numbers by itself; say --decimal and "
            "--thousands where they are written otherwise");
    const char *const format = date_format(column->format, room, sizeof room);
    if (!format)
        return kan_import_leave(import, what, "the format of its dates; say it with --date-format");
    return strcmp(format, "%Y-%m-%d") == 0
               ? KAN_OK
               : kan_import_set_column(import, what, "date-format", column->name, format);
}

static kan_status set_column(kan_import *import, const kan_arx_column *column) {
    const kan_slice what = kan_slice_of(column->name);
    KAN_TRY(set_role(import, column));
    KAN_TRY(set_levels(import, column));
    KAN_TRY(set_writing(import, column));
    if (column->function)
        KAN_TRY(kan_import_leave(
            import, what,
            "ARX replaces the values of a group by one of their own (microaggregation); "
            "kanon has --algorithm mdav, for all quasi-identifiers"));
    if (column->response && strcasecmp(column->response, "true") == 0)
        KAN_TRY(kan_import_leave(
            import, what,
            "it is what a model is to predict; say --class, or kanon utility --classify"));
    return KAN_OK;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static kan_status set_limit(kan_import *import) {
    char *end, text[64];
    if (!import->limit)
        return KAN_OK;
    const double share = strtod(import->limit, &end);
    if (*end || !(share >= 0 && share <= 1))
        return kan_import_leave(import, kan_slice_of(import->limit),
                                "the share of rows that may be left out is not between 0 and 1");
    (void)snprintf(text, sizeof text, "%.12g%%", share * 100);
    KAN_TRY(kan_import_set(import, kan_slice_of("relativeMaxOutliers"), "suppress", text));
    if (share == 0)
        return KAN_OK;
    return kan_import_leave(
        import, kan_slice_of("suppressed rows"),
        "ARX shows them with * (or a text of yours) in its release; here they are left "
        "out, and --keep-suppressed keeps them with *");
}

static kan_status set_separator(kan_import *import) {
    const char *const c = import->separator;
    if (!c || !*c)
        return KAN_OK;
    return kan_import_set(import, kan_slice_of("separator"), "separator",
                          strcmp(c, "\t") == 0 ? "tab" : c);
}

static kan_status leave_signs(kan_import *import) {
    if (import->quote && *import->quote && strcmp(import->quote, "\"") != 0)
        KAN_TRY(kan_import_leave(
            import, kan_slice_of("quote"),
            "fields in the table stand in other quotes than \"; convert data.csv"));
    if (import->escape && *import->escape && strcmp(import->escape, "\"") != 0)
        KAN_TRY(kan_import_leave(
            import, kan_slice_of("escape"),
            "quotes within fields are escaped by another sign than \"; look at data.csv"));
    return KAN_OK;
}

/* ---- what nobody reads here ------------------------------------------------------------------ */

/* Parts of an archive by how their names begin; without a reason: they were taken, or say nothing of data. */
static const struct {
    const char *begin, *why;
} parts[] = {
    {"input/config.dat", "a Java object stream, which is not read: the coding model, models of a "
                         "population and the like"},
    {"project.dat",
     "a Java object stream, which is not read: what the program of ARX shows, and how"},
    {"filter.dat", "a Java object stream, which is not read: which solutions are shown"},
    {"data/output", "a release that ARX made; kanon verify checks it"},
    {"output/", "the configuration of a release that was made; that of the input was taken"},
    {"lattice.", "what ARX found; kanon searches itself"},
    {"infoloss.dat", "what ARX found; kanon searches itself"},
    {"attributes.dat", "what ARX found; kanon searches itself"},
    {"clipboard.xml", "solutions that somebody noted"},
    {"input/definition.xml", NULL},
    {"input/config.xml", NULL},
    {"data/input.csv", NULL},
    {"data/input_subset.csv", NULL},
    {"data/input.dat", "a Java object stream, which is not read; the table is in data/input.csv"},
    {"metadata.xml", NULL},
    {"project.xml", NULL},
};
enum { N_PARTS = sizeof parts / sizeof *parts, MOST_UNKNOWN = 20 };

static bool has_column(const kan_import *import, const char *part) {
    static const char folder[] = "input/hierarchies/";
    const size_t n = strlen(folder), size = strlen(part);
    if (strncmp(part, folder, n) != 0)
        return false;
    for (size_t i = 0; i < import->n_columns; i++) {
        const size_t name = strlen(import->columns[i].name);
        if (size == n + name + 4 && memcmp(part + n, import->columns[i].name, name) == 0 &&
            strcmp(part + n + name, ".csv") == 0)
            return true;
    }
    return size == n; /* the folder itself */
}

static kan_status leave_parts(kan_import *import) {
    bool is_told[N_PARTS] = {false};
    size_t n_unknown = 0;
    const char *part;
    for (uint64_t at = 0; (part = kan_package_part_at(&import->package, at)) != NULL; at++) {
        size_t i = 0;
        KAN_TRY(kan_check_cancel(import->run));
        while (i < N_PARTS && strncmp(part, parts[i].begin, strlen(parts[i].begin)) != 0)
            i++;
        if (i < N_PARTS && parts[i].why && !is_told[i])
            KAN_TRY(kan_import_leave(import, kan_slice_of(part), parts[i].why));
        if (i < N_PARTS)
            is_told[i] = true;
        else if (!has_column(import, part) && n_unknown++ < MOST_UNKNOWN)
            KAN_TRY(kan_import_leave(import, kan_slice_of(part),
                                     "no part of a project that kanon import knows"));
    }
    return n_unknown <= MOST_UNKNOWN
               ? KAN_OK
               : kan_import_leave(import, kan_slice_of("..."), "and more such parts");
}

kan_status kan_import_make_job(kan_import *import) {
    KAN_TRY(kan_job_set(import->made, "input", import->has_subset ? "subset.csv" : "data.csv"));
    KAN_TRY(set_separator(import));
    if (import->has_missing)
        KAN_TRY(kan_import_set(import, kan_slice_of("NULL"), "missing", "NULL"));
    for (size_t i = 0; i < import->n_columns; i++)
        KAN_TRY(set_column(import, &import->columns[i]));
    KAN_TRY(kan_import_promise(import));
    KAN_TRY(set_limit(import));
    KAN_TRY(leave_signs(import));
    return leave_parts(import);
}
