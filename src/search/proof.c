/* Proofs: room, and a checksum. */
#include "search/proof.h"

#include "core/hash.h"

kan_status kan_proof_make(kan_run *run, unsigned n_choices, size_t n_open, kan_proof *out) {
    *out = (kan_proof){.n_choices = n_choices, .n_open = n_open, .below = UINT64_MAX};
    KAN_TRY(kan_alloc_zero(run, n_choices + (size_t)1, 1, &out->is_made));
    KAN_TRY(kan_alloc_zero(run, n_open + 1, sizeof *out->bounds, &out->bounds));
    return kan_alloc_zero(run, n_open + 1, n_choices + (size_t)1, &out->decisions);
}

void kan_proof_destroy(kan_run *run, kan_proof *proof) {
    kan_free(run, proof->is_made);
    kan_free(run, proof->bounds);
    kan_free(run, proof->decisions);
    *proof = (kan_proof){.n_open = 0};
}

uint64_t kan_proof_checksum(const kan_proof *proof) {
    const uint64_t words[] = {proof->question,
                              proof->n_choices,
                              proof->n_runs,
                              proof->n_states,
                              proof->n_ms,
                              proof->below,
                              proof->is_found,
                              proof->cost,
                              proof->n_open,
                              kan_hash_bytes(proof->is_made, proof->n_choices),
                              kan_hash_bytes(proof->bounds, proof->n_open * sizeof *proof->bounds),
                              kan_hash_bytes(proof->decisions, proof->n_open * proof->n_choices)};
    return kan_hash_words(words, sizeof words / sizeof *words);
}
