/* Which columns somebody knows who has a list of people, and the list held against the release by these.
 *
 * Where several sets of columns are tried, the one is told by which most people are matched by one row; of those, in
 * whose case most values are certain; of those, the first. */
#include <string.h>

#include "job/found/found_inside.h"

static const kan_found_profile profiles[] = {
    {.name = "prosecutor", .who = "A prosecutor", .knows_who_is_in = true},
    {.name = "journalist", .who = "A journalist", .wants_any_row = true},
    {.name = "neighbour", .who = "A neighbour", .n_columns = 3},
    {.name = "insider", .who = "An insider", .knows_others = true},
};

const kan_found_profile *kan_found_profile_named(const char *name) {
    for (size_t i = 0; name && i < sizeof profiles / sizeof *profiles; i++)
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    return NULL;
}

/* ---- sets ---------------------------------------------------------------------------------------- */

/* Of those who were asked: matched by one row; whose value is certain, in the column that is wanted or in any. */
static void count(const kan_register_answer *answer, size_t wanted, uint64_t *one,
                  uint64_t *certain) {
    *one = *certain = 0;
    for (uint64_t i = 0; i < answer->n_asked; i++) {
        const uint64_t rows = answer->rows[answer->tuple_of[i]];
        const kan_register_guess *guesses = kan_register_guesses(answer, i);
        bool is_certain = false;
        for (size_t c = 0; c < answer->n_sensitive && rows > 0; c++)
            is_certain |= (wanted == SIZE_MAX || wanted == c) && guesses[c].rows == rows;
        *one += rows == 1;
        *certain += is_certain;
    }
}

typedef struct {
    const size_t *columns;
    size_t n, wanted; /* a number of a sensitive column; SIZE_MAX: any */
} one_set;

/* Asks by one set of columns, and keeps the answer if it is the worst so far. Whoever wants a value
 * cares for that first. */
static kan_status try_set(kan_found *f, const one_set *set) {
    kan_register_answer answer;
    uint64_t one, certain;
    KAN_TRY(kan_register_ask(f->people, set->columns, set->n, &answer));
    count(&answer, set->wanted, &one, &certain);
    const bool wants = set->wanted != SIZE_MAX;
    const uint64_t first = wants ? certain : one, second = wants ? one : certain;
    f->sum_one += (double)one / (double)answer.n_asked * (double)answer.n_people;
    f->n_sets++;
    if (f->has_answer && (first < f->worst[0] || (first == f->worst[0] && second <= f->worst[1]))) {
        kan_register_answer_destroy(&answer);
        return KAN_OK;
    }
    if (f->has_answer)
        kan_register_answer_destroy(&f->answer);
    f->answer = answer;
    f->has_answer = true;
    f->worst[0] = first;
    f->worst[1] = second;
    memcpy(f->set, set->columns, set->n * sizeof *f->set);
    f->n_set = set->n;
    f->wanted = set->wanted;
    return KAN_OK;
}

/* Every set of n columns, in the order of the columns. */
static kan_status try_sets(kan_found *f, size_t n) {
    size_t chosen[KAN_MAX_ATTRIBUTES], at;
    for (size_t i = 0; i < n; i++)
        chosen[i] = i;
    do {
        KAN_TRY(try_set(f, &(one_set){chosen, n, SIZE_MAX}));
        kan_report_units(f->run, "match", "sets", f->n_sets, 0);
        for (at = n; at > 0 && chosen[at - 1] == f->question.n_quasi - n + at - 1;)
            at--;
        if (at > 0)
            chosen[at - 1]++;
        for (size_t i = at; at > 0 && i < n; i++)
            chosen[i] = chosen[i - 1] + 1;
    } while (at > 0);
    return KAN_OK;
}

/* All columns but the one that is wanted, each sensitive one in turn. */
static kan_status try_wishes(kan_found *f) {
    size_t *columns;
    KAN_TRY(kan_arena_alloc(f->question.arena, f->question.n_columns, sizeof *columns, &columns));
    for (size_t s = 0; s < f->question.n_sensitive; s++) {
        size_t n = 0;
        for (size_t c = 0; c < f->question.n_columns; c++)
            if (f->question.columns[c].released != f->question.sensitive[s])
                columns[n++] = c;
        KAN_TRY(try_set(f, &(one_set){columns, n, s}));
    }
    return KAN_OK;
}

static uint64_t count_sets(size_t n, size_t of) {
    uint64_t sets = 1;
    for (size_t i = 0; i < of; i++)
        sets = sets * (n - i) / (i + 1);
    return sets;
}

static kan_status check(const kan_found *f, uint64_t n_sets) {
    if (f->question.profile && f->question.profile->knows_others && f->question.n_sensitive == 0)
        return kan_fail(
            f->run, KAN_BAD_INPUT,
            "--as %s: somebody who knows all columns but one wants that one; name it with "
            "--sensitive NAME",
            f->question.profile->name);
    if (n_sets <= KAN_FOUND_MOST_SETS)
        return KAN_OK;
    return kan_fail(
        f->run, KAN_BAD_INPUT,
        "--as %s: %zu quasi-identifiers have %llu sets of %zu, and at most %d are tried; "
        "name fewer of them with --qi",
        f->question.profile->name, f->question.n_quasi, (unsigned long long)n_sets,
        f->question.profile->n_columns, KAN_FOUND_MOST_SETS);
}

uint64_t kan_found_sets(const kan_found_profile *profile, size_t n) {
    const size_t of = profile ? profile->n_columns : 0;
    return of > 0 && of < n ? count_sets(n, of) : 1;
}

kan_status kan_found_try_sets(kan_found *f) {
    const kan_found_question *q = &f->question;
    const uint64_t n_sets = kan_found_sets(q->profile, q->n_quasi);
    const uint64_t most = q->most_pairs ? q->most_pairs : (uint64_t)1 << 32;
    KAN_TRY(check(f, n_sets));
    const kan_register_question question = {.release = q->release,
                                            .people = q->people,
                                            .columns = q->columns,
                                            .n_columns = q->n_columns,
                                            .sensitive = q->sensitive,
                                            .n_sensitive = q->n_sensitive,
                                            .n_sample = q->n_sample,
                                            .most_pairs = most / n_sets,
                                            .seed = q->seed};
    KAN_TRY(kan_arena_alloc(q->arena, q->n_columns, sizeof *f->set, &f->set));
    KAN_TRY(kan_register_create(f->run, &question, &f->people));
    if (q->profile && q->profile->knows_others)
        return try_wishes(f);
    return try_sets(f, n_sets > 1 ? q->profile->n_columns : q->n_quasi);
}
