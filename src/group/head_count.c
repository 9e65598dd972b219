/* Counting people: see head_count.h. Tuples of a group stand by person, because the person is the
 * first tail: whoever has several is met in one run. */
#include "group/head_count.h"

#include <stdlib.h>

void kan_head_count_init(kan_head_count *heads, const kan_problem *problem) {
    *heads = (kan_head_count){.problem = problem};
}

void kan_head_count_destroy(kan_head_count *heads) {
    kan_run *run = heads->problem->run;
    kan_free(run, heads->start);
    kan_free(run, heads->order);
    kan_free(run, heads->people);
    kan_free(run, heads->dense);
    kan_free(run, heads->met);
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++) {
        kan_free(run, heads->tails[t].start);
        kan_free(run, heads->tails[t].value);
        kan_free(run, heads->tails[t].count);
        kan_free(run, heads->tails[t].total);
    }
    kan_head_count_init(heads, heads->problem);
}

/* ---- groups --------------------------------------------------------------------------------- */

/* The place of the person among the fields; those before it are attributes. */
static unsigned find_person(const kan_head_count *heads, const kan_layout *layout) {
    unsigned f = 0;
    while (layout->fields[f].dimension != heads->problem->space.n_attributes)
        f++;
    KAN_ASSERT(f < layout->n_fields);
    return f;
}

static bool is_same_group(const kan_layout *layout, unsigned n_fields, const uint64_t *a,
                          const uint64_t *b) {
    if (layout->n_words == 1)
        return layout->tail_bits >= 64 || a[0] >> layout->tail_bits == b[0] >> layout->tail_bits;
    for (unsigned f = 0; f < n_fields; f++)
        if (kan_key_field_value(&layout->fields[f], a) !=
            kan_key_field_value(&layout->fields[f], b))
            return false;
    return true;
}

kan_status kan_head_count_begin(kan_head_count *heads, const kan_freqset *set) {
    const kan_layout *layout = &set->layout;
    const unsigned f = find_person(heads, layout), words = layout->n_words;
    heads->edition++;
    heads->set = set;
    heads->person = layout->fields[f];
    heads->is_divided = false;
    heads->n_groups = 0;
    KAN_TRY(kan_reserve(heads->problem->run, set->n + 1, sizeof *heads->start, &heads->start_room,
                        &heads->start));
    for (size_t i = 0; i < set->n; i++)
        if (i == 0 || !is_same_group(layout, f, set->keys + (i - 1) * words, set->keys + i * words))
            heads->start[heads->n_groups++] = i;
    heads->start[heads->n_groups] = set->n;
    return KAN_OK;
}

/* ---- parts of groups ------------------------------------------------------------------------ */

typedef struct {
    uint32_t class, tuple;
} member;

/* People of a class stand as they stood in the group: whoever has several tuples has them in one run. */
static int compare_members(const void *a, const void *b) {
    const member *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return (x->tuple > y->tuple) - (x->tuple < y->tuple);
}

/* The parts of one group, of which `members` are the tuples. */
static void divide_group(kan_head_count *heads, size_t first, size_t n, member *members) {
    qsort(members, n, sizeof *members, compare_members);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || members[i].class != members[i - 1].class)
            heads->start[heads->n_groups++] = first + i;
        heads->order[first + i] = members[i].tuple;
    }
}

kan_status kan_head_count_divide(kan_head_count *heads, const kan_head_count *whole,
                                 const uint32_t *class_of) {
    kan_run *run = heads->problem->run;
    const size_t n = whole->set->n;
    member *members;
    KAN_ASSERT(!whole->is_divided && n < UINT32_MAX / 2);
    heads->edition++;
    heads->set = whole->set;
    heads->person = whole->person;
    heads->is_divided = true;
    heads->n_groups = 0;
    KAN_TRY(kan_reserve(run, n + 1, sizeof *heads->start, &heads->start_room, &heads->start));
    KAN_TRY(kan_reserve(run, n, sizeof *heads->order, &heads->order_room, &heads->order));
    KAN_TRY(kan_alloc(run, n, sizeof *members, &members));
    for (size_t i = 0; i < n; i++)
        members[i] = (member){class_of[kan_head_count_person(whole, i)], (uint32_t)i};
    for (size_t g = 0; g < whole->n_groups; g++)
        divide_group(heads, whole->start[g], whole->start[g + 1] - whole->start[g],
                     members + whole->start[g]);
    heads->start[heads->n_groups] = n;
    kan_free(run, members);
    return KAN_OK;
}

/* ---- counting ------------------------------------------------------------------------------- */

static kan_status reserve_groups(kan_head_count *heads, unsigned n_tails) {
    kan_run *run = heads->problem->run;
    const size_t n = heads->n_groups + 1;
    if (n <= heads->group_room && n_tails <= heads->n_tails)
        return KAN_OK;
    const size_t room = n + n / 4 > heads->group_room ? n + n / 4 : heads->group_room;
    heads->group_room = 0; /* until all arrays have grown */
    KAN_TRY(kan_resize(run, room, sizeof *heads->people, &heads->people));
    for (unsigned t = 0; t < n_tails; t++) {
        KAN_TRY(kan_resize(run, room, sizeof *heads->tails[t].start, &heads->tails[t].start));
        KAN_TRY(kan_resize(run, room, sizeof *heads->tails[t].total, &heads->tails[t].total));
    }
    heads->n_tails = n_tails;
    heads->group_room = room;
    return KAN_OK;
}

static kan_status reserve_values(kan_head_count *heads, unsigned tail) {
    kan_run *run = heads->problem->run;
    struct kan_head_tally *tally = &heads->tails[tail];
    const size_t n = heads->set->n;
    const size_t n_values = kan_dimension_groups(
        &heads->problem->space.dimensions[heads->problem->space.n_attributes + tail], 0);
    if (n > tally->room) {
        tally->room = 0;
        KAN_TRY(kan_resize(run, n, sizeof *tally->value, &tally->value));
        KAN_TRY(kan_resize(run, n, sizeof *tally->count, &tally->count));
        tally->room = n;
    }
    if (n_values <= heads->dense_room)
        return KAN_OK;
    kan_free(run, heads->dense);
    kan_free(run, heads->met);
    heads->dense = NULL;
    heads->met = NULL;
    heads->dense_room = 0;
    KAN_TRY(kan_alloc_zero(run, n_values, sizeof *heads->dense, &heads->dense));
    KAN_TRY(kan_alloc_zero(run, n_values, sizeof *heads->met, &heads->met));
    heads->dense_room = n_values;
    return KAN_OK;
}

static void count_people(kan_head_count *heads, const uint8_t *is_gone) {
    const uint64_t *rows = heads->problem->counts_rows ? heads->set->counts : NULL;
    for (size_t g = 0; g < heads->n_groups; g++) {
        uint64_t n = 0;
        uint32_t last = UINT32_MAX;
        for (size_t i = heads->start[g]; i < heads->start[g + 1]; i++) {
            const size_t tuple = kan_head_count_tuple(heads, i);
            const uint32_t person = kan_head_count_person(heads, tuple);
            n += is_gone[person] ? 0 : rows ? rows[tuple] : person != last;
            last = person;
        }
        heads->people[g] = n;
    }
}

static int compare_values(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The values of one group from `at` on; returns how many. Marks of the people of other groups do
 * not matter, because `met` is cleared with `dense`. */
static size_t tally_group(kan_head_count *heads, const uint8_t *is_gone, unsigned tail,
                          const kan_key_field *field, size_t g, size_t at) {
    const kan_freqset *set = heads->set;
    struct kan_head_tally *tally = &heads->tails[tail];
    const bool counts_rows = heads->problem->counts_rows;
    uint32_t *value = tally->value + at;
    size_t n = 0;
    tally->total[g] = 0;
    for (size_t i = heads->start[g]; i < heads->start[g + 1]; i++) {
        const size_t tuple = kan_head_count_tuple(heads, i);
        const uint32_t person = kan_head_count_person(heads, tuple);
        const uint32_t v = kan_key_field_value(field, set->keys + tuple * set->layout.n_words);
        const uint64_t rows = counts_rows ? set->counts[tuple] : 1;
        if (is_gone[person] || (!counts_rows && heads->met[v] == person + 1))
            continue;
        if (heads->dense[v] == 0)
            value[n++] = v;
        heads->met[v] = person + 1;
        heads->dense[v] += rows;
        tally->total[g] += rows;
    }
    if (n > 1)
        qsort(value, n, sizeof *value, compare_values);
    for (size_t i = 0; i < n; i++) {
        tally->count[at + i] = heads->dense[value[i]];
        heads->dense[value[i]] = 0;
        heads->met[value[i]] = 0;
    }
    return n;
}

static kan_status tally_tail(kan_head_count *heads, const uint8_t *is_gone, unsigned tail,
                             const kan_key_field *field) {
    struct kan_head_tally *tally = &heads->tails[tail];
    size_t at = 0;
    KAN_TRY(reserve_values(heads, tail));
    for (size_t g = 0; g < heads->n_groups; g++) {
        tally->start[g] = at;
        at += tally_group(heads, is_gone, tail, field, g, at);
    }
    tally->start[heads->n_groups] = at;
    heads->tallies[tail] = (kan_tally){tally->start, tally->value, tally->count};
    heads->totals[tail] = tally->total;
    return KAN_OK;
}

kan_status kan_head_count_groups(kan_head_count *heads, const uint8_t *is_gone, bool tallies,
                                 kan_groups *out) {
    const kan_problem *problem = heads->problem;
    const kan_layout *layout = &heads->set->layout;
    heads->edition++;
    KAN_TRY(reserve_groups(heads, tallies ? problem->space.n_tails : 0));
    count_people(heads, is_gone);
    for (unsigned f = 0; tallies && f < layout->n_fields; f++) {
        const unsigned dimension = layout->fields[f].dimension;
        const unsigned tail = dimension - problem->space.n_attributes;
        if (dimension > problem->space.n_attributes && (int)tail != problem->class_tail)
            KAN_TRY(tally_tail(heads, is_gone, tail, &layout->fields[f]));
    }
    *out = (kan_groups){.n_groups = heads->n_groups,
                        .n_rows = problem->counts_rows ? problem->n_rows : problem->n_people,
                        .count = heads->people,
                        .tallies = heads->tallies,
                        .totals = problem->counts_rows ? NULL : heads->totals};
    kan_groups_borrow(out, &heads->edition);
    return KAN_OK;
}
