/* `search`: what `anonymize` would release, and what it costs; nothing is written. It is counted all the same.
 * `compare` asks for each of its cells in this way. */
#include <inttypes.h>
#include <math.h>

#include "job/tables/tables_inside.h"

/* ---- costs ---------------------------------------------------------------------------------- */

/* What all cells give up by a cost, as a share of what they would if nobody were released. */
static double cost_by(const kan_clan *clan, const kan_cost_kind *kind) {
    double sum = 0, most = 0;
    if (kind == clan->cost)
        return (double)clan->answer.cost * clan->unit;
    for (size_t t = 0; t < clan->n; t++) {
        const kan_clan_table *table = &clan->tables[t];
        for (unsigned q = 0; q < table->setup.n_quasi; q++) {
            const kan_hierarchy *h = table->setup.hierarchies[q];
            const kan_level *l = &h->levels[table->levels[q]];
            const double suppressed = kind->price->suppressed(h->height, 1);
            most += (double)table->setup.table->n_rows * suppressed;
            sum += (double)table->n_left * suppressed;
            for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
                const double steps =
                    kind->price->is_by_share ? l->share[l->from_leaf[leaf]] : table->levels[q];
                sum += (double)table->released[q].leaf_rows[leaf] *
                       kind->price->shown(h->height, 1, steps);
            }
        }
    }
    return most > 0 ? sum / most : 0;
}

static json_t *metrics_json(const kan_clan *clan) {
    json_t *metrics = json_object();
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++) {
        const kan_cost_kind *kind = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
        if (kind->shape == KAN_SHAPE_CELLS)
            metrics = kan_json_set(metrics, kind->kind.name, kan_json_real(cost_by(clan, kind)));
    }
    return metrics;
}

/* ---- telling -------------------------------------------------------------------------------- */

static json_t *risk_json(const kan_clan *clan) {
    const kan_risk *risk = clan->by_groups ? &clan->risk.near_risk : &clan->risk.risk;
    return json_pack("{s:o, s:o}", "highest", kan_json_real(risk->highest), "average",
                     kan_json_real(risk->average));
}

static void add_tables(const kan_clan *clan, kan_text *text) {
    for (size_t t = 0; t < clan->n; t++) {
        char released[32], all[32];
        const uint64_t n = clan->tables[t].setup.table->n_rows;
        kan_text_print(text, "  %-11s %s of %s %s\n", clan->tables[t].part->name,
                       kan_count_text(clan->n_released[t], released), kan_count_text(n, all),
                       kan_plural(n, "row", "rows"));
    }
}

/* Costs of all rows, and whether any levels could cost less. */
static void add_cost(const kan_clan *clan, kan_text *text) {
    const char *name = clan->cost->kind.name;
    kan_text_print(text, "  %-12s%s %.4f over all rows%s\n", "cost", name,
                   cost_by(clan, clan->cost),
                   clan->n_left > 0 ? ", of which those that are left out cost most" : "");
    if (clan->answer.is_proven)
        kan_text_print(text, "  %-12sproven: no other levels cost less\n", "");
    else
        kan_text_print(text,
                       "  %-12snot proven: nothing costs less than %.4f; --effort N looks at more "
                       "nodes\n",
                       "", (double)clan->answer.bound * clan->unit);
}

static void add_summary(const kan_clan *clan, kan_text *text) {
    char nodes[32];
    kan_text_print(text, "%s: %zu tables; what would be released\n\n", clan->job->origins->path,
                   clan->n);
    add_tables(clan, text);
    kan_clan_add_solution(clan, text);
    add_cost(clan, text);
    kan_text_print(text, "  %-12s%s\n", "nodes", kan_count_text(clan->answer.n_checked, nodes));
    kan_text_print(text, "  %-12s%s of what rows would show\n", "recounted",
                   clan->by_groups ? "groups" : "trees");
}

static kan_status tell(const kan_clan *clan, double total_ms, kan_result *out) {
    json_t *object;
    add_summary(clan, &out->summary);
    KAN_TRY(kan_text_status(&out->summary));
    object = kan_clan_solution_json(clan, "search");
    object = kan_json_set(object, "metrics", metrics_json(clan));
    object = kan_json_set(object, "risk", risk_json(clan));
    object = kan_json_set(object, "verified", json_true());
    object =
        kan_json_set(object, "time_ms",
                     json_pack("{s:o, s:o, s:o, s:o}", "read", kan_json_time(clan->read_ms),
                               "search", kan_json_time(clan->search_ms), "verify",
                               kan_json_time(clan->verify_ms), "total", kan_json_time(total_ms)));
    object =
        kan_json_set(object, "peak_memory_bytes", kan_json_count(kan_run_peak_memory(clan->run)));
    return kan_result_set_json(out, object);
}

kan_status kan_tables_search(kan_job *job, kan_result *out) {
    kan_clan clan;
    kan_status status;
    const double start = kan_now_ms();
    KAN_TRY_DONE(kan_clan_order(job, &clan));
    KAN_TRY_DONE(kan_clan_choose_sink(&clan, ""));
    KAN_TRY_DONE(kan_clan_take(&clan));
    KAN_TRY_DONE(kan_clan_kin(&clan));
    KAN_TRY_DONE(kan_clan_solve(&clan));
    KAN_TRY_DONE(kan_clan_recount_shown(&clan));
    KAN_TRY_DONE(kan_check_cancel(job->run));
    KAN_TRY_DONE(tell(&clan, kan_now_ms() - start, out));
done:
    kan_clan_destroy(&clan);
    return status;
}
