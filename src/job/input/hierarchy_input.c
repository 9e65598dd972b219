#include "job/input/hierarchy_input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "io/side_files/side_files.h"

static bool is_nothing(const char *path) {
    struct stat status_of;
    return stat(path, &status_of) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* DIR/NAME.csv, or DIR/NAME.txt where only that exists, and whether neither does. */
kan_status kan_input_find_hierarchy(kan_run *run, const char *dir, const char *name, kan_text *path,
                                    bool *is_missing) {
    const size_t size = strlen(dir);
    const char *slash = size && dir[size - 1] == '/' ? "" : "/";
    kan_text other;
    kan_text_init(path, run);
    kan_text_init(&other, run);
    kan_text_print(path, "%s%s%s.csv", dir, slash, name);
    kan_text_print(&other, "%s%s%s.txt", dir, slash, name);
    kan_status status;
    KAN_TRY_DONE(kan_text_status(path));
    KAN_TRY_DONE(kan_text_status(&other));
    const bool lacks_columns = is_nothing(path->bytes), lacks_tree = is_nothing(other.bytes);
    *is_missing = lacks_columns && lacks_tree;
    if (lacks_columns && !lacks_tree) {
        const kan_text swap = *path;
        *path = other;
        other = swap;
    } else if (!lacks_columns && !lacks_tree) {
        kan_problem_add(run,
                        "%s and %s are both there; remove one of them, or name one with --qi "
                        "%s=FILE",
                        path->bytes, other.bytes, name);
        status = KAN_BAD_INPUT;
    }
done:
    kan_text_destroy(&other);
    return status;
}

kan_status kan_input_lacks_hierarchy(const kan_job *job, const kan_column *column, bool *out) {
    const char *dir = kan_options_find(&job->options, "hierarchies");
    kan_text path;
    bool is_missing;
    if (!dir || !kan_is_directory(dir)) {
        *out = false;
        return KAN_OK;
    }
    kan_status status = kan_input_find_hierarchy(job->run, dir, column->name, &path, &is_missing);
    kan_text_destroy(&path);
    if (status == KAN_OK)
        *out = is_missing;
    return status;
}

static kan_status read_from_dir(const kan_job *job, const char *dir, const kan_column *column,
                                kan_hierarchy **out) {
    kan_text path;
    bool is_missing = false;
    kan_status status = kan_input_find_hierarchy(job->run, dir, column->name, &path, &is_missing);
    if (status != KAN_OK) {
        /* told already */
    } else if (is_missing && !kan_is_directory(dir)) {
        /* Told once, not for every column. */
        status = kan_fail(job->run, KAN_BAD_INPUT,
                          "--hierarchies %s is not a directory; name the one that holds a file "
                          "COLUMN.csv for each quasi-identifier",
                          dir);
    } else if (is_missing) {
        kan_problem_add(job->run,
                        "%s: no hierarchy for column '%s'; create that file, or name one with --qi "
                        "%s=FILE, or build one such as --qi %s=suppress",
                        path.bytes, column->name, column->name, column->name);
        status = KAN_BAD_INPUT;
    } else {
        status = kan_hierarchy_read(job->run, path.bytes, column, out);
    }
    kan_text_destroy(&path);
    return status;
}

kan_status kan_input_hierarchy(const kan_job *job, const kan_column *column, const char *spec,
                               kan_hierarchy **out) {
    const char *dir = kan_options_find(&job->options, "hierarchies");
    if (spec && kan_hierarchy_is_spec(spec))
        return kan_hierarchy_build(job->run, spec, column, out);
    struct stat status_of;
    if (spec && !kan_memory_file_is_name(spec) && stat(spec, &status_of) != 0 && errno == ENOENT) {
        kan_problem_add(
            job->run,
            "--qi %s=%s: there is no such file, and no builder of that name (there are "
            "intervals, digits, prefix, date, age, quantiles, frequency and suppress; kanon "
            "list says more)",
            column->name, spec);
        return KAN_BAD_INPUT;
    }
    if (spec)
        return kan_hierarchy_read(job->run, spec, column, out);
    if (dir)
        return read_from_dir(job, dir, column, out);
    return kan_hierarchy_build(job->run, "suppress", column, out);
}

/* The file that --t-hierarchy names for the column, or NULL. */
static const char *named_file(const kan_job *job, const kan_column *column) {
    const char *text, *path;
    kan_slice name;
    for (size_t i = 0; (text = kan_options_at(&job->options, "t-hierarchy", i)) != NULL; i++)
        if (kan_order_parse(text, &name, &path) && kan_slice_is(name, column->name))
            return path;
    return NULL;
}

bool kan_input_names_tree(const kan_job *job, const kan_column *column) {
    const char *distance = kan_options_for(&job->options, "t-distance", kan_slice_of(column->name));
    return named_file(job, column) || (distance && strcmp(distance, "hierarchical") == 0);
}

kan_status kan_input_tree(const kan_job *job, const kan_column *column, bool is_text,
                          kan_hierarchy **out) {
    const char *distance = kan_options_for(&job->options, "t-distance", kan_slice_of(column->name));
    const bool is_hierarchical = distance && strcmp(distance, "hierarchical") == 0;
    const bool is_auto = !distance || strcmp(distance, "auto") == 0;
    const char *path = named_file(job, column);
    bool lacks_file = true;
    *out = NULL;
    if (!is_auto && !is_hierarchical)
        return KAN_OK;
    if (path)
        return kan_hierarchy_read(job->run, path, column, out);
    /* Numbers and dates have an order, which says more about their distances than a hierarchy does.
     */
    if (kan_options_find(&job->options, "hierarchies") && (is_hierarchical || is_text))
        KAN_TRY(kan_input_lacks_hierarchy(job, column, &lacks_file));
    return lacks_file ? KAN_OK : kan_input_hierarchy(job, column, NULL, out);
}
