/* Which columns somebody knows who has a list of people (--as), and the list held against the release by these.
 *
 * Where several sets of columns are tried, the one is told by which most people are matched by one row; of those, in
 * whose case most values are certain; of those, the first. */
#include <string.h>

#include "core/wording.h"
#include "job/attack/attack_inside.h"
#include "job/settings/settings.h"

enum { MOST_SETS = 2000, FEW_NAMES = 8 };

static const kan_attack_profile profiles[] = {
    {.name = "prosecutor", .who = "A prosecutor", .knows_who_is_in = true},
    {.name = "journalist", .who = "A journalist", .wants_any_row = true},
    {.name = "neighbour", .who = "A neighbour", .n_columns = 3},
    {.name = "insider", .who = "An insider", .knows_others = true},
};

static const kan_attack_profile *find_profile(const kan_job *job) {
    const char *name = kan_options_find(&job->options, "as");
    for (size_t i = 0; name && i < sizeof profiles / sizeof *profiles; i++)
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    return NULL;
}

/* ---- columns of both tables -------------------------------------------------------------------- */

/* Other columns than quasi-identifiers that both have, and that name nobody. */
static bool is_other(const kan_attack_walk *w, size_t column, size_t *known) {
    const kan_role role = w->roles.of[w->role_table[KAN_ATTACK_RELEASE]][column];
    return role != KAN_ROLE_QUASI && role != KAN_ROLE_ID &&
           kan_input_find(&w->sides[KAN_ATTACK_REGISTER].input,
                          kan_slice_of(w->sides[KAN_ATTACK_RELEASE].input.columns[column]), known);
}

void kan_attack_take_others(kan_attack_walk *w) {
    const kan_attack_profile *profile = find_profile(w->job);
    kan_input *release = &w->sides[KAN_ATTACK_RELEASE].input;
    size_t known;
    if (!profile || !profile->knows_others || !w->has[KAN_ATTACK_REGISTER])
        return;
    for (size_t i = 0; i < release->n_columns; i++)
        if (is_other(w, i, &known)) {
            release->encode[i] = true;
            w->sides[KAN_ATTACK_REGISTER].input.encode[known] = true;
        }
}

static kan_status lacks_all(const kan_attack_walk *w) {
    char names[512];
    kan_name_list list = kan_names_begin(names, sizeof names, FEW_NAMES);
    for (size_t i = 0; i < w->n_quasi; i++)
        kan_names_add(&list,
                      w->sides[KAN_ATTACK_RELEASE].input.columns[w->quasi[KAN_ATTACK_RELEASE][i]]);
    return kan_fail(w->run, KAN_BAD_INPUT,
                    "%s has none of the quasi-identifiers %s, so that nobody in it can be matched; "
                    "give its columns the names that they have in the release",
                    w->sides[KAN_ATTACK_REGISTER].input.name, kan_names_end(&list));
}

static kan_status find_columns(kan_attack_walk *w, kan_attack_asked *a) {
    const kan_input *release = &w->sides[KAN_ATTACK_RELEASE].input;
    const size_t most = w->n_quasi + release->n_columns;
    size_t known;
    KAN_TRY(kan_arena_alloc(&w->job->arena, most, sizeof *a->columns, &a->columns));
    KAN_TRY(kan_arena_alloc(&w->job->arena, most, sizeof *a->set, &a->set));
    for (size_t i = 0; i < w->n_quasi; i++)
        if (w->quasi[KAN_ATTACK_REGISTER][i] != KAN_NO_COLUMN)
            a->columns[a->n_columns++] =
                (kan_known_column){.released = w->quasi[KAN_ATTACK_RELEASE][i],
                                   .known = w->quasi[KAN_ATTACK_REGISTER][i],
                                   .hierarchy = w->hierarchies[KAN_ATTACK_REGISTER][i]};
    a->n_quasi = a->n_columns;
    if (a->n_quasi == 0)
        return lacks_all(w);
    for (size_t i = 0; a->profile && a->profile->knows_others && i < release->n_columns; i++)
        if (is_other(w, i, &known))
            a->columns[a->n_columns++] =
                (kan_known_column){.released = i, .known = known, .is_exact = true};
    return KAN_OK;
}

/* ---- sets of them -------------------------------------------------------------------------------- */

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
static kan_status try_set(kan_attack_asked *a, const one_set *set) {
    kan_register_answer answer;
    uint64_t one, certain;
    KAN_TRY(kan_register_ask(a->people, set->columns, set->n, &answer));
    count(&answer, set->wanted, &one, &certain);
    const bool wants = set->wanted != SIZE_MAX;
    const uint64_t first = wants ? certain : one, second = wants ? one : certain;
    a->sum_one += (double)one / (double)answer.n_asked * (double)answer.n_people;
    a->n_sets++;
    if (a->has_answer && (first < a->worst[0] || (first == a->worst[0] && second <= a->worst[1]))) {
        kan_register_answer_destroy(&answer);
        return KAN_OK;
    }
    if (a->has_answer)
        kan_register_answer_destroy(&a->answer);
    a->answer = answer;
    a->has_answer = true;
    a->worst[0] = first;
    a->worst[1] = second;
    memcpy(a->set, set->columns, set->n * sizeof *a->set);
    a->n_set = set->n;
    a->wanted = set->wanted;
    return KAN_OK;
}

/* Every set of n columns, in the order of the columns. */
static kan_status try_sets(kan_attack_walk *w, kan_attack_asked *a, size_t n) {
    size_t chosen[KAN_MAX_ATTRIBUTES], at;
    for (size_t i = 0; i < n; i++)
        chosen[i] = i;
    do {
        KAN_TRY(try_set(a, &(one_set){chosen, n, SIZE_MAX}));
        kan_report_units(w->run, "match", "sets", a->n_sets, 0);
        for (at = n; at > 0 && chosen[at - 1] == a->n_quasi - n + at - 1;)
            at--;
        if (at > 0)
            chosen[at - 1]++;
        for (size_t i = at; at > 0 && i < n; i++)
            chosen[i] = chosen[i - 1] + 1;
    } while (at > 0);
    return KAN_OK;
}

/* All columns but the one that is wanted, each sensitive one in turn. */
static kan_status try_wishes(kan_attack_walk *w, kan_attack_asked *a) {
    size_t *columns;
    KAN_TRY(kan_arena_alloc(&w->job->arena, a->n_columns, sizeof *columns, &columns));
    for (size_t s = 0; s < w->n_sensitive; s++) {
        size_t n = 0;
        for (size_t c = 0; c < a->n_columns; c++)
            if (a->columns[c].released != w->sensitive[s])
                columns[n++] = c;
        KAN_TRY(try_set(a, &(one_set){columns, n, s}));
    }
    return KAN_OK;
}

static uint64_t count_sets(size_t n, size_t of) {
    uint64_t sets = 1;
    for (size_t i = 0; i < of; i++)
        sets = sets * (n - i) / (i + 1);
    return sets;
}

static kan_status check(const kan_attack_walk *w, const kan_attack_asked *a, uint64_t n_sets) {
    if (a->profile && a->profile->knows_others && w->n_sensitive == 0)
        return kan_fail(
            w->run, KAN_BAD_INPUT,
            "--as %s: somebody who knows all columns but one wants that one; name it with "
            "--sensitive NAME",
            a->profile->name);
    if (n_sets <= MOST_SETS)
        return KAN_OK;
    return kan_fail(
        w->run, KAN_BAD_INPUT,
        "--as %s: %zu quasi-identifiers have %llu sets of %zu, and at most %d are tried; "
        "name fewer of them with --qi",
        a->profile->name, a->n_quasi, (unsigned long long)n_sets, a->profile->n_columns, MOST_SETS);
}

kan_status kan_attack_ask(kan_attack_walk *w, kan_attack_asked *a) {
    const kan_options *options = &w->job->options;
    a->profile = find_profile(w->job);
    a->wanted = SIZE_MAX;
    KAN_TRY(find_columns(w, a));
    const size_t of = a->profile ? a->profile->n_columns : 0;
    const uint64_t n_sets = of > 0 && of < a->n_quasi ? count_sets(a->n_quasi, of) : 1;
    KAN_TRY(check(w, a, n_sets));
    const kan_register_question question = {.release = w->sides[KAN_ATTACK_RELEASE].table,
                                            .people = w->sides[KAN_ATTACK_REGISTER].table,
                                            .columns = a->columns,
                                            .n_columns = a->n_columns,
                                            .sensitive = w->sensitive,
                                            .n_sensitive = w->n_sensitive,
                                            .n_sample = kan_options_count(options, "sample", 0),
                                            .most_pairs = ((uint64_t)1 << 32) / n_sets,
                                            .seed = kan_options_count(options, "seed", 1)};
    KAN_TRY(kan_register_create(w->run, &question, &a->people));
    if (a->profile && a->profile->knows_others)
        return try_wishes(w, a);
    return try_sets(w, a, n_sets > 1 ? of : a->n_quasi);
}

void kan_attack_asked_destroy(kan_attack_asked *a) {
    kan_register_destroy(a->people);
    if (a->has_answer)
        kan_register_answer_destroy(&a->answer);
}
