/* Matching released with original rows in any order, exactly.
 *
 * Rows that look the same are interchangeable, so distinct tuples with counts are matched:
 *   1. In each column the original values that are covered by the same released values become one
 *      class. After full-domain generalization a class is a released value, and there are few.
 *   2. Original rows are folded to distinct tuples of classes, released rows to distinct tuples of
 *      codes.
 *   3. The candidates of a released tuple are the original tuples that it covers in every column:
 *      found by look-up where its values leave few combinations of classes, else by a walk over the
 *      original tuples that agree in the columns that must be equal, or over those that the most
 *      telling column leaves.
 *   4. The largest matching (match_flow.c) says how many rows find an original row of their own.
 * The work is bounded; beyond the bound there is an error, not a guess. */
#include "analyze/cover/match_flow.h"
#include "analyze/cover/relation.h"
#include "analyze/tuples/tuples.h"

/* Some tens of seconds, and some GiB: far more than any real release needs. */
#define MOST_WORK  (UINT64_C(1) << 32)
#define MOST_EDGES ((size_t)1 << 26)
#define MOST_HELD  ((size_t)1 << 27)

/* One column: original values as classes. */
typedef struct {
    const kan_relation *relation;
    unsigned n_levels;  /* the value itself, its labels, then the intervals that hold it */
    uint32_t *shown_as; /* n_levels for each original code; the relation's own without intervals */
    kan_tuples classes; /* n_levels codes each: the released values that cover it, ascending, every
                           one once, KAN_NO_CODE behind the last */
    uint32_t *class_of; /* by original code */
    size_t *start;      /* by released code, and one more: where its classes begin in `list` */
    uint32_t *list;
    size_t *tuple_start; /* by class, and one more: where its tuples begin in `tuples` */
    uint32_t *tuples;    /* original tuples */
} side;

typedef struct {
    kan_run *run;
    const kan_cover_question *question;
    size_t n_sides; /* quasi-identifiers, then the others, in tuples as well */
    side *sides;
    kan_tuples released, original;
    kan_tuples keys;   /* what original tuples show in the columns that must be equal */
    size_t *key_start; /* by key, and one more: where its tuples begin in `by_key` */
    uint32_t *by_key;  /* original tuples */
    uint32_t *tuple;   /* room for one */
    uint32_t *key;     /* room for one */
    size_t *odometer;  /* room for a place in each side's list of classes */
    kan_flow flow;
    size_t edge_capacity;
    uint64_t work_left;
} matcher;

static kan_status fail_work(kan_run *run) {
    return kan_fail(run, KAN_FAILED,
                    "the rows of the release are not in the order of the original's, and there are "
                    "too many ways to match them; verify a release in the original's order");
}

static kan_status spend(matcher *m, uint64_t work) {
    if (m->work_left < work)
        return fail_work(m->run);
    m->work_left -= work;
    return KAN_OK;
}

/* ---- 1. classes ----------------------------------------------------------------------------- */

static kan_status fail_held(kan_run *run) {
    return kan_fail(run, KAN_FAILED,
                    "the rows of the release are not in the order of the original's, and too many "
                    "of its intervals overlap to match them; verify a release in the original's "
                    "order");
}

/* Lists for each original code the intervals that hold it behind its labels. */
static kan_status list_intervals(kan_run *run, side *s) {
    const kan_relation *relation = s->relation;
    const uint32_t n = relation->original->dictionary.n,
                   n_released = relation->released->dictionary.n;
    const unsigned n_labels = relation->n_levels;
    const size_t n_runs = relation->run_start[n_released];
    uint32_t *n_of, most = 0;
    uint64_t n_held = 0;
    kan_status status = KAN_OK;
    for (size_t i = 0; i < n_runs; i++)
        n_held += relation->runs[i].end - relation->runs[i].first;
    if (n_held > MOST_HELD)
        return fail_held(run);
    KAN_TRY(kan_alloc_zero(run, n, sizeof *n_of, &n_of));
    for (size_t i = 0; i < n_runs; i++)
        for (uint32_t code = relation->runs[i].first; code < relation->runs[i].end; code++)
            most = ++n_of[code] > most ? n_of[code] : most;
    s->n_levels = n_labels + most;
    if ((size_t)s->n_levels * n > MOST_HELD) {
        status = fail_held(run);
        goto done;
    }
    KAN_TRY_DONE(kan_alloc(run, (size_t)s->n_levels * n, sizeof *s->shown_as, &s->shown_as));
    for (uint32_t code = 0; code < n; code++) {
        uint32_t *here = s->shown_as + (size_t)code * s->n_levels;
        memcpy(here, relation->shown_as + (size_t)code * n_labels, n_labels * sizeof *here);
        for (unsigned level = n_labels; level < s->n_levels; level++)
            here[level] = KAN_NO_CODE;
        n_of[code] = n_labels;
    }
    for (uint32_t released = 0; released < n_released; released++)
        for (size_t i = relation->run_start[released]; i < relation->run_start[released + 1]; i++)
            for (uint32_t code = relation->runs[i].first; code < relation->runs[i].end; code++)
                s->shown_as[(size_t)code * s->n_levels + n_of[code]++] = released;
done:
    kan_free(run, n_of);
    return status;
}

/* The released codes that cover an original one, * aside, ascending and each once. Intervals stand
 * in order already, so that each finds its place at once. */
static void list_covers(const side *s, uint32_t original, uint32_t *codes) {
    const uint32_t *shown_as = s->shown_as + (size_t)original * s->n_levels;
    unsigned n = 0;
    for (unsigned level = 0; level < s->n_levels; level++) {
        uint32_t code = shown_as[level];
        unsigned at = n;
        if (code == KAN_NO_CODE || code == s->relation->star)
            continue;
        while (at > 0 && codes[at - 1] >= code)
            at--;
        if (at < n && codes[at] == code)
            continue;
        memmove(codes + at + 1, codes + at, (n - at) * sizeof *codes);
        codes[at] = code;
        n++;
    }
    for (; n < s->n_levels; n++)
        codes[n] = KAN_NO_CODE;
}

static const uint32_t *class_covers(const side *s, size_t number) {
    return kan_tuples_at(&s->classes, number);
}

/* By released code: the classes that it covers. Counts stand two places further on at first, so
 * that filling in leaves each start in its own place. */
static kan_status list_classes(kan_run *run, side *s) {
    size_t n_codes = s->relation->released->dictionary.n, n_entries = 0;
    unsigned n_levels = s->n_levels;
    KAN_TRY(kan_alloc_zero(run, n_codes + 2, sizeof *s->start, &s->start));
    for (size_t number = 0; number < s->classes.n; number++)
        for (unsigned i = 0; i < n_levels && class_covers(s, number)[i] != KAN_NO_CODE; i++) {
            s->start[class_covers(s, number)[i] + 2]++;
            n_entries++;
        }
    KAN_TRY(kan_alloc(run, n_entries, sizeof *s->list, &s->list));
    for (size_t code = 0; code < n_codes; code++)
        s->start[code + 2] += s->start[code + 1];
    for (size_t number = 0; number < s->classes.n; number++)
        for (unsigned i = 0; i < n_levels && class_covers(s, number)[i] != KAN_NO_CODE; i++)
            s->list[s->start[class_covers(s, number)[i] + 1]++] = (uint32_t)number;
    return KAN_OK;
}

static kan_status make_side(kan_run *run, const kan_relation *relation, side *s) {
    uint32_t n_codes = relation->original->dictionary.n;
    uint32_t *codes;
    kan_status status = KAN_OK;
    s->relation = relation;
    s->n_levels = relation->n_levels;
    s->shown_as = relation->shown_as;
    if (relation->run_start) {
        s->shown_as = NULL;
        KAN_TRY(list_intervals(run, s));
    }
    kan_tuples_init(&s->classes, run, s->n_levels * sizeof *codes);
    KAN_TRY(kan_alloc(run, n_codes, sizeof *s->class_of, &s->class_of));
    KAN_TRY(kan_alloc(run, (size_t)s->n_levels + 1, sizeof *codes, &codes));
    for (uint32_t code = 0; code < n_codes; code++) {
        size_t number;
        list_covers(s, code, codes);
        KAN_TRY_DONE(kan_tuples_add(&s->classes, codes, code, &number));
        s->class_of[code] = (uint32_t)number;
    }
    KAN_TRY_DONE(list_classes(run, s));
done:
    kan_free(run, codes);
    return status;
}

/* ---- 2. distinct tuples --------------------------------------------------------------------- */

static kan_status fold(matcher *m, bool is_original, kan_tuples *tuples) {
    const kan_table *table = is_original ? m->question->original : m->question->release;
    size_t index;
    for (uint64_t row = 0; row < table->n_rows; row++) {
        if (row % 8192 == 0)
            KAN_TRY(kan_check_cancel(m->run));
        for (size_t i = 0; i < m->n_sides; i++) {
            const kan_relation *relation = m->sides[i].relation;
            m->tuple[i] = is_original
                              ? m->sides[i].class_of[kan_column_code(relation->original, row)]
                              : kan_column_code(relation->released, row);
        }
        KAN_TRY(kan_tuples_add_rows(tuples, m->tuple, row, kan_table_count(table, row), &index));
    }
    return tuples->n < UINT32_MAX ? KAN_OK : fail_work(m->run);
}

/* The classes in the columns that must be equal. A last word keeps the key from being empty. */
static void set_key(matcher *m, const uint32_t *tuple) {
    for (size_t i = m->question->n_quasi; i < m->n_sides; i++)
        m->key[i - m->question->n_quasi] = tuple[i];
    m->key[m->question->n_others] = 0;
}

static kan_status list_by_key(matcher *m) {
    size_t *key_of, n = m->original.n;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(m->run, n, sizeof *key_of, &key_of));
    for (size_t i = 0; i < n; i++) {
        set_key(m, kan_tuples_at(&m->original, i));
        KAN_TRY_DONE(kan_tuples_add(&m->keys, m->key, i, &key_of[i]));
    }
    KAN_TRY_DONE(kan_alloc_zero(m->run, m->keys.n + 2, sizeof *m->key_start, &m->key_start));
    KAN_TRY_DONE(kan_alloc(m->run, n, sizeof *m->by_key, &m->by_key));
    for (size_t i = 0; i < n; i++)
        m->key_start[key_of[i] + 2]++;
    for (size_t key = 0; key < m->keys.n; key++)
        m->key_start[key + 2] += m->key_start[key + 1];
    for (size_t i = 0; i < n; i++)
        m->by_key[m->key_start[key_of[i] + 1]++] = (uint32_t)i;
done:
    kan_free(m->run, key_of);
    return status;
}

static uint32_t class_in(const matcher *m, size_t original, size_t column) {
    const uint32_t *tuple = kan_tuples_at(&m->original, original);
    return tuple[column];
}

static kan_status list_by_class(matcher *m, size_t column) {
    side *s = &m->sides[column];
    size_t n = m->original.n;
    KAN_TRY(kan_alloc_zero(m->run, s->classes.n + 2, sizeof *s->tuple_start, &s->tuple_start));
    KAN_TRY(kan_alloc(m->run, n, sizeof *s->tuples, &s->tuples));
    for (size_t i = 0; i < n; i++)
        s->tuple_start[class_in(m, i, column) + 2]++;
    for (size_t number = 0; number < s->classes.n; number++)
        s->tuple_start[number + 2] += s->tuple_start[number + 1];
    for (size_t i = 0; i < n; i++)
        s->tuples[s->tuple_start[class_in(m, i, column) + 1]++] = (uint32_t)i;
    return KAN_OK;
}

/* ---- 3. candidates -------------------------------------------------------------------------- */

static kan_status add_edge(matcher *m, size_t original) {
    size_t n = m->flow.start[m->flow.n_left];
    if (n == MOST_EDGES)
        return fail_work(m->run);
    KAN_TRY(kan_reserve(m->run, n + 1, sizeof *m->flow.target, &m->edge_capacity, &m->flow.target));
    m->flow.target[n] = (uint32_t)original;
    m->flow.start[m->flow.n_left]++;
    return KAN_OK;
}

/* The classes that a released code covers: `*n` of them, listed at *list, or 0, 1, 2 ... where that
 * is NULL. */
static void classes_of(const side *s, uint32_t released, const uint32_t **list, size_t *n) {
    bool is_star = released == s->relation->star;
    *list = is_star ? NULL : s->list + s->start[released];
    *n = is_star ? s->classes.n : s->start[released + 1] - s->start[released];
}

static uint32_t class_at(const side *s, uint32_t released, size_t place) {
    const uint32_t *list;
    size_t n;
    classes_of(s, released, &list, &n);
    return list ? list[place] : (uint32_t)place;
}

/* The number of combinations of classes that a released tuple covers; `most` when it is not less.
 */
static size_t count_combinations(const matcher *m, const uint32_t *released, size_t most) {
    size_t product = 1, n;
    const uint32_t *list;
    for (size_t i = 0; i < m->n_sides; i++) {
        classes_of(&m->sides[i], released[i], &list, &n);
        if (n == 0)
            return 0;
        product = product > most / n ? most : product * n;
    }
    return product < most ? product : most;
}

/* Looks each combination up. There is one at least. */
static kan_status find_combinations(matcher *m, const uint32_t *released, size_t n_combinations) {
    size_t original, n;
    const uint32_t *list;
    KAN_TRY(spend(m, n_combinations));
    for (size_t i = 0; i < m->n_sides; i++) {
        m->odometer[i] = 0;
        m->tuple[i] = class_at(&m->sides[i], released[i], 0);
    }
    for (;;) {
        size_t i = 0;
        if (kan_tuples_find(&m->original, m->tuple, &original))
            KAN_TRY(add_edge(m, original));
        for (; i < m->n_sides; i++) {
            classes_of(&m->sides[i], released[i], &list, &n);
            bool turns_over = ++m->odometer[i] == n;
            if (turns_over)
                m->odometer[i] = 0;
            m->tuple[i] = class_at(&m->sides[i], released[i], m->odometer[i]);
            if (!turns_over)
                break;
        }
        if (i == m->n_sides)
            return KAN_OK;
    }
}

static bool tuple_covers(const matcher *m, const uint32_t *released, const uint32_t *original) {
    for (size_t i = 0; i < m->n_sides; i++) {
        const side *s = &m->sides[i];
        /* any value of a class will do: its first */
        if (!kan_relation_covers(s->relation, released[i],
                                 (uint32_t)s->classes.first_row[original[i]]))
            return false;
    }
    return true;
}

/* Looks at each of n original tuples. */
static kan_status walk_tuples(matcher *m, const uint32_t *released, const uint32_t *tuples,
                              size_t n) {
    KAN_TRY(spend(m, n));
    KAN_TRY(kan_check_cancel(m->run));
    for (size_t i = 0; i < n; i++)
        if (tuple_covers(m, released, kan_tuples_at(&m->original, tuples[i])))
            KAN_TRY(add_edge(m, tuples[i]));
    return KAN_OK;
}

/* Looks at the original tuples that a column's value leaves. */
static kan_status walk_column(matcher *m, const uint32_t *released, size_t column) {
    const side *s = &m->sides[column];
    const uint32_t *list;
    size_t n;
    classes_of(s, released[column], &list, &n);
    for (size_t i = 0; i < n; i++) {
        size_t number = class_at(s, released[column], i), first = s->tuple_start[number];
        KAN_TRY(walk_tuples(m, released, s->tuples + first, s->tuple_start[number + 1] - first));
    }
    return KAN_OK;
}

/* The column whose value leaves the fewest original tuples, when fewer than *least; *least becomes
 * their number. n_sides when there is none. */
static size_t find_telling_column(const matcher *m, const uint32_t *released, size_t *least) {
    size_t best = m->n_sides;
    for (size_t i = 0; i < m->question->n_quasi; i++) {
        const side *s = &m->sides[i];
        const uint32_t *list;
        size_t n, n_tuples = 0;
        classes_of(s, released[i], &list, &n);
        if (!list) /* a star leaves all */
            continue;
        for (size_t place = 0; place < n; place++)
            n_tuples += s->tuple_start[list[place] + 1] - s->tuple_start[list[place]];
        if (n_tuples < *least) {
            *least = n_tuples;
            best = i;
        }
    }
    return best;
}

/* Takes the shortest of the three ways. */
static kan_status find_candidates(matcher *m, const uint32_t *released) {
    size_t key;
    /* Where values must be equal a released value is one class, or none. */
    for (size_t i = m->question->n_quasi; i < m->n_sides; i++) {
        const uint32_t *list;
        size_t n;
        classes_of(&m->sides[i], released[i], &list, &n);
        if (n == 0)
            return KAN_OK;
        m->tuple[i] = list[0];
    }
    set_key(m, m->tuple);
    if (!kan_tuples_find(&m->keys, m->key, &key))
        return KAN_OK;
    size_t first = m->key_start[key], n_of_key = m->key_start[key + 1] - first, least = n_of_key;
    size_t column = find_telling_column(m, released, &least);
    size_t n_combinations = count_combinations(m, released, least);
    if (n_combinations == 0)
        return KAN_OK;
    if (n_combinations < least)
        return find_combinations(m, released, n_combinations);
    if (column < m->n_sides)
        return walk_column(m, released, column);
    return walk_tuples(m, released, m->by_key + first, n_of_key);
}

/* ---- 4. the largest matching ---------------------------------------------------------------- */

static kan_status make_flow(matcher *m) {
    kan_flow *flow = &m->flow;
    kan_run *run = m->run;
    flow->n_right = m->original.n;
    KAN_TRY(kan_alloc(run, m->released.n, sizeof *flow->supply, &flow->supply));
    KAN_TRY(kan_alloc(run, m->original.n, sizeof *flow->room, &flow->room));
    KAN_TRY(kan_alloc_zero(run, m->released.n + 1, sizeof *flow->start, &flow->start));
    memcpy(flow->room, m->original.count, m->original.n * sizeof *flow->room);
    for (size_t i = 0; i < m->released.n; i++) {
        flow->supply[i] = m->released.count[i];
        /* n_left is the place of the end of what was added so far */
        flow->n_left = i + 1;
        flow->start[i + 1] = flow->start[i];
        KAN_TRY(find_candidates(m, kan_tuples_at(&m->released, i)));
    }
    return kan_alloc_zero(run, flow->start[flow->n_left], sizeof *flow->given, &flow->given);
}

/* The first released row that is left over when each tuple's first rows take the matches; of a
 * counted table, the first row some of whose rows are. */
static uint64_t find_unmatched(matcher *m) {
    uint64_t *matches = m->flow.supply; /* what is left over becomes what was matched */
    for (size_t i = 0; i < m->released.n; i++)
        matches[i] = m->released.count[i] - m->flow.supply[i];
    for (uint64_t row = 0; row < m->question->release->n_rows; row++) {
        size_t tuple;
        for (size_t i = 0; i < m->n_sides; i++)
            m->tuple[i] = kan_column_code(m->sides[i].relation->released, row);
        const uint64_t n_rows = kan_table_count(m->question->release, row);
        if (!kan_tuples_find(&m->released, m->tuple, &tuple))
            continue;
        if (matches[tuple] < n_rows)
            return row + 1;
        matches[tuple] -= n_rows;
    }
    return 0;
}

static kan_status match(matcher *m, const kan_relation *relations, kan_cover *out) {
    kan_run *run = m->run;
    size_t n = m->n_sides, size = n * sizeof *m->tuple;
    kan_tuples_init(&m->released, run, size);
    kan_tuples_init(&m->original, run, size);
    kan_tuples_init(&m->keys, run, (m->question->n_others + 1) * sizeof *m->key);
    KAN_TRY(kan_alloc_zero(run, n, sizeof *m->sides, &m->sides));
    KAN_TRY(kan_alloc(run, n, sizeof *m->tuple, &m->tuple));
    KAN_TRY(kan_alloc(run, m->question->n_others + 1, sizeof *m->key, &m->key));
    KAN_TRY(kan_alloc(run, n, sizeof *m->odometer, &m->odometer));
    for (size_t i = 0; i < n; i++)
        KAN_TRY(make_side(run, &relations[i], &m->sides[i]));
    KAN_TRY(fold(m, true, &m->original));
    KAN_TRY(fold(m, false, &m->released));
    KAN_TRY(list_by_key(m));
    for (size_t i = 0; i < m->question->n_quasi; i++)
        KAN_TRY(list_by_class(m, i));
    KAN_TRY(make_flow(m));
    KAN_TRY(kan_flow_solve(run, &m->flow, &m->work_left));
    out->n_unmatched = 0;
    for (size_t i = 0; i < m->released.n; i++)
        out->n_unmatched += m->flow.supply[i];
    out->holds = out->n_unmatched == 0;
    out->in_order = false;
    out->first_unmatched = out->holds ? 0 : find_unmatched(m);
    out->n_not_released = kan_table_total(m->question->original) -
                          (kan_table_total(m->question->release) - out->n_unmatched);
    return KAN_OK;
}

static void matcher_destroy(matcher *m) {
    kan_run *run = m->run;
    for (size_t i = 0; m->sides && i < m->n_sides; i++) {
        side *s = &m->sides[i];
        if (s->classes.run)
            kan_tuples_destroy(&s->classes);
        if (s->relation && s->relation->run_start)
            kan_free(run, s->shown_as);
        kan_free(run, s->class_of);
        kan_free(run, s->start);
        kan_free(run, s->list);
        kan_free(run, s->tuple_start);
        kan_free(run, s->tuples);
    }
    kan_tuples_destroy(&m->released);
    kan_tuples_destroy(&m->original);
    kan_tuples_destroy(&m->keys);
    kan_free(run, m->sides);
    kan_free(run, m->key_start);
    kan_free(run, m->by_key);
    kan_free(run, m->tuple);
    kan_free(run, m->key);
    kan_free(run, m->odometer);
    kan_free(run, m->flow.supply);
    kan_free(run, m->flow.room);
    kan_free(run, m->flow.start);
    kan_free(run, m->flow.target);
    kan_free(run, m->flow.given);
}

kan_status kan_cover_match(kan_run *run, const kan_cover_question *question,
                           const kan_relation *relations, kan_cover *out) {
    matcher m = {.run = run,
                 .question = question,
                 .n_sides = question->n_quasi + question->n_others,
                 .work_left = MOST_WORK};
    kan_status status = match(&m, relations, out);
    matcher_destroy(&m);
    return status;
}
