/* What searches by local recoding have in common: rows that must go, the method, classes that fail,
 * and what can still be improved. */
#include <math.h>

#include "search/local/local_inside.h"

/* Makes classes of the rows in rows[]; *is_complete: all of them keep the promise. */
static kan_status recode(kan_local_classes *classes, uint64_t *rows, const kan_local_method *method,
                         bool *is_complete) {
    const kan_local_space *space = classes->space;
    bool passes;
    *is_complete = false;
    KAN_TRY(kan_local_fit(classes, rows, &passes));
    /* Then no recoding of all rows is possible, nor of those within the limit. */
    if (!passes && space->question->promise->survives_merge && space->limit == 0)
        return KAN_OK;
    KAN_TRY(method->make(classes, rows, passes));
    return kan_local_complete(classes, is_complete);
}

typedef struct {
    uint32_t n, *of;                 /* blocks, and that of each tuple */
    uint64_t *rows;                  /* by tuple: those of the block in hand */
    kan_local_effort without, asked; /* to improve each: by itself, and as the user says */
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

/* What the search does by itself, and what is asked for. */
static kan_status improve(kan_local_classes *made, const blocks *b) {
    if (b->without.work > 0)
        KAN_TRY(kan_local_improve(made, b->without));
    return b->asked.seconds > 0 ? kan_local_improve(made, b->asked) : KAN_OK;
}

/* One block; the limit is what the others have left of it. */
static kan_status recode_block(kan_local_classes *made, const blocks *b, uint32_t block,
                               const kan_local_method *method, bool *is_complete) {
    const uint64_t n_rows = take_block(made->space, b, block);
    KAN_TRY(recode(made, b->rows, method, is_complete));
    if (*is_complete)
        return improve(made, b);
    *is_complete = n_rows <= made->space->limit;
    return *is_complete ? leave_out(made, b, block, n_rows) : KAN_OK;
}

/* Whether a cost is asked for that the method does not look at. */
static bool is_unheard(const kan_question *question, const kan_local_method *method) {
    return kan_options_find(question->options, "cost") &&
           (method->follows == KAN_FOLLOWS_NONE ||
            (method->follows == KAN_FOLLOWS_CELLS && !question->objective->kind->price));
}

/* How long rows may be moved between the classes of a block. */
static void allot(const kan_local_space *space, const kan_local_method *method, blocks *b) {
    enum { FOLLOWING = 20000000 }; /* some tenths of a second */
    const double seconds = kan_options_real(space->question->options, "improve", 0);
    const bool is_improved = is_unheard(space->question, method);
    if (space->question->promise->survives_merge) {
        const uint64_t work = is_improved && method->work < FOLLOWING ? FOLLOWING : method->work;
        b->without = (kan_local_effort){INFINITY, work / b->n};
        b->asked = (kan_local_effort){seconds / b->n, 0};
        return;
    }
    /* what it moves may come to show the same as others, and be one with them */
    if (seconds > 0)
        kan_note(space->run, "--improve is left out: two groups that keep this promise may break "
                             "it together");
    else if (is_improved)
        kan_note(space->run, "--cost changes nothing: the search does not look at it, and what it "
                             "makes cannot be improved, as two groups that keep this promise may "
                             "break it together");
}

/* Block by block; not complete where one of them fails, or nothing would be released. */
static kan_status recode_all(kan_local_space *space, kan_local_classes *classes, const blocks *b,
                             const kan_local_method *method, bool *is_complete) {
    const uint64_t limit = space->limit;
    kan_status status = KAN_OK;
    *is_complete = true;
    for (uint32_t block = 0; block < b->n && *is_complete && status == KAN_OK; block++) {
        kan_local_classes made;
        space->limit = limit - classes->n_lost;
        kan_local_classes_init(&made, space);
        status = recode_block(&made, b, block, method, is_complete);
        if (status == KAN_OK)
            status = kan_local_classes_take(classes, &made);
        kan_local_classes_destroy(&made);
    }
    space->limit = limit;
    *is_complete &= classes->n > 0;
    return status;
}

/* Takes the rival's classes where there are no others, or where they cost less. */
static kan_status take_rival(kan_local_classes *classes, const kan_local_method *method,
                             const blocks *b, bool *is_complete) {
    kan_local_classes other;
    bool is_found = false;
    kan_local_classes_init(&other, classes->space);
    kan_status status = method->rival(&other, &is_found);
    if (status == KAN_OK && is_found &&
        (!*is_complete || kan_local_classes_price(&other) < kan_local_classes_price(classes))) {
        const kan_local_classes taken = other;
        other = *classes;
        *classes = taken;
        *is_complete = true;
        status = improve(classes, b);
    }
    kan_local_classes_destroy(&other);
    return status;
}

static kan_status search(kan_local_space *space, const kan_local_method *method, kan_answer *out) {
    kan_local_classes classes;
    blocks b = {.n = 0};
    bool is_complete;
    kan_status status;
    kan_local_classes_init(&classes, space);
    KAN_TRY_DONE(kan_alloc(space->run, space->n_tuples, sizeof *b.of, &b.of));
    KAN_TRY_DONE(kan_alloc(space->run, space->n_tuples, sizeof *b.rows, &b.rows));
    KAN_TRY_DONE(kan_local_find_blocks(space, b.of, &b.n));
    allot(space, method, &b);
    KAN_TRY_DONE(recode_all(space, &classes, &b, method, &is_complete));
    if (method->rival && !kan_should_stop(space->run))
        KAN_TRY_DONE(take_rival(&classes, method, &b, &is_complete));
    if (is_complete)
        KAN_TRY_DONE(kan_local_classes_answer(&classes, out));
done:
    kan_local_classes_destroy(&classes);
    kan_free(space->run, b.of);
    kan_free(space->run, b.rows);
    return status;
}

kan_status kan_local_search(kan_run *run, const kan_question *question,
                            const kan_local_method *method, kan_answer *out) {
    kan_local_space space;
    memset(out, 0, sizeof *out);
    kan_status status = kan_local_space_make(run, question, &space);
    if (status == KAN_OK &&
        (method->follows == KAN_FOLLOWS_ALL || kan_options_find(question->options, "cost")))
        kan_local_price_follow(&space);
    if (status == KAN_OK)
        status = search(&space, method, out);
    kan_local_space_destroy(&space);
    return status;
}
