/* The people of a node: how many each group has, and who would have to leave.
 *
 * By person all who have a row in a group of fewer than k people leave, and groups are looked at
 * again, until every group that has anybody has k. Of histories, whoever has one that fewer than k
 * people have. O(tuples) for each look, and a sort of the histories. */
#include <stdlib.h>

#include "analyze/certificate/certificate_inside.h"

void kan_people_table_destroy(kan_run *run, kan_people_table *people) {
    kan_free(run, people->heads);
    kan_free(run, people->last);
    kan_free(run, people->is_gone);
    kan_free(run, people->visits);
    kan_free(run, people->histories);
}

kan_status kan_people_table_make(const kan_subject *subject, bool histories,
                                 kan_people_table *out) {
    kan_run *run = subject->run;
    KAN_TRY(kan_alloc(run, subject->n_tuples, sizeof *out->heads, &out->heads));
    KAN_TRY(kan_alloc(run, subject->n_tuples, sizeof *out->last, &out->last));
    KAN_TRY(kan_alloc(run, subject->n_people, 1, &out->is_gone));
    if (!histories)
        return KAN_OK;
    KAN_TRY(kan_alloc(run, subject->n_tuples, sizeof *out->visits, &out->visits));
    return kan_alloc(run, subject->n_people, sizeof *out->histories, &out->histories);
}

/* ---- groups --------------------------------------------------------------------------------- */

/* Different people of each group who are still there. */
static void count_heads(const kan_subject *subject, const uint32_t *group_of, size_t n_groups,
                        kan_people_table *people) {
    memset(people->heads, 0, n_groups * sizeof *people->heads);
    memset(people->last, 0xff, n_groups * sizeof *people->last);
    for (size_t at = 0; at < subject->n_tuples; at++) {
        const uint32_t tuple = subject->by_person[at], person = subject->person_of[tuple];
        const uint32_t group = group_of[tuple];
        if (people->is_gone[person] || people->last[group] == person)
            continue;
        people->last[group] = person;
        people->heads[group]++;
    }
}

static uint64_t leave_small(const kan_subject *subject, const uint32_t *group_of, uint64_t k,
                            kan_people_table *people) {
    uint64_t n = 0;
    for (size_t i = 0; i < subject->n_tuples; i++) {
        const uint32_t person = subject->person_of[i];
        if (people->is_gone[person] || people->heads[group_of[i]] >= k)
            continue;
        people->is_gone[person] = 1;
        n++;
    }
    return n;
}

/* ---- histories ------------------------------------------------------------------------------ */

static int compare_visits(const void *a, const void *b) {
    const struct kan_people_visit *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

static int compare_histories(const void *a, const void *b) {
    const struct kan_people_history *x = a, *y = b;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    for (size_t i = 0; i < x->n; i++) {
        const struct kan_people_visit *v = &x->visits[i], *w = &y->visits[i];
        if (v->group != w->group)
            return v->group < w->group ? -1 : 1;
        if (v->n_rows != w->n_rows)
            return v->n_rows < w->n_rows ? -1 : 1;
    }
    return 0;
}

/* Visits of one person by group, each group once; returns how many. */
static size_t sort_visits(struct kan_people_visit *visits, size_t n) {
    size_t n_kept = 0;
    qsort(visits, n, sizeof *visits, compare_visits);
    for (size_t i = 0; i < n; i++)
        if (n_kept > 0 && visits[n_kept - 1].group == visits[i].group)
            visits[n_kept - 1].n_rows += visits[i].n_rows;
        else
            visits[n_kept++] = visits[i];
    return n_kept;
}

static size_t list_histories(const kan_subject *subject, const uint32_t *group_of,
                             kan_people_table *people) {
    size_t n = 0;
    for (size_t first = 0, end; first < subject->n_tuples; first = end) {
        const uint32_t person = subject->person_of[subject->by_person[first]];
        for (end = first;
             end < subject->n_tuples && subject->person_of[subject->by_person[end]] == person;
             end++) {
            const uint32_t tuple = subject->by_person[end];
            people->visits[end] = (struct kan_people_visit){group_of[tuple], subject->count[tuple]};
        }
        people->histories[n++] = (struct kan_people_history){
            people->visits + first, sort_visits(people->visits + first, end - first), person};
    }
    return n;
}

static uint64_t leave_rare(const kan_subject *subject, const uint32_t *group_of, uint64_t k,
                           kan_people_table *people) {
    const size_t n = list_histories(subject, group_of, people);
    uint64_t n_gone = 0;
    qsort(people->histories, n, sizeof *people->histories, compare_histories);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1;
             end < n && compare_histories(&people->histories[first], &people->histories[end]) == 0;)
            end++;
        for (size_t i = first; i < end && end - first < k; i++, n_gone++)
            people->is_gone[people->histories[i].person] = 1;
    }
    return n_gone;
}

/* ---- the node ------------------------------------------------------------------------------- */

static void find_first(const kan_subject *subject, const kan_certificate *certificate,
                       const uint32_t *group_of, const kan_people_table *people,
                       uint64_t *first_row) {
    for (size_t i = 0; i < subject->n_tuples; i++)
        if ((certificate->histories ? people->is_gone[subject->person_of[i]]
                                    : people->heads[group_of[i]] < certificate->k) &&
            subject->first_row[i] < *first_row)
            *first_row = subject->first_row[i];
}

uint64_t kan_people_count_node(const kan_subject *subject, const kan_certificate *certificate,
                               const uint32_t *group_of, size_t n_groups, kan_people_table *people,
                               uint64_t *first_row) {
    uint64_t n_gone = 0, n;
    memset(people->is_gone, 0, subject->n_people);
    if (certificate->histories)
        n_gone = leave_rare(subject, group_of, certificate->k, people);
    else
        count_heads(subject, group_of, n_groups, people);
    find_first(subject, certificate, group_of, people, first_row);
    if (certificate->histories || !certificate->by_person)
        return n_gone;
    while ((n = leave_small(subject, group_of, certificate->k, people)) > 0) {
        n_gone += n;
        count_heads(subject, group_of, n_groups, people);
    }
    return n_gone;
}
