/* What searches by local recoding have in common: rows that must go, the method, classes that fail,
 * and what can still be improved. */
#include "search/local/local_inside.h"

/* Makes classes of the rows in rows[]; *is_complete: all of them keep the promise. */
static kan_status recode(kan_local_classes *classes, uint64_t *rows, kan_local_method method,
                         bool *is_complete) {
    const kan_local_space *space = classes->space;
    bool passes;
    *is_complete = false;
    KAN_TRY(kan_local_fit(classes, rows, &passes));
    /* Then no recoding of all rows is possible, nor of those within the limit. */
    if (!passes && space->question->promise->survives_merge && space->limit == 0)
        return KAN_OK;
    KAN_TRY(method(classes, rows, passes));
    return kan_local_complete(classes, is_complete);
}

typedef struct {
    uint32_t n, *of; /* blocks, and that of each tuple */
    uint64_t *rows;  /* by tuple: those of the block in hand */
    double seconds;  /* to improve each */
} blocks;

static uint64_t take_block(const kan_local_space *space, const blocks *b, uint32_t block) {
    uint64_t n_rows = 0;
    for (size_t t = 0; t < space->n_tuples; t++) {
        b->rows[t] = b->of[t] == block ? space->rows[t] : 0;
        n_rows += b->rows[t];
    }
    return n_rows;
}

/* Nothing of a block can be released: all of it is left out. */
static kan_status leave_out(kan_local_classes *made, const blocks *b, uint32_t block,
                            uint64_t n_rows) {
    const kan_local_space *space = made->space;
    kan_local_classes_destroy(made);
    kan_local_classes_init(made, space);
    for (size_t t = 0; t < space->n_tuples; t++)
        if (b->of[t] == block)
            KAN_TRY(kan_bundles_add(space, &made->lost, (uint32_t)t, space->rows[t]));
    made->n_lost = n_rows;
    return KAN_OK;
}

/* One block; the limit is what the others have left of it. */
static kan_status recode_block(kan_local_classes *made, const blocks *b, uint32_t block,
                               kan_local_method method, bool *is_complete) {
    const uint64_t n_rows = take_block(made->space, b, block);
    KAN_TRY(recode(made, b->rows, method, is_complete));
    if (*is_complete)
        return b->seconds > 0 ? kan_local_improve(made, b->seconds) : KAN_OK;
    *is_complete = n_rows <= made->space->limit;
    return *is_complete ? leave_out(made, b, block, n_rows) : KAN_OK;
}

/* How long rows may be moved between the classes of a block. */
static double time_to_improve(const kan_local_space *space, uint32_t n_blocks) {
    const double seconds = kan_options_real(space->question->options, "improve", 0);
    if (seconds <= 0 || space->question->promise->survives_merge)
        return seconds / n_blocks;
    /* what it moves may come to show the same as others, and be one with them */
    kan_note(space->run, "--improve is left out: two groups that keep this promise may break it "
                         "together");
    return 0;
}

/* Block by block; out is nothing found where one of them fails, or nothing would be released. */
static kan_status recode_all(kan_local_space *space, kan_local_classes *classes, const blocks *b,
                             kan_local_method method, kan_answer *out) {
    const uint64_t limit = space->limit;
    kan_status status = KAN_OK;
    bool is_complete = true;
    for (uint32_t block = 0; block < b->n && is_complete && status == KAN_OK; block++) {
        kan_local_classes made;
        space->limit = limit - classes->n_lost;
        kan_local_classes_init(&made, space);
        status = recode_block(&made, b, block, method, &is_complete);
        if (status == KAN_OK)
            status = kan_local_classes_take(classes, &made);
        kan_local_classes_destroy(&made);
    }
    space->limit = limit;
    if (status != KAN_OK || !is_complete || classes->n == 0)
        return status;
    return kan_local_classes_answer(classes, out);
}

static kan_status search(kan_local_space *space, kan_local_method method, kan_answer *out) {
    kan_local_classes classes;
    blocks b = {.n = 0};
    kan_status status;
    kan_local_classes_init(&classes, space);
    KAN_TRY_DONE(kan_alloc(space->run, space->n_tuples, sizeof *b.of, &b.of));
    KAN_TRY_DONE(kan_alloc(space->run, space->n_tuples, sizeof *b.rows, &b.rows));
    KAN_TRY_DONE(kan_local_find_blocks(space, b.of, &b.n));
    b.seconds = time_to_improve(space, b.n);
    KAN_TRY_DONE(recode_all(space, &classes, &b, method, out));
done:
    kan_local_classes_destroy(&classes);
    kan_free(space->run, b.of);
    kan_free(space->run, b.rows);
    return status;
}

kan_status kan_local_search(kan_run *run, const kan_question *question, kan_local_method method,
                            kan_answer *out) {
    kan_local_space space;
    memset(out, 0, sizeof *out);
    kan_status status = kan_local_space_make(run, question, &space);
    if (status == KAN_OK)
        status = search(&space, method, out);
    kan_local_space_destroy(&space);
    return status;
}
