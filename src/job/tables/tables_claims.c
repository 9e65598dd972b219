/* Models of sensitive values, held against the release as it was read again: parts of trees, counted by
 * analyze/forest, are the groups of people that each model is asked about. */
#include "job/tables/tables_inside.h"

/* A table of the numbers of parts, as groups. */
static kan_status write_parts(kan_run *run, const uint64_t *part_of, uint64_t n, kan_table **out) {
    static const char *const names[] = {"part"};
    KAN_TRY(kan_table_create(run, 1, names, out));
    for (uint64_t row = 0; row < n; row++) {
        char text[32];
        const char *value = text;
        snprintf(text, sizeof text, "part %llu", (unsigned long long)part_of[row]);
        KAN_TRY(kan_table_add_row(*out, &value));
    }
    return kan_table_seal(*out);
}

static kan_status recount_table(kan_clan *clan, const kan_table *release, const uint64_t *person_of,
                                const kan_table *parts, kan_clan_models_found *out) {
    static const size_t first = 0;
    kan_claim *claim = &out->claim;
    const kan_column **sensitive;
    uint32_t *people;
    KAN_TRY(kan_arena_alloc(&clan->arena, claim->n_columns, sizeof *sensitive, &sensitive));
    for (size_t i = 0; i < claim->n_columns; i++)
        sensitive[i] = kan_table_find(release, claim->columns[i].name, NULL);
    KAN_TRY(kan_alloc(clan->run, (size_t)release->n_rows, sizeof *people, &people));
    for (uint64_t row = 0; row < release->n_rows; row++)
        people[row] = (uint32_t)person_of[row];
    const kan_models_question question = {.release = parts,
                                          .quasi = &first,
                                          .n_quasi = 1,
                                          .claim = claim,
                                          .sensitive = sensitive,
                                          .person_of = people};
    const kan_status status = kan_verify_recount_models(clan->run, &question, &out->models);
    kan_free(clan->run, people);
    return status;
}

static kan_status recount_all(kan_clan *clan, const kan_forest *release, uint64_t *const *part_of) {
    for (size_t t = 0; t < clan->n; t++) {
        kan_clan_table *table = &clan->tables[t];
        kan_table *parts = NULL;
        if (!table->has_models)
            continue;
        KAN_TRY(kan_arena_alloc(&clan->arena, 1, sizeof *table->found, &table->found));
        KAN_TRY(kan_recounted_claim(table->part->job, &table->setup.promise, &table->peopled, false,
                                    &table->found->claim));
        const kan_table *shown = release->tables[t].table;
        kan_status status = write_parts(clan->run, part_of[t], shown->n_rows, &parts);
        if (status == KAN_OK)
            status = recount_table(clan, shown, release->person_of[t], parts, table->found);
        kan_table_destroy(parts);
        KAN_TRY(status);
    }
    return KAN_OK;
}

kan_status kan_clan_recount_models(kan_clan *clan, const kan_forest *release) {
    kan_status status = KAN_OK;
    uint64_t *part_of[KAN_MOST_TABLES] = {NULL};
    if (!clan->has_models)
        return KAN_OK;
    for (size_t t = 0; t < clan->n; t++)
        KAN_TRY_DONE(kan_alloc(clan->run, (size_t)release->tables[t].table->n_rows,
                               sizeof *part_of[t], &part_of[t]));
    KAN_TRY_DONE(kan_forest_find_parts(release, part_of));
    KAN_TRY_DONE(recount_all(clan, release, part_of));
done:
    for (size_t t = 0; t < clan->n; t++)
        kan_free(clan->run, part_of[t]);
    return status;
}

/* ---- telling -------------------------------------------------------------------------------- */

static kan_recounted recounted_of(const kan_clan *clan, size_t t, bool is_verdict) {
    const kan_clan_table *table = &clan->tables[t];
    return (kan_recounted){.job = table->part->job,
                           .claim = &table->found->claim,
                           .found = &table->found->models,
                           .tells_holds = is_verdict,
                           .hides_distances = !is_verdict && clan->n_left > 0};
}

void kan_clan_add_models(const kan_clan *clan, bool is_verdict, kan_text *text) {
    for (size_t t = 0; t < clan->n; t++) {
        if (!clan->tables[t].found)
            continue;
        const kan_recounted recounted = recounted_of(clan, t, is_verdict);
        for (size_t m = 0; m < recounted.claim->n_models; m++) {
            kan_text_print(text, "  %-12s", "");
            kan_recounted_add_promised(&recounted, m, text);
            kan_text_print(text, " in each row of %s by itself", clan->tables[t].part->name);
            if (is_verdict)
                kan_text_print(text, ": %s",
                               recounted.found->models[m].holds ? "holds" : "does not hold");
            kan_recounted_add_reached(&recounted, m, text);
            kan_text_print(text, "\n");
        }
    }
}

/* "l=2 of 'code' in each row of codes by itself, reached 3" */
static json_t *words_json(const kan_clan *clan, const kan_recounted *recounted, size_t t,
                          size_t m) {
    kan_text text;
    kan_text_init(&text, clan->run);
    kan_recounted_add_promised(recounted, m, &text);
    kan_text_print(&text, " in each row of %s by itself", clan->tables[t].part->name);
    kan_recounted_add_reached(recounted, m, &text);
    json_t *words = kan_text_status(&text) == KAN_OK ? kan_json_text(text.bytes) : NULL;
    kan_text_destroy(&text);
    return words;
}

json_t *kan_clan_models_words(const kan_clan *clan) {
    json_t *list = json_array();
    for (size_t t = 0; t < clan->n; t++) {
        if (!clan->tables[t].found)
            continue;
        const kan_recounted recounted = recounted_of(clan, t, false);
        for (size_t m = 0; m < recounted.claim->n_models; m++)
            list = kan_json_append(list, words_json(clan, &recounted, t, m));
    }
    return list;
}

bool kan_clan_protects(const kan_clan_table *table, size_t column) {
    return table->found &&
           kan_claim_protects(&table->found->claim, table->setup.input.columns[column]);
}

json_t *kan_clan_models_json(const kan_clan *clan, bool is_verdict) {
    json_t *list = json_array();
    for (size_t t = 0; t < clan->n; t++) {
        if (!clan->tables[t].found)
            continue;
        const kan_recounted recounted = recounted_of(clan, t, is_verdict);
        list = kan_json_append(list, json_pack("{s:o,s:o}", "table",
                                               kan_json_text(clan->tables[t].part->name), "models",
                                               kan_recounted_json(&recounted, true)));
    }
    return list;
}

void kan_clan_add_failing(const kan_clan *clan, const char *const *names, kan_text *text) {
    for (size_t t = 0; t < clan->n; t++) {
        if (!clan->tables[t].found)
            continue;
        const kan_recounted recounted = recounted_of(clan, t, true);
        for (size_t m = 0; m < recounted.claim->n_models; m++) {
            const kan_model_recount *found = &recounted.found->models[m];
            char places[32];
            if (found->holds)
                continue;
            kan_recounted_add_promised(&recounted, m, text);
            kan_text_print(text,
                           " does not hold for the people who share a tree, in %s %s of %s, such "
                           "as row %llu of %s\n",
                           kan_count_text(found->n_failing_groups, places),
                           kan_plural(found->n_failing_groups, "place", "places"),
                           clan->tables[t].part->name, (unsigned long long)found->examples[0] + 1,
                           names[t]);
        }
    }
}
