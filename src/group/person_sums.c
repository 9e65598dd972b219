/* Sums by people: see person_sums.h. */
#include "group/person_sums.h"

#include <string.h>

void kan_person_summer_init(kan_person_summer *summer, const kan_problem *problem) {
    *summer = (kan_person_summer){.problem = problem};
}

void kan_person_summer_destroy(kan_person_summer *summer) {
    kan_run *run = summer->problem->run;
    kan_free(run, summer->met);
    kan_free(run, summer->kept);
    kan_free(run, summer->dense);
    kan_free(run, summer->values);
    kan_person_summer_init(summer, summer->problem);
}

/* ---- group by group ------------------------------------------------------------------------- */

static const kan_dimension *class_of(const kan_problem *problem) {
    return problem->class_tail == KAN_NO_TAIL
               ? NULL
               : &problem->space
                      .dimensions[problem->space.n_attributes + (unsigned)problem->class_tail];
}

kan_status kan_person_summer_begin(kan_person_summer *s) {
    const kan_problem *problem = s->problem;
    const size_t n_people = (size_t)problem->n_people;
    const kan_dimension *class_column = class_of(problem);
    if (!s->met)
        KAN_TRY(kan_alloc_zero(problem->run, n_people, sizeof *s->met, &s->met));
    if (!s->kept)
        KAN_TRY(kan_alloc(problem->run, n_people, sizeof *s->kept, &s->kept));
    if (class_column && !s->dense)
        KAN_TRY(kan_alloc_zero(problem->run, kan_dimension_groups(class_column, 0),
                               sizeof *s->dense, &s->dense));
    if (class_column && !s->values)
        KAN_TRY(kan_alloc(problem->run, kan_dimension_groups(class_column, 0), sizeof *s->values,
                          &s->values));
    memset(s->kept, 0, n_people * sizeof *s->kept);
    s->n_looks++;
    s->n_values = 0;
    s->heads = s->weight = 0;
    s->sums = (kan_person_sums){
        .n_rows = problem->weights_of->all, .one = problem->weights_of->one, .n_people = n_people};
    return KAN_OK;
}

uint64_t kan_person_summer_take(kan_person_summer *s, uint32_t person, uint32_t class_value,
                                uint64_t n_rows) {
    const uint64_t weight = s->problem->weights_of->of_row[person] * n_rows;
    s->heads += s->met[person] != s->n_looks;
    s->met[person] = s->n_looks;
    s->kept[person] += n_rows;
    s->weight += weight;
    if (s->dense) {
        if (s->dense[class_value] == 0)
            s->values[s->n_values++] = class_value;
        s->dense[class_value] += weight;
    }
    return weight;
}

void kan_person_summer_close(kan_person_summer *s) {
    uint64_t majority = 0;
    for (size_t i = 0; i < s->n_values; i++) {
        uint64_t *weight = &s->dense[s->values[i]];
        majority = *weight > majority ? *weight : majority;
        *weight = 0;
    }
    s->sums.n_groups += s->heads > 0;
    s->sums.heads += s->heads;
    s->sums.squares += (kan_u128)s->heads * s->heads;
    s->sums.minority += s->weight - majority;
    s->n_values = 0;
    s->heads = s->weight = 0;
    s->n_looks++;
}

void kan_person_summer_end(kan_person_summer *s) {
    const kan_person_weights *weights = s->problem->weights_of;
    for (uint64_t p = 0; p < s->problem->n_people; p++) {
        const uint64_t n_lost = weights->n_rows[p] - s->kept[p];
        KAN_ASSERT(s->kept[p] <= weights->n_rows[p]);
        s->sums.n_left += n_lost > 0;
        s->sums.n_suppressed += n_lost * weights->of_row[p];
    }
}

/* ---- groups of a set ------------------------------------------------------------------------ */

/* Where a set has what is looked at. */
typedef struct {
    const kan_key_field *attributes;
    unsigned n_attributes;
    const kan_key_field *person, *class_value; /* the second may be NULL */
} fields_of;

static fields_of find_fields(const kan_problem *problem, const kan_layout *layout) {
    const unsigned n = problem->space.n_attributes;
    fields_of of = {.attributes = layout->fields};
    for (unsigned f = 0; f < layout->n_fields; f++) {
        const kan_key_field *field = &layout->fields[f];
        if (field->dimension < n)
            of.n_attributes++;
        else if (field->dimension == n)
            of.person = field;
        else if (problem->class_tail != KAN_NO_TAIL &&
                 field->dimension == n + (unsigned)problem->class_tail)
            of.class_value = field;
    }
    KAN_ASSERT(of.person != NULL);
    return of;
}

static void take_tuple(kan_person_summer *s, const fields_of *of, const uint64_t *key,
                       uint64_t n_rows) {
    const kan_problem *problem = s->problem;
    const uint64_t weight = kan_person_summer_take(
        s, kan_key_field_value(of->person, key),
        of->class_value ? kan_key_field_value(of->class_value, key) : 0, n_rows);
    for (unsigned f = 0; f < of->n_attributes; f++) {
        const kan_key_field *field = &of->attributes[f];
        kan_cell_loss *loss = &s->sums.loss[field->dimension];
        const uint64_t share =
            problem->shares[field->dimension][field->level][kan_key_field_value(field, key)];
        loss->levels += (kan_u128)weight * field->level;
        loss->share += (kan_u128)weight * share;
    }
}

kan_status kan_person_summer_groups(kan_person_summer *s, kan_groups *groups) {
    const kan_freqset *set = groups->set;
    const fields_of of = find_fields(s->problem, &set->layout);
    KAN_ASSERT(kan_groups_is_fresh(groups) && groups->first_tuple != NULL);
    KAN_TRY(kan_person_summer_begin(s));
    for (size_t g = 0; g < groups->n_groups; g++) {
        const size_t end = g + 1 < groups->n_groups ? groups->first_tuple[g + 1] : set->n;
        if (groups->is_released && !groups->is_released[g])
            continue;
        for (size_t i = groups->first_tuple[g]; i < end; i++)
            take_tuple(s, &of, set->keys + i * set->layout.n_words, set->counts[i]);
        kan_person_summer_close(s);
    }
    kan_person_summer_end(s);
    groups->sums = &s->sums;
    return kan_check_cancel(s->problem->run);
}
