/* Fuzzing proofs: whatever the bytes are, reading ends, leaks nothing, and refuses with a text.
 * What is a proof except for its checksum prints as something that reads the same. */
#include <stdlib.h>
#include <string.h>

#include "job/solution/proof_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static void print_again(kan_run *run, const kan_proof *proof) {
    kan_text first, second;
    kan_proof copy;
    kan_text_init(&first, run);
    kan_text_init(&second, run);
    require(kan_proof_print(proof, &first) == KAN_OK);
    require(kan_proof_parse(run, "copy", first.bytes, first.size, &copy) == KAN_OK);
    require(kan_proof_checksum(&copy) == kan_proof_checksum(proof));
    require(kan_proof_print(&copy, &second) == KAN_OK);
    require(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0);
    kan_proof_destroy(run, &copy);
    kan_text_destroy(&first);
    kan_text_destroy(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kan_run *run = kan_run_create();
    kan_proof proof;
    require(run != NULL);
    kan_status status = kan_proof_parse(run, "fuzz", (const char *)data, size, &proof);
    require(status == KAN_OK || (status == KAN_BAD_INPUT && *kan_run_error(run)));
    /* What was read as far as its checksum prints with the right one. */
    if (status == KAN_OK || strstr(kan_run_error(run), "checksum does not match"))
        print_again(run, &proof);
    kan_proof_destroy(run, &proof);
    kan_run_destroy(run);
    return 0;
}
