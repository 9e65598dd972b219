/* Proofs that are interrupted and continued, on random spaces: at every stop each set that is
 * better than the best lies in an open part, and in the end the best of all is proven. */
#include <string.h>

#include "job/solution/proof_file.h"
#include "search/k_optimize/cut_proof.h"
#include "search/k_optimize/cut_waves.h"
#include "support/random_space.h"

/* The set of choices with those numbers is in a part of the proof that does not cost more. */
static bool is_open_in(const kan_proof *proof, uint32_t set, uint64_t cost) {
    for (size_t i = 0; i < proof->n_open; i++) {
        const uint8_t *decision = proof->decisions + i * proof->n_choices;
        unsigned c = 0;
        while (c < proof->n_choices &&
               (decision[c] == KAN_CUT_OPEN || (decision[c] == KAN_CUT_MADE) == (set >> c & 1)))
            c++;
        if (c == proof->n_choices && proof->bounds[i] <= cost)
            return true;
    }
    return false;
}

/* Whatever is better than the best, and of interest, is still open. */
static void expect_sound(const space_node *node, const kan_proof *proof) {
    uint64_t best = proof->is_found ? proof->cost : UINT64_MAX;
    best = best < proof->below ? best : proof->below;
    for (uint32_t set = 0; set < UINT32_C(1) << node->n_open; set++) {
        /* Of equally cheap sets one is enough. */
        bool is_open = node->costs[set] >= best || is_open_in(proof, set, node->costs[set]);
        for (uint32_t other = 0; !is_open && other < UINT32_C(1) << node->n_open; other++)
            is_open = node->costs[other] <= node->costs[set] &&
                      is_open_in(proof, other, node->costs[other]);
        EXPECT_OF(node, is_open);
    }
}

/* Through the text and back. */
static void print_and_parse(kan_run *run, kan_proof *proof) {
    kan_text first, second;
    kan_proof copy;
    kan_text_init(&first, run);
    kan_text_init(&second, run);
    EXPECT_OK(run, kan_proof_print(proof, &first));
    EXPECT_OK(run, kan_proof_parse(run, "proof", first.bytes, first.size, &copy));
    EXPECT_OK(run, kan_proof_print(&copy, &second));
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    assert_true(kan_proof_checksum(&copy) == kan_proof_checksum(proof));
    kan_proof_destroy(run, proof);
    kan_text_destroy(&first);
    kan_text_destroy(&second);
    *proof = copy;
}

/* What is kept in between is as sound as what is left in the end. */
typedef struct {
    const space_node *node;
    const kan_cut_record *record;
    const kan_proof *before;
    uint64_t below;
} keeper;

static kan_status keep(void *context, kan_proof *proof) {
    const keeper *k = context;
    kan_cut_proof_conclude(k->record, k->before, k->below, proof);
    expect_sound(k->node, proof);
    return KAN_OK;
}

/* One run: some states from where the last one stopped. */
static bool go_on(const space_node *node, uint64_t below, kan_proof *proof, uint64_t *random) {
    const kan_cut_space *space = &node->made->space;
    const kan_proof *before = proof->n_runs > 0 ? proof : NULL;
    kan_cut_record record;
    kan_proof after;
    bool is_complete;
    kan_run_set_threads(space->run, 1 + (unsigned)kan_random_below(random, 3));
    EXPECT_OK(space->run, kan_cut_record_make(space, &record));
    if (before)
        EXPECT_OK(space->run, kan_cut_proof_resume(before, &record));
    const kan_cut_waves_plan plan = {.limit = space->limit,
                                     .axis = random_axis(node->made, random),
                                     .n_states = 1 + kan_random_below(random, 4),
                                     .keep = keep,
                                     .keep_context = &(keeper){node, &record, before, below},
                                     .below = below,
                                     .is_whole = true,
                                     .from = before,
                                     .to = &after};
    EXPECT_OK(space->run, kan_cut_waves_explore(&plan, &record, &is_complete));
    kan_cut_proof_conclude(&record, before, below, &after);
    assert_true(is_complete == (after.n_open == 0));
    assert_true(after.n_runs == proof->n_runs + 1 && after.n_states > proof->n_states);
    if (after.n_open > 0)
        assert_true(record.bound <= after.bounds[0]);
    kan_proof_destroy(space->run, proof);
    kan_cut_record_destroy(&record);
    *proof = after;
    return is_complete;
}

static void one_proof(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 7000000;
    made_space made;
    space_node node;
    kan_proof proof = {.n_runs = 0};
    random_whole(run, &random, &made, &node);
    const uint64_t least = least_cost(&node, node.costs, node.decision);
    const uint64_t below = once_in(&random, 3) && least < UINT64_MAX
                               ? least + kan_random_below(&random, least / 4 + 3)
                               : UINT64_MAX;
    bool is_complete;
    do {
        is_complete = go_on(&node, below == 0 ? 1 : below, &proof, &random);
        expect_sound(&node, &proof);
        print_and_parse(run, &proof);
    } while (!is_complete);
    if (least < proof.below)
        EXPECT_OF(&node, proof.is_found && proof.cost == least &&
                             cost_of_set(&node, proof.is_made) == least);
    kan_proof_destroy(run, &proof);
    made_space_destroy(&made);
}

static void whatever_is_better_stays_open_until_nothing_is(void **state) {
    (void)state;
    random_rounds(600, one_proof);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void expect_refused(const kan_cut_space *space, const kan_proof *proof, const char *why) {
    kan_cut_record record;
    EXPECT_OK(space->run, kan_cut_record_make(space, &record));
    assert_int_equal(kan_cut_proof_resume(proof, &record), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(space->run), why));
    kan_cut_record_destroy(&record);
}

/* The fingerprint tells questions apart that differ in one number. */
static void one_other_question(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 8000000;
    made_space made;
    space_node node;
    kan_proof proof = {.n_runs = 0};
    random_whole(run, &random, &made, &node);
    go_on(&node, UINT64_MAX, &proof, &random);
    proof.name = "file";
    kan_cut_space other = made.space;
    bool is_other = true;
    switch (kan_random_below(&random, 7)) {
    case 0:
        other.k++;
        break;
    case 1:
        other.limit++;
        break;
    case 2:
        /* Where not all rows may be suppressed, one is released anyway. */
        is_other = other.limit >= other.n_rows;
        other.wants_release = !other.wants_release;
        break;
    case 3:
        other.rows[kan_random_below(&random, other.n_tuples)]++;
        break;
    case 4:
        other.places[kan_random_below(&random, other.n_attributes)][0] ^= 1;
        break;
    case 5:
        if (other.n_classes > 0) {
            other.class_rows[0]++;
            break;
        }
        /* fallthrough */
    default:
        other.cost =
            other.cost == KAN_CUT_DISCERNIBILITY ? KAN_CUT_CLASSIFICATION : KAN_CUT_DISCERNIBILITY;
        other.n_classes = other.cost == KAN_CUT_DISCERNIBILITY ? 0 : other.n_classes;
    }
    assert_true((kan_cut_fingerprint(&other) != proof.question) == is_other);
    kan_proof_destroy(run, &proof);
    made_space_destroy(&made);
}

static void a_proof_belongs_to_its_question(void **state) {
    (void)state;
    random_rounds(300, one_other_question);
}

static void one_damaged(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 9000000;
    made_space made;
    space_node node;
    kan_proof proof = {.n_runs = 0};
    random_whole(run, &random, &made, &node);
    go_on(&node, UINT64_MAX, &proof, &random);
    proof.name = "file";
    const kan_proof good = proof;
    proof.question++;
    expect_refused(&made.space, &proof, "file: this proof is about another question");
    proof = good;
    proof.n_choices++;
    expect_refused(&made.space, &proof, "another question");
    proof = good;
    proof.below = 0;
    expect_refused(&made.space, &proof, "contradict each other");
    proof = good;
    if (proof.is_found) {
        proof.cost++;
        expect_refused(&made.space, &proof, "contradict each other");
        proof = good;
    }
    if (proof.n_open > 0 && proof.n_choices > 0) {
        uint8_t *decision = &proof.decisions[kan_random_below(&random, proof.n_choices)];
        *decision = 3;
        expect_refused(&made.space, &proof, "contradict each other");
    }
    if (proof.n_open > 1) {
        proof = good;
        memset(proof.decisions, KAN_CUT_OPEN, proof.n_choices);
        proof.bounds[0] = proof.bounds[1] + 1;
        expect_refused(&made.space, &proof, "contradict each other");
    }
    kan_proof_destroy(run, &proof);
    made_space_destroy(&made);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    random_rounds(200, one_damaged);
}

/* A choice that is made without the one above it, or open below one that is left. */
static void parts_heed_the_hierarchy(void **state) {
    kan_run *run = kan_run_create();
    uint64_t random = 5;
    unsigned n_tried = 0;
    (void)state;
    for (unsigned i = 0; i < 4000 && n_tried < 40; i++) {
        made_space made;
        space_node node;
        kan_proof proof = {.n_runs = 0};
        random_whole(run, &random, &made, &node);
        go_on(&node, UINT64_MAX, &proof, &random);
        proof.name = "file";
        for (unsigned c = 0; proof.n_open > 0 && c < proof.n_choices; c++) {
            const int parent = made.space.choices[c].parent;
            if (parent < 0)
                continue;
            memset(proof.decisions, KAN_CUT_OPEN, proof.n_choices);
            proof.decisions[n_tried % 2 ? c : (unsigned)parent] =
                n_tried % 2 ? KAN_CUT_MADE : KAN_CUT_LEFT;
            expect_refused(&made.space, &proof, "contradict each other");
            n_tried++;
            break;
        }
        kan_proof_destroy(run, &proof);
        made_space_destroy(&made);
    }
    assert_int_equal(n_tried, 40);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(whatever_is_better_stays_open_until_nothing_is, random_tear_down),
        cmocka_unit_test_teardown(a_proof_belongs_to_its_question, random_tear_down),
        cmocka_unit_test_teardown(what_cannot_be_is_refused, random_tear_down),
        cmocka_unit_test(parts_heed_the_hierarchy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
