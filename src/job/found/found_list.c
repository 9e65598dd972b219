/* Who of a list is matched by how many rows, or is nearest to how many, and what these rows say. */
#include <math.h>
#include <string.h>

#include "job/found/found_inside.h"

/* ---- who is who ---------------------------------------------------------------------------------- */

int kan_found_is_hers(const kan_found *f, uint64_t person, uint64_t row) {
    const kan_found_truth *truth = f->question.truth;
    const uint64_t original = kan_found_original(f, person);
    if (truth && original == KAN_FOUND_NOBODY)
        return 0; /* who is not in the original has no row */
    if (!truth || !truth->row_of || truth->row_of[row] == KAN_FOUND_NOBODY)
        return -1;
    return truth->row_of[row] == original;
}

/* Who knows who is in the release does not look for others. */
bool kan_found_is_skipped(const kan_found *f, uint64_t person) {
    return f->question.profile && f->question.profile->knows_who_is_in && f->question.truth &&
           kan_found_original(f, person) == KAN_FOUND_NOBODY;
}

const char *kan_found_name(const kan_found *f, size_t released) {
    return f->question.release->columns[released].name;
}

static bool is_value(const kan_found *f, size_t column, uint32_t code, uint64_t original) {
    const kan_found_question *q = &f->question;
    const kan_column *shown = &q->release->columns[q->sensitive[column]];
    const kan_column *truth = &q->truth->original->columns[q->truth->sensitive[column]];
    return kan_slice_equal(kan_dictionary_value(&shown->dictionary, code),
                           kan_column_value(truth, original));
}

/* ---- counting ------------------------------------------------------------------------------------ */

static void add_told(kan_found_tally *told, bool is_known, bool is_right) {
    told->people++;
    told->right += is_known && is_right;
    told->wrong += is_known && !is_right;
}

typedef struct {
    kan_found *f;
    const kan_register_answer *answer;
    kan_found_figures *figures;
    kan_found_person *exposed;
    size_t *n_exposed;
    uint64_t n_asked;
} counting;

static void add_one(const counting *c, uint64_t person, uint32_t tuple) {
    const int is_hers = kan_found_is_hers(c->f, person, c->answer->row[tuple]);
    c->figures->one++;
    c->figures->mutual += c->answer->is_mutual[tuple];
    add_told(&c->figures->found, is_hers >= 0, is_hers == 1);
}

/* The largest share of a value among her rows. */
static double add_values(const counting *c, uint64_t asked, uint64_t rows) {
    const kan_register_guess *guesses = kan_register_guesses(c->answer, asked);
    const uint64_t original = kan_found_original(c->f, c->answer->asked[asked]);
    double most = 0;
    for (size_t i = 0; i < c->f->question.n_sensitive && rows > 0; i++) {
        const bool is_known = original != KAN_FOUND_NOBODY;
        const bool is_right = is_known && is_value(c->f, i, guesses[i].code, original);
        if (guesses[i].rows == rows)
            add_told(&c->figures->columns[i].certain, is_known, is_right);
        if ((double)guesses[i].rows > 0.9 * (double)rows)
            add_told(&c->figures->columns[i].likely, is_known, is_right);
        if (c->f->wanted == SIZE_MAX || c->f->wanted == i)
            most = fmax(most, (double)guesses[i].rows / (double)rows);
    }
    return most;
}

static void add_person(const counting *c, uint64_t asked) {
    const kan_register_answer *answer = c->answer;
    const uint32_t tuple = answer->tuple_of[asked];
    const uint64_t rows = answer->rows[tuple];
    kan_found_figures *figures = c->figures;
    if (rows == 0)
        figures->none++;
    else if (rows == 1)
        add_one(c, answer->asked[asked], tuple);
    else if (rows < c->f->question.k)
        figures->few++;
    else
        figures->many++;
    const double one = rows > 0 ? 1 / (double)rows : 0, value = add_values(c, asked, rows);
    figures->expected += one;
    figures->right += answer->holds && answer->holds[asked] ? one : 0;
    if (rows > 0)
        kan_found_expose(c->exposed, c->n_exposed,
                         &(kan_found_person){asked, fmax(one, value), rows});
}

static kan_status count(counting *c, uint64_t *n_people) {
    kan_found *f = c->f;
    const kan_register_answer *answer = c->answer;
    KAN_TRY(kan_alloc_zero(f->run, f->question.n_sensitive, sizeof *c->figures->columns,
                           &c->figures->columns));
    for (uint64_t i = 0; i < answer->n_asked; i++) {
        if (kan_found_is_skipped(f, answer->asked[i]))
            continue;
        c->n_asked++;
        add_person(c, i);
    }
    *n_people =
        answer->n_asked == answer->n_people
            ? c->n_asked
            : (uint64_t)((double)answer->n_people * (double)c->n_asked / (double)answer->n_asked +
                         0.5);
    return kan_check_cancel(f->run);
}

/* ---- those who are most exposed -------------------------------------------------------------------- */

static bool is_more(const kan_found_person *a, const kan_found_person *b) {
    if (a->share != b->share)
        return a->share > b->share;
    return a->rows != b->rows ? a->rows < b->rows : a->asked < b->asked;
}

void kan_found_expose(kan_found_person *exposed, size_t *n, const kan_found_person *person) {
    size_t at = *n;
    if (at == KAN_FOUND_MOST_EXPOSED && !is_more(person, &exposed[at - 1]))
        return;
    *n += at < KAN_FOUND_MOST_EXPOSED;
    for (at = *n - 1; at > 0 && is_more(person, &exposed[at - 1]); at--)
        exposed[at] = exposed[at - 1];
    exposed[at] = *person;
}

/* ---- the nearest ----------------------------------------------------------------------------------- */

/* Numbers that the release shows, in any column that is known, and that were nobody's. */
static kan_status count_changed(kan_found *f) {
    const kan_found_question *q = &f->question;
    for (size_t i = 0; q->truth && i < f->n_set; i++) {
        uint64_t n = 0;
        const kan_column *people = &q->people->columns[q->columns[f->set[i]].known];
        const kan_column *original = people;
        for (size_t c = 0; c < q->truth->original->n_columns; c++)
            if (strcmp(q->truth->original->columns[c].name, people->name) == 0)
                original = &q->truth->original->columns[c];
        if (original->is_encoded)
            KAN_TRY(kan_register_new_numbers(f->people, f->set[i], original, &n));
        f->n_changed += n;
    }
    return KAN_OK;
}

/* By row of the list, which row of the release is hers. */
static kan_status find_rows(kan_found *f, uint64_t **out) {
    const kan_found_question *q = &f->question;
    uint64_t *row_of = NULL, *released = NULL;
    const uint64_t n_original = q->truth->original->n_rows;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(f->run, (size_t)q->people->n_rows, sizeof *row_of, &row_of));
    KAN_TRY_DONE(kan_alloc(f->run, (size_t)n_original, sizeof *released, &released));
    for (uint64_t row = 0; row < n_original; row++)
        released[row] = UINT64_MAX;
    for (uint64_t row = 0; row < q->release->n_rows; row++)
        if (q->truth->row_of[row] != KAN_FOUND_NOBODY)
            released[q->truth->row_of[row]] = row;
    for (uint64_t row = 0; row < q->people->n_rows; row++) {
        const uint64_t original = kan_found_original(f, row);
        row_of[row] = original == KAN_FOUND_NOBODY ? UINT64_MAX : released[original];
    }
    *out = row_of;
    row_of = NULL;
done:
    kan_free(f->run, row_of);
    kan_free(f->run, released);
    return status;
}

static kan_status ask_both(kan_found *f, const uint64_t *row_of) {
    KAN_TRY(kan_register_ask_nearest(f->people, f->set, f->n_set, row_of, &f->nearest));
    f->has_nearest = true;
    if (!row_of || f->nearest.n_asked < f->nearest.n_people)
        return KAN_OK;
    for (uint64_t person = 0; person < f->question.people->n_rows; person++)
        if (kan_found_is_skipped(f, person))
            return KAN_OK; /* others would take their rows */
    return kan_register_assign(f->people, f->set, f->n_set, row_of, &f->assigned);
}

static kan_status ask_nearest(kan_found *f) {
    uint64_t *row_of = NULL;
    f->near_holds = f->question.truth && f->question.truth->row_of;
    if (f->near_holds)
        KAN_TRY(find_rows(f, &row_of));
    const kan_status status = ask_both(f, row_of);
    kan_free(f->run, row_of);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------- */

static kan_status measure(kan_found *f) {
    counting c = {f, &f->answer, &f->figures, f->exposed, &f->n_exposed, 0};
    KAN_TRY(kan_found_try_sets(f));
    KAN_TRY(count(&c, &f->n_people));
    f->n_asked = c.n_asked;
    KAN_TRY(count_changed(f));
    if (!f->question.wants_nearest && f->n_changed == 0)
        return KAN_OK;
    KAN_TRY(ask_nearest(f));
    c = (counting){f, &f->nearest, &f->near_figures, f->near_exposed, &f->n_near_exposed, 0};
    KAN_TRY(count(&c, &f->n_near_people));
    f->n_near_asked = c.n_asked;
    return KAN_OK;
}

kan_status kan_found_list(const kan_found_question *question, kan_found **out) {
    kan_found *made;
    KAN_TRY(kan_alloc_zero(question->run, 1, sizeof *made, &made));
    made->question = *question;
    made->run = question->run;
    made->wanted = SIZE_MAX;
    const kan_status status = measure(made);
    if (status == KAN_OK)
        *out = made;
    else
        kan_found_destroy(made);
    return status;
}

void kan_found_destroy(kan_found *f) {
    if (!f)
        return;
    kan_register_destroy(f->people);
    if (f->has_answer)
        kan_register_answer_destroy(&f->answer);
    if (f->has_nearest)
        kan_register_answer_destroy(&f->nearest);
    kan_free(f->run, f->figures.columns);
    kan_free(f->run, f->near_figures.columns);
    kan_free(f->run, f);
}

/* ---- what follows for all, where some were drawn --------------------------------------------------- */

kan_found_estimate kan_found_estimate_of(uint64_t n_people, uint64_t n_asked, double people) {
    if (n_asked == 0)
        return (kan_found_estimate){0, 0, 0};
    const double z = 1.959963984540054, n = (double)n_asked;
    const double all = (double)n_people, share = people / n;
    const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    const kan_found_estimate found = {all * share, all * fmax(middle - half, 0),
                                      all * fmin(middle + half, 1)};
    return n_asked < n_people ? found : (kan_found_estimate){all * share, all * share, all * share};
}
