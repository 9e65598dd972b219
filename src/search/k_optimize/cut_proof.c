/* Proofs of searches over cut sets: see cut_proof.h. Linear in the tuples, and in the proof. */
#include "search/k_optimize/cut_proof.h"

#include <string.h>

#include "core/hash.h"
#include "search/cuts/cuts.h"
#include "search/k_optimize/cut_class.h"

/* ---- the question --------------------------------------------------------------------------- */

static uint64_t take(uint64_t hash, uint64_t word) {
    const uint64_t words[] = {hash, word};
    return kan_hash_words(words, 2);
}

static uint64_t take_list(uint64_t hash, const uint32_t *list, size_t n) {
    return take(take(hash, n), kan_hash_bytes(list, n * sizeof *list));
}

/* Whose each row is, and what is promised of people. */
static uint64_t take_people(uint64_t hash, const kan_cut_people *people) {
    const size_t n = people->n_units;
    hash = take(take(hash, people->by_person), people->histories);
    if (people->has_pasts)
        hash = take(hash, people->has_pasts);
    hash = take_list(take(hash, people->n_people), people->person, n);
    hash = take_list(take_list(hash, people->tuple, n), people->rows, n);
    return take_list(hash, people->class_of, n);
}

uint64_t kan_cut_fingerprint(const kan_cut_space *space) {
    /* Whether a row must be released matters only where all may be suppressed. */
    const bool must_release = space->wants_release && space->limit >= kan_cut_space_all(space);
    uint64_t hash = take(space->cost, space->k);
    hash = take(take(hash, space->limit), must_release);
    hash = take(take(hash, space->n_rows), space->n_attributes);
    for (unsigned a = 0; a < space->n_attributes; a++)
        hash = take_list(take(hash, space->n_places[a]), space->places[a], space->n_tuples);
    for (unsigned c = 0; c < space->n_choices; c++) {
        const kan_choice *choice = &space->choices[c];
        hash = take_list(take(hash, choice->attribute), choice->places, choice->n_places);
        hash = take(hash, (uint64_t)(choice->parent + 1));
        if (kan_cut_is_forced(space, c)) /* proofs without any keep their number */
            hash = take(hash, c);
    }
    if (space->people)
        hash = take_people(hash, space->people);
    hash = take_list(hash, space->rows, space->n_tuples);
    return take_list(hash, space->class_rows, space->n_tuples * space->n_classes);
}

/* ---- going on ------------------------------------------------------------------------------- */

static kan_status damaged(const kan_proof *proof, const kan_cut_space *space) {
    return kan_fail(space->run, KAN_BAD_INPUT,
                    "%s: this proof cannot be continued: its parts contradict each other; name "
                    "another file with --proof to start again",
                    proof->name);
}

/* What is made needs what is above it, and what is left leaves all below. */
static bool is_consistent(const kan_cut_space *space, const uint8_t *decision) {
    for (unsigned c = 0; c < space->n_choices; c++) {
        const int parent = space->choices[c].parent;
        if (decision[c] > KAN_CUT_LEFT)
            return false;
        if (parent >= 0 && ((decision[c] == KAN_CUT_MADE && decision[parent] != KAN_CUT_MADE) ||
                            (decision[parent] == KAN_CUT_LEFT && decision[c] != KAN_CUT_LEFT)))
            return false;
    }
    return true;
}

static kan_status check_parts(const kan_proof *proof, const kan_cut_space *space) {
    for (size_t i = 0; i < proof->n_open; i++) {
        if (!is_consistent(space, proof->decisions + i * proof->n_choices) ||
            (i > 0 && proof->bounds[i] < proof->bounds[i - 1]))
            return damaged(proof, space);
        if (i % 4096 == 0)
            KAN_TRY(kan_check_cancel(space->run));
    }
    return KAN_OK;
}

static kan_status offer_best(const kan_proof *proof, kan_cut_record *record) {
    const kan_cut_space *space = record->space;
    uint64_t cost;
    if (!proof->is_found)
        return KAN_OK;
    for (unsigned c = 0; c < space->n_choices; c++) {
        const int parent = space->choices[c].parent;
        if (proof->is_made[c] > 1 || (proof->is_made[c] && parent >= 0 && !proof->is_made[parent]))
            return damaged(proof, space);
    }
    KAN_TRY(kan_cut_space_cost(space, proof->is_made, NULL, &cost));
    if (cost != proof->cost)
        return damaged(proof, space);
    return kan_cut_record_offer(record, proof->is_made, cost);
}

kan_status kan_cut_proof_resume(const kan_proof *proof, kan_cut_record *record) {
    const kan_cut_space *space = record->space;
    if (proof->n_choices != space->n_choices || proof->question != kan_cut_fingerprint(space))
        return kan_fail(
            space->run, KAN_BAD_INPUT,
            "%s: this proof is about another question; give the same table and the "
            "same settings as the run that wrote it (--qi, --k, --person, "
            "--person-promise, --suppress-by, --suppress, --cost, --class, --bins, --order, "
            "--recoding, hierarchies), or name another file with --proof",
            proof->name);
    if (proof->below == 0)
        return damaged(proof, space);
    KAN_TRY(check_parts(proof, space));
    KAN_TRY(offer_best(proof, record));
    record->n_states = proof->n_states;
    uint64_t bound = proof->is_found && proof->cost < proof->below ? proof->cost : proof->below;
    if (proof->n_open > 0 && proof->bounds[0] < bound)
        bound = proof->bounds[0];
    return bound == UINT64_MAX ? KAN_OK : kan_cut_record_prove(record, bound);
}

void kan_cut_proof_conclude(const kan_cut_record *record, const kan_proof *before, uint64_t below,
                            kan_proof *out) {
    const kan_cut_space *space = record->space;
    const bool was_open = !before || before->n_open > 0; /* else this run only asked again */
    out->question = kan_cut_fingerprint(space);
    out->n_runs = (before ? before->n_runs : 0) + was_open;
    out->n_states = record->n_states;
    out->n_ms = before ? before->n_ms : 0;
    if (was_open)
        out->n_ms += (uint64_t)(kan_now_ms() - space->start_ms);
    out->below = below;
    out->is_found = record->is_found;
    out->cost = record->is_found ? record->cost : 0;
    memcpy(out->is_made, record->is_made, space->n_choices);
}
