/* What searches by local recoding have in common: rows that must go, the method, classes that fail,
 * and what can still be improved. */
#include "search/local/local_inside.h"

static kan_status recode(kan_local_classes *classes, uint64_t *rows, kan_local_method method,
                         kan_answer *out) {
    const kan_local_space *space = classes->space;
    bool passes, is_complete;
    memcpy(rows, space->rows, space->n_tuples * sizeof *rows);
    KAN_TRY(kan_local_fit(classes, rows, &passes));
    /* Then no recoding of all rows is possible, nor of those within the limit. */
    if (!passes && space->question->promise->survives_merge && space->limit == 0)
        return KAN_OK;
    KAN_TRY(method(classes, rows, passes));
    KAN_TRY(kan_local_complete(classes, &is_complete));
    if (!is_complete)
        return KAN_OK;
    const double seconds = kan_options_real(space->question->options, "improve", 0);
    if (seconds > 0 && space->question->promise->survives_merge)
        KAN_TRY(kan_local_improve(classes, seconds));
    else if (seconds >
             0) /* what it moves may come to show the same as others, and be one with them */
        kan_note(space->run,
                 "--improve is left out: two groups that keep this promise may break it "
                 "together");
    return kan_local_classes_answer(classes, out);
}

static kan_status search(const kan_local_space *space, kan_local_method method, kan_answer *out) {
    kan_local_classes classes;
    uint64_t *rows;
    KAN_TRY(kan_alloc(space->run, space->n_tuples, sizeof *rows, &rows));
    kan_local_classes_init(&classes, space);
    const kan_status status = recode(&classes, rows, method, out);
    kan_local_classes_destroy(&classes);
    kan_free(space->run, rows);
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
