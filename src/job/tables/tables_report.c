/* The report of a release of several tables: the key `report` of its result, which may go with the
 * release, and what only those may see who may see the tables.
 *
 * The rule for the first is that of one table (job/report/report_data.h): it follows from released rows
 * and from the number of people who were left out. How many rows these have is not told, nor how far the
 * search got, which depends on everybody. */
#include <math.h>

#include "job/report/report.h"
#include "job/tables/tables_inside.h"

static kan_status no_memory(kan_run *run) {
    return kan_fail(run, KAN_FAILED, "out of memory while the report was made");
}

/* ---- columns -------------------------------------------------------------------------------- */

static const char *became(const kan_clan_table *table, size_t column) {
    static const char *const words[] = {[KAN_RELEASED_SAME] = "unchanged",
                                        [KAN_RELEASED_COARSER] = "generalized",
                                        [KAN_RELEASED_STAR] = "removed"};
    const kan_setup *setup = &table->setup;
    if (!kan_setup_releases(setup, column))
        return "left out";
    for (unsigned q = 0; q < setup->n_quasi; q++)
        if (setup->quasi[q] == column)
            return words[kan_released_column_became(&table->released[q])];
    return kan_setup_is_pseudonym(setup, column) ? "pseudonyms" : "unchanged";
}

/* What was done to values before anybody looked at them; of keys nothing needs to be said. */
static json_t *treated_json(const kan_setup *setup, size_t column) {
    const kan_treatment *treatment = kan_input_treatment(&setup->input, column);
    kan_text words;
    if (!treatment || treatment->is_pseudonym)
        return json_null();
    kan_text_init(&words, setup->run);
    kan_treatment_add_words(treatment, &words);
    json_t *made = kan_text_status(&words) == KAN_OK ? kan_json_text(words.bytes) : NULL;
    kan_text_destroy(&words);
    return made;
}

/* Released as it is, and no promise looks at it. */
static bool is_open(const kan_clan_table *table, size_t column) {
    const kan_setup *setup = &table->setup;
    if (setup->roles[column] == KAN_ROLE_SENSITIVE)
        return !kan_clan_protects(table, column);
    return kan_setup_keeps(setup, column) && !kan_setup_is_pseudonym(setup, column);
}

static json_t *column_json(const kan_clan *clan, const kan_clan_table *table, size_t i) {
    const kan_setup *setup = &table->setup;
    json_t *column = json_pack(
        "{s:o, s:s, s:s, s:b, s:o, s:o}", "name", kan_json_text(setup->input.columns[i]), "role",
        kan_role_word(setup->roles[i]), "became", became(table, i), "open", (int)is_open(table, i),
        "treated", treated_json(setup, i), "hierarchy", json_null());
    for (unsigned q = 0; q < setup->n_quasi; q++) {
        if (setup->quasi[q] != i)
            continue;
        const bool is_told = kan_clan_knows_levels(clan, table, q);
        const char *origin = setup->hierarchies[q]->origin;
        column = kan_json_set(column, "level",
                              is_told ? kan_json_count(kan_clan_told_level(clan, table, q))
                                      : json_null());
        column = kan_json_set(column, "height",
                              is_told ? kan_json_count(kan_clan_told_height(clan, table, q))
                                      : json_null());
        column = kan_json_set(column, "hierarchy", origin ? kan_json_text(origin) : json_null());
    }
    return column;
}

static json_t *table_json(const kan_clan *clan, size_t t) {
    const kan_clan_table *table = &clan->tables[t];
    const char *parent = t > 0 ? clan->tables[table->parent].part->name : NULL;
    json_t *columns = json_array();
    size_t depth = 0;
    for (size_t at = t; at > 0; at = clan->tables[at].parent)
        depth++;
    for (size_t i = 0; i < table->setup.input.n_columns; i++)
        columns = kan_json_append(columns, column_json(clan, table, i));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                     kan_json_text(table->part->name), "depth", kan_json_count(depth), "of",
                     parent ? kan_json_text(parent) : json_null(), "key",
                     table->part->key ? kan_json_text(table->part->key) : json_null(), "by",
                     t > 0 ? kan_json_text(table->setup.input.columns[table->link]) : json_null(),
                     "rows", kan_json_count(clan->n_released[t]), "columns", columns);
}

/* ---- trees ---------------------------------------------------------------------------------- */

static json_t *sizes_json(const kan_clan *clan) {
    const kan_forest_recount *recount = &clan->recount;
    const uint64_t k = kan_clan_k(clan->job);
    json_t *list = json_array();
    for (size_t band = 0; band < KAN_FOREST_BANDS; band++) {
        if (recount->trees_of[band] == 0)
            continue;
        const bool is_last = band + 1 == KAN_FOREST_BANDS;
        const uint64_t least = kan_forest_band_least(k, band);
        list = kan_json_append(
            list, json_pack("{s:o, s:o, s:o, s:o}", "least", kan_json_count(least), "most",
                            is_last ? json_null()
                                    : kan_json_count(kan_forest_band_least(k, band + 1) - 1),
                            "trees", kan_json_count(recount->trees_of[band]), "people",
                            kan_json_count(recount->people_of[band])));
    }
    return list;
}

/* A column that nothing is promised about, or that somebody can be nearly sure of, is an open risk. */
static json_t *sure_of(const kan_clan *clan, size_t t, size_t i) {
    const kan_clan_table *table = &clan->tables[t];
    const bool is_protected = kan_clan_protects(table, i);
    const double sure = clan->figures.sure[t][i];
    return json_pack("{s:o, s:o, s:o, s:b, s:b}", "table", kan_json_text(table->part->name),
                     "column", kan_json_text(table->setup.input.columns[i]), "confidence",
                     kan_json_real(sure), "protected", (int)is_protected, "open",
                     (int)(!is_protected || sure >= 0.9));
}

static json_t *sure_json(const kan_clan *clan) {
    json_t *list = json_array();
    for (size_t t = 0; t < clan->n; t++)
        for (size_t i = 0; i < clan->tables[t].setup.input.n_columns; i++)
            if (clan->tables[t].setup.roles[i] == KAN_ROLE_SENSITIVE)
                list = kan_json_append(list, sure_of(clan, t, i));
    return list;
}

static json_t *people_json(const kan_clan *clan) {
    const char *limit = kan_options_find(&clan->job->options, "suppress");
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "released",
                     kan_json_count(clan->recount.n_people), "left_out",
                     kan_json_count(clan->n_left), "limit", kan_json_text(limit ? limit : "0"),
                     "trees", kan_json_count(clan->recount.n_trees), "fewest",
                     kan_json_count(clan->recount.fewest), "highest_risk",
                     kan_json_real(1 / (double)clan->recount.fewest), "alone",
                     kan_json_count(clan->figures.n_alone), "alone_with_kept",
                     kan_json_count(clan->figures.n_alone_with_kept));
}

/* ---- origin --------------------------------------------------------------------------------- */

static kan_status command_json(const kan_clan *clan, const char *output, json_t **out) {
    kan_text text;
    kan_text_init(&text, clan->run);
    kan_text_print(&text, "kanon anonymize");
    for (const kan_job_origin *file = clan->job->origins; file; file = file->next) {
        kan_text_print(&text, " --job ");
        kan_words_add_shell(&text, file->path);
    }
    kan_text_print(&text, " -o ");
    kan_words_add_shell(&text, output);
    kan_report_add_flags(&clan->job->options, &text);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status =
            kan_report_json(clan->run, kan_json_slice((kan_slice){text.bytes, text.size}), out);
    kan_text_destroy(&text);
    return status;
}

/* What was read. */
static kan_status add_originals(const kan_clan_table *table, kan_report_listing *list) {
    const char *input = kan_options_find(&table->part->job->options, "input");
    KAN_TRY(kan_report_add_file(
        list, &(kan_report_file){.role = "input", .column = table->part->name, .path = input}));
    for (unsigned q = 0; q < table->setup.n_quasi; q++) {
        const kan_hierarchy *h = table->setup.hierarchies[q];
        if (h->origin && !kan_hierarchy_is_spec(h->origin))
            KAN_TRY(kan_report_add_file(list, &(kan_report_file){.role = "hierarchy",
                                                                 .column = h->attribute,
                                                                 .path = h->origin}));
    }
    return KAN_OK;
}

/* The file of a table of the release. */
static kan_status add_release(const kan_clan *clan, size_t t, const char *target,
                              const char *hidden, kan_report_listing *list) {
    const char *name = clan->tables[t].part->name;
    kan_report_file file = {.role = "release", .column = name, .path = target, .read_path = hidden};
    if (!clan->is_book) {
        kan_arena *arena = &clan->job->arena;
        KAN_TRY(kan_folder_path(arena, target, name, clan->ending, &file.path));
        KAN_TRY(kan_folder_path(arena, hidden, name, clan->ending, &file.read_path));
    } else {
        file.column = NULL; /* one for all */
    }
    return kan_report_add_file(list, &file);
}

static kan_status files_json(const kan_clan *clan, const char *target, const char *hidden,
                             bool is_internal, json_t **out) {
    kan_report_listing list = {.run = clan->run,
                               .is_internal = is_internal,
                               .key = kan_options_find(&clan->job->options, "hash-key")};
    kan_status status;
    KAN_TRY_DONE(kan_report_json(clan->run, json_array(), &list.files));
    for (size_t t = 0; t < clan->n; t++)
        KAN_TRY_DONE(add_originals(&clan->tables[t], &list));
    for (size_t t = 0; t < (clan->is_book ? 1 : clan->n); t++)
        KAN_TRY_DONE(add_release(clan, t, target, hidden, &list));
    *out = list.files;
    return KAN_OK;
done:
    json_decref(list.files);
    return status;
}

/* ---- what may be shared --------------------------------------------------------------------- */

kan_status kan_clan_report_make(const kan_clan *clan, const char *target, const char *hidden,
                                json_t **out) {
    json_t *date = NULL, *command = NULL, *files = NULL, *tables = json_array();
    kan_status status;
    for (size_t t = 0; t < clan->n; t++)
        tables = kan_json_append(tables, table_json(clan, t));
    KAN_TRY_DONE(kan_report_date(clan->run, &date));
    KAN_TRY_DONE(command_json(clan, target, &command));
    KAN_TRY_DONE(files_json(clan, target, hidden, false, &files));
    status = kan_report_json(
        clan->run,
        json_pack("{s:O, s:O, s:o, s:o, s:o, s:o, s:{s:s, s:s, s:o}, s:o, s:O, s:O}", "date", date,
                  "tables", tables, "models", kan_clan_models_words(clan), "people",
                  people_json(clan), "sizes", sizes_json(clan), "sensitive", sure_json(clan),
                  "cost", "name", clan->cost->kind.name, "words", clan->cost->kind.summary,
                  "released", kan_json_real(clan->released_cost), "proven",
                  clan->n_left > 0 ? json_null() : json_boolean(clan->answer.is_proven), "command",
                  command, "files", files),
        out);
done:
    json_decref(tables);
    json_decref(date);
    json_decref(command);
    json_decref(files);
    return status;
}

/* ---- what only those may see who may see the tables ----------------------------------------- */

/* Some of the people who are left out, with their rows in every table. */
static json_t *left_json(const kan_clan *clan) {
    enum { MOST = 10 };
    const kan_clan_table *people = &clan->tables[0];
    json_t *list = json_array();
    size_t n = 0;
    for (uint64_t row = 0; n < MOST && row < people->raw->n_rows; row++) {
        if (!people->is_left[row])
            continue;
        n++;
        list = kan_json_append(
            list,
            json_pack("{s:o, s:o}", "row", kan_json_count(row + 1), "key",
                      kan_report_label(kan_column_value(&people->raw->columns[people->key], row))));
    }
    return list;
}

static kan_status internal_json(const kan_clan *clan, const char *target, const char *hidden,
                                json_t **out) {
    json_t *files, *tables;
    KAN_TRY(files_json(clan, target, hidden, true, &files));
    tables = json_array();
    for (size_t t = 0; t < clan->n; t++)
        tables =
            kan_json_append(tables, json_pack("{s:o, s:o}", "read",
                                              kan_json_count(clan->tables[t].setup.table->n_rows),
                                              "left_out", kan_json_count(clan->tables[t].n_left)));
    return kan_report_json(
        clan->run,
        json_pack("{s:o, s:o, s:o}", "files", files, "tables", tables, "left", left_json(clan)),
        out);
}

/* ---- the file ------------------------------------------------------------------------------- */

static kan_status read_back(const kan_clan *clan, const char *target, const char *hidden,
                            const kan_result *result, json_t **out) {
    json_t *object, *internal;
    KAN_TRY(kan_report_json(clan->run, json_loadb(result->json.bytes, result->json.size, 0, NULL),
                            &object));
    kan_status status = KAN_OK;
    if (kan_options_switch(&clan->job->options, "report-internal")) {
        status = internal_json(clan, target, hidden, &internal);
        if (status == KAN_OK && json_object_set_new(object, "internal", internal) != 0)
            status = no_memory(clan->run);
    }
    if (status == KAN_OK)
        *out = object;
    else
        json_decref(object);
    return status;
}

kan_status kan_clan_report_open(const kan_clan *clan, const char *target, const char *hidden,
                                kan_result *result, kan_target **out) {
    const kan_options *options = &clan->job->options;
    const char *path = kan_options_find(options, "report");
    json_t *object;
    *out = NULL;
    if (!kan_report_is_wanted(clan->job))
        return KAN_OK;
    KAN_TRY(read_back(clan, target, hidden, result, &object));
    const kan_status status =
        kan_report_open(clan->run, object, path, kan_options_switch(options, "force"), out);
    json_decref(object);
    KAN_TRY(status);
    kan_text_print(
        &result->summary, "  report: %s%s\n", strcmp(path, "-") == 0 ? "standard output" : path,
        kan_options_switch(options, "report-internal") ? ", internal: it contains raw values" : "");
    return kan_text_status(&result->summary);
}
