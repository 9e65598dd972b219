/* Does every released row stand for an original row of its own?
 *
 * First in order: each released row takes the first original row, behind the one before, that it
 * covers. If the released rows are a subsequence of the original ones at all, this finds one,
 * because taking an earlier row never leaves less behind. A row costs a few comparisons per column,
 * and each original row is looked at once. Where there are as many rows in both, or it is said which
 * are left out, each is compared with its own first, on all threads; most often nothing more is
 * needed. Whoever wrote the release
 * in another order may say in which: then the original rows are taken in that order. Only when all
 * that fails, and another order is allowed, are the rows matched in any order (match.c). Counted
 * tables have no order at all, and are matched at once, by the numbers of rows. */
#include "analyze/cover/relation.h"
#include "core/pool.h"

enum { ROWS_BETWEEN_CHECKS = 1 << 16, TASK_ROWS = 1 << 16 };

typedef struct {
    const kan_cover_question *question;
    kan_relation *relations; /* quasi-identifiers, then the others */
    size_t n_relations;
} cover;

static bool row_covers(const cover *c, uint64_t released, uint64_t original) {
    for (size_t i = 0; i < c->n_relations; i++) {
        const kan_relation *relation = &c->relations[i];
        if (!kan_relation_covers(relation, kan_column_code(relation->released, released),
                                 kan_column_code(relation->original, original)))
            return false;
    }
    return true;
}

/* The original row that stands at a place of the order. */
static uint64_t row_at(const cover *c, uint64_t place) {
    KAN_ASSERT(place < c->question->original->n_rows);
    return c->question->order ? c->question->order[place] : place;
}

/* How many released rows, from the first on, are a subsequence of the original ones. */
static kan_status match_in_order(kan_run *run, const cover *c, uint64_t *n_matched) {
    uint64_t n_released = c->question->release->n_rows, released = 0;
    uint64_t n_original = c->question->original->n_rows;
    for (uint64_t place = 0; place < n_original && released < n_released; place++) {
        if (place % ROWS_BETWEEN_CHECKS == 0) {
            KAN_TRY(kan_check_cancel(run));
            const uint64_t behind = place < ROWS_BETWEEN_CHECKS ? place : ROWS_BETWEEN_CHECKS;
            kan_table_done(c->question->release, released < behind ? 0 : released - behind, behind);
            if (!c->question->order)
                kan_table_done(c->question->original, place - behind, behind);
        }
        if (row_covers(c, released, row_at(c, place)))
            released++;
    }
    *n_matched = released;
    return KAN_OK;
}

typedef struct {
    const cover *cover;
    const uint8_t *is_left_out; /* NULL: none is */
    uint64_t *first_released;   /* by task: the released row that is to stand for its first one */
    uint8_t *fails;             /* by task */
} comparison;

/* Whether the original row at a place of the order has a released one. */
static bool is_there(const comparison *job, uint64_t place) {
    return !job->is_left_out || !job->is_left_out[row_at(job->cover, place)];
}

static uint64_t task_end(const comparison *job, size_t task) {
    const kan_cover_question *question = job->cover->question;
    const uint64_t n = job->is_left_out ? question->original->n_rows : question->release->n_rows;
    const uint64_t first = (uint64_t)task * TASK_ROWS;
    return n - first < TASK_ROWS ? n : first + TASK_ROWS;
}

static kan_status count_task(void *context, size_t task, unsigned worker) {
    const comparison *job = context;
    const uint64_t end = task_end(job, task);
    uint64_t n = 0;
    (void)worker;
    for (uint64_t place = (uint64_t)task * TASK_ROWS; place < end; place++)
        n += is_there(job, place);
    job->first_released[task + 1] = n;
    return KAN_OK;
}

static bool column_covers(const comparison *job, const kan_relation *relation, uint64_t first,
                          uint64_t end, uint64_t released) {
    const uint8_t *is_left_out = job->is_left_out;
    for (uint64_t place = first; !is_left_out && place < end; place++, released++)
        if (!kan_relation_covers(relation, kan_column_code(relation->released, released),
                                 kan_column_code(relation->original, row_at(job->cover, place))))
            return false;
    for (uint64_t place = first; is_left_out && place < end; place++) {
        const uint64_t row = row_at(job->cover, place);
        if (is_left_out[row])
            continue;
        if (!kan_relation_covers(relation, kan_column_code(relation->released, released),
                                 kan_column_code(relation->original, row)))
            return false;
        released++;
    }
    return true;
}

static kan_status compare_task(void *context, size_t task, unsigned worker) {
    const comparison *job = context;
    const cover *c = job->cover;
    const uint64_t first = (uint64_t)task * TASK_ROWS, end = task_end(job, task);
    const uint64_t released = job->first_released[task];
    (void)worker;
    for (size_t i = 0; i < c->n_relations; i++)
        if (!column_covers(job, &c->relations[i], first, end, released)) {
            job->fails[task] = 1;
            return KAN_OK;
        }
    kan_table_done(c->question->release, released, job->first_released[task + 1] - released);
    if (!c->question->order)
        kan_table_done(c->question->original, first, end - first);
    return KAN_OK;
}

/* Which released row each task begins with; false when there are more or fewer than there should
 * be. */
static kan_status number_tasks(kan_run *run, comparison *job, size_t n_tasks, bool *fits) {
    KAN_TRY(kan_parallel(run, n_tasks, count_task, job));
    for (size_t i = 0; i < n_tasks; i++)
        job->first_released[i + 1] += job->first_released[i];
    *fits = job->first_released[n_tasks] == job->cover->question->release->n_rows;
    return KAN_OK;
}

/* Whether each released row stands for the one in its place, where there are as many in both
 * tables, or for the one that it is said to stand for. */
static kan_status compare_all(kan_run *run, const cover *c, bool *holds) {
    const kan_cover_question *question = c->question;
    const uint64_t n_released = question->release->n_rows, n = question->original->n_rows;
    const bool is_same = n_released == n || (question->in_place && n_released < n);
    comparison job = {.cover = c, .is_left_out = is_same ? NULL : question->is_left_out};
    const uint64_t n_compared = is_same ? n_released : n;
    const size_t n_tasks = (size_t)((n_compared + TASK_ROWS - 1) / TASK_ROWS);
    kan_status status;
    *holds = is_same || job.is_left_out;
    if (!*holds)
        return KAN_OK;
    KAN_TRY_DONE(kan_alloc_zero(run, n_tasks, 1, &job.fails));
    KAN_TRY_DONE(kan_alloc_zero(run, n_tasks + 1, sizeof *job.first_released, &job.first_released));
    KAN_TRY_DONE(number_tasks(run, &job, n_tasks, holds));
    if (*holds)
        KAN_TRY_DONE(kan_parallel(run, n_tasks, compare_task, &job));
    for (size_t i = 0; i < n_tasks; i++)
        *holds &= !job.fails[i];
done:
    kan_free(run, job.fails);
    kan_free(run, job.first_released);
    return status;
}

/* How many released rows, from the first on, stand for the one in their place. */
static uint64_t count_in_place(const cover *c) {
    uint64_t row = 0;
    while (row < c->question->release->n_rows && row < c->question->original->n_rows &&
           row_covers(c, row, row_at(c, row)))
        row++;
    return row;
}

static bool covers_nothing(const kan_relation *relation, uint32_t released) {
    for (uint32_t code = 0; code < relation->original->dictionary.n; code++)
        if (kan_relation_covers(relation, released, code))
            return false;
    return true;
}

/* The first column in which the row's value covers no original value at all, NULL when each covers
 * some: then it is the combination that the original does not have. */
static const char *find_fault(const cover *c, uint64_t row) {
    for (size_t i = 0; i < c->n_relations; i++)
        if (covers_nothing(&c->relations[i], kan_column_code(c->relations[i].released, row)))
            return c->relations[i].released->name;
    return NULL;
}

static bool is_counted(const kan_cover_question *question) {
    return question->release->counts || question->original->counts;
}

static kan_status match(kan_run *run, const cover *c, kan_cover *out) {
    uint64_t n_released = c->question->release->n_rows, n_matched = n_released;
    bool holds = false;
    if (is_counted(c->question) && !c->question->in_place) {
        KAN_TRY(kan_cover_match(run, c->question, c->relations, out));
        if (out->first_unmatched > 0)
            out->fault_column = find_fault(c, out->first_unmatched - 1);
        return KAN_OK;
    }
    KAN_TRY(compare_all(run, c, &holds));
    if (!holds && c->question->in_place)
        n_matched = count_in_place(c);
    else if (!holds)
        KAN_TRY(match_in_order(run, c, &n_matched));
    if (n_matched == n_released || c->question->needs_order) {
        out->in_order = out->holds = n_matched == n_released;
        out->n_unmatched = n_released - n_matched;
        out->first_unmatched = out->holds ? 0 : n_matched + 1;
        out->n_not_released = c->question->original->n_rows - n_matched;
    } else {
        KAN_TRY(kan_cover_match(run, c->question, c->relations, out));
    }
    if (out->first_unmatched > 0)
        out->fault_column = find_fault(c, out->first_unmatched - 1);
    return KAN_OK;
}

/* An order with a row twice would let it stand for two. */
static kan_status check_order(kan_run *run, const kan_cover_question *question) {
    const uint64_t n_rows = question->original->n_rows;
    uint8_t *is_met;
    bool is_right = true;
    if (!question->order)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(run, n_rows, sizeof *is_met, &is_met));
    for (uint64_t i = 0; i < n_rows && is_right; i++) {
        const uint64_t row = question->order[i];
        is_right = row < n_rows && !is_met[row];
        if (is_right)
            is_met[row] = 1;
    }
    kan_free(run, is_met);
    return is_right ? KAN_OK
                    : kan_fail(run, KAN_FAILED,
                               "the order of the release does not name each row of the original");
}

static kan_status fail_order(kan_run *run) {
    return kan_fail(run, KAN_FAILED,
                    "internal error: rows that were counted have no order; please report this");
}

static kan_status open_cover(kan_run *run, cover *c) {
    const kan_cover_question *question = c->question;
    const size_t n = question->n_quasi + question->n_others;
    if (n == 0)
        return kan_fail(run, KAN_BAD_INPUT, "there is no column to compare; name one");
    if (is_counted(question) && !question->in_place && (question->order || question->needs_order))
        return fail_order(run);
    KAN_TRY(check_order(run, question));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *c->relations, &c->relations));
    for (; c->n_relations < n; c->n_relations++) {
        const bool is_quasi = c->n_relations < question->n_quasi;
        const kan_cover_pair *pair = is_quasi
                                         ? &question->quasi[c->n_relations]
                                         : &question->others[c->n_relations - question->n_quasi];
        KAN_TRY(kan_relation_init(&c->relations[c->n_relations], run, question, pair, is_quasi));
    }
    return KAN_OK;
}

static void close_cover(kan_run *run, cover *c) {
    for (size_t i = 0; i < c->n_relations; i++)
        kan_relation_destroy(&c->relations[i], run);
    kan_free(run, c->relations);
}

kan_status kan_verify_cover(kan_run *run, const kan_cover_question *question, kan_cover *out) {
    cover c = {.question = question};
    kan_cover verdict = {0};
    kan_status status;
    KAN_TRY_DONE(open_cover(run, &c));
    KAN_TRY_DONE(match(run, &c, &verdict));
    *out = verdict;
done:
    close_cover(run, &c);
    return status;
}

/* ---- which row is which --------------------------------------------------------------------- */

static kan_status find_rows(kan_run *run, const cover *c, bool only_certain, uint64_t *row_of,
                            kan_rows_found *out) {
    const uint64_t n_released = c->question->release->n_rows;
    const uint64_t n_original = c->question->original->n_rows;
    uint64_t released = 0;
    *out = (kan_rows_found){false, 0};
    for (uint64_t place = 0; place < n_original && released < n_released; place++) {
        if (place % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(run));
        if (row_covers(c, released, row_at(c, place)))
            row_of[released++] = row_at(c, place);
    }
    out->in_order = released == n_released;
    for (uint64_t place = n_original; out->in_order && place-- > 0 && released > 0;) {
        if (place % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(run));
        if (!row_covers(c, released - 1, row_at(c, place)))
            continue;
        released--;
        const bool is_open = row_of[released] != row_at(c, place);
        out->n_open += is_open;
        if (is_open && only_certain)
            row_of[released] = UINT64_MAX;
    }
    return KAN_OK;
}

static kan_status find(kan_run *run, const kan_cover_question *question, bool only_certain,
                       uint64_t *row_of, kan_rows_found *out) {
    cover c = {.question = question};
    kan_status status;
    if (is_counted(question))
        return fail_order(run);
    KAN_TRY_DONE(open_cover(run, &c));
    KAN_TRY_DONE(find_rows(run, &c, only_certain, row_of, out));
done:
    close_cover(run, &c);
    return status;
}

kan_status kan_verify_find_rows(kan_run *run, const kan_cover_question *question, uint64_t *row_of,
                                kan_rows_found *out) {
    return find(run, question, false, row_of, out);
}

kan_status kan_verify_certain_rows(kan_run *run, const kan_cover_question *question,
                                   uint64_t *row_of, kan_rows_found *out) {
    return find(run, question, true, row_of, out);
}

/* ---- which rows are there --------------------------------------------------------------------- */

void kan_rows_open_destroy(kan_rows_open *rows) {
    kan_free(rows->run, rows->block_of);
    kan_free(rows->run, rows->n_released);
    *rows = (kan_rows_open){.run = rows->run};
}

/* The places of the first and the last original row that each released one may be. */
static bool find_ends(const cover *c, uint64_t *first, uint64_t *last) {
    const uint64_t n = c->question->release->n_rows;
    uint64_t at = 0, place = 0;
    for (; place < c->question->original->n_rows && at < n; place++)
        if (row_covers(c, at, row_at(c, place)))
            first[at++] = place;
    if (at < n)
        return false;
    for (place = c->question->original->n_rows; place-- > 0 && at > 0;)
        if (row_covers(c, at - 1, row_at(c, place)))
            last[--at] = place;
    return true;
}

static void mark(const cover *c, uint64_t released, uint64_t first, uint64_t last, uint32_t block,
                 uint64_t *n_looks, kan_rows_open *out) {
    const bool looks = *n_looks > last - first;
    *n_looks -= looks ? last - first : 0;
    for (uint64_t place = first; place <= last; place++)
        if (!looks || row_covers(c, released, row_at(c, place)))
            out->block_of[row_at(c, place)] = block;
}

static kan_status mark_blocks(kan_run *run, const cover *c, const uint64_t *first,
                              const uint64_t *last, kan_rows_open *out) {
    const uint64_t n = c->question->release->n_rows;
    uint64_t n_looks = UINT64_C(1) << 26;
    for (uint64_t i = 0; i < c->question->original->n_rows; i++)
        out->block_of[i] = KAN_ROW_GONE;
    for (uint64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && first[end] <= last[end - 1]; end++)
            ;
        const bool is_certain = end == i + 1 && first[i] == last[i];
        const uint32_t block = is_certain ? KAN_ROW_THERE : (uint32_t)out->n_blocks++;
        for (uint64_t row = i; row < end; row++)
            mark(c, row, first[row], last[row], block, &n_looks, out);
        if (!is_certain)
            out->n_released[block] = end - i;
        KAN_TRY(kan_check_cancel(run));
    }
    return KAN_OK;
}

static kan_status find_open(kan_run *run, const cover *c, kan_rows_open *out) {
    const size_t n = (size_t)c->question->release->n_rows;
    uint64_t *first = NULL, *last = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *first, &first));
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *last, &last));
    KAN_TRY_DONE(kan_alloc(run, (size_t)c->question->original->n_rows, sizeof *out->block_of,
                           &out->block_of));
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *out->n_released, &out->n_released));
    out->in_order = n < KAN_ROW_GONE && find_ends(c, first, last);
    status = out->in_order ? mark_blocks(run, c, first, last, out) : KAN_OK;
done:
    kan_free(run, first);
    kan_free(run, last);
    return status;
}

kan_status kan_verify_open_rows(kan_run *run, const kan_cover_question *question,
                                kan_rows_open *out) {
    cover c = {.question = question};
    kan_status status;
    *out = (kan_rows_open){.run = run};
    if (is_counted(question))
        return fail_order(run);
    KAN_TRY_DONE(open_cover(run, &c));
    KAN_TRY_DONE(find_open(run, &c, out));
done:
    close_cover(run, &c);
    return status;
}
