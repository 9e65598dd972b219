/* Values of each release are told by their text, as codes of the first; what a person's rows show in it is a list by
 * code, so that lists are joined by walking along them. */
#include "analyze/intruder/cross.h"

enum { PEOPLE_BETWEEN_CHECKS = 1 << 12 };

typedef struct {
    kan_run *run;
    const kan_cross_side *sides;
    size_t n, n_sensitive;
    uint64_t k;
    uint32_t **code_of; /* by side and sensitive column: the code of the first release, or none */
    kan_cross *out;
} crossing;

#define NO_CODE UINT32_MAX

static kan_status translate(crossing *x) {
    KAN_TRY(kan_alloc_zero(x->run, x->n * x->n_sensitive, sizeof *x->code_of, &x->code_of));
    for (size_t c = 0; c < x->n_sensitive; c++) {
        const kan_dictionary *first =
            &x->sides[0].release->columns[x->sides[0].sensitive[c]].dictionary;
        for (size_t s = 0; s < x->n; s++) {
            const kan_dictionary *here =
                &x->sides[s].release->columns[x->sides[s].sensitive[c]].dictionary;
            uint32_t **to = &x->code_of[s * x->n_sensitive + c];
            KAN_TRY(kan_alloc(x->run, here->n, sizeof **to, to));
            for (uint32_t code = 0; code < here->n; code++)
                if (!kan_dictionary_find(first, kan_dictionary_value(here, code), &(*to)[code]))
                    (*to)[code] = NO_CODE;
        }
    }
    return KAN_OK;
}

/* What is left of a person's values in a column: how many people at most, and how many values. */
static uint64_t cross_column(const crossing *x, uint64_t asked, size_t column, unsigned *n_values) {
    uint64_t sum = 0;
    const kan_register_answer *first = x->sides[0].answer;
    const size_t at = (size_t)first->tuple_of[asked] * x->n_sensitive + column;
    *n_values = 0;
    for (uint32_t i = 0; i < first->n_values[at]; i++) {
        const kan_register_guess *value = &first->values[at][i];
        uint64_t least = value->rows;
        for (size_t s = 1; s < x->n && least > 0; s++) {
            const kan_register_answer *answer = x->sides[s].answer;
            const size_t other = (size_t)answer->tuple_of[asked] * x->n_sensitive + column;
            uint64_t rows = 0;
            for (uint32_t j = 0; j < answer->n_values[other]; j++)
                if (x->code_of[s * x->n_sensitive + column][answer->values[other][j].code] ==
                    value->code)
                    rows = answer->values[other][j].rows;
            least = rows < least ? rows : least;
        }
        sum += least;
        *n_values += least > 0;
    }
    return sum;
}

static void cross_person(const crossing *x, uint64_t asked, unsigned *n_values) {
    kan_cross *out = x->out;
    const kan_register_guess *guesses = kan_register_guesses(x->sides[0].answer, asked);
    uint64_t crowd = UINT64_MAX, alone = 0;
    for (size_t s = 0; s < x->n; s++) {
        const uint64_t rows = x->sides[s].answer->rows[x->sides[s].answer->tuple_of[asked]];
        alone = s == 0 ? rows : alone;
        crowd = rows < crowd ? rows : crowd;
    }
    for (size_t c = 0; c < x->n_sensitive && crowd > 0; c++) {
        const uint64_t sum = cross_column(x, asked, c, &n_values[c]);
        crowd = sum < crowd ? sum : crowd;
    }
    if (crowd == 0)
        return;
    out->smallest = out->n_people++ == 0 || crowd < out->smallest ? crowd : out->smallest;
    out->n_unique += crowd == 1;
    out->n_below += crowd < x->k;
    out->n_unique_alone += alone == 1;
    out->n_below_alone += alone < x->k;
    for (size_t c = 0; c < x->n_sensitive; c++) {
        out->certain[c] += n_values[c] == 1;
        out->certain_alone[c] += guesses[c].rows == alone;
    }
}

kan_status kan_cross_people(kan_run *run, const kan_cross_side *sides, size_t n, uint64_t k,
                            kan_cross *out) {
    const size_t n_sensitive = sides[0].answer->n_sensitive;
    kan_cross cross = {.run = run, .n_asked = sides[0].answer->n_asked};
    crossing x = {
        .run = run, .sides = sides, .n = n, .n_sensitive = n_sensitive, .k = k, .out = &cross};
    unsigned *n_values = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, n_sensitive, sizeof *cross.certain, &cross.certain));
    KAN_TRY_DONE(
        kan_alloc_zero(run, n_sensitive, sizeof *cross.certain_alone, &cross.certain_alone));
    KAN_TRY_DONE(kan_alloc_zero(run, n_sensitive, sizeof *n_values, &n_values));
    KAN_TRY_DONE(translate(&x));
    for (uint64_t i = 0; i < cross.n_asked; i++) {
        if (i % PEOPLE_BETWEEN_CHECKS == 0)
            KAN_TRY_DONE(kan_check_cancel(run));
        cross_person(&x, i, n_values);
    }
    *out = cross;
done:
    for (size_t i = 0; x.code_of && i < n * n_sensitive; i++)
        kan_free(run, x.code_of[i]);
    kan_free(run, x.code_of);
    kan_free(run, n_values);
    if (status != KAN_OK)
        kan_cross_destroy(&cross);
    return status;
}

void kan_cross_destroy(kan_cross *cross) {
    kan_free(cross->run, cross->certain);
    kan_free(cross->run, cross->certain_alone);
}
