/* The record: see cut_record.h. */
#include "search/cuts/cut_record.h"

#include <string.h>

#include "core/text.h"
#include "search/cuts/cut_people.h"

uint64_t kan_cut_cell_bound(const kan_cut_space *space, uint64_t rows, uint64_t stay) {
    const uint64_t n = space->n_rows, k = space->k < n ? space->k : n;
    uint64_t kept = stay;
    /* What is lost costs no less than what stays, unless more than half of all rows stay. */
    const uint64_t half = n / 2 > k ? n / 2 : k;
    const bool is_torn = space->people && (space->people->by_person || space->people->has_pasts);
    if (is_torn && space->limit > 0 && kept > half)
        kept = half; /* and one more costs no less: (half + 1)^2 - n is half^2 or more */
    return kept * (kept > k ? kept : k) + (rows - kept) * n;
}

/* A released row is in a group of k rows at least, and of all that share its places; a suppressed
 * one costs the whole table. By class: rows that share their places are never told apart, and a
 * suppressed row costs no less than one outside the majority. */
static uint64_t find_bound(const kan_cut_space *space) {
    uint64_t bound = 0;
    for (size_t t = 0; t < space->n_tuples; t++) {
        const uint64_t rows = space->rows[t];
        uint32_t most = 0;
        for (unsigned i = 0; i < space->n_classes; i++) {
            const uint32_t of_class = space->class_rows[t * space->n_classes + i];
            most = of_class > most ? of_class : most;
        }
        bound += space->cost == KAN_CUT_CLASSIFICATION ? rows - most
                                                       : kan_cut_cell_bound(space, rows, rows);
    }
    return bound;
}

kan_status kan_cut_record_make(const kan_cut_space *space, kan_cut_record *out) {
    uint64_t cost;
    *out = (kan_cut_record){.space = space, .bound = find_bound(space), .n_states = 1};
    KAN_TRY(kan_alloc_zero(space->run, space->n_choices, sizeof *out->is_made, &out->is_made));
    if (space->is_forced)
        memcpy(out->is_made, space->is_forced, space->n_choices);
    KAN_TRY(kan_cut_space_cost(space, out->is_made, &out->n_least, &cost));
    return cost == UINT64_MAX ? KAN_OK : kan_cut_record_offer(out, out->is_made, cost);
}

void kan_cut_record_destroy(kan_cut_record *record) {
    kan_free(record->space->run, record->is_made);
    kan_free(record->space->run, record->moments);
    kan_proof_destroy(record->space->run, &record->proof);
}

bool kan_cut_set_is_less(const kan_cut_space *space, const uint8_t *a, const uint8_t *b) {
    unsigned c = 0;
    while (c < space->n_choices && a[c] == b[c])
        c++;
    if (c == space->n_choices)
        return false;
    /* One of them has c; the other is less if it ends here, and greater if it goes on. */
    const uint8_t *other = a[c] ? b : a;
    bool ends = true;
    for (unsigned rest = c + 1; rest < space->n_choices && ends; rest++)
        ends = !other[rest];
    return a[c] ? !ends : ends;
}

static kan_status add_moment(kan_cut_record *record) {
    KAN_TRY(kan_reserve(record->space->run, record->n_moments + 1, sizeof *record->moments,
                        &record->room, &record->moments));
    record->moments[record->n_moments++] =
        (kan_moment){.seconds = (kan_now_ms() - record->space->start_ms) / 1000,
                     .n_states = record->n_states,
                     .is_found = true,
                     .cost = (double)record->cost,
                     .bound = (double)record->bound};
    return KAN_OK;
}

kan_status kan_cut_record_offer(kan_cut_record *record, const uint8_t *is_made, uint64_t cost) {
    if (record->is_found && cost > record->cost)
        return KAN_OK;
    const bool is_cheaper = !record->is_found || cost < record->cost;
    if (!is_cheaper && !kan_cut_set_is_less(record->space, is_made, record->is_made))
        return KAN_OK;
    KAN_ASSERT(!is_cheaper || cost >= record->bound); /* nothing costs less than what is proven */
    record->is_found = true;
    record->cost = cost;
    memmove(record->is_made, is_made, record->space->n_choices * sizeof *is_made);
    return is_cheaper ? add_moment(record) : KAN_OK;
}

kan_status kan_cut_record_prove(kan_cut_record *record, uint64_t bound) {
    if (bound <= record->bound)
        return KAN_OK;
    record->bound = bound;
    const double told =
        record->n_moments > 0 ? record->moments[record->n_moments - 1].bound : (double)bound;
    const bool is_all = record->is_found && bound >= record->cost;
    /* A hundredth of what is left to prove is worth a moment. */
    if (!record->is_found ||
        (!is_all && (double)bound - told < ((double)record->cost - told) / 100))
        return KAN_OK;
    return add_moment(record);
}

void kan_cut_record_report(const kan_cut_record *record) {
    if (record->is_aside)
        return;
    kan_report_search(record->space->run, "states", record->n_states, 0, record->is_found,
                      (double)record->cost, (double)record->bound);
}

kan_status kan_cut_record_answer(kan_cut_record *record, kan_answer *out) {
    kan_run *run = record->space->run;
    if (kan_run_is_cancelled(run) || !record->is_found)
        KAN_TRY(kan_check_cancel(run));
    kan_answer answer = {.n_checked = record->n_states,
                         .n_cuts = record->space->n_choices,
                         .bound = (double)record->bound,
                         .is_optimal = record->is_optimal,
                         .least_suppressed = record->n_least};
    if (record->is_found)
        KAN_TRY(kan_cut_space_answer(record->space, record->is_made, record->cost, &answer));
    answer.n_moments = record->n_moments;
    answer.moments = record->moments;
    record->moments = NULL;
    record->n_moments = record->room = 0;
    answer.proof = record->proof;
    record->proof = (kan_proof){.n_open = 0};
    *out = answer;
    return KAN_OK;
}

/* ---- what is known before ------------------------------------------------------------------- */

/* The choices that make those cuts; false when the recoding has none that do: some places of a
 * choice without the others, or a choice without its parent. */
static bool choose_cuts(const kan_cut_space *space, const kan_recoding *cuts, uint8_t *is_made) {
    size_t n_cuts = 0, n_made = 0;
    for (unsigned a = 0; a < cuts->n_attributes; a++)
        for (size_t i = cuts->first_cut[a]; i < cuts->first_cut[a + 1]; i++, n_cuts++) {
            const uint32_t place = space->place_in[a][cuts->cuts[i]];
            if (space->first_place[a][place] != cuts->cuts[i])
                return false; /* between values that may not be told apart */
            if (space->choice_at[a][place] >= 0)
                is_made[space->choice_at[a][place]] = 1;
        }
    for (unsigned c = 0; c < space->n_choices; c++) {
        const kan_choice *choice = &space->choices[c];
        if ((is_made[c] && choice->parent >= 0 && !is_made[choice->parent]) ||
            (kan_cut_is_forced(space, c) && !is_made[c]))
            return false;
        n_made += is_made[c] ? choice->n_places : 0;
    }
    return n_made == n_cuts;
}

static kan_status offer_choices(kan_cut_record *record, const uint8_t *is_made) {
    const kan_cut_space *space = record->space;
    uint64_t n_suppressed, cost;
    char rows[32], limit[32];
    KAN_TRY(kan_cut_space_cost(space, is_made, &n_suppressed, &cost));
    if (cost != UINT64_MAX)
        return kan_cut_record_offer(record, is_made, cost);
    kan_note(
        space->run,
        "--seed-solution is not used: it would suppress %s %s of this table, and at most %s may "
        "be suppressed",
        kan_count_text(n_suppressed, rows),
        space->people && space->people->by_person ? kan_plural(n_suppressed, "person", "people")
                                                  : kan_plural(n_suppressed, "row", "rows"),
        kan_count_text(n_suppressed > space->limit ? space->limit : n_suppressed - 1, limit));
    return KAN_OK;
}

static bool has_bounds(const kan_cut_space *space) {
    const kan_dimension *dimensions = space->question->problem->space.dimensions;
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (dimensions[a].lowest > 0 || dimensions[a].highest < dimensions[a].height)
            return true;
    return false;
}

/* Offers the cuts that the question knows, if there are any. */
static kan_status offer_seed(kan_cut_record *record) {
    const kan_cut_space *space = record->space;
    const kan_recoding *seed = space->question->seed;
    uint8_t *is_made;
    kan_status status = KAN_OK;
    if (!seed)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(space->run, space->n_choices, sizeof *is_made, &is_made));
    if (choose_cuts(space, seed, is_made))
        status = offer_choices(record, is_made);
    else
        kan_note(space->run, has_bounds(space)
                                 ? "--seed-solution is not used: some of its intervals are not "
                                   "within --level"
                                 : "--seed-solution is not used: some of its intervals are not "
                                   "nodes of the hierarchies, as --recoding full-subtree requires");
    kan_free(space->run, is_made);
    return status;
}

/* ---- a whole search ------------------------------------------------------------------------- */

kan_status kan_cut_search(kan_run *run, const kan_question *question,
                          kan_status (*look)(kan_cut_record *record), kan_answer *out) {
    kan_status status;
    kan_cut_space space;
    kan_cut_record record = {.space = &space};
    KAN_TRY_DONE(kan_cut_space_make(run, question, &space));
    KAN_TRY_DONE(kan_cut_record_make(&space, &record));
    KAN_TRY_DONE(offer_seed(&record));
    KAN_TRY_DONE(look(&record));
    KAN_TRY_DONE(kan_cut_record_answer(&record, out));
done:
    kan_cut_record_destroy(&record);
    kan_cut_space_destroy(&space);
    return status;
}
