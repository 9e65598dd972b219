/* See over_time.h: traces are numbered as tuples, people are looked up by their marks (people.h), and the
 * numbers of traces stand beside the released columns. */
#include "analyze/over_time/over_time.h"

#include <string.h>

#include "analyze/over_time/newcomers.h"
#include "analyze/over_time/people.h"

enum { NEWCOMERS = 0, BLOCK = KAN_OVER_TIME_BLOCK };

_Static_assert((int)BLOCK == (int)KAN_TUPLES_BLOCK, "blocks of people are blocks of tuples");

typedef struct {
    kan_run *run;
    const kan_over_time_question *question;
    kan_over_time_people known; /* of the ledger */
    kan_tuples traces;          /* earlier ones */
    kan_tuples others; /* marks of the people of the release whom the ledger does not have */
    uint8_t *is_here;  /* by person of the ledger: a row of the release is hers */
    uint32_t
        *trace_of;    /* by person of the ledger: 0 is a newcomer's, else a tuple of `traces` + 1 */
    uint64_t *n_here; /* by trace */
    uint32_t *codes;  /* by row of the release: its person's trace */
    uint32_t *person_of;
    uint8_t *is_aside; /* by row: a newcomer who is hidden; NULL: nobody is */
} recount;

static kan_status fail(kan_run *run, const char *what) {
    return kan_fail(run, KAN_FAILED,
                    "internal error: cells over several releases cannot be counted: %s; please "
                    "report this",
                    what);
}

static kan_status check_question(const recount *c) {
    const kan_models_question *release = c->question->release;
    const kan_claim *claim = release->claim;
    if (claim->population || claim->weight || claim->subsets.n > 0 || claim->fits > 0 ||
        claim->by_column > 0 || claim->household)
        return fail(c->run, "they are not promised together with this");
    if (release->release->counts)
        return fail(c->run, "rows stand for several people");
    return KAN_OK;
}

/* ---- earlier traces --------------------------------------------------------------------------- */

static kan_status index_people(recount *c) {
    const kan_over_time_ledger *earlier = c->question->earlier;
    bool is_ascending;
    if (earlier->n_people >= KAN_OVER_TIME_NOBODY)
        return fail(c->run, "the ledger has too many people");
    KAN_TRY(kan_over_time_people_make(c->run, earlier->marks, earlier->n_people, &c->known,
                                      &is_ascending));
    return is_ascending ? KAN_OK
                        : fail(c->run, "the ledger has somebody twice, or out of her place");
}

/* The traces of n people from `first` on, one after the other; those of who was in no release are left out.
 * `was_in` says who they are; returns how many are left. */
static size_t lay_out_traces(const kan_over_time_ledger *earlier, size_t first, size_t n,
                             uint32_t *traces, bool *was_in) {
    const size_t n_words = earlier->n_releases + 1; /* the last is zero */
    size_t n_in = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t *trace = traces + n_in * n_words;
        was_in[i] = false;
        for (size_t t = 0; t < earlier->n_releases; t++) {
            trace[t] = earlier->groups[t][first + i];
            was_in[i] |= trace[t] != 0;
        }
        n_in += was_in[i];
    }
    return n_in;
}

/* Whoever was in no release is a newcomer, though the ledger has her. */
static kan_status number_traces(recount *c) {
    const kan_over_time_ledger *earlier = c->question->earlier;
    kan_status status = KAN_OK;
    uint32_t *traces;
    KAN_TRY(kan_alloc_zero(c->run, BLOCK, c->traces.size, &traces));
    for (size_t first = 0; first < earlier->n_people && status == KAN_OK; first += BLOCK) {
        const size_t n = earlier->n_people - first < BLOCK ? earlier->n_people - first : BLOCK;
        size_t numbers[BLOCK], at = 0;
        bool was_in[BLOCK];
        const size_t n_in = lay_out_traces(earlier, first, n, traces, was_in);
        status =
            kan_tuples_number_block(&c->traces, (const char *)traces, n_in, first, NULL, numbers);
        for (size_t i = 0; i < n && status == KAN_OK; i++)
            c->trace_of[first + i] = was_in[i] ? (uint32_t)numbers[at++] + 1 : NEWCOMERS;
        if (status == KAN_OK)
            status = kan_check_cancel(c->run);
    }
    kan_free(c->run, traces);
    return status;
}

/* ---- the release ------------------------------------------------------------------------------ */

/* The numbers of people: those of the ledger in its order, then the others as they come. */
static kan_status place_row(recount *c, uint64_t row, uint32_t known, kan_over_time_recount *out) {
    const size_t n_known = c->question->earlier->n_people, n_others = c->others.n;
    size_t person = known;
    bool is_first;
    if (known != KAN_OVER_TIME_NOBODY) {
        is_first = !c->is_here[known];
        c->is_here[known] = 1;
        c->codes[row] = c->trace_of[known];
    } else {
        const uint8_t *mark = c->question->marks + row * KAN_OVER_TIME_MARK;
        KAN_TRY(kan_tuples_add(&c->others, mark, row, &person));
        is_first = person == n_others;
        c->codes[row] = NEWCOMERS;
        person += n_known;
        if (person >= UINT32_MAX)
            return fail(c->run, "there are too many people");
    }
    c->person_of[row] = (uint32_t)person;
    out->n_people += is_first;
    c->n_here[c->codes[row]] += is_first;
    out->n_repeated += !is_first && c->question->release->claim->person == NULL;
    return KAN_OK;
}

static kan_status place_rows(recount *c, kan_over_time_recount *out) {
    const uint64_t n_rows = c->question->release->release->n_rows;
    uint32_t known[BLOCK];
    for (uint64_t first = 0; first < n_rows; first += BLOCK) {
        const size_t n = n_rows - first < BLOCK ? (size_t)(n_rows - first) : BLOCK;
        kan_over_time_people_find(&c->known, c->question->marks + first * KAN_OVER_TIME_MARK, n,
                                  known);
        for (size_t i = 0; i < n; i++)
            if (known[i] != KAN_OVER_TIME_NOBODY) {
                __builtin_prefetch(&c->is_here[known[i]], 1);
                __builtin_prefetch(&c->trace_of[known[i]]);
            }
        for (size_t i = 0; i < n; i++)
            KAN_TRY(place_row(c, first + i, known[i], out));
        KAN_TRY(kan_check_cancel(c->run));
    }
    out->n_newcomers = c->n_here[NEWCOMERS];
    return KAN_OK;
}

/* ---- newcomers who are hidden ----------------------------------------------------------------- */

/* What the rows that are left show, in their order. A column may have more rows than the release. */
static kan_status keep_rows(const recount *c, const kan_column *from, uint64_t n_left,
                            kan_column *out) {
    uint32_t *codes;
    uint64_t at = 0;
    *out = *from;
    out->codes = NULL;
    out->n_rows = n_left;
    if (!from->is_encoded)
        return KAN_OK;
    KAN_TRY(kan_alloc(c->run, (size_t)n_left, sizeof *codes, &codes));
    for (uint64_t row = 0; row < c->question->release->release->n_rows; row++)
        if (!c->is_aside[row])
            codes[at++] = kan_column_code(from, row);
    out->codes = codes;
    out->width = sizeof *codes;
    out->missing_of = NULL;
    return kan_check_cancel(c->run);
}

static kan_status count_cells(recount *c, const kan_models_question *release,
                              kan_over_time_recount *out);

/* The cells of a release without these rows. */
static kan_status count_others(recount *c, kan_over_time_recount *out) {
    const kan_models_question *whole = c->question->release;
    const size_t n = whole->release->n_columns, n_sensitive = whole->claim->n_columns;
    const uint64_t n_left = whole->release->n_rows - out->n_hidden;
    kan_table table = *whole->release;
    kan_models_question release = *whole;
    const kan_column **sensitive = NULL;
    kan_column *columns = NULL;
    uint64_t at = 0;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(c->run, n + n_sensitive, sizeof *columns, &columns));
    KAN_TRY_DONE(kan_alloc(c->run, n_sensitive, sizeof *sensitive, &sensitive));
    for (size_t i = 0; i < n; i++)
        KAN_TRY_DONE(keep_rows(c, &whole->release->columns[i], n_left, &columns[i]));
    for (size_t i = 0; i < n_sensitive; i++) {
        KAN_TRY_DONE(keep_rows(c, whole->sensitive[i], n_left, &columns[n + i]));
        sensitive[i] = &columns[n + i];
    }
    for (uint64_t row = 0; row < whole->release->n_rows; row++)
        if (!c->is_aside[row])
            c->codes[at++] = c->codes[row];
    table.columns = columns;
    table.n_rows = n_left;
    release.release = &table;
    release.sensitive = sensitive;
    status = count_cells(c, &release, out);
done:
    for (size_t i = 0; columns && i < n + n_sensitive; i++)
        kan_free(c->run, columns[i].codes);
    kan_free(c->run, columns);
    kan_free(c->run, sensitive);
    return status;
}

static kan_status count_without_hidden(recount *c, kan_over_time_recount *out) {
    const kan_newcomers_question question = {c->question, c->codes, &c->traces};
    const kan_models_question *release = c->question->release;
    if (!c->question->hidden || out->n_newcomers == 0)
        return count_cells(c, release, out);
    if (release->claim->person)
        return fail(c->run, "people with several rows are not hidden");
    KAN_TRY(kan_alloc_zero(c->run, (size_t)release->release->n_rows, 1, &c->is_aside));
    KAN_TRY(kan_over_time_set_aside(c->run, &question, c->is_aside, &out->n_hidden));
    return out->n_hidden > 0 ? count_others(c, out) : count_cells(c, release, out);
}

/* ---- cells ------------------------------------------------------------------------------------ */

/* The groups of the released columns and of the trace are the cells; where people have several rows their
 * histories are, since all rows of a person have one trace. */
static kan_status count_cells(recount *c, const kan_models_question *release,
                              kan_over_time_recount *out) {
    const size_t n_columns = release->release->n_columns;
    kan_table table = *release->release; /* its columns are borrowed */
    kan_claim claim = *release->claim;
    kan_models_question question = *release;
    size_t *quasi = NULL;
    kan_status status;
    table.columns = NULL;
    KAN_TRY_DONE(kan_alloc(c->run, n_columns + 1, sizeof *table.columns, &table.columns));
    KAN_TRY_DONE(kan_alloc(c->run, release->n_quasi + 1, sizeof *quasi, &quasi));
    memcpy(table.columns, release->release->columns, n_columns * sizeof *table.columns);
    memcpy(quasi, release->quasi, release->n_quasi * sizeof *quasi);
    table.columns[n_columns] = (kan_column){.name = "the releases before",
                                            .is_encoded = true,
                                            .width = sizeof *c->codes,
                                            .codes = c->codes,
                                            .n_rows = table.n_rows};
    table.n_columns++;
    quasi[release->n_quasi] = n_columns;
    claim.histories = claim.person != NULL;
    question.release = &table;
    question.quasi = quasi;
    question.n_quasi++;
    question.claim = &claim;
    question.person_of = claim.person ? c->person_of : NULL;
    KAN_TRY_DONE(kan_verify_recount_models(c->run, &question, &out->cells));
done:
    kan_free(c->run, table.columns);
    kan_free(c->run, quasi);
    return status;
}

static void sum_cells(kan_over_time_recount *out) {
    const kan_models_recount *cells = &out->cells;
    const bool has_people = cells->has_histories;
    out->n_cells = has_people ? cells->histories.n_histories : cells->groups.n_groups;
    out->smallest_cell = has_people ? cells->histories.fewest_people : cells->groups.smallest_group;
    out->n_small_people = has_people ? cells->histories.n_rare_people : cells->groups.n_small_rows;
}

/* ---- leavers ---------------------------------------------------------------------------------- */

static void count_leavers(const recount *c, kan_over_time_recount *out) {
    const uint64_t k = c->question->release->claim->k;
    for (size_t trace = 0; trace < c->traces.n; trace++) {
        const uint64_t n = c->traces.count[trace], n_out = n - c->n_here[trace + 1];
        if (n < k) {
            out->n_stranded += n;
            out->n_stranded_cells++;
        } else if (n_out > 0 && n_out < k) {
            out->n_leavers += n_out;
            out->n_leaver_cells++;
        }
    }
}

kan_status kan_over_time_recount_release(kan_run *run, const kan_over_time_question *question,
                                         kan_over_time_recount *out) {
    const kan_over_time_ledger *earlier = question->earlier;
    const size_t n_rows = (size_t)question->release->release->n_rows;
    recount c = {.run = run, .question = question};
    kan_over_time_recount found = {.n_earlier = earlier->n_releases};
    kan_status status;
    kan_tuples_init(&c.others, run, KAN_OVER_TIME_MARK);
    kan_tuples_init(&c.traces, run, (earlier->n_releases + 1) * sizeof(uint32_t));
    KAN_TRY_DONE(check_question(&c));
    KAN_TRY_DONE(kan_alloc(run, earlier->n_people, sizeof *c.trace_of, &c.trace_of));
    KAN_TRY_DONE(kan_alloc_zero(run, earlier->n_people, 1, &c.is_here));
    KAN_TRY_DONE(index_people(&c));
    KAN_TRY_DONE(number_traces(&c));
    KAN_TRY_DONE(kan_alloc_zero(run, c.traces.n + 1, sizeof *c.n_here, &c.n_here));
    KAN_TRY_DONE(kan_alloc(run, n_rows, sizeof *c.codes, &c.codes));
    KAN_TRY_DONE(kan_alloc(run, n_rows, sizeof *c.person_of, &c.person_of));
    KAN_TRY_DONE(place_rows(&c, &found));
    if (found.n_repeated == 0) {
        KAN_TRY_DONE(count_without_hidden(&c, &found));
        sum_cells(&found);
    }
    count_leavers(&c, &found);
    found.holds = found.n_repeated == 0 && kan_models_recount_holds(&found.cells) &&
                  !(question->keeps_leavers && found.n_leavers > 0);
    *out = found;
done:
    kan_over_time_people_destroy(run, &c.known);
    kan_tuples_destroy(&c.others);
    kan_tuples_destroy(&c.traces);
    kan_free(run, c.is_here);
    kan_free(run, c.trace_of);
    kan_free(run, c.n_here);
    kan_free(run, c.codes);
    kan_free(run, c.person_of);
    kan_free(run, c.is_aside);
    return status;
}
