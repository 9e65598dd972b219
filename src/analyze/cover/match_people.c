/* How many people of a population match each released group: see relation.h.
 *
 * Both tables are folded to distinct tuples, which are sorted by their codes, column by column
 * (radix). Tuples with a common beginning are then neighbours, so a pair of ranges, one of each
 * table, that match in the columns so far is cut by the next column: an original value looks up the
 * codes of itself and its labels in the released range, an interval looks up the values that it
 * holds in the other. Only pairs that match are followed, and what tuples share is looked at once.
 * Columns in which few pairs match come first. Which values match is the relation of the
 * verification (relation.h). */
#include <string.h>

#include "analyze/cover/match_heads.h"
#include "analyze/cover/relation.h"
#include "analyze/tuples/tuples.h"

enum { STEPS_BETWEEN_CHECKS = 1 << 16 };

/* Distinct tuples of one table, sorted. */
typedef struct {
    size_t n;
    uint32_t *codes;     /* n_quasi for each, in the order of the columns */
    uint64_t *rows;      /* of each */
    uint64_t *first_row; /* that showed it */
    size_t *number;      /* in the order in which the table shows them */
} sorted;

typedef struct {
    kan_run *run;
    const kan_match_question *question;
    size_t n;                /* columns */
    size_t *order;           /* of the columns: numbers of quasi-identifiers */
    kan_relation *relations; /* by quasi-identifier */
    size_t n_relations;
    sorted released, people;
    uint64_t *matches;     /* people of each released tuple */
    kan_match_heads heads; /* where somebody may have several rows */
    uint64_t n_steps;
} mapper;

/* ---- the order of columns ------------------------------------------------------------------- */

/* Which share of the pairs of values match. */
static double share_of_pairs(const kan_relation *relation) {
    const double n_people = relation->original->dictionary.n;
    const double n_released = relation->released->dictionary.n;
    const size_t n_shown = (size_t)relation->original->dictionary.n * relation->n_levels;
    double pairs = relation->star == KAN_NO_CODE ? 0 : n_people;
    for (size_t i = 0; i < n_shown; i++)
        pairs += relation->shown_as[i] != KAN_NO_CODE;
    const size_t n_runs =
        relation->run_start ? relation->run_start[relation->released->dictionary.n] : 0;
    for (size_t i = 0; i < n_runs; i++)
        pairs += relation->runs[i].end - relation->runs[i].first;
    return pairs / (n_people * n_released + 1);
}

static kan_status order_columns(mapper *m) {
    double *share;
    KAN_TRY(kan_alloc(m->run, m->n, sizeof *m->order, &m->order));
    KAN_TRY(kan_alloc(m->run, m->n, sizeof *share, &share));
    for (size_t i = 0; i < m->n; i++) {
        size_t at = i;
        const double here = share_of_pairs(&m->relations[i]);
        for (; at > 0 && share[at - 1] > here; at--) {
            share[at] = share[at - 1];
            m->order[at] = m->order[at - 1];
        }
        share[at] = here;
        m->order[at] = i;
    }
    kan_free(m->run, share);
    return KAN_OK;
}

/* ---- folding and sorting -------------------------------------------------------------------- */

static uint32_t read_code(const char *at, unsigned width) {
    uint16_t middle;
    uint32_t wide;
    if (width == 1)
        return *(const uint8_t *)at;
    if (width == 2) {
        memcpy(&middle, at, 2);
        return middle;
    }
    memcpy(&wide, at, 4);
    return wide;
}

/* The code of tuple number `tuple` in a quasi-identifier: codes stand one after the other, each in
 * its column's own width. */
static void unpack(const mapper *m, const kan_table *table, const size_t *columns,
                   const kan_tuples *tuples, size_t tuple, uint32_t *to) {
    const char *at = kan_tuples_at(tuples, tuple);
    for (size_t i = 0; i < m->n; i++) {
        const unsigned width = table->columns[columns[i]].width;
        to[i] = read_code(at, width);
        at += width;
    }
}

/* One pass of a stable sort of `from` into `to`: by the code in one column. */
static void sort_by(const uint32_t *codes, size_t n_columns, size_t column, size_t *start,
                    size_t n_codes, const size_t *from, size_t *to, size_t n) {
    memset(start, 0, (n_codes + 1) * sizeof *start);
    for (size_t i = 0; i < n; i++)
        start[codes[i * n_columns + column] + 1]++;
    for (size_t code = 0; code < n_codes; code++)
        start[code + 1] += start[code];
    for (size_t i = 0; i < n; i++)
        to[start[codes[from[i] * n_columns + column]]++] = from[i];
}

/* The tuples in order: place -> number. */
static kan_status sort_tuples(mapper *m, const kan_table *table, const size_t *columns,
                              const uint32_t *codes, size_t n, size_t **out) {
    size_t *from = NULL, *to = NULL, *start = NULL, most = 0;
    kan_status status;
    for (size_t i = 0; i < m->n; i++)
        if (table->columns[columns[i]].dictionary.n > most)
            most = table->columns[columns[i]].dictionary.n;
    KAN_TRY_DONE(kan_alloc(m->run, n, sizeof *from, &from));
    KAN_TRY_DONE(kan_alloc(m->run, n, sizeof *to, &to));
    KAN_TRY_DONE(kan_alloc(m->run, most + 1, sizeof *start, &start));
    for (size_t i = 0; i < n; i++)
        from[i] = i;
    for (size_t i = m->n; i-- > 0;) {
        size_t *swap = from;
        KAN_TRY_DONE(kan_check_cancel(m->run));
        sort_by(codes, m->n, m->order[i], start, table->columns[columns[m->order[i]]].dictionary.n,
                from, to, n);
        from = to;
        to = swap;
    }
    *out = from;
    from = NULL;
done:
    kan_free(m->run, from);
    kan_free(m->run, to);
    kan_free(m->run, start);
    return status;
}

/* Lays the tuples out in their order, columns in theirs. */
static kan_status lay_out(mapper *m, const kan_recount_groups *groups, const uint32_t *codes,
                          const size_t *places, sorted *out) {
    const size_t n = groups->tuples.n;
    KAN_TRY(kan_alloc(m->run, n * m->n, sizeof *out->codes, &out->codes));
    KAN_TRY(kan_alloc(m->run, n, sizeof *out->rows, &out->rows));
    KAN_TRY(kan_alloc(m->run, n, sizeof *out->first_row, &out->first_row));
    KAN_TRY(kan_alloc(m->run, n, sizeof *out->number, &out->number));
    for (size_t place = 0; place < n; place++) {
        const size_t tuple = places[place];
        for (size_t i = 0; i < m->n; i++)
            out->codes[out->n * m->n + i] = codes[tuple * m->n + m->order[i]];
        out->rows[out->n] = groups->tuples.count[tuple];
        out->number[out->n] = tuple;
        out->first_row[out->n++] = groups->tuples.first_row[tuple];
    }
    return KAN_OK;
}

static kan_status follow(void *context, uint64_t row, size_t n, const size_t *groups) {
    size_t *tuple_of = context;
    memcpy(tuple_of + row, groups, n * sizeof *groups);
    return KAN_OK;
}

static kan_status fold(mapper *m, bool is_release, sorted *out) {
    const kan_match_question *question = m->question;
    const kan_table *table = is_release ? question->release : question->population;
    const bool has_heads = !is_release && question->person_of;
    kan_recount_groups groups = {0};
    size_t *columns = NULL, *places = NULL, *tuple_of = NULL;
    uint32_t *codes = NULL;
    bool has_groups = false;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(m->run, m->n, sizeof *columns, &columns));
    for (size_t i = 0; i < m->n; i++)
        columns[i] = is_release ? question->quasi[i].released : question->quasi[i].population;
    if (has_heads)
        KAN_TRY_DONE(kan_alloc(m->run, (size_t)table->n_rows, sizeof *tuple_of, &tuple_of));
    KAN_TRY_DONE(kan_recount_group(m->run, table, columns, m->n,
                                   has_heads ? &(kan_recount_follower){follow, tuple_of} : NULL,
                                   &groups));
    has_groups = true;
    if (has_heads)
        KAN_TRY_DONE(kan_match_heads_begin(m->run, table->n_rows, tuple_of, question->person_of,
                                           groups.tuples.n, &m->heads));
    KAN_TRY_DONE(kan_alloc(m->run, groups.tuples.n * m->n, sizeof *codes, &codes));
    for (size_t i = 0; i < groups.tuples.n; i++)
        unpack(m, table, columns, &groups.tuples, i, codes + i * m->n);
    KAN_TRY_DONE(sort_tuples(m, table, columns, codes, groups.tuples.n, &places));
    KAN_TRY_DONE(lay_out(m, &groups, codes, places, out));
done:
    if (has_groups)
        kan_tuples_destroy(&groups.tuples);
    kan_free(m->run, columns);
    kan_free(m->run, places);
    kan_free(m->run, tuple_of);
    kan_free(m->run, codes);
    return status;
}

/* ---- matching ------------------------------------------------------------------------------- */

typedef struct {
    size_t first, end;
} range;

/* The first tuple of the range whose code in the column is at least `code`. */
static size_t find_code(const sorted *side, size_t n_columns, size_t column, range within,
                        uint64_t code) {
    while (within.first < within.end) {
        const size_t middle = within.first + (within.end - within.first) / 2;
        if (side->codes[middle * n_columns + column] < code)
            within.first = middle + 1;
        else
            within.end = middle;
    }
    return within.first;
}

/* The tuples of the range that have the code; nothing where none has. */
static range find_range(const sorted *side, size_t n_columns, size_t column, range within,
                        uint32_t code) {
    const size_t first = find_code(side, n_columns, column, within, code);
    return (range){
        first, find_code(side, n_columns, column, (range){first, within.end}, (uint64_t)code + 1)};
}

static kan_status match(mapper *m, size_t column, range people, range released);

/* What shows the value itself, one of its labels, or *. */
static kan_status match_labels(mapper *m, size_t column, range people, range released) {
    const kan_relation *relation = &m->relations[m->order[column]];
    range alike = people;
    for (; alike.first < people.end; alike.first = alike.end) {
        const uint32_t value = m->people.codes[alike.first * m->n + column];
        const uint32_t *shown_as = relation->shown_as + (size_t)value * relation->n_levels;
        alike.end = find_code(&m->people, m->n, column, (range){alike.first, people.end},
                              (uint64_t)value + 1);
        for (unsigned level = 0; level <= relation->n_levels; level++) {
            const uint32_t code = level < relation->n_levels ? shown_as[level] : relation->star;
            bool is_new = code != KAN_NO_CODE;
            /* A label may stand for itself on several levels. */
            for (unsigned before = 0; before < level && is_new; before++)
                is_new = shown_as[before] != code;
            if (!is_new)
                continue;
            const range shown = find_range(&m->released, m->n, column, released, code);
            if (shown.first < shown.end)
                KAN_TRY(match(m, column + 1, alike, shown));
        }
    }
    return KAN_OK;
}

/* What shows an interval or a list that holds the value. */
static kan_status match_intervals(mapper *m, size_t column, range people, range released) {
    const kan_relation *relation = &m->relations[m->order[column]];
    range shown = released;
    for (; shown.first < released.end; shown.first = shown.end) {
        const uint32_t code = m->released.codes[shown.first * m->n + column];
        shown.end = find_code(&m->released, m->n, column, (range){shown.first, released.end},
                              (uint64_t)code + 1);
        for (size_t i = relation->run_start[code]; i < relation->run_start[code + 1]; i++) {
            range alike = {find_code(&m->people, m->n, column, people, relation->runs[i].first), 0};
            for (; alike.first < people.end; alike.first = alike.end) {
                const uint32_t value = m->people.codes[alike.first * m->n + column];
                if (value >= relation->runs[i].end)
                    break;
                alike.end = find_code(&m->people, m->n, column, (range){alike.first, people.end},
                                      (uint64_t)value + 1);
                KAN_TRY(match(m, column + 1, alike, shown));
            }
        }
    }
    return KAN_OK;
}

/* Ranges that match in all columns before. Behind the last each is one tuple. */
static kan_status match(mapper *m, size_t column, range people, range released) {
    if (++m->n_steps % STEPS_BETWEEN_CHECKS == 0)
        KAN_TRY(kan_check_cancel(m->run));
    if (column == m->n && m->question->person_of)
        return kan_match_heads_add(&m->heads, released.first, m->people.number[people.first]);
    if (column == m->n) {
        m->matches[released.first] += m->people.rows[people.first];
        return KAN_OK;
    }
    KAN_TRY(match_labels(m, column, people, released));
    return m->relations[m->order[column]].run_start ? match_intervals(m, column, people, released)
                                                    : KAN_OK;
}

/* ---- what came out -------------------------------------------------------------------------- */

static bool covers_nobody(const kan_relation *relation, uint32_t code) {
    for (uint32_t value = 0; value < relation->original->dictionary.n; value++)
        if (kan_relation_covers(relation, code, value))
            return false;
    return true;
}

static void add_unmatched(mapper *m, size_t tuple, kan_matched *out) {
    const uint64_t row = m->released.first_row[tuple] + 1;
    if (out->first_unmatched > 0 && out->first_unmatched < row)
        return;
    out->first_unmatched = row;
    out->fault = SIZE_MAX;
    for (size_t i = m->n; i-- > 0;)
        if (covers_nobody(&m->relations[m->order[i]], m->released.codes[tuple * m->n + i]))
            out->fault = m->order[i];
}

/* The groups in the order in which the release shows them. */
static kan_status hand_over(mapper *m, kan_matched *out) {
    const bool has_heads = m->question->person_of != NULL;
    kan_matched made = {.run = m->run,
                        .n = m->released.n,
                        .n_people = has_heads ? m->heads.n_people
                                              : kan_table_total(m->question->population),
                        .fault = SIZE_MAX};
    kan_status status;
    KAN_TRY_DONE(kan_alloc(m->run, made.n, sizeof *made.rows, &made.rows));
    KAN_TRY_DONE(kan_alloc(m->run, made.n, sizeof *made.people, &made.people));
    KAN_TRY_DONE(kan_alloc(m->run, made.n, sizeof *made.first_row, &made.first_row));
    for (size_t i = 0; i < made.n; i++) {
        const size_t group = m->released.number[i];
        made.rows[group] = m->released.rows[i];
        made.people[group] = m->matches[i];
        made.first_row[group] = m->released.first_row[i];
        if (m->matches[i] == 0)
            add_unmatched(m, i, &made);
    }
done:
    if (status == KAN_OK)
        *out = made;
    else
        kan_matched_destroy(&made);
    return status;
}

void kan_matched_destroy(kan_matched *people) {
    kan_free(people->run, people->rows);
    kan_free(people->run, people->people);
    kan_free(people->run, people->first_row);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static kan_status make_relations(mapper *m) {
    const kan_match_question *question = m->question;
    const kan_cover_question cover = {
        .release = question->release, .original = question->population, .reads_intervals = true};
    KAN_TRY(kan_alloc_zero(m->run, m->n, sizeof *m->relations, &m->relations));
    for (; m->n_relations < m->n; m->n_relations++) {
        const kan_match_pair *from = &question->quasi[m->n_relations];
        const kan_cover_pair pair = {from->released, from->population, from->hierarchy};
        KAN_TRY(kan_relation_init(&m->relations[m->n_relations], m->run, &cover, &pair, true));
    }
    return KAN_OK;
}

static void sorted_destroy(kan_run *run, sorted *side) {
    kan_free(run, side->codes);
    kan_free(run, side->rows);
    kan_free(run, side->first_row);
    kan_free(run, side->number);
}

kan_status kan_match_people(kan_run *run, const kan_match_question *question, kan_matched *out) {
    mapper m = {.run = run, .question = question, .n = question->n_quasi};
    kan_status status;
    if (question->n_quasi == 0)
        return kan_fail(run, KAN_BAD_INPUT, "there is no column to compare; name one");
    KAN_TRY_DONE(make_relations(&m));
    KAN_TRY_DONE(order_columns(&m));
    KAN_TRY_DONE(fold(&m, true, &m.released));
    KAN_TRY_DONE(fold(&m, false, &m.people));
    KAN_TRY_DONE(kan_alloc_zero(run, m.released.n, sizeof *m.matches, &m.matches));
    if (m.released.n > 0 && m.people.n > 0)
        KAN_TRY_DONE(match(&m, 0, (range){0, m.people.n}, (range){0, m.released.n}));
    if (question->person_of)
        KAN_TRY_DONE(kan_match_heads_count(&m.heads, m.released.n, m.matches));
    KAN_TRY_DONE(hand_over(&m, out));
done:
    for (size_t i = 0; i < m.n_relations; i++)
        kan_relation_destroy(&m.relations[i], run);
    kan_free(run, m.relations);
    kan_free(run, m.order);
    kan_free(run, m.matches);
    kan_match_heads_destroy(&m.heads);
    sorted_destroy(run, &m.released);
    sorted_destroy(run, &m.people);
    return status;
}
