/* See whole_people.h.
 *
 * First what follows without a choice. Each released row is some original row between the first
 * and the last that it could be if rows were left out at will. A person with a row that no released
 * row can be is out, with all rows, and somebody whose rows alone a released row can be is in. The
 * rows of who is out are passed over, and that is repeated while it tells more, a few times.
 *
 * Then by trial: the rows in their order, each person in when her first row comes and can be the
 * next released one, then out. A second way ends it: which one it was cannot be known. */
#include "analyze/cover/whole_people.h"

#include "analyze/cover/relation.h"

enum { MOST_PASSES = 12, MOST_LOOKS = 64, ROWS_BETWEEN_CHECKS = 1 << 16 };

typedef enum { OPEN, IN, OUT } fate;

typedef struct {
    uint32_t person;
    bool is_choice;
    uint64_t row, released; /* where it was made */
} decision;

typedef struct {
    kan_run *run;
    const kan_cover_question *question;
    const kan_column *person;
    kan_relation *relations;
    size_t n_relations;
    uint64_t n, n_original; /* rows */
    uint64_t *first, *last; /* by released row: which it can be */
    uint8_t *fates;         /* by person */
    uint64_t *at;           /* by released row: which it is, in a trial */
    decision *trail;
    size_t n_trail;
    uint64_t n_steps, most_steps;
    bool has_changed;
} whole;

static bool covers(const whole *w, uint64_t released, uint64_t original) {
    for (size_t i = 0; i < w->n_relations; i++) {
        const kan_relation *relation = &w->relations[i];
        if (!kan_relation_covers(relation, kan_column_code(relation->released, released),
                                 kan_column_code(relation->original, original)))
            return false;
    }
    return true;
}

static uint32_t person_of(const whole *w, uint64_t row) {
    return kan_column_code(w->person, row);
}

static bool is_out(const whole *w, uint64_t row) {
    return w->fates[person_of(w, row)] == OUT;
}

/* ---- what follows by itself ----------------------------------------------------------------- */

/* The first and the last row that each can be; false where some cannot be any. */
static kan_status bound_rows(const whole *w, bool *is_found) {
    uint64_t released = 0;
    for (uint64_t row = 0; row < w->n_original && released < w->n; row++) {
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(w->run));
        if (!is_out(w, row) && covers(w, released, row))
            w->first[released++] = row;
    }
    *is_found = released == w->n;
    for (uint64_t row = w->n_original; *is_found && row-- > 0 && released > 0;) {
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(w->run));
        if (!is_out(w, row) && covers(w, released - 1, row))
            w->last[--released] = row;
    }
    return KAN_OK;
}

/* False where she cannot be both in and out. */
static bool decide(whole *w, uint32_t person, fate to) {
    const fate was = (fate)w->fates[person];
    w->has_changed |= was == OPEN;
    w->fates[person] = (uint8_t)to;
    return was == OPEN || was == to;
}

/* Whose rows alone a released row can be is in. */
static bool take_in(whole *w) {
    for (uint64_t i = 0; i < w->n; i++) {
        const uint32_t person = person_of(w, w->first[i]);
        bool is_hers = w->last[i] - w->first[i] < MOST_LOOKS;
        for (uint64_t row = w->first[i] + 1; row <= w->last[i] && is_hers; row++)
            is_hers = is_out(w, row) || person_of(w, row) == person || !covers(w, i, row);
        if (is_hers && !decide(w, person, IN))
            return false;
    }
    return true;
}

/* Who has a row that no released row can be is out. Rows that can be it stand side by side. */
static bool leave_out(whole *w) {
    uint64_t from = 0, to = 0; /* last[from] is the first not before the row, first[to] behind it */
    for (uint64_t row = 0; row < w->n_original; row++) {
        while (from < w->n && w->last[from] < row)
            from++;
        while (to < w->n && w->first[to] <= row)
            to++;
        bool can_be = to > from && to - from > MOST_LOOKS;
        for (uint64_t i = from; i < to && !can_be; i++)
            can_be = covers(w, i, row);
        if (!can_be && !is_out(w, row) && !decide(w, person_of(w, row), OUT))
            return false;
    }
    return true;
}

/* Sets *out where it is decided before anything is tried. */
static kan_status follow(whole *w, kan_whole *out) {
    bool is_found;
    for (unsigned pass = 0; pass < MOST_PASSES; pass++) {
        KAN_TRY(bound_rows(w, &is_found));
        if (!is_found) {
            *out = pass == 0 ? KAN_WHOLE_OTHER_ORDER : KAN_WHOLE_NONE;
            return KAN_OK;
        }
        w->has_changed = false;
        if (!take_in(w) || !leave_out(w)) {
            *out = KAN_WHOLE_NONE;
            return KAN_OK;
        }
        if (!w->has_changed)
            break;
    }
    KAN_TRY(bound_rows(w, &is_found));
    if (!is_found)
        *out = KAN_WHOLE_NONE;
    return KAN_OK;
}

/* ---- by trial ------------------------------------------------------------------------------- */

/* Goes back to the last choice that has another side; false where there is none. */
static bool go_back(whole *w, uint64_t *row, uint64_t *released) {
    while (w->n_trail > 0) {
        decision *last = &w->trail[w->n_trail - 1];
        if (last->is_choice) {
            last->is_choice = false;
            w->fates[last->person] = OUT;
            *row = last->row + 1;
            *released = last->released;
            return true;
        }
        w->fates[last->person] = OPEN;
        w->n_trail--;
    }
    return false;
}

static void choose(whole *w, uint64_t row, uint64_t released, bool can_be) {
    const uint32_t person = person_of(w, row);
    w->trail[w->n_trail++] = (decision){person, can_be, row, released};
    w->fates[person] = can_be ? IN : OUT;
}

/* One row further; false where that cannot be. */
static bool step(whole *w, uint64_t *row, uint64_t *released) {
    const bool is_left = *released < w->n;
    if (is_left && *row > w->last[*released])
        return false;
    const bool can_be = is_left && *row >= w->first[*released] && covers(w, *released, *row);
    if (w->fates[person_of(w, *row)] == OPEN)
        choose(w, *row, *released, can_be);
    if (w->fates[person_of(w, *row)] == IN) {
        if (!can_be)
            return false;
        w->at[(*released)++] = *row;
    }
    ++*row;
    return true;
}

static kan_status attempt(whole *w, uint64_t *row_of, kan_whole *out) {
    uint64_t row = 0, released = 0;
    bool goes_on = true;
    *out = KAN_WHOLE_NONE;
    while (goes_on) {
        if (w->n_steps++ % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(w->run));
        if (w->n_steps > w->most_steps) {
            *out = KAN_WHOLE_UNDECIDED;
            return KAN_OK;
        }
        if (row < w->n_original && step(w, &row, &released))
            continue;
        if (row == w->n_original && released == w->n) {
            if (*out == KAN_WHOLE_ONE) {
                *out = KAN_WHOLE_SEVERAL;
                return KAN_OK;
            }
            *out = KAN_WHOLE_ONE;
            memcpy(row_of, w->at, (size_t)w->n * sizeof *row_of);
        }
        goes_on = go_back(w, &row, &released);
    }
    return KAN_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static kan_status open(whole *w) {
    const kan_cover_question *question = w->question;
    const size_t n = question->n_quasi + question->n_others;
    KAN_TRY(kan_alloc_zero(w->run, n, sizeof *w->relations, &w->relations));
    for (; w->n_relations < n; w->n_relations++) {
        const size_t i = w->n_relations;
        const bool is_quasi = i < question->n_quasi;
        KAN_TRY(kan_relation_init(
            &w->relations[i], w->run, question,
            is_quasi ? &question->quasi[i] : &question->others[i - question->n_quasi], is_quasi));
    }
    KAN_TRY(kan_alloc(w->run, (size_t)w->n, sizeof *w->first, &w->first));
    KAN_TRY(kan_alloc(w->run, (size_t)w->n, sizeof *w->last, &w->last));
    KAN_TRY(kan_alloc(w->run, (size_t)w->n, sizeof *w->at, &w->at));
    KAN_TRY(kan_alloc_zero(w->run, w->person->dictionary.n, 1, &w->fates));
    return kan_alloc(w->run, w->person->dictionary.n, sizeof *w->trail, &w->trail);
}

static void close(whole *w) {
    for (size_t i = 0; i < w->n_relations; i++)
        kan_relation_destroy(&w->relations[i], w->run);
    kan_free(w->run, w->relations);
    kan_free(w->run, w->first);
    kan_free(w->run, w->last);
    kan_free(w->run, w->at);
    kan_free(w->run, w->fates);
    kan_free(w->run, w->trail);
}

kan_status kan_verify_whole_people(kan_run *run, const kan_whole_question *question,
                                   uint64_t *row_of, kan_whole *out) {
    const kan_cover_question *cover = question->cover;
    whole w = {.run = run,
               .question = cover,
               .person = question->person,
               .n = cover->release->n_rows,
               .n_original = cover->original->n_rows,
               .most_steps = question->most_steps ? question->most_steps : KAN_WHOLE_STEPS};
    kan_whole answer = KAN_WHOLE_ONE; /* until something else is decided */
    kan_status status;
    KAN_TRY_DONE(open(&w));
    KAN_TRY_DONE(follow(&w, &answer));
    if (answer == KAN_WHOLE_ONE)
        KAN_TRY_DONE(attempt(&w, row_of, &answer));
    *out = answer;
done:
    close(&w);
    return status;
}

/* ---- numbers of rows ------------------------------------------------------------------------ */

#define MOST_WORDS (UINT64_C(1) << 31)

/* Sums that can be made, a bit each: those that there are, and `size` more. */
static void add_size(uint64_t *sums, size_t n_words, uint64_t size) {
    const size_t words = (size_t)(size / 64);
    const unsigned bits = (unsigned)(size % 64);
    for (size_t i = n_words; i-- > words;) {
        uint64_t moved = sums[i - words] << bits;
        if (bits > 0 && i > words)
            moved |= sums[i - words - 1] >> (64 - bits);
        sums[i] |= moved;
    }
}

/* People who have as many rows are taken by ones, twos, fours, so that any number of them is some
 * of these. */
static kan_status add_sizes(kan_run *run, const uint64_t *n_of_size, uint64_t target,
                            uint64_t *sums, bool *is_done) {
    const size_t n_words = (size_t)(target / 64) + 1;
    uint64_t work = 0;
    for (uint64_t size = 1; size <= target; size++) {
        uint64_t left = n_of_size[size];
        for (uint64_t part = 1; left > 0; part *= 2) {
            const uint64_t taken = part < left ? part : left;
            if (taken > target / size)
                break; /* what is left makes more than is asked for, and less was made */
            KAN_TRY(kan_check_cancel(run));
            work += n_words;
            if (work > MOST_WORDS) {
                *is_done = false;
                return KAN_OK;
            }
            add_size(sums, n_words, taken * size);
            left -= taken;
        }
    }
    return KAN_OK;
}

kan_status kan_verify_people_have(kan_run *run, const uint64_t *n_rows_of, size_t n_people,
                                  uint64_t n_rows, bool *out) {
    uint64_t total = 0, *n_of_size = NULL, *sums = NULL;
    bool is_done = true;
    kan_status status;
    for (size_t i = 0; i < n_people; i++)
        total += n_rows_of[i];
    if (n_rows > total) {
        *out = false;
        return KAN_OK;
    }
    /* who is out has the other rows */
    const uint64_t target = n_rows < total - n_rows ? n_rows : total - n_rows;
    KAN_TRY_DONE(kan_alloc_zero(run, (size_t)target + 1, sizeof *n_of_size, &n_of_size));
    KAN_TRY_DONE(kan_alloc_zero(run, (size_t)(target / 64) + 1, sizeof *sums, &sums));
    for (size_t i = 0; i < n_people; i++)
        if (n_rows_of[i] <= target)
            n_of_size[n_rows_of[i]]++;
    sums[0] = 1;
    KAN_TRY_DONE(add_sizes(run, n_of_size, target, sums, &is_done));
    *out = !is_done || (sums[target / 64] >> (target % 64) & 1) != 0;
done:
    kan_free(run, n_of_size);
    kan_free(run, sums);
    return status;
}
