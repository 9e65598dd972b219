/* Hierarchies of the quasi-identifiers: where each comes from. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/hierarchy_file.h"
#include "job/settings/registry.h"
#include "job/solve/setup.h"

static bool is_nothing(const char *path) {
    struct stat status_of;
    return stat(path, &status_of) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* DIR/NAME.csv, or DIR/NAME.txt where that is there alone, and whether nothing is there. */
kan_status kan_setup_find_in_dir(kan_run *run, const char *dir, const char *name, kan_text *path,
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

static bool is_directory(const char *path) {
    struct stat status_of;
    return stat(path, &status_of) == 0 && S_ISDIR(status_of.st_mode);
}

kan_status kan_setup_lacks_file(const kan_job *job, const kan_column *column, bool *out) {
    const char *dir = kan_options_find(&job->options, "hierarchies");
    kan_text path;
    bool is_missing;
    if (!dir || !is_directory(dir)) {
        *out = false;
        return KAN_OK;
    }
    kan_status status = kan_setup_find_in_dir(job->run, dir, column->name, &path, &is_missing);
    kan_text_destroy(&path);
    if (status == KAN_OK)
        *out = is_missing;
    return status;
}

static kan_status read_from_dir(const kan_job *job, const char *dir, const kan_column *column,
                                kan_hierarchy **out) {
    kan_text path;
    bool is_missing = false;
    kan_status status = kan_setup_find_in_dir(job->run, dir, column->name, &path, &is_missing);
    if (status != KAN_OK) {
        /* told already */
    } else if (is_missing && !is_directory(dir)) {
        /* Told once, not for every column. */
        status = kan_fail(job->run, KAN_BAD_INPUT,
                          "--hierarchies %s is not a directory; name the one that holds a file "
                          "COLUMN.csv for each quasi-identifier",
                          dir);
    } else if (is_missing) {
        kan_problem_add(job->run,
                        "%s: no hierarchy for column '%s'; make that file, or name one with --qi "
                        "%s=FILE, or build one such as --qi %s=suppress",
                        path.bytes, column->name, column->name, column->name);
        status = KAN_BAD_INPUT;
    } else {
        status = kan_hierarchy_read(job->run, path.bytes, column, out);
    }
    kan_text_destroy(&path);
    return status;
}

kan_status kan_setup_hierarchy(const kan_job *job, const kan_column *column, const char *spec,
                               kan_hierarchy **out) {
    const char *dir = kan_options_find(&job->options, "hierarchies");
    if (spec && kan_hierarchy_is_spec(spec))
        return kan_hierarchy_build(job->run, spec, column, out);
    struct stat status_of;
    if (spec && stat(spec, &status_of) != 0 && errno == ENOENT) {
        kan_problem_add(
            job->run,
            "--qi %s=%s: there is no such file, and no builder of that name (there are "
            "intervals, digits, prefix, date, quantiles, frequency and suppress; kanon list "
            "tells more)",
            column->name, spec);
        return KAN_BAD_INPUT;
    }
    if (spec)
        return kan_hierarchy_read(job->run, spec, column, out);
    if (dir)
        return read_from_dir(job, dir, column, out);
    return kan_hierarchy_build(job->run, "suppress", column, out);
}

size_t kan_setup_list_columns(const kan_setup *setup, const bool *is_listed, char *room,
                              size_t size) {
    enum { MOST_NAMED = 4 };
    size_t n = 0, used = 0;
    room[0] = '\0';
    for (unsigned i = 0; i < setup->n_quasi; i++) {
        char quoted[256];
        if (!is_listed[i])
            continue;
        const char *name = setup->table->columns[setup->quasi[i]].name;
        if (n++ < MOST_NAMED && used < size)
            used += (size_t)snprintf(room + used, size - used, "%s%s", n > 1 ? ", " : "",
                                     kan_quote(kan_slice_of(name), quoted));
    }
    if (n > MOST_NAMED && used < size)
        snprintf(room + used, size - used, " and %zu more", n - MOST_NAMED);
    return n;
}

/* One note for all columns that have none. */
static void note_missing(const kan_setup *setup) {
    char names[512];
    bool is_missing[KAN_MAX_ATTRIBUTES];
    for (unsigned i = 0; i < setup->n_quasi; i++)
        is_missing[i] = !setup->specs[i];
    size_t n = kan_setup_list_columns(setup, is_missing, names, sizeof names);
    if (n > 0 && !kan_options_find(&setup->job->options, "hierarchies"))
        kan_note(setup->run,
                 "no hierarchy for column%s %s: values are kept, or all shown as *; --hierarchies "
                 "DIR or --qi NAME=FILE gives one",
                 n > 1 ? "s" : "", names);
}

/* What only searches that cut look at. */
static void note_unused(const kan_setup *setup, const char *flag) {
    char names[512] = "";
    size_t used = 0;
    if (!kan_options_find(&setup->job->options, flag))
        return;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *kind =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        if (kan_search_cuts(kind) && used < sizeof names - 1)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     kind->kind.name);
    }
    kan_note(setup->run, "--%s does nothing with --algorithm %s; it is for searches that cut: %s",
             flag, setup->search->kind.name, names);
}

/* Local searches show nodes of the hierarchies as they are; domains give them names. */
static kan_status make_local_domains(kan_setup *setup) {
    if (!setup->search->local)
        return KAN_OK;
    for (unsigned i = 0; i < setup->n_quasi; i++) {
        KAN_TRY(kan_domain_make(setup->run, &setup->table->columns[setup->quasi[i]],
                                setup->hierarchies[i], true, NULL, &setup->domains[i]));
        setup->problem.domains[i] = setup->domains[i];
    }
    return KAN_OK;
}

kan_status kan_setup_bind(kan_setup *setup) {
    if (kan_search_cuts(setup->search))
        return kan_setup_bind_domains(setup);
    note_unused(setup, "bins");
    note_unused(setup, "order");
    note_missing(setup);
    kan_problems_begin(setup->run);
    for (unsigned i = 0; i < setup->n_quasi; i++) {
        size_t before = kan_problems_count(setup->run);
        kan_status status = kan_setup_hierarchy(setup->job, &setup->table->columns[setup->quasi[i]],
                                                setup->specs[i], &setup->hierarchies[i]);
        /* Problems are collected over all hierarchies; anything else ends the walk. */
        if (status != KAN_OK && kan_problems_count(setup->run) == before)
            return status;
    }
    KAN_TRY(kan_problems_end(setup->run));
    return make_local_domains(setup);
}
