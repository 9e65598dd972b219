/* The file of `--proof`: what a search that proves has ruled out by now, so that the same command
 * continues from there. */
#ifndef KANON_JOB_SOLUTION_PROOF_FILE_H
#define KANON_JOB_SOLUTION_PROOF_FILE_H

#include "job/setup/setup.h"
#include "search/proof.h"

/* What is in the file. KAN_BAD_INPUT, with a text, when it is not a proof, or is damaged. The proof
 * is initialised by this call, also when it fails: always destroy it. */
KAN_MUST_USE kan_status kan_proof_parse(kan_run *run, const char *name, const char *bytes,
                                        size_t size, kan_proof *out);
KAN_MUST_USE kan_status kan_proof_print(const kan_proof *proof, kan_text *text);

/* The proof of the setting `proof` that an earlier run left, if there is one; *is_there says. Only
 * searches that have the option look for it. Always destroy it. */
KAN_MUST_USE kan_status kan_proof_read(const kan_setup *setup, kan_proof *out, bool *is_there);
/* Replaces the file, or makes it; the latter says what it is good for. kan_proof_keep is for
 * kan_question.keep_proof, with the setup as its context. */
KAN_MUST_USE kan_status kan_proof_keep(void *setup, const kan_proof *proof);
KAN_MUST_USE kan_status kan_proof_write(const kan_setup *setup, const kan_proof *proof);

/* The file that the search reads and writes; NULL: none. */
const char *kan_proof_path(const kan_setup *setup);

#endif
