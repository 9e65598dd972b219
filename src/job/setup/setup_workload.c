/* Workloads for searches over regions: each query as the places of the quasi-identifiers that it
 * selects.
 *
 * What the predicates allow of a domain are runs of neighbouring places; one range of numbers is
 * one run, values that do not stand together are several. A query becomes a box for every
 * combination of runs, which share its weight. Predicates on other columns change nothing: whether
 * a row satisfies them is seen in the release as it is in the original. A query that leaves every
 * place of every quasi-identifier allowed, or none of one, has no bounds that could be met, and is
 * left out. */
#include <string.h>

#include "analyze/workload/workload.h"
#include "job/setup/setup.h"

/* A query of more boxes than that is taken coarser: the runs of a column become one, from the first
 * to the last place, the column with the most runs first. */
enum { MOST_BOXES = 256 };

typedef struct {
    uint32_t first, last;
} place_run;

/* What a query asks of one quasi-identifier. */
typedef struct {
    kan_value_column values;
    uint32_t name; /* of the workload */
    bool is_asked; /* by any query */
    size_t n_runs, room;
    place_run *runs;
} side;

typedef struct {
    kan_setup *setup;
    kan_run *run;
    kan_workload *workload;
    side *sides; /* by quasi-identifier */
    kan_query_box *boxes;
    size_t n_boxes, room;
} reading;

/* ---- columns -------------------------------------------------------------------------------- */

/* Every column that is spoken of must be there; those that are quasi-identifiers can be checked. */
static kan_status bind_columns(reading *r) {
    const kan_setup *setup = r->setup;
    const kan_table *table = setup->table;
    const char **names;
    for (uint32_t name = 0; name < r->workload->n_names; name++) {
        const kan_column *column = kan_table_find(table, r->workload->names[name], NULL);
        if (column)
            KAN_TRY(kan_workload_take(r->workload, name, column->spelling));
    }
    KAN_TRY(kan_alloc(r->run, table->n_columns, sizeof *names, &names));
    for (size_t i = 0; i < table->n_columns; i++)
        names[i] = table->columns[i].name;
    kan_problems_begin(r->run);
    for (uint32_t name = 0; name < r->workload->n_names; name++) {
        const kan_column *column = kan_table_find(table, r->workload->names[name], NULL);
        if (!column)
            kan_workload_report_missing(r->workload, name, setup->input.name, names,
                                        table->n_columns);
        else if (column->is_encoded)
            kan_workload_check(r->workload, name, column);
        for (unsigned a = 0; a < setup->n_quasi; a++)
            if (column == &table->columns[setup->quasi[a]]) {
                r->sides[a].name = name;
                r->sides[a].is_asked = true;
            }
    }
    kan_free(r->run, names);
    return kan_problems_end(r->run);
}

static kan_status make_sides(reading *r) {
    for (unsigned a = 0; a < r->setup->n_quasi; a++)
        if (r->sides[a].is_asked)
            KAN_TRY(kan_value_column_init(&r->sides[a].values, r->run,
                                          &r->setup->table->columns[r->setup->quasi[a]]));
    return KAN_OK;
}

/* ---- runs of places ------------------------------------------------------------------------- */

/* A place is allowed when one of its values is: a bin that a predicate cuts cannot be cut. */
static bool allows_place(const kan_domain *domain, const kan_filter *filter, uint32_t place) {
    for (uint32_t leaf = domain->first_leaf[place]; leaf < domain->first_leaf[place + 1]; leaf++)
        if (filter->allows[domain->hierarchy->code_of[leaf]])
            return true;
    return false;
}

static kan_status add_run(kan_run *run, side *s, uint32_t first, uint32_t last) {
    KAN_TRY(kan_reserve(run, s->n_runs + 1, sizeof *s->runs, &s->room, &s->runs));
    s->runs[s->n_runs++] = (place_run){first, last};
    return KAN_OK;
}

static kan_status find_runs(kan_run *run, const kan_domain *domain, const kan_filter *filter,
                            side *s) {
    for (uint32_t place = 0; place < domain->n_places; place++) {
        const uint32_t first = place;
        while (place < domain->n_places && allows_place(domain, filter, place))
            place++;
        if (place > first)
            KAN_TRY(add_run(run, s, first, place - 1));
    }
    return KAN_OK;
}

static kan_status read_side(reading *r, const kan_query *query, unsigned a) {
    const kan_domain *domain = r->setup->domains[a];
    side *s = &r->sides[a];
    kan_filter filter;
    size_t n = 0;
    s->n_runs = 0;
    if (!s->is_asked)
        return add_run(r->run, s, 0, domain->n_places - 1);
    KAN_TRY(kan_filter_init(&filter, &s->values, r->workload, query, s->name, &n));
    const kan_status status = n == 0 ? add_run(r->run, s, 0, domain->n_places - 1)
                                     : find_runs(r->run, domain, &filter, s);
    kan_filter_destroy(&filter);
    return status;
}

/* ---- boxes ---------------------------------------------------------------------------------- */

/* The number of combinations; 0 when the query has no bounds to be met. */
static size_t count_boxes(const reading *r) {
    size_t n = 1;
    bool is_all = true;
    for (unsigned a = 0; a < r->setup->n_quasi; a++) {
        const side *s = &r->sides[a];
        if (s->n_runs == 0)
            return 0;
        is_all = is_all && s->n_runs == 1 && s->runs[0].first == 0 &&
                 s->runs[0].last == r->setup->domains[a]->n_places - 1;
        n = n > MOST_BOXES ? n : n * s->n_runs;
    }
    return is_all ? 0 : n;
}

static void coarsen(reading *r) {
    side *most = &r->sides[0];
    for (unsigned a = 1; a < r->setup->n_quasi; a++)
        if (r->sides[a].n_runs > most->n_runs)
            most = &r->sides[a];
    most->runs[0].last = most->runs[most->n_runs - 1].last;
    most->n_runs = 1;
}

static kan_status add_boxes(reading *r, double weight, size_t n) {
    size_t at[KAN_MAX_ATTRIBUTES] = {0}; /* the run of each quasi-identifier */
    KAN_TRY(kan_reserve(r->run, r->n_boxes + n, sizeof *r->boxes, &r->room, &r->boxes));
    for (size_t i = 0; i < n; i++) {
        kan_query_box *box = &r->boxes[r->n_boxes++];
        *box = (kan_query_box){.weight = weight / (double)n};
        for (unsigned a = 0; a < r->setup->n_quasi; a++) {
            box->first[a] = r->sides[a].runs[at[a]].first;
            box->last[a] = r->sides[a].runs[at[a]].last;
        }
        for (unsigned a = 0; a < r->setup->n_quasi && ++at[a] == r->sides[a].n_runs; a++)
            at[a] = 0;
    }
    return KAN_OK;
}

/* No query can say where to cut: an error where that was asked for. Without queries a search takes
 * the split that it would take without a workload. */
static kan_status report_unbounded(const reading *r) {
    const kan_options *options = &r->setup->job->options;
    const char *split = kan_options_find(options, "split"), *path = r->workload->path;
    if (split && strcmp(split, "workload") == 0)
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "--split workload: no query of %s selects some of the values of a "
                        "quasi-identifier and not others, so none says where to cut; add one, or "
                        "choose another --split",
                        path);
    kan_note(r->run,
             "--workload: no query of %s selects some of the values of a quasi-identifier and not "
             "others, so none says where to cut; the release is that %s%s",
             path, split || !kan_options_find(options, "for") ? "of --split " : "without it",
             split                               ? split
             : kan_options_find(options, "for")  ? ""
             : kan_options_find(options, "cost") ? "cost"
                                                 : "widest");
    return KAN_OK;
}

static kan_status read_queries(reading *r) {
    size_t n_used = 0;
    for (size_t i = 0; i < r->workload->n_queries; i++) {
        const kan_query *query = &r->workload->queries[i];
        size_t n;
        for (unsigned a = 0; a < r->setup->n_quasi; a++)
            KAN_TRY(read_side(r, query, a));
        while ((n = count_boxes(r)) > MOST_BOXES)
            coarsen(r);
        n_used += n > 0;
        KAN_TRY(add_boxes(r, query->weight, n));
    }
    return n_used == 0 ? report_unbounded(r) : KAN_OK;
}

kan_status kan_setup_workload(kan_setup *setup) {
    const char *path = kan_options_find(&setup->job->options, "workload");
    reading r = {.setup = setup, .run = setup->run};
    kan_query_box *boxes;
    kan_status status;
    /* other searches have no use for it */
    if (!path || !setup->domains[0] || setup->search->local)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(r.run, setup->n_quasi, sizeof *r.sides, &r.sides));
    for (unsigned a = 0; a < setup->n_quasi; a++)
        r.sides[a].values.run = r.run;
    KAN_TRY_DONE(kan_workload_read(r.run, path, &r.workload));
    KAN_TRY_DONE(bind_columns(&r));
    KAN_TRY_DONE(make_sides(&r));
    KAN_TRY_DONE(read_queries(&r));
    KAN_TRY_DONE(kan_arena_alloc(&setup->job->arena, r.n_boxes, sizeof *boxes, &boxes));
    if (r.n_boxes > 0)
        memcpy(boxes, r.boxes, r.n_boxes * sizeof *boxes);
    setup->queries = boxes;
    setup->n_queries = r.n_boxes;
done:
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        kan_value_column_destroy(&r.sides[a].values);
        kan_free(r.run, r.sides[a].runs);
    }
    kan_free(r.run, r.sides);
    kan_free(r.run, r.boxes);
    kan_workload_destroy(r.workload);
    return status;
}
