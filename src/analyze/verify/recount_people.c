/* See recount_people.h: what belongs together is made to stand together, and counted. */
#include "analyze/verify/recount_people.h"
#include "analyze/verify/recount_model.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t group, place; /* of a value; 0 where values do not matter */
    uint32_t person;
} holding;

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_holdings(const void *a, const void *b) {
    const holding *left = a, *right = b;
    int order = compare_numbers(left->group, right->group);
    order = order ? order : compare_numbers(left->place, right->place);
    return order ? order : compare_numbers(left->person, right->person);
}

/* One of each: returns how many are different, which stand first then. */
static size_t sort_once(holding *holdings, uint64_t n) {
    size_t n_different = 0;
    qsort(holdings, (size_t)n, sizeof *holdings, compare_holdings);
    for (uint64_t i = 0; i < n; i++)
        if (i == 0 || compare_holdings(&holdings[i - 1], &holdings[i]) != 0)
            holdings[n_different++] = holdings[i];
    return n_different;
}

kan_status kan_people_count(kan_run *run, const kan_people_rows *rows, uint64_t *n_people) {
    holding *holdings;
    KAN_TRY(kan_alloc(run, (size_t)rows->n_rows, sizeof *holdings, &holdings));
    for (uint64_t row = 0; row < rows->n_rows; row++)
        holdings[row] = (holding){rows->group_of[row], 0, rows->person_of[row]};
    const size_t n = sort_once(holdings, rows->n_rows);
    memset(n_people, 0, rows->n_groups * sizeof *n_people);
    for (size_t i = 0; i < n; i++)
        n_people[holdings[i].group]++;
    kan_free(run, holdings);
    return kan_check_cancel(run);
}

static int compare_people(const void *a, const void *b) {
    const holding *left = a, *right = b;
    const int order = compare_numbers(left->person, right->person);
    return order ? order : compare_numbers(left->place, right->place);
}

/* Sorted by person, and by the size of the group: the first of each is what is asked for. */
kan_status kan_people_least(kan_run *run, const kan_people_rows *rows, const uint64_t *n_people,
                            uint64_t **least, size_t *n) {
    holding *holdings;
    *n = 0;
    KAN_TRY(kan_alloc(run, (size_t)rows->n_rows, sizeof **least, least));
    KAN_TRY(kan_alloc(run, (size_t)rows->n_rows, sizeof *holdings, &holdings));
    for (uint64_t row = 0; row < rows->n_rows; row++)
        holdings[row] = (holding){0, (size_t)n_people[rows->group_of[row]], rows->person_of[row]};
    qsort(holdings, (size_t)rows->n_rows, sizeof *holdings, compare_people);
    for (uint64_t i = 0; i < rows->n_rows; i++)
        if (i == 0 || holdings[i].person != holdings[i - 1].person)
            (*least)[(*n)++] = holdings[i].place;
    kan_free(run, holdings);
    return kan_check_cancel(run);
}

kan_status kan_people_pairs(kan_run *run, const kan_people_rows *rows, const kan_column *column,
                            const size_t *place_of, kan_tuples *pairs) {
    holding *holdings;
    kan_status status = KAN_OK;
    size_t unused;
    KAN_TRY(kan_alloc(run, (size_t)rows->n_rows, sizeof *holdings, &holdings));
    for (uint64_t row = 0; row < rows->n_rows; row++)
        holdings[row] = (holding){rows->group_of[row], place_of[kan_column_code(column, row)],
                                  rows->person_of[row]};
    const size_t n = sort_once(holdings, rows->n_rows);
    for (size_t i = 0; i < n && status == KAN_OK; i++) {
        const size_t pair[2] = {holdings[i].group, holdings[i].place};
        status = kan_tuples_add(pairs, pair, i, &unused);
    }
    kan_free(run, holdings);
    return status == KAN_OK ? kan_check_cancel(run) : status;
}

/* ---- histories ------------------------------------------------------------------------------ */

typedef struct {
    uint32_t person;
    size_t group;
    uint64_t row;
} visit;

typedef struct {
    const visit *visits; /* hers, by group */
    size_t n;
} history;

static int compare_visits(const void *a, const void *b) {
    const visit *left = a, *right = b;
    const int order = compare_numbers(left->person, right->person);
    return order ? order : compare_numbers(left->group, right->group);
}

static int compare_histories(const void *a, const void *b) {
    const history *left = a, *right = b;
    int order = compare_numbers(left->n, right->n);
    for (size_t i = 0; i < left->n && order == 0; i++)
        order = compare_numbers(left->visits[i].group, right->visits[i].group);
    return order;
}

/* The histories of all people, from visits in order; returns how many people there are. */
static size_t cut_histories(const visit *visits, size_t n_visits, history *out) {
    size_t n = 0;
    for (size_t first = 0, end; first < n_visits; first = end) {
        for (end = first; end < n_visits && visits[end].person == visits[first].person;)
            end++;
        out[n++] = (history){visits + first, end - first};
    }
    return n;
}

static void number_rows(const history *h, size_t number, size_t *history_of) {
    for (size_t i = 0; i < h->n; i++)
        history_of[h->visits[i].row] = number;
}

static void count_histories(const history *histories, size_t n, uint64_t k, size_t *history_of,
                            kan_history_recount *out) {
    *out = (kan_history_recount){.n_people = n};
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && compare_histories(&histories[first], &histories[end]) == 0;
             end++)
            number_rows(&histories[end], (size_t)out->n_histories, history_of);
        const uint64_t n_alike = end - first;
        if (out->n_histories++ == 0 || n_alike < out->fewest_people)
            out->fewest_people = n_alike;
        out->n_rare_people += n_alike < k ? n_alike : 0;
    }
}

kan_status kan_people_histories(kan_run *run, const kan_people_rows *rows, uint64_t k,
                                size_t *history_of, kan_history_recount *out) {
    const size_t n_rows = (size_t)rows->n_rows;
    visit *visits = NULL;
    history *histories = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, n_rows, sizeof *visits, &visits));
    KAN_TRY_DONE(kan_alloc(run, n_rows, sizeof *histories, &histories));
    for (size_t row = 0; row < n_rows; row++)
        visits[row] = (visit){rows->person_of[row], rows->group_of[row], row};
    qsort(visits, n_rows, sizeof *visits, compare_visits);
    const size_t n_people = cut_histories(visits, n_rows, histories);
    qsort(histories, n_people, sizeof *histories, compare_histories);
    count_histories(histories, n_people, k, history_of, out);
    KAN_TRY_DONE(kan_check_cancel(run));
done:
    kan_free(run, visits);
    kan_free(run, histories);
    return status;
}

/* ---- parts of groups ------------------------------------------------------------------------ */

kan_status kan_people_divide(kan_run *run, const kan_people_rows *rows, const size_t *history_of,
                             size_t *part_of, kan_tuples *parts) {
    kan_tuples_init(parts, run, sizeof(kan_people_part));
    for (uint64_t row = 0; row < rows->n_rows; row++) {
        const kan_people_part part = {history_of[row], rows->group_of[row]};
        KAN_TRY(kan_tuples_add(parts, &part, row, &part_of[row]));
    }
    const kan_people_rows divided = {rows->n_rows, part_of, rows->person_of, parts->n};
    return kan_people_count(run, &divided, parts->count);
}

/* ---- households: which groups the rows of each are in ------------------------------------------ */

typedef struct {
    uint32_t household;
    size_t group;
} member;

typedef struct {
    const kan_models_question *question;
    const kan_tuples *groups;
    member *members; /* by row */
    bool is_bad;
} finding;

static kan_status add_rows(void *context, uint64_t row, size_t n, const size_t *groups) {
    finding *f = context;
    for (size_t i = 0; i < n; i++) {
        f->members[row + i] = (member){f->question->household_of[row + i], groups[i]};
        f->is_bad |= groups[i] >= f->groups->n;
    }
    return KAN_OK;
}

static int compare_members(const void *a, const void *b) {
    const member *x = a, *y = b;
    if (x->household != y->household)
        return x->household < y->household ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

static kan_status find_groups(kan_run *run, finding *f) {
    const kan_models_question *q = f->question;
    const kan_recount_follower follower = {add_rows, f};
    kan_recount_groups groups;
    KAN_TRY(kan_recount_group(run, q->release, q->quasi, q->n_quasi, &follower, &groups));
    f->is_bad |= groups.tuples.n != f->groups->n; /* both number them by their first rows */
    for (size_t g = 0; g < f->groups->n && !f->is_bad; g++)
        f->is_bad = groups.tuples.first_row[g] != f->groups->first_row[g];
    kan_tuples_destroy(&groups.tuples);
    return KAN_OK;
}

static kan_status fail(kan_run *run) {
    return kan_fail(run, KAN_FAILED,
                    "internal error: a promise about households without knowing which rows are "
                    "one's; please report this");
}

/* Members stand by household. */
static kan_status list(kan_run *run, const member *members, size_t n, kan_households_recount *out) {
    KAN_TRY(kan_alloc(run, n + 1, sizeof *out->start, &out->start));
    KAN_TRY(kan_alloc(run, n, sizeof *out->group, &out->group));
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || members[i].household != members[i - 1].household)
            out->start[out->n++] = i;
        out->group[i] = members[i].group;
    }
    out->start[out->n] = n;
    return KAN_OK;
}

kan_status kan_recount_households(kan_run *run, const kan_models_question *question,
                                  const kan_tuples *groups, kan_households_recount *out) {
    finding f = {.question = question, .groups = groups};
    const size_t n = (size_t)question->release->n_rows;
    kan_status status;
    *out = (kan_households_recount){.n = 0};
    if (!question->household_of || question->release->counts)
        return fail(run);
    KAN_TRY_DONE(kan_alloc_zero(run, n, sizeof *f.members, &f.members));
    KAN_TRY_DONE(find_groups(run, &f));
    if (f.is_bad)
        KAN_TRY_DONE(fail(run));
    qsort(f.members, n, sizeof *f.members, compare_members);
    KAN_TRY_DONE(list(run, f.members, n, out));
done:
    kan_free(run, f.members);
    return status;
}

void kan_households_recount_destroy(kan_run *run, kan_households_recount *households) {
    kan_free(run, households->start);
    kan_free(run, households->group);
}
