/* Columns before and after, by the labels that the release shows.
 *
 * Rows are counted once per column, from the codes: O(rows) each, and as many counters as the
 * column has values. What a label had before is what it has now and the suppressed rows; it is told
 * where all is told, and so are values that no released row shows. */
#include <stdlib.h>

#include "data/spelling.h"
#include "job/outcome/outcome.h"
#include "job/report/report_data.h"

enum { DONE_ROWS = 1 << 16, MOST_HIT = 12, MOST_GONE = 6 };

/* ---- what is shown -------------------------------------------------------------------------- */

typedef struct {
    uint64_t after;
    uint32_t label;
    kan_slice text; /* empty where labels stand in their own order */
} ranked;

/* Equals by text: labels without an order stand as the search found them, which depends on
 * everybody. */
static int by_rows(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->after != y->after)
        return x->after < y->after ? 1 : -1;
    const int order = kan_slice_compare(x->text, y->text);
    if (order)
        return order;
    return x->label < y->label ? -1 : x->label > y->label;
}

static int by_label(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The labels that are shown, in their order; those of most rows where there are too many. */
static kan_status choose_labels(kan_run *run, const kan_report_bins *bins, uint32_t *chosen,
                                size_t *n_chosen, size_t *n_released) {
    ranked *all;
    size_t n = 0;
    KAN_TRY(kan_alloc(run, bins->n, sizeof *all, &all));
    for (size_t i = 0; i < bins->n; i++)
        if (bins->after[i] > 0)
            all[n++] = (ranked){bins->after[i], (uint32_t)i,
                                bins->is_ordered ? kan_slice_of("") : bins->label[i]};
    *n_released = n;
    const size_t most = bins->is_ordered ? KAN_REPORT_VALUES : KAN_REPORT_COMMONEST;
    *n_chosen = n < most ? n : most;
    KAN_ASSERT(*n_chosen <= KAN_REPORT_VALUES); /* the room that there is */
    qsort(all, n, sizeof *all, by_rows);
    for (size_t i = 0; i < *n_chosen; i++)
        chosen[i] = all[i].label;
    kan_free(run, all);
    if (bins->is_ordered)
        qsort(chosen, *n_chosen, sizeof *chosen, by_label);
    return KAN_OK;
}

/* What is told of together: a label, the labels that are not named (rest), or what the release does
 * not show (hidden). */
typedef struct {
    uint64_t before, after;
} unit;

enum { REST = KAN_REPORT_VALUES, HIDDEN, N_UNITS };

static json_t *before_json(const kan_report_bins *bins, const unit *u) {
    return bins->before ? kan_json_count(u->before) : json_null();
}

static void add_label(const kan_report_bins *bins, size_t label, unit *u) {
    u->after += bins->after[label];
    u->before += bins->before ? bins->before[label] : bins->after[label];
}

/* What is not chosen is what all labels have less what the chosen ones have. */
static void sum_units(const kan_report_bins *bins, const uint32_t *chosen, size_t n_chosen,
                      unit *units) {
    for (size_t i = 0; i < bins->n; i++)
        add_label(bins, i, &units[bins->after[i] > 0 ? REST : HIDDEN]);
    for (size_t i = 0; i < n_chosen; i++) {
        add_label(bins, chosen[i], &units[i]);
        units[REST].after -= units[i].after;
        units[REST].before -= units[i].before;
    }
}

kan_status kan_report_bins_show(kan_run *run, const kan_report_bins *bins, uint32_t *chosen,
                                size_t *n_chosen, json_t **out) {
    unit units[N_UNITS] = {0};
    size_t n_released;
    KAN_TRY(choose_labels(run, bins, chosen, n_chosen, &n_released));
    sum_units(bins, chosen, *n_chosen, units);
    json_t *values = json_array();
    for (size_t i = 0; i < *n_chosen; i++)
        values = kan_json_append(values, json_pack("{s:o, s:o, s:o}", "label",
                                                   kan_report_label(bins->label[chosen[i]]),
                                                   "released", kan_json_count(units[i].after),
                                                   "before", before_json(bins, &units[i])));
    const size_t n_rest = n_released - *n_chosen;
    json_t *rest = n_rest > 0 ? json_pack("{s:o, s:o, s:o}", "labels", kan_json_count(n_rest),
                                          "released", kan_json_count(units[REST].after), "before",
                                          before_json(bins, &units[REST]))
                              : json_null();
    json_t *hidden = bins->before && units[HIDDEN].before > 0
                         ? json_pack("{s:o}", "before", kan_json_count(units[HIDDEN].before))
                         : json_null();
    return kan_report_json(run,
                           json_pack("{s:o, s:o, s:o, s:o, s:b}", "labels",
                                     kan_json_count(n_released), "values", values, "rest", rest,
                                     "hidden", hidden, "tells_before", (int)(bins->before != NULL)),
                           out);
}

/* ---- whom suppression hits ------------------------------------------------------------------ */

typedef struct {
    const char *column;
    kan_slice label;
    uint64_t before, n_lost;
} hit;

/* Values that are not shown any more apart from the others: all of them lost everything, and there
 * may be many. */
typedef struct {
    size_t n, n_gone;
    hit hits[MOST_HIT], gone[MOST_GONE];
} hits;

/* By the share that was suppressed, greatest first; then by the number. */
static bool hits_more(const hit *x, const hit *y) {
    const kan_u128 a = (kan_u128)x->n_lost * y->before, b = (kan_u128)y->n_lost * x->before;
    return a != b ? a > b : x->n_lost > y->n_lost;
}

static void insert_hit(hit *list, size_t *n, size_t most, const hit *one) {
    size_t at = *n;
    while (at > 0 && hits_more(one, &list[at - 1])) {
        if (at < most)
            list[at] = list[at - 1];
        at--;
    }
    if (at < most)
        list[at] = *one;
    *n += *n < most;
}

static void add_hit(hits *list, const hit *one) {
    if (one->n_lost == one->before)
        insert_hit(list->gone, &list->n_gone, MOST_GONE, one);
    else
        insert_hit(list->hits, &list->n, MOST_HIT, one);
}

static json_t *hits_json(const hits *list) {
    json_t *array = json_array();
    for (size_t i = 0; i < list->n_gone + list->n; i++) {
        const hit *h = i < list->n_gone ? &list->gone[i] : &list->hits[i - list->n_gone];
        array = kan_json_append(
            array, json_pack("{s:o, s:o, s:o, s:o, s:o}", "column", kan_json_text(h->column),
                             "label", kan_report_label(h->label), "before",
                             kan_json_count(h->before), "suppressed", kan_json_count(h->n_lost),
                             "share", kan_json_real((double)h->n_lost / (double)h->before)));
    }
    return array;
}

/* ---- counting ------------------------------------------------------------------------------- */

/* A column under way. */
typedef struct {
    const kan_report_source *source;
    kan_run *run;
    const char *name;
    bool is_called_text;
    size_t n; /* labels */
    kan_slice *label;
    uint64_t *before, *after; /* before is NULL where it cannot be told by label */
    bool is_ordered;
} counted;

static void counted_destroy(counted *c) {
    kan_free(c->run, c->label);
    kan_free(c->run, c->before);
    kan_free(c->run, c->after);
}

static kan_status counted_make(counted *c, size_t n, bool has_before) {
    c->n = n;
    KAN_TRY(kan_alloc_zero(c->run, n, sizeof *c->label, &c->label));
    KAN_TRY(kan_alloc_zero(c->run, n, sizeof *c->after, &c->after));
    return has_before ? kan_alloc_zero(c->run, n, sizeof *c->before, &c->before) : KAN_OK;
}

/* label_of[code] says under which label a value is counted; NULL: under its own code. */
static kan_status count_rows(counted *c, const kan_column *column, const uint32_t *label_of) {
    const uint8_t *is_suppressed = c->source->release->is_suppressed;
    const uint64_t n_rows = c->source->release->n_rows;
    for (uint64_t row = 0; row < n_rows; row++) {
        const uint32_t code = kan_column_code(column, row);
        const uint32_t label = label_of ? label_of[code] : code;
        const uint64_t n = kan_column_rows(column, row);
        c->before[label] += n;
        c->after[label] += is_suppressed && is_suppressed[row] ? 0 : n;
        if ((row + 1) % DONE_ROWS == 0) {
            kan_column_done(c->run, column, row + 1 - DONE_ROWS, DONE_ROWS);
            KAN_TRY(kan_check_cancel(c->run));
        }
    }
    return KAN_OK;
}

/* The values that released rows had. */
static kan_status count_values(const kan_report_source *source, const kan_column *column,
                               uint64_t *out) {
    const uint8_t *is_suppressed = source->release->is_suppressed;
    const uint64_t n_rows = source->release->n_rows;
    kan_run *run = source->outcome->setup->run;
    kan_status status = KAN_OK;
    uint8_t *is_seen;
    *out = column->dictionary.n;
    if (!is_suppressed)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(run, column->dictionary.n, 1, &is_seen));
    for (uint64_t row = 0; status == KAN_OK && row < n_rows; row++) {
        if (!is_suppressed[row])
            is_seen[kan_column_code(column, row)] = 1;
        if ((row + 1) % DONE_ROWS == 0) {
            kan_column_done(run, column, row + 1 - DONE_ROWS, DONE_ROWS);
            status = kan_check_cancel(run);
        }
    }
    *out = 0;
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        *out += is_seen[code];
    kan_free(run, is_seen);
    return status;
}

/* Levels and cuts: the groups of what the column shows. */
static kan_status count_shown(counted *c, unsigned a) {
    const kan_setup *setup = c->source->outcome->setup;
    const kan_shown *shown = &c->source->outcome->solution->shown[a];
    const kan_hierarchy *h = shown->hierarchy;
    const kan_level *level = &h->levels[shown->level];
    uint32_t *label_of;
    KAN_TRY(counted_make(c, level->n_groups, true));
    c->is_ordered =
        c->source->tells_all || kan_released_knows_order(&c->source->outcome->released, a);
    memcpy(c->label, level->label, level->n_groups * sizeof *c->label);
    KAN_TRY(kan_alloc(c->run, h->n_codes, sizeof *label_of, &label_of));
    for (uint32_t code = 0; code < h->n_codes; code++)
        label_of[code] = shown->level == 0 ? h->leaf_of[code] : level->from_leaf[h->leaf_of[code]];
    const kan_status status = count_rows(c, &setup->table->columns[setup->quasi[a]], label_of);
    kan_free(c->run, label_of);
    return status;
}

/* ---- columns that are released as they are -------------------------------------------------- */

/* What released values are: one word among suppressed ones makes no text of numbers. */
static kan_type released_type(const counted *c, const kan_ends *ends) {
    bool is_number = true, is_date = true;
    double unused;
    for (size_t i = 0; i < c->n; i++) {
        const kan_slice value = c->label[i];
        if (c->after[i] == 0 || kan_value_is_unknown(value) ||
            (ends && kan_value_end(value, NULL) != KAN_END_NONE))
            continue;
        is_number = is_number && kan_value_exact(KAN_TYPE_NUMBER, value, &unused);
        is_date = is_date && kan_value_exact(KAN_TYPE_DATE, value, &unused);
    }
    return is_number ? KAN_TYPE_NUMBER : is_date ? KAN_TYPE_DATE : KAN_TYPE_TEXT;
}

typedef struct {
    kan_slice label;
    uint64_t before, after;
    kan_type type;
} sorted_label;

static int by_type(const void *a, const void *b) {
    const sorted_label *x = a, *y = b;
    return kan_value_compare(x->type, x->label, y->label);
}

/* Puts the labels into the order of released values, which that of all values may not be. */
static kan_status order_labels(counted *c, kan_type type) {
    sorted_label *all;
    KAN_TRY(kan_alloc(c->run, c->n, sizeof *all, &all));
    for (size_t i = 0; i < c->n; i++)
        all[i] = (sorted_label){c->label[i], c->before[i], c->after[i], type};
    qsort(all, c->n, sizeof *all, by_type);
    for (size_t i = 0; i < c->n; i++) {
        c->label[i] = all[i].label;
        c->before[i] = all[i].before;
        c->after[i] = all[i].after;
    }
    kan_free(c->run, all);
    return KAN_OK;
}

static kan_status count_plain(counted *c, const kan_column *column) {
    KAN_TRY(counted_make(c, column->dictionary.n, true));
    c->is_ordered = true;
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        c->label[code] = kan_dictionary_value(&column->dictionary, code);
    KAN_TRY(count_rows(c, column, NULL));
    if (column->dictionary.type != KAN_TYPE_TEXT || kan_column_is_called_text(column))
        return KAN_OK; /* any part of numbers is numbers, and any of such text is text */
    const kan_type type = released_type(c, column->ends);
    return type == KAN_TYPE_TEXT ? KAN_OK : order_labels(c, type);
}

/* Regions: labels of different groups may overlap, so that nothing can be said of before. */
static kan_status count_groups(counted *c, size_t column) {
    const kan_solution *solution = c->source->outcome->solution;
    const kan_group_column *from = &solution->by_group.columns[column];
    const kan_groups *groups = kan_solution_groups(solution);
    KAN_TRY(counted_make(c, from->n_labels, false));
    memcpy(c->label, from->labels, from->n_labels * sizeof *c->label);
    for (size_t g = 0; g < groups->n_groups; g++)
        if (!groups->is_released || groups->is_released[g])
            c->after[from->codes[g]] += groups->count[g];
    return KAN_OK;
}

/* ---- the columns ---------------------------------------------------------------------------- */

/* What was done to a column. */
typedef struct {
    const char *role, *change;
    const kan_hierarchy *hierarchy; /* NULL: none */
    json_t *level, *height;         /* taken over */
    json_t *exact, *given_up;       /* shares of regions; taken over */
    json_t *stands_for;             /* the label for rare values; taken over */
    uint64_t n_values;              /* different ones that released rows had before: one that only
                                       suppressed rows have must not be missed by counting */
} change;

static json_t *or_null(json_t *value) {
    return value ? value : json_null();
}

static void change_destroy(change *what) {
    json_decref(what->level);
    json_decref(what->height);
    json_decref(what->exact);
    json_decref(what->given_up);
    json_decref(what->stands_for);
}

static json_t *hierarchy_json(const change *what) {
    return what->hierarchy && what->hierarchy->origin ? kan_json_text(what->hierarchy->origin)
                                                      : json_null();
}

/* Where all is told. A column that has one label says nothing of whom. */
static void find_hits(const counted *c, hits *list) {
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += c->before[i] > 0;
    for (size_t i = 0; n > 1 && i < c->n; i++)
        if (c->before[i] > c->after[i])
            add_hit(list, &(hit){c->name, c->label[i], c->before[i], c->before[i] - c->after[i]});
}

static kan_status add_column(const counted *c, change *what, json_t **columns, hits *list) {
    uint32_t chosen[KAN_REPORT_VALUES];
    size_t n;
    json_t *shown = NULL;
    const uint64_t *before = c->source->tells_all ? c->before : NULL;
    const kan_report_bins bins = {c->n, c->label, before, c->after, c->is_ordered};
    kan_status status = kan_report_bins_show(c->run, &bins, chosen, &n, &shown);
    if (status != KAN_OK) {
        change_destroy(what);
        return status;
    }
    if (before)
        find_hits(c, list);
    json_t *column = json_pack(
        "{s:o, s:b, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", kan_json_text(c->name),
        "called_text", (int)c->is_called_text, "role", what->role, "change", what->change, "level",
        or_null(what->level), "height", or_null(what->height), "hierarchy", hierarchy_json(what),
        "distinct_before", kan_json_count(what->n_values), "exact", or_null(what->exact),
        "given_up", or_null(what->given_up), "stands_for", or_null(what->stands_for));
    if (column && json_object_update(column, shown) != 0) {
        json_decref(column);
        column = NULL;
    }
    json_decref(shown);
    *columns = kan_json_append(*columns, column);
    return *columns ? KAN_OK
                    : kan_fail(c->run, KAN_FAILED, "out of memory while the report was made");
}

static kan_status add_quasi(const kan_report_source *source, unsigned a, json_t **columns,
                            hits *list) {
    const kan_setup *setup = source->outcome->setup;
    const kan_solution *solution = source->outcome->solution;
    const kan_released *released = &source->outcome->released;
    const kan_column *column = &setup->table->columns[setup->quasi[a]];
    const kan_recoding *recoding = &solution->answer.recoding;
    counted c = {.source = source,
                 .run = setup->run,
                 .name = column->name,
                 .is_called_text = kan_column_is_called_text(column)};
    change what = {.role = "quasi-identifier", .hierarchy = setup->hierarchies[a]};
    KAN_TRY(count_values(source, column, &what.n_values));
    kan_status status = count_shown(&c, a);
    if (status == KAN_OK) {
        if (kan_recoding_has_cuts(recoding)) {
            what.change = recoding->type == KAN_RECODING_SUBTREES ? "nodes" : "intervals";
            if ((setup->domains[a] && !setup->domains[a]->has_tree) ||
                (!source->tells_all && !kan_released_knows_levels(released, a)))
                what.hierarchy = NULL;
        } else if (source->tells_all || kan_released_knows_levels(released, a)) {
            const bool tells_all = source->tells_all;
            what.change = "level";
            what.level = json_integer(
                (json_int_t)(tells_all ? recoding->levels[a] : kan_released_level(released, a)));
            what.height = json_integer((json_int_t)(tells_all ? setup->hierarchies[a]->height
                                                              : kan_released_height(released, a)));
        } else {
            what.change =
                kan_released_became(released, a) == KAN_RELEASED_SAME ? "none" : "coarser";
        }
        if (!kan_recoding_has_cuts(recoding))
            status = kan_report_stands_for(source, a, recoding->levels[a], &what.stands_for);
        if (status == KAN_OK)
            status = add_column(&c, &what, columns, list);
        else
            change_destroy(&what);
    }
    counted_destroy(&c);
    return status;
}

static bool shows(const counted *c, const char *label) {
    for (size_t i = 0; i < c->n; i++)
        if (c->after[i] > 0 && kan_slice_equal(c->label[i], kan_slice_of(label)))
            return true;
    return false;
}

/* Regions: what the summary says of a column, too; and of local recodings the rare values, which
 * may stand at several levels: those of the highest are all. */
static kan_status add_shares(const kan_report_source *source, const counted *c, size_t at,
                             change *what) {
    const kan_setup *setup = source->outcome->setup;
    const unsigned a = source->outcome->solution->by_group.attribute_of[at];
    kan_shown_shares shares;
    kan_summary_shares(source->outcome, at, &shares);
    if (shares.has_exact)
        KAN_TRY(kan_report_json(setup->run, kan_json_real(shares.exact), &what->exact));
    if (shares.has_given_up)
        KAN_TRY(kan_report_json(setup->run, kan_json_real(shares.given_up), &what->given_up));
    if (source->outcome->solution->answer.recoding.type != KAN_RECODING_LOCAL)
        return KAN_OK;
    KAN_TRY(kan_report_stands_for(source, a, setup->hierarchies[a]->height - 1, &what->stands_for));
    const char *label = json_string_value(json_object_get(what->stands_for, "label"));
    if (label && !shows(c, label)) {
        json_decref(what->stands_for);
        what->stands_for = NULL;
    }
    return KAN_OK;
}

/* Regions: by the values of the table, as labels of different groups overlap. */
static kan_status find_raw_hits(const kan_report_source *source, unsigned a, hits *list) {
    const kan_setup *setup = source->outcome->setup;
    const kan_column *column = &setup->table->columns[setup->quasi[a]];
    counted c = {.source = source,
                 .run = setup->run,
                 .name = column->name,
                 .is_called_text = kan_column_is_called_text(column)};
    const kan_status status = count_plain(&c, column);
    if (status == KAN_OK)
        find_hits(&c, list);
    counted_destroy(&c);
    return status;
}

static kan_status add_group_column(const kan_report_source *source, size_t at, json_t **columns,
                                   hits *list) {
    static const char *const changes[] = {[KAN_MIDDLE_NONE] = "regions",
                                          [KAN_MIDDLE_MEAN] = "mean",
                                          [KAN_MIDDLE_MEDIAN] = "median",
                                          [KAN_MIDDLE_MODE] = "mode"};
    const kan_setup *setup = source->outcome->setup;
    const kan_group_release *release = &source->outcome->solution->by_group;
    const unsigned a = release->attribute_of[at];
    counted c = {.source = source, .run = setup->run, .name = release->columns[at].name};
    change what = {.role = "quasi-identifier",
                   .change = changes[release->middle[at]],
                   .hierarchy = setup->domains[a] && setup->domains[a]->has_tree
                                    ? setup->hierarchies[a]
                                    : NULL};
    KAN_TRY(count_values(source, &setup->table->columns[setup->quasi[a]], &what.n_values));
    if (source->tells_all && (at == 0 || release->attribute_of[at - 1] != a))
        KAN_TRY(find_raw_hits(source, a, list));
    kan_status status = count_groups(&c, at);
    if (status == KAN_OK)
        status = add_shares(source, &c, at, &what);
    if (status == KAN_OK)
        status = add_column(&c, &what, columns, list);
    else
        change_destroy(&what);
    counted_destroy(&c);
    return status;
}

static kan_status add_plain(const kan_report_source *source, size_t at, json_t **columns,
                            hits *list) {
    const kan_setup *setup = source->outcome->setup;
    const kan_column *column = &setup->table->columns[at];
    counted c = {.source = source,
                 .run = setup->run,
                 .name = column->name,
                 .is_called_text = kan_column_is_called_text(column)};
    change what = {.role = kan_role_word(setup->roles[at]), .change = "none"};
    KAN_TRY(count_values(source, column, &what.n_values));
    kan_status status = count_plain(&c, column);
    if (status == KAN_OK)
        status = add_column(&c, &what, columns, list);
    counted_destroy(&c);
    return status;
}

static kan_status add_columns(const kan_report_source *source, json_t **columns, hits *list) {
    const kan_setup *setup = source->outcome->setup;
    const kan_solution *solution = source->outcome->solution;
    if (kan_recoding_has_regions(&solution->answer.recoding))
        for (size_t c = 0; c < solution->by_group.n_columns; c++)
            KAN_TRY(add_group_column(source, c, columns, list));
    else
        for (unsigned a = 0; a < setup->n_quasi; a++)
            KAN_TRY(add_quasi(source, a, columns, list));
    for (size_t i = 0; i < setup->table->n_columns; i++)
        if (setup->table->columns[i].is_encoded &&
            (setup->roles[i] == KAN_ROLE_SENSITIVE || setup->roles[i] == KAN_ROLE_CLASS))
            KAN_TRY(add_plain(source, i, columns, list));
    return KAN_OK;
}

kan_status kan_report_columns(const kan_report_source *source, json_t **columns,
                              json_t **most_hit) {
    hits list = {0};
    json_t *all;
    kan_run *run = source->outcome->setup->run;
    KAN_TRY(kan_report_json(run, json_array(), &all));
    kan_status status = add_columns(source, &all, &list);
    if (status == KAN_OK)
        status = kan_report_json(run, hits_json(&list), most_hit);
    if (status == KAN_OK)
        *columns = all;
    else
        json_decref(all);
    return status;
}
