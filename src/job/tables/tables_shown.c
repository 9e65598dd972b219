/* What a release would show, without one: rows of who stays, at the levels that were found, in memory. They
 * are tied together by the rows that they were made from, held against these, and counted as the files of a
 * release are. */
#include <string.h>

#include "job/tables/tables_inside.h"
#include "recode/apply.h"

typedef struct {
    kan_clan *clan;
    kan_table *shown[KAN_MOST_TABLES]; /* quasi-identifiers */
    kan_table tables[KAN_MOST_TABLES]; /* these, and what models look at: columns are borrowed */
    uint64_t *row_of[KAN_MOST_TABLES]; /* by row of these: that of the original */
    kan_forest_table released[KAN_MOST_TABLES], original[KAN_MOST_TABLES];
    kan_forest release, origin;
} shower;

/* The rows of who stays. */
static kan_status list_rows(shower *s, size_t t) {
    const kan_clan_table *table = &s->clan->tables[t];
    uint64_t n = 0;
    KAN_TRY(
        kan_alloc(s->clan->run, (size_t)s->clan->n_released[t], sizeof(uint64_t), &s->row_of[t]));
    for (uint64_t row = 0; row < table->setup.table->n_rows; row++)
        if (!table->is_left[row])
            s->row_of[t][n++] = row;
    return KAN_OK;
}

static kan_status show_levels(shower *s, size_t t) {
    const kan_clan_table *table = &s->clan->tables[t];
    const kan_setup *setup = &table->setup;
    kan_shown shown[KAN_MAX_ATTRIBUTES];
    for (unsigned q = 0; q < setup->n_quasi; q++)
        shown[q] = (kan_shown){.hierarchy = setup->hierarchies[q], .level = table->levels[q]};
    const kan_apply_source source = {setup->table, setup->quasi, shown, setup->n_quasi,
                                     table->is_left};
    return kan_apply_shown(s->clan->run, &source, &s->shown[t]);
}

/* A column as it is, of who stays. */
static kan_status keep_column(const shower *s, size_t t, const kan_column *from, kan_column *out) {
    const uint64_t n = s->clan->n_released[t];
    uint32_t *codes;
    KAN_TRY(kan_arena_alloc(&s->clan->arena, (size_t)n, sizeof *codes, &codes));
    for (uint64_t row = 0; row < n; row++)
        codes[row] = kan_column_code(from, s->row_of[t][row]);
    *out = *from;
    out->codes = codes;
    out->counts = NULL;
    out->missing_of = NULL;
    out->width = sizeof *codes;
    out->n_rows = n;
    return KAN_OK;
}

/* Quasi-identifiers, and behind them sensitive columns. */
static kan_status make_table(shower *s, size_t t) {
    const kan_setup *setup = &s->clan->tables[t].setup;
    kan_column *columns;
    size_t n = setup->n_quasi;
    KAN_TRY(list_rows(s, t));
    KAN_TRY(show_levels(s, t));
    KAN_TRY(
        kan_arena_alloc(&s->clan->arena, n + setup->input.n_columns, sizeof *columns, &columns));
    if (n > 0)
        memcpy(columns, s->shown[t]->columns, n * sizeof *columns);
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (setup->roles[i] == KAN_ROLE_SENSITIVE)
            KAN_TRY(keep_column(s, t, &setup->table->columns[i], &columns[n++]));
    s->tables[t] = *s->shown[t];
    s->tables[t].columns = columns;
    s->tables[t].n_columns = n;
    s->tables[t].n_rows = s->clan->n_released[t];
    return KAN_OK;
}

static kan_status pair(shower *s, size_t t) {
    const kan_setup *setup = &s->clan->tables[t].setup;
    size_t *quasi;
    KAN_TRY(kan_arena_alloc(&s->clan->arena, setup->n_quasi, sizeof *quasi, &quasi));
    for (unsigned q = 0; q < setup->n_quasi; q++)
        quasi[q] = q;
    s->original[t] = kan_clan_origin(&s->clan->tables[t]);
    s->released[t] = s->original[t];
    s->released[t].table = &s->tables[t];
    s->released[t].quasi = quasi;
    return KAN_OK;
}

static kan_status fail_count(const kan_clan *clan, const char *why) {
    return kan_fail(clan->run, KAN_FAILED,
                    "internal error: what would be released was counted again, and is not what "
                    "was promised%s; please report it",
                    why);
}

static kan_status check_models(kan_clan *clan, const kan_forest *release) {
    kan_text fault;
    kan_text_init(&fault, clan->run);
    kan_status status = kan_clan_recount_models(clan, release);
    if (status == KAN_OK)
        kan_clan_add_failing(clan, clan->names, &fault);
    if (status == KAN_OK)
        status = kan_text_status(&fault);
    if (status == KAN_OK && fault.size > 0)
        status = fail_count(clan, fault.bytes);
    kan_text_destroy(&fault);
    return status;
}

static kan_status count(kan_clan *clan, const kan_forest *release) {
    const uint64_t k = kan_clan_k(clan->job);
    KAN_TRY(kan_forest_count(release, clan->by_groups ? 1 : k, &clan->recount));
    if (clan->by_groups)
        KAN_TRY(kan_forest_count_groups(release, k, &clan->groups));
    if (clan->recount.n_people + clan->n_left != clan->n_people ||
        clan->n_left > kan_clan_limit(clan->job, clan->n_people) || clan->recount.n_rare > 0 ||
        clan->groups.n_small > 0)
        return fail_count(clan, "");
    KAN_TRY(check_models(clan, release));
    clan->has_risk = true;
    return kan_risk_trees_measure(release, k, &clan->risk);
}

static kan_status tie(shower *s) {
    kan_forest_finding finding;
    bool holds;
    KAN_TRY(kan_forest_make(s->clan->run, s->original, s->clan->n, &s->origin, &finding));
    if (finding.fault != KAN_FOREST_SOUND)
        return fail_count(s->clan, "");
    KAN_TRY(kan_forest_tie(s->clan->run, s->released, s->clan->n, &s->origin, s->row_of,
                           &s->release, &holds));
    return holds ? KAN_OK : fail_count(s->clan, "");
}

kan_status kan_clan_recount_shown(kan_clan *clan) {
    const double start = kan_now_ms();
    kan_status status;
    shower s = {.clan = clan, .release = {.run = clan->run}, .origin = {.run = clan->run}};
    kan_report_progress(clan->run, "verify", 0, 0);
    for (size_t t = 0; t < clan->n; t++) {
        KAN_TRY_DONE(make_table(&s, t));
        KAN_TRY_DONE(pair(&s, t));
    }
    KAN_TRY_DONE(tie(&s));
    KAN_TRY_DONE(count(clan, &s.release));
    clan->verify_ms = kan_now_ms() - start;
done:
    kan_forest_destroy(&s.release);
    kan_forest_destroy(&s.origin);
    for (size_t t = 0; t < clan->n; t++) {
        kan_table_destroy(s.shown[t]);
        kan_free(clan->run, s.row_of[t]);
    }
    return status;
}
