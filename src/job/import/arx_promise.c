/* Criteria and metric as ARX prints them, and what each becomes. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "job/import/import_inside.h"

enum { MOST_GROUPS = 5, GROUP = 512 };

typedef struct match {
    kan_slice whole; /* the criterion */
    char group[MOST_GROUPS][GROUP];
} match;

/* ---- what criteria become ------------------------------------------------------------------- */

static kan_status note_taken(kan_import *import, const match *m, const char *setting,
                             const char *value) {
    char as[2 * GROUP + 64];
    kan_arx_taken taken;
    (void)snprintf(as, sizeof as, "%s %s", setting, value);
    KAN_TRY(kan_import_clean(import, m->whole, &taken.what));
    KAN_TRY(kan_import_clean(import, kan_slice_of(as), &taken.as));
    KAN_TRY(kan_reserve(import->run, import->n_taken + 1, sizeof *import->taken,
                        &import->taken_capacity, &import->taken));
    import->taken[import->n_taken++] = taken;
    return KAN_OK;
}

static kan_status set(kan_import *import, const match *m, const char *setting, const char *value) {
    const char *const before = kan_job_get(import->made, setting, 0);
    if (before)
        return strcmp(before, value) == 0
                   ? KAN_OK
                   : kan_import_leave(import, m->whole, "the promise is made once, and was made");
    const size_t n = import->n_left;
    KAN_TRY(kan_import_set(import, m->whole, setting, value));
    return import->n_left == n ? note_taken(import, m, setting, value) : KAN_OK;
}

static const kan_arx_column *find_column(const kan_import *import, const char *name) {
    for (size_t i = 0; i < import->n_columns; i++)
        if (strcmp(import->columns[i].name, name) == 0)
            return &import->columns[i];
    return NULL;
}

static bool is_of(const char *said, const char *column) {
    const size_t n = strlen(column);
    return strncmp(said, column, n) == 0 && said[n] == '=';
}

static kan_status set_column(kan_import *import, const match *m, const char *setting,
                             const char *column, const char *value) {
    const char *said;
    if (!find_column(import, column))
        return kan_import_leave(import, m->whole, "the project has no column of that name");
    for (size_t i = 0; (said = kan_job_get(import->made, setting, i)) != NULL; i++)
        if (is_of(said, column))
            return kan_import_leave(import, m->whole,
                                    "the column has another promise of the same kind already");
    const size_t n = import->n_left;
    KAN_TRY(kan_import_set_column(import, m->whole, setting, column, value));
    return import->n_left == n ? note_taken(import, m, setting, value) : KAN_OK;
}

/* Of two the greater one promises both. */
static kan_status take_k(kan_import *import, const match *m) {
    const char *const before = kan_job_get(import->made, "k", 0);
    if (before && strtoull(before, NULL, 10) >= strtoull(m->group[1], NULL, 10))
        return KAN_OK;
    return before ? kan_import_set(import, m->whole, "k", m->group[1])
                  : set(import, m, "k", m->group[1]);
}

static const char needs_subset[] = "it is about a research subset, and the project has none: "
                                   "data/input_subset.csv is missing, or has all "
                                   "rows";

static kan_status take_of_population(kan_import *import, const match *m, const char *setting,
                                     const char *value) {
    if (!import->has_subset)
        return kan_import_leave(import, m->whole, needs_subset);
    if (!kan_job_get(import->made, "population", 0))
        KAN_TRY(kan_import_set(import, m->whole, "population", "data.csv"));
    return set(import, m, setting, value);
}

static kan_status take_k_map(kan_import *import, const match *m) {
    return take_of_population(import, m, "k-map", m->group[1]);
}

static kan_status take_presence(kan_import *import, const match *m) {
    char range[2 * GROUP + 4];
    (void)snprintf(range, sizeof range, "%s..%s", m->group[1], m->group[2]);
    return take_of_population(import, m, "presence", range);
}

static kan_status take_l(kan_import *import, const match *m, const char *l, const char *kind,
                         const char *column) {
    const size_t n = import->n_left;
    KAN_TRY(set_column(import, m, "l", column, l));
    return import->n_left == n ? kan_import_set_column(import, m->whole, "l-kind", column, kind)
                               : KAN_OK;
}

static kan_status take_distinct(kan_import *import, const match *m) {
    return take_l(import, m, m->group[1], "distinct", m->group[2]);
}

static kan_status take_entropy(kan_import *import, const match *m) {
    return take_l(import, m, m->group[2], "entropy", m->group[3]);
}

static kan_status take_recursive(kan_import *import, const match *m) {
    const size_t n = import->n_left;
    KAN_TRY(take_l(import, m, m->group[2], "recursive", m->group[3]));
    return import->n_left == n
               ? kan_import_set_column(import, m->whole, "c", m->group[3], m->group[1])
               : KAN_OK;
}

/* Where the measure is not quite that of ARX. */
static kan_status leave_distance(kan_import *import, const match *m, const kan_arx_column *of,
                                 bool is_hierarchical, bool is_ordered) {
    if (is_hierarchical && !of->has_top)
        return kan_import_leave(
            import, m->whole,
            "the promise was taken over, but its hierarchy ends in several labels: * was put above "
            "them, and the steps to it count; distances are not those of ARX, so look at t again");
    const bool is_measured = of->datatype && (strncasecmp(of->datatype, "Integer", 7) == 0 ||
                                              strncasecmp(of->datatype, "Decimal", 7) == 0 ||
                                              strncasecmp(of->datatype, "Date", 4) == 0);
    if (is_ordered && !is_measured)
        return kan_import_leave(
            import, m->whole,
            "the promise was taken over, but the column is text to ARX, which orders it as text or "
            "by a list; kanon orders numbers and dates by what they say, and refuses other text");
    return KAN_OK;
}

static kan_status take_t(kan_import *import, const match *m) {
    const char *const column = m->group[4], *const kind = m->group[2];
    const kan_arx_column *const of = find_column(import, column);
    const bool is_hierarchical = strcmp(kind, "hierarchical") == 0;
    const size_t n = import->n_left;
    if (is_hierarchical && !(of && of->file))
        return kan_import_leave(import, m->whole,
                                "its distance follows a hierarchy, and the column has none");
    KAN_TRY(set_column(import, m, "t", column, m->group[1]));
    if (import->n_left > n)
        return KAN_OK;
    KAN_TRY(kan_import_set_column(import, m->whole, "t-distance", column, kind));
    if (is_hierarchical)
        KAN_TRY(kan_import_set_column(import, m->whole, "t-hierarchy", column, of->file));
    return leave_distance(import, m, of, is_hierarchical, strcmp(kind, "ordered") == 0);
}

static kan_status take_delta(kan_import *import, const match *m) {
    return set_column(import, m, "delta-disclosure", m->group[2], m->group[1]);
}

static kan_status take_beta_of(kan_import *import, const match *m, const char *beta,
                               const char *kind) {
    const size_t n = import->n_left;
    KAN_TRY(set_column(import, m, "beta", m->group[3], beta));
    return import->n_left == n
               ? kan_import_set_column(import, m->whole, "beta-kind", m->group[3], kind)
               : KAN_OK;
}

static kan_status take_beta(kan_import *import, const match *m) {
    return take_beta_of(import, m, m->group[1], m->group[2]);
}

static kan_status take_beta_behind(kan_import *import, const match *m) {
    return take_beta_of(import, m, m->group[2], m->group[1]);
}

static kan_status take_average(kan_import *import, const match *m) {
    return set(import, m, "average-risk", m->group[1]);
}

static kan_status take_average_and_more(kan_import *import, const match *m) {
    KAN_TRY(take_average(import, m));
    return kan_import_leave(
        import, m->whole,
        "the average was taken over; the share of rows above a highest risk was not, "
        "because ARX rounds the size of such groups: say it with --at-risk and --below");
}

static kan_status take_sample_uniques(kan_import *import, const match *m) {
    KAN_TRY(set(import, m, "at-risk", m->group[1]));
    return kan_job_get(import->made, "at-risk", 0) ? set(import, m, "below", "2") : KAN_OK;
}

static kan_status leave_estimated(kan_import *import, const match *m) {
    return kan_import_leave(
        import, m->whole,
        "its population is estimated by settings in a Java object stream, which is not read; "
        "kanon promises --k-map of a population that is at hand");
}

static kan_status leave_uniques(kan_import *import, const match *m) {
    return kan_import_leave(
        import, m->whole,
        "the size of the population stands in a Java object stream, which is not read; say "
        "--population-uniques with --population-size or --sampling-fraction");
}

#define PLAIN "([0-9][0-9.E-]*)"
#define OF    " for attribute '(.*)'$"

static const struct {
    const char *pattern;
    kan_status (*take)(kan_import *import, const match *m);
} criteria[] = {
    {"^([0-9]+)-anonymity$", take_k},
    {"^\\(([0-9]+)\\)-map$", take_k_map},
    {"^\\(([0-9]+)\\)-map estimated as ", leave_estimated},
    {"^\\(" PLAIN ", ?" PLAIN "\\)-presence$", take_presence},
    {"^distinct-([0-9]+)-diversity" OF, take_distinct},
    {"^(shannon-)?entropy-" PLAIN "-diversity" OF, take_entropy},
    {"^recursive-\\(" PLAIN ", ?([0-9]+)\\)-diversity" OF, take_recursive},
    {"^" PLAIN "-closeness with (equal|hierarchical|ordered) (ground-)?distance" OF, take_t},
    {"^" PLAIN "-disclosure privacy" OF, take_delta},
    {"^" PLAIN "-(basic|enhanced) likeness" OF, take_beta},
    {"^(basic|enhanced)-" PLAIN "-likeness" OF, take_beta_behind},
    {"^\\(" PLAIN "\\)-avg-reidentification-risk$", take_average},
    {"^\\(" PLAIN ", ?" PLAIN ", ?" PLAIN "\\)-avg-reidentification-risk$", take_average_and_more},
    {"^\\(" PLAIN "\\)-sample-uniqueness$", take_sample_uniques},
    {"^\\(" PLAIN "\\)-population-uniqueness", leave_uniques},
};

/* ---- reading -------------------------------------------------------------------------------- */

static bool matches(const char *pattern, const char *text, match *m) {
    regex_t compiled;
    regmatch_t places[MOST_GROUPS];
    if (regcomp(&compiled, pattern, REG_EXTENDED) != 0)
        return false;
    bool is_match = regexec(&compiled, text, MOST_GROUPS, places, 0) == 0;
    regfree(&compiled);
    for (size_t i = 1; i < MOST_GROUPS && is_match; i++) {
        const size_t size = places[i].rm_so < 0 ? 0 : (size_t)(places[i].rm_eo - places[i].rm_so);
        is_match = size < GROUP;
        if (is_match && size > 0)
            memcpy(m->group[i], text + places[i].rm_so, size);
        m->group[i][is_match ? size : 0] = '\0';
    }
    return is_match;
}

static kan_status take_criterion(kan_import *import, const char *text) {
    match m = {.whole = kan_slice_of(text)};
    for (size_t i = 0; i < sizeof criteria / sizeof *criteria; i++)
        if (matches(criteria[i].pattern, text, &m))
            return criteria[i].take(import, &m);
    return kan_import_leave(import, kan_slice_of(text), "kanon has no such promise");
}

/* ---- the metric ----------------------------------------------------------------------------- */

static const struct {
    const char *name; /* how ARX's begins, in any case */
    const char *cost;
    bool takes_weights;
} metrics[] = {
    {"Loss", "ncp", true},
    {"Normalized domain share", "ncp", true},
    {"Discernability", "discernibility", false},
    {"Monotonic discernability", "discernibility", false},
    {"Non-monotonic discernability", "discernibility", false},
    {"Average equivalence class size", "average-class", false},
    {"Height", "height", false},
    {"Precision", "precision", true},
    {"Monotonic precision", "precision", true},
    {"Non-monotonic precision", "precision", true},
};

static kan_status take_weights(kan_import *import, bool are_taken) {
    bool differ = false;
    for (size_t i = 0; i < import->n_weights; i++)
        differ |= import->weights[i].weight && import->weights[0].weight &&
                  strcmp(import->weights[i].weight, import->weights[0].weight) != 0;
    for (size_t i = 0; i < import->n_weights && differ; i++) {
        const kan_arx_weight *const w = &import->weights[i];
        const kan_arx_column *const of = find_column(import, w->column);
        const kan_slice what = kan_slice_of(w->column);
        if (!w->weight || !of || !of->type || strncasecmp(of->type, "QUASI", 5) != 0)
            continue; /* ARX keeps weights of columns that are no quasi-identifiers, and does not use them */
        if (!are_taken)
            KAN_TRY(kan_import_leave(import, what, "its weight: the cost measures no columns"));
        else
            KAN_TRY(kan_import_set_column(import, what, "weight", w->column, w->weight));
    }
    return KAN_OK;
}

static kan_status take_metric(kan_import *import) {
    bool are_taken = false, is_found = false;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics && import->metric && !is_found; i++) {
        const size_t n = strlen(metrics[i].name);
        const char next =
            strncasecmp(import->metric, metrics[i].name, n) == 0 ? import->metric[n] : 'x';
        is_found = next == '\0' || next == ' ' || next == '(';
        if (!is_found)
            continue;
        are_taken = metrics[i].takes_weights;
        KAN_TRY(kan_import_set(import, kan_slice_of(import->metric), "cost", metrics[i].cost));
    }
    if (import->metric && !is_found)
        KAN_TRY(kan_import_leave(
            import, kan_slice_of(import->metric),
            "kanon has no such cost, and searches by its own; choose one with --cost"));
    return take_weights(import, are_taken);
}

kan_status kan_import_promise(kan_import *import) {
    for (size_t i = 0; i < import->n_criteria; i++)
        KAN_TRY(take_criterion(import, import->criteria[i]));
    return take_metric(import);
}
