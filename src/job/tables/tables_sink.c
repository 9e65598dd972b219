/* The kind of file that each table of a release is: the same for all. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/signs.h"
#include "job/tables/tables_inside.h"

static const char *ending_of(const kan_sink_kind *kind) {
    return kind->files[0].ending ? kind->files[0].ending : kind->kind.name;
}

/* A path that ends as files of a kind do which hold several tables, unless another kind is named. */
static const kan_sink_kind *book_of(const kan_job *job, const char *path) {
    const char *name = kan_options_find(&job->options, "output-format");
    const kan_sink_kind *told = kan_output_kind_of(path);
    return told->write_several && (!name || strcmp(name, told->kind.name) == 0) ? told : NULL;
}

bool kan_tables_is_file(const kan_job *job) {
    const char *output = kan_options_find(&job->options, "output");
    return output && !kan_path_is_address(output) && book_of(job, output) != NULL;
}

/* A name such as release.sav is one file, and its user would look for one. */
static kan_status check_name(const kan_clan *clan, const char *target) {
    const kan_sink_kind *told = kan_output_kind_of(target);
    if (!told->takes && !kan_path_ends_with(target, ".csv"))
        return KAN_OK;
    return kan_fail(clan->run, KAN_BAD_INPUT,
                    "--output %s: a file of that kind holds one table, and several are released as "
                    "a folder with a file for each, or as a workbook (.xlsx); name a folder, and "
                    "the format with --output-format %s",
                    target, told->kind.name);
}

/* In a file of several tables each has its name; programs do not tell large letters from small. */
static kan_status name_tables(kan_clan *clan) {
    KAN_TRY(kan_arena_alloc(&clan->arena, clan->n, sizeof *clan->names, &clan->names));
    for (size_t t = 0; t < clan->n; t++)
        clan->names[t] = clan->tables[t].part->name;
    for (size_t t = 0; clan->is_book && t < clan->n; t++)
        for (size_t other = 0; other < t; other++)
            if (strcasecmp(clan->names[t], clan->names[other]) == 0)
                return kan_fail(clan->run, KAN_BAD_INPUT,
                                "%s: in one %s '%s' and '%s' cannot be told apart; call one "
                                "of them otherwise",
                                clan->tables[t].part->place,
                                clan->sink->in_engine ? "schema" : "workbook", clan->names[other],
                                clan->names[t]);
    return KAN_OK;
}

/* Tables of a schema, whatever their address ends with. */
static kan_status choose_schema(kan_clan *clan) {
    clan->sink = kan_clan_schema_sink();
    clan->ending = "";
    clan->is_book = true;
    return name_tables(clan);
}

kan_status kan_clan_choose_sink(kan_clan *clan, const char *target) {
    const char *name = kan_options_find(&clan->job->options, "output-format");
    const kan_kind *named = name ? kan_registry_find(KAN_FAMILY_SINK, name) : NULL;
    if (kan_path_is_address(target) && name)
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "--output-format: a release in a database is no file; leave the flag out");
    if (kan_path_is_address(target)) {
        KAN_TRY(choose_schema(clan));
        return kan_clan_check_schema_address(clan, target);
    }
    const kan_sink_kind *book = book_of(clan->job, target);
    clan->sink = book ? book : named ? (const kan_sink_kind *)named : kan_output_kind_of("");
    clan->ending = ending_of(clan->sink);
    clan->is_book = book != NULL;
    KAN_TRY(name_tables(clan));
    return book ? KAN_OK : check_name(clan, target);
}

/* ---- folders that are there ----------------------------------------------------------------- */

static bool has_people(const kan_clan *clan, const char *folder, const char *ending) {
    char path[4096];
    struct stat info;
    const int size =
        snprintf(path, sizeof path, "%s/%s.%s", folder, clan->tables[0].part->name, ending);
    return size > 0 && (size_t)size < sizeof path && lstat(path, &info) == 0;
}

const char *kan_clan_ending_of(const kan_clan *clan, const char *folder) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SINK); i++) {
        const kan_sink_kind *kind = (const kan_sink_kind *)kan_registry_at(KAN_FAMILY_SINK, i);
        if (kind->in_memory)
            continue;
        if (has_people(clan, folder, ending_of(kind)))
            return ending_of(kind);
        for (size_t f = 1; f < KAN_SINK_FILES && kind->files[f].ending; f++)
            if (has_people(clan, folder, kind->files[f].ending))
                return kind->files[f].ending;
    }
    return clan->ending;
}

static void find_folder_sink(kan_clan *clan, const char *folder) {
    char name[64];
    clan->ending = ending_of(kan_output_kind_of(""));
    clan->ending = kan_clan_ending_of(clan, folder);
    snprintf(name, sizeof name, "x.%s", clan->ending);
    clan->sink = kan_output_kind_of(name);
}

kan_status kan_clan_find_sink(kan_clan *clan, const char *release) {
    const kan_sink_kind *told = kan_output_kind_of(release);
    if (kan_path_is_address(release))
        return choose_schema(clan);
    if (kan_is_directory(release)) {
        find_folder_sink(clan, release);
    } else if (told->write_several) {
        clan->sink = told;
        clan->ending = ending_of(told);
        clan->is_book = true;
    } else {
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "%s: is no folder; a release of several tables is a folder with a file for "
                        "each of them, or a workbook (.xlsx)",
                        release);
    }
    return name_tables(clan);
}

/* ---- what it can hold ----------------------------------------------------------------------- */

static kan_status check_table(const kan_clan *clan, const kan_clan_table *table,
                              const char *target) {
    const kan_setup *setup = &table->setup;
    kan_arena *arena = &clan->job->arena;
    const char **names;
    kan_sink_sketch sketch = {.n_rows = setup->table->n_rows, .given = &setup->job->options};
    sketch.target = target;
    if (clan->is_book)
        sketch.table = table->part->name;
    else
        KAN_TRY(kan_folder_path(arena, target, table->part->name, clan->ending, &sketch.target));
    KAN_TRY(kan_arena_alloc(arena, setup->input.n_columns, sizeof *names, &names));
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (kan_setup_releases(setup, i))
            names[sketch.n_columns++] = setup->input.columns[i];
    sketch.columns = names;
    return clan->sink->check(clan->run, &sketch);
}

kan_status kan_clan_check_sink(kan_clan *clan, const char *target) {
    if (clan->sink->in_engine)
        return kan_clan_check_schema(clan, target);
    for (size_t t = 0; clan->sink->check && t < clan->n; t++)
        KAN_TRY(check_table(clan, &clan->tables[t], target));
    return KAN_OK;
}
