/* Both tables are folded to distinct tuples: groups of the release, and people who are alike. Of the column by
 * which fewest pairs match, each value has a list of the released values that cover it, and each of these a
 * list of its groups; of the groups that come up so the other columns are compared, one by one. What groups
 * show in sensitive columns was counted before, so that no row is looked at again. Tasks are ranges of tuples,
 * and write to places of their own; numbers of people by group are sums. */
#include "analyze/intruder/register_inside.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tuples/tuples.h"
#include "core/hash.h"
#include "core/pool.h"

enum { TUPLES_PER_TASK = 64, GROUPS_BETWEEN_CHECKS = 1 << 16, LEAST_SAMPLE = 1000 };

/* ---- folding -------------------------------------------------------------------------------- */

static void folded_destroy(kan_run *run, kan_folded *side) {
    kan_free(run, side->of_row);
    kan_free(run, side->rows);
    kan_free(run, side->first_row);
    kan_free(run, side->codes);
}

static kan_status follow(void *context, uint64_t row, size_t n, const size_t *groups) {
    uint32_t *of_row = context;
    for (size_t i = 0; i < n; i++)
        of_row[row + i] = (uint32_t)groups[i];
    return KAN_OK;
}

static kan_status lay_out(kan_run *run, const kan_table *table, const size_t *columns, size_t n,
                          kan_folded *out) {
    for (uint64_t row = 0; row < table->n_rows; row++)
        if (out->rows[out->of_row[row]]++ == 0)
            out->first_row[out->of_row[row]] = row;
    for (size_t i = 0; i < out->n; i++)
        for (size_t c = 0; c < n; c++)
            out->codes[i * n + c] = kan_column_code(&table->columns[columns[c]], out->first_row[i]);
    return kan_check_cancel(run);
}

static kan_status fold(kan_run *run, const kan_table *table, const size_t *columns, size_t n,
                       kan_folded *out) {
    kan_recount_groups groups = {0};
    bool has_groups = false;
    kan_status status;
    if (table->n_rows >= UINT32_MAX)
        return kan_fail(run, KAN_BAD_INPUT,
                        "a table has 2^32 rows or more, and not more than that "
                        "can be matched; attack a part of it");
    KAN_TRY_DONE(kan_alloc(run, (size_t)table->n_rows, sizeof *out->of_row, &out->of_row));
    KAN_TRY_DONE(kan_recount_group(run, table, columns, n,
                                   &(kan_recount_follower){follow, out->of_row}, &groups));
    has_groups = true;
    out->n = groups.tuples.n;
    KAN_TRY_DONE(kan_alloc_zero(run, out->n, sizeof *out->rows, &out->rows));
    KAN_TRY_DONE(kan_alloc(run, out->n, sizeof *out->first_row, &out->first_row));
    KAN_TRY_DONE(kan_alloc(run, out->n * n, sizeof *out->codes, &out->codes));
    status = lay_out(run, table, columns, n, out);
done:
    if (has_groups)
        kan_tuples_destroy(&groups.tuples);
    return status;
}

/* ---- what groups show in a sensitive column -------------------------------------------------- */

/* Rows in the order of their groups. */
static kan_status sort_rows(kan_run *run, const kan_folded *groups, uint64_t n_rows,
                            uint64_t **out) {
    uint64_t *rows = NULL;
    size_t *next = NULL, at = 0;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, (size_t)n_rows, sizeof *rows, &rows));
    KAN_TRY_DONE(kan_alloc(run, groups->n, sizeof *next, &next));
    for (size_t g = 0; g < groups->n; g++) {
        next[g] = at;
        at += (size_t)groups->rows[g];
    }
    for (uint64_t row = 0; row < n_rows; row++)
        rows[next[groups->of_row[row]]++] = row;
    *out = rows;
    rows = NULL;
done:
    kan_free(run, rows);
    kan_free(run, next);
    return status;
}

/* `place` is by code, and 0 for all before and afterwards: one more than where its value stands. */
static kan_status count_values(kan_run *run, const kan_folded *groups, const kan_column *column,
                               const uint64_t *rows, size_t *place, kan_values_shown *out) {
    size_t n = 0, capacity = 0, at = 0;
    KAN_TRY(kan_alloc(run, groups->n + 1, sizeof *out->start, &out->start));
    for (size_t g = 0; g < groups->n; g++) {
        out->start[g] = n;
        for (uint64_t i = 0; i < groups->rows[g]; i++) {
            const uint32_t code = kan_column_code(column, rows[at++]);
            if (place[code] == 0) {
                KAN_TRY(kan_reserve(run, n + 1, sizeof *out->shown, &capacity, &out->shown));
                out->shown[n++] = (kan_register_guess){.code = code};
                place[code] = n;
            }
            out->shown[place[code] - 1].rows++;
        }
        for (size_t i = out->start[g]; i < n; i++)
            place[out->shown[i].code] = 0;
    }
    out->start[groups->n] = n;
    return KAN_OK;
}

static kan_status count_shown(const kan_register *r, const kan_folded *groups,
                              kan_values_shown *out) {
    const kan_register_question *question = &r->question;
    uint64_t *rows = NULL;
    kan_status status = KAN_OK;
    if (question->n_sensitive == 0)
        return KAN_OK;
    KAN_TRY(sort_rows(r->run, groups, question->release->n_rows, &rows));
    for (size_t s = 0; s < question->n_sensitive && status == KAN_OK; s++) {
        const kan_column *column = &question->release->columns[question->sensitive[s]];
        size_t *place;
        status = kan_alloc_zero(r->run, column->dictionary.n, sizeof *place, &place);
        if (status == KAN_OK) {
            status = count_values(r->run, groups, column, rows, place, &out[s]);
            kan_free(r->run, place);
        }
        if (status == KAN_OK)
            status = kan_check_cancel(r->run);
    }
    kan_free(r->run, rows);
    return status;
}

/* ---- the column by which groups are found ----------------------------------------------------- */

/* Whether a label of the value says no more than one of lower levels does. */
static bool is_said(const uint32_t *shown_as, unsigned level) {
    for (unsigned before = 0; before < level; before++)
        if (shown_as[before] == shown_as[level])
            return true;
    return false;
}

void kan_relation_each_pair(const kan_relation *relation, kan_pair_fn fn, void *context) {
    const uint32_t n_values = relation->original->dictionary.n;
    const uint32_t n_codes = relation->released->dictionary.n;
    for (uint32_t value = 0; value < n_values; value++) {
        const uint32_t *shown_as = relation->shown_as + (size_t)value * relation->n_levels;
        bool has_star = relation->star == KAN_NO_CODE;
        for (unsigned level = 0; level < relation->n_levels; level++)
            if (shown_as[level] != KAN_NO_CODE && !is_said(shown_as, level)) {
                has_star = has_star || shown_as[level] == relation->star;
                fn(context, value, shown_as[level]);
            }
        if (!has_star)
            fn(context, value, relation->star);
    }
    for (uint32_t code = 0; relation->run_start && code < n_codes; code++)
        for (size_t i = relation->run_start[code]; i < relation->run_start[code + 1]; i++)
            for (uint32_t value = relation->runs[i].first; value < relation->runs[i].end; value++)
                fn(context, value, code);
}

static void finder_destroy(kan_run *run, kan_finder *find) {
    kan_free(run, find->group_start);
    kan_free(run, find->groups);
    kan_free(run, find->code_start);
    kan_free(run, find->codes);
    kan_free(run, find->n_groups);
    kan_free(run, find->n_pairs);
}

static void add_pair(void *context, uint32_t value, uint32_t code) {
    kan_finder *find = context;
    find->n_pairs[value] += find->n_groups[code];
    if (find->code_start)
        find->code_start[value + 1]++;
}

static void put_pair(void *context, uint32_t value, uint32_t code) {
    kan_finder *find = context;
    find->codes[find->code_start[value]++] = code;
}

/* How many groups come up for each value, and for all tuples. */
static kan_status measure_column(kan_run *run, const kan_relation *relation,
                                 const kan_folded *groups, const kan_folded *people, size_t n,
                                 size_t column, kan_finder *out, uint64_t *total) {
    kan_finder made = {.column = column};
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, relation->released->dictionary.n, sizeof *made.n_groups,
                                &made.n_groups));
    KAN_TRY_DONE(
        kan_alloc_zero(run, relation->original->dictionary.n, sizeof *made.n_pairs, &made.n_pairs));
    for (size_t g = 0; g < groups->n; g++)
        made.n_groups[groups->codes[g * n + column]]++;
    kan_relation_each_pair(relation, add_pair, &made);
    *total = 0;
    for (size_t t = 0; t < people->n; t++)
        *total += made.n_pairs[people->codes[t * n + column]];
    *out = made;
    return KAN_OK;
done:
    finder_destroy(run, &made);
    return status;
}

/* A list of items by key, as runs: start[key] .. start[key + 1]; on entry start[key + 1] is how many. */
static void add_up(size_t *start, size_t n) {
    for (size_t i = 0; i < n; i++)
        start[i + 1] += start[i];
}

static void step_back(size_t *start, size_t n) {
    memmove(start + 1, start, n * sizeof *start);
    start[0] = 0;
}

static kan_status fill_finder(kan_run *run, const kan_relation *relation, const kan_folded *groups,
                              size_t n, kan_finder *find) {
    const size_t n_codes = relation->released->dictionary.n;
    const size_t n_values = relation->original->dictionary.n;
    KAN_TRY(kan_alloc_zero(run, n_codes + 1, sizeof *find->group_start, &find->group_start));
    KAN_TRY(kan_alloc(run, groups->n, sizeof *find->groups, &find->groups));
    for (size_t code = 0; code < n_codes; code++)
        find->group_start[code + 1] = (size_t)find->n_groups[code];
    add_up(find->group_start, n_codes);
    for (size_t g = 0; g < groups->n; g++)
        find->groups[find->group_start[groups->codes[g * n + find->column]]++] = g;
    step_back(find->group_start, n_codes);
    KAN_TRY(kan_alloc_zero(run, n_values + 1, sizeof *find->code_start, &find->code_start));
    memset(find->n_pairs, 0, n_values * sizeof *find->n_pairs);
    kan_relation_each_pair(relation, add_pair, find);
    add_up(find->code_start, n_values);
    KAN_TRY(kan_alloc(run, find->code_start[n_values], sizeof *find->codes, &find->codes));
    kan_relation_each_pair(relation, put_pair, find);
    step_back(find->code_start, n_values);
    return kan_check_cancel(run);
}

/* ---- asking ----------------------------------------------------------------------------------- */

static bool matches(const kan_asking *a, size_t tuple, size_t group) {
    const uint32_t *known = a->people.codes + tuple * a->n;
    const uint32_t *shown = a->groups.codes + group * a->n;
    for (size_t c = 0; c < a->n; c++)
        if (c != a->find.column &&
            !kan_relation_covers(kan_asking_relation(a, c), shown[c], known[c]))
            return false;
    return true;
}

/* Adds what a group shows; `n_touched` is by sensitive column. */
void kan_asking_add_group(const kan_asking *a, size_t group, unsigned worker, uint32_t *n_touched) {
    const size_t n_sensitive = a->r->question.n_sensitive;
    for (size_t s = 0; s < n_sensitive; s++) {
        const kan_values_shown *shown = &a->shown[s];
        uint64_t *count = a->count[worker * n_sensitive + s];
        uint32_t *touched = a->touched[worker * n_sensitive + s];
        for (size_t i = shown->start[group]; i < shown->start[group + 1]; i++) {
            if (count[shown->shown[i].code] == 0)
                touched[n_touched[s]++] = shown->shown[i].code;
            count[shown->shown[i].code] += shown->shown[i].rows;
        }
    }
}

/* All values of a sensitive column that were counted. */
static kan_status keep_values(const kan_asking *a, size_t at, const uint64_t *count,
                              const uint32_t *touched, uint32_t n) {
    kan_register_guess *values;
    KAN_TRY(kan_alloc(a->run, n, sizeof *values, &values));
    for (uint32_t i = 0; i < n; i++)
        values[i] = (kan_register_guess){touched[i], count[touched[i]]};
    a->out->values[at] = values;
    a->out->n_values[at] = n;
    return KAN_OK;
}

/* The most common value of each sensitive column. */
kan_status kan_asking_conclude(const kan_asking *a, size_t tuple, unsigned worker,
                               uint32_t *n_touched) {
    const size_t n_sensitive = a->r->question.n_sensitive;
    for (size_t s = 0; s < n_sensitive; s++) {
        kan_register_guess best = {0};
        uint64_t *count = a->count[worker * n_sensitive + s];
        const uint32_t *touched = a->touched[worker * n_sensitive + s];
        if (a->out->values)
            KAN_TRY(keep_values(a, tuple * n_sensitive + s, count, touched, n_touched[s]));
        for (uint32_t i = 0; i < n_touched[s]; i++) {
            const uint32_t code = touched[i];
            if (count[code] > best.rows || (count[code] == best.rows && code < best.code))
                best = (kan_register_guess){code, count[code]};
            count[code] = 0;
        }
        a->out->guesses[tuple * n_sensitive + s] = best;
        n_touched[s] = 0;
    }
    return KAN_OK;
}

static kan_status ask_tuple(const kan_asking *a, size_t tuple, unsigned worker,
                            uint32_t *n_touched) {
    const kan_finder *find = &a->find;
    const uint32_t value = a->people.codes[tuple * a->n + find->column];
    uint64_t first = UINT64_MAX;
    size_t n_looked = 0;
    for (size_t i = find->code_start[value]; i < find->code_start[value + 1]; i++) {
        const uint32_t code = find->codes[i];
        for (size_t j = find->group_start[code]; j < find->group_start[code + 1]; j++) {
            const size_t group = find->groups[j];
            if (++n_looked % GROUPS_BETWEEN_CHECKS == 0)
                KAN_TRY(kan_check_cancel(a->run));
            if (!matches(a, tuple, group))
                continue;
            a->out->rows[tuple] += a->groups.rows[group];
            if (a->groups.first_row[group] < first)
                first = a->groups.first_row[group];
            atomic_fetch_add_explicit(&a->people_of[group], a->n_asked[tuple],
                                      memory_order_relaxed);
            kan_asking_add_group(a, group, worker, n_touched);
        }
    }
    a->out->row[tuple] = first;
    return kan_asking_conclude(a, tuple, worker, n_touched);
}

static kan_status ask_some(void *context, size_t task, unsigned worker) {
    const kan_asking *a = context;
    const size_t first = task * TUPLES_PER_TASK;
    const size_t end =
        a->people.n - first < TUPLES_PER_TASK ? a->people.n : first + TUPLES_PER_TASK;
    uint32_t *n_touched;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc_zero(a->run, a->r->question.n_sensitive, sizeof *n_touched, &n_touched));
    for (size_t tuple = first; tuple < end && status == KAN_OK; tuple++)
        if (a->n_asked[tuple] > 0)
            status = a->near ? kan_near_ask(a, tuple, worker, n_touched)
                             : ask_tuple(a, tuple, worker, n_touched);
    kan_free(a->run, n_touched);
    kan_report_units(a->run, "match", "people", end, a->people.n);
    return status;
}

static kan_status make_scratch(kan_asking *a) {
    const kan_register_question *question = &a->r->question;
    const size_t n = kan_run_threads(a->run) * question->n_sensitive;
    KAN_TRY(kan_alloc_zero(a->run, n, sizeof *a->count, &a->count));
    KAN_TRY(kan_alloc_zero(a->run, n, sizeof *a->touched, &a->touched));
    for (size_t i = 0; i < n; i++) {
        const size_t s = i % question->n_sensitive;
        const uint32_t n_codes = question->release->columns[question->sensitive[s]].dictionary.n;
        KAN_TRY(kan_alloc_zero(a->run, n_codes, sizeof **a->count, &a->count[i]));
        KAN_TRY(kan_alloc(a->run, n_codes, sizeof **a->touched, &a->touched[i]));
    }
    return KAN_OK;
}

/* ---- who is asked about ------------------------------------------------------------------------ */

static int compare_rows(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The first n of all rows in a random order. */
static void draw(uint64_t *rows, uint64_t n_rows, uint64_t n, uint64_t seed) {
    uint64_t state = seed;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = i + kan_random_below(&state, n_rows - i), row = rows[at];
        rows[at] = rows[i];
        rows[i] = row;
    }
    qsort(rows, (size_t)n, sizeof *rows, compare_rows);
}

/* How many people are asked about, of n, where all of them are so many pairs. */
static uint64_t size_of_sample(const kan_asking *a, uint64_t n, uint64_t pairs) {
    const kan_register_question *question = &a->r->question;
    const uint64_t usual = (uint64_t)1 << (a->near ? 29 : 32);
    const uint64_t most =
        question->most_pairs && question->most_pairs < usual ? question->most_pairs : usual;
    uint64_t size = n;
    if (question->n_sample > 0)
        size = question->n_sample;
    else if (pairs > most)
        size = (uint64_t)((double)n * ((double)most / (double)pairs));
    if (question->n_sample == 0 && size < LEAST_SAMPLE)
        size = LEAST_SAMPLE;
    return size < n ? size : n;
}

static kan_status choose_people(kan_asking *a, uint64_t pairs) {
    kan_register_answer *out = a->out;
    const uint64_t n = a->r->question.people->n_rows;
    out->n_people = n;
    out->n_asked = size_of_sample(a, n, pairs);
    KAN_TRY(kan_alloc(a->run, (size_t)n, sizeof *out->asked, &out->asked));
    for (uint64_t row = 0; row < n; row++)
        out->asked[row] = row;
    if (out->n_asked < n)
        draw(out->asked, n, out->n_asked, a->r->question.seed);
    KAN_TRY(kan_alloc(a->run, (size_t)out->n_asked, sizeof *out->tuple_of, &out->tuple_of));
    KAN_TRY(kan_alloc_zero(a->run, a->people.n, sizeof *a->n_asked, &a->n_asked));
    for (uint64_t i = 0; i < out->n_asked; i++) {
        out->tuple_of[i] = a->people.of_row[out->asked[i]];
        a->n_asked[out->tuple_of[i]]++;
    }
    return KAN_OK;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static kan_status fold_both(kan_asking *a) {
    const kan_register_question *question = &a->r->question;
    size_t *columns;
    KAN_TRY(kan_alloc(a->run, a->n, sizeof *columns, &columns));
    for (size_t c = 0; c < a->n; c++)
        columns[c] = question->columns[a->columns[c]].released;
    kan_status status = fold(a->run, question->release, columns, a->n, &a->groups);
    for (size_t c = 0; c < a->n; c++)
        columns[c] = question->columns[a->columns[c]].known;
    if (status == KAN_OK)
        status = fold(a->run, question->people, columns, a->n, &a->people);
    kan_free(a->run, columns);
    return status;
}

static kan_status choose_column(kan_asking *a, uint64_t *pairs) {
    uint64_t total;
    *pairs = UINT64_MAX;
    for (size_t c = 0; c < a->n; c++) {
        kan_finder found;
        KAN_TRY(measure_column(a->run, kan_asking_relation(a, c), &a->groups, &a->people, a->n, c,
                               &found, &total));
        if (c > 0 && total >= *pairs) {
            finder_destroy(a->run, &found);
            continue;
        }
        finder_destroy(a->run, &a->find);
        a->find = found;
        *pairs = total;
    }
    return fill_finder(a->run, kan_asking_relation(a, a->find.column), &a->groups, a->n, &a->find);
}

static kan_status make_room(kan_asking *a) {
    kan_register_answer *out = a->out;
    const size_t n = a->people.n;
    out->n_tuples = n;
    out->n_sensitive = a->r->question.n_sensitive;
    out->n_rows = a->r->question.release->n_rows;
    KAN_TRY(kan_alloc_zero(a->run, n, sizeof *out->rows, &out->rows));
    KAN_TRY(kan_alloc(a->run, n, sizeof *out->row, &out->row));
    KAN_TRY(kan_alloc_zero(a->run, n, sizeof *out->is_mutual, &out->is_mutual));
    KAN_TRY(kan_alloc_zero(a->run, n * out->n_sensitive, sizeof *out->guesses, &out->guesses));
    if (a->r->question.wants_values) {
        KAN_TRY(kan_alloc_zero(a->run, n * out->n_sensitive, sizeof *out->values, &out->values));
        KAN_TRY(
            kan_alloc_zero(a->run, n * out->n_sensitive, sizeof *out->n_values, &out->n_values));
    }
    KAN_TRY(kan_alloc_zero(a->run, a->groups.n, sizeof *a->people_of, &a->people_of));
    KAN_TRY(kan_alloc_zero(a->run, out->n_sensitive, sizeof *a->shown, &a->shown));
    return make_scratch(a);
}

/* Where everybody was asked about: who is the only one. */
static void count_alone(kan_asking *a) {
    kan_register_answer *out = a->out;
    if (out->n_asked < out->n_people)
        return;
    for (size_t g = 0; g < a->groups.n; g++)
        if (a->people_of[g] == 1)
            out->n_rows_alone += a->groups.rows[g];
    for (size_t t = 0; t < out->n_tuples; t++)
        out->is_mutual[t] = out->rows[t] == 1 && a->people_of[a->groups.of_row[out->row[t]]] == 1;
}

static void asking_destroy(kan_asking *a) {
    const size_t n = kan_run_threads(a->run) * a->r->question.n_sensitive;
    for (size_t i = 0; i < n; i++) {
        kan_free(a->run, a->count ? a->count[i] : NULL);
        kan_free(a->run, a->touched ? a->touched[i] : NULL);
    }
    for (size_t s = 0; a->shown && s < a->r->question.n_sensitive; s++) {
        kan_free(a->run, a->shown[s].start);
        kan_free(a->run, a->shown[s].shown);
    }
    kan_free(a->run, a->count);
    kan_free(a->run, a->touched);
    kan_free(a->run, a->shown);
    kan_free(a->run, a->n_asked);
    kan_free(a->run, (const void *)a->people_of);
    kan_near_destroy(a->run, a->near);
    finder_destroy(a->run, &a->find);
    folded_destroy(a->run, &a->groups);
    folded_destroy(a->run, &a->people);
}

/* What is looked at: groups that may match, or all of them. */
static kan_status prepare(kan_asking *a, bool is_nearest, uint64_t *pairs) {
    KAN_TRY(fold_both(a));
    if (!is_nearest)
        return choose_column(a, pairs);
    *pairs = (uint64_t)a->people.n * a->groups.n;
    return kan_near_create(a, &a->near);
}

static kan_status ask(kan_asking *a, bool is_nearest, const uint64_t *row_of) {
    uint64_t pairs;
    KAN_ASSERT(a->n > 0);
    KAN_TRY(prepare(a, is_nearest, &pairs));
    KAN_TRY(choose_people(a, pairs));
    KAN_TRY(make_room(a));
    KAN_TRY(count_shown(a->r, &a->groups, a->shown));
    KAN_TRY(
        kan_parallel(a->run, (a->people.n + TUPLES_PER_TASK - 1) / TUPLES_PER_TASK, ask_some, a));
    if (is_nearest)
        return kan_near_hold(a, row_of);
    count_alone(a);
    return KAN_OK;
}

static kan_status answer(kan_register *r, const size_t *columns, size_t n, bool is_nearest,
                         const uint64_t *row_of, kan_register_answer *out) {
    kan_register_answer found = {.run = r->run};
    kan_asking a = {.r = r, .run = r->run, .columns = columns, .n = n, .out = &found};
    const kan_status status = ask(&a, is_nearest, row_of);
    asking_destroy(&a);
    if (status == KAN_OK)
        *out = found;
    else
        kan_register_answer_destroy(&found);
    return status;
}

kan_status kan_register_assign(kan_register *r, const size_t *columns, size_t n,
                               const uint64_t *row_of, kan_assigned *out) {
    kan_asking a = {.r = r, .run = r->run, .columns = columns, .n = n};
    kan_assigned found = {.is_done = false};
    kan_status status;
    KAN_TRY_DONE(fold_both(&a));
    if (kan_assign_is_possible(a.run, a.people.n, a.groups.n)) {
        KAN_TRY_DONE(kan_near_create(&a, &a.near));
        KAN_TRY_DONE(kan_assign(&a, row_of, &found));
        found.is_done = true;
    }
    *out = found;
    status = KAN_OK;
done:
    asking_destroy(&a);
    return status;
}

kan_status kan_register_ask(kan_register *r, const size_t *columns, size_t n,
                            kan_register_answer *out) {
    return answer(r, columns, n, false, NULL, out);
}

kan_status kan_register_ask_nearest(kan_register *r, const size_t *columns, size_t n,
                                    const uint64_t *row_of, kan_register_answer *out) {
    return answer(r, columns, n, true, row_of, out);
}

void kan_register_answer_destroy(kan_register_answer *answer) {
    for (size_t i = 0; answer->values && i < answer->n_tuples * answer->n_sensitive; i++)
        kan_free(answer->run, answer->values[i]);
    kan_free(answer->run, answer->values);
    kan_free(answer->run, answer->n_values);
    kan_free(answer->run, answer->asked);
    kan_free(answer->run, answer->tuple_of);
    kan_free(answer->run, answer->rows);
    kan_free(answer->run, answer->row);
    kan_free(answer->run, answer->is_mutual);
    kan_free(answer->run, answer->holds);
    kan_free(answer->run, answer->guesses);
}

/* ---- what labels cover -------------------------------------------------------------------------- */

kan_status kan_register_create(kan_run *run, const kan_register_question *question,
                               kan_register **out) {
    const kan_cover_question cover = {
        .release = question->release, .original = question->people, .reads_intervals = true};
    kan_register *made;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *made, &made));
    made->run = run;
    made->question = *question;
    KAN_TRY_DONE(
        kan_alloc_zero(run, question->n_columns, sizeof *made->relations, &made->relations));
    for (; made->n_relations < question->n_columns; made->n_relations++) {
        const kan_known_column *from = &question->columns[made->n_relations];
        const kan_cover_pair pair = {from->released, from->known, from->hierarchy};
        KAN_TRY_DONE(kan_relation_init(&made->relations[made->n_relations], run, &cover, &pair,
                                       !from->is_exact));
    }
    *out = made;
    made = NULL;
done:
    kan_register_destroy(made);
    return status;
}

void kan_register_destroy(kan_register *r) {
    if (!r)
        return;
    for (size_t i = 0; i < r->n_relations; i++)
        kan_relation_destroy(&r->relations[i], r->run);
    kan_free(r->run, r->relations);
    kan_free(r->run, r);
}
