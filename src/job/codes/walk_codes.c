/* The walks with a column of codes: read, search, write beside the target, recount, name. */
#include "job/codes/codes_inside.h"

/* ---- anonymize ------------------------------------------------------------------------------ */

/* Nothing gets its name that was not counted again. */
static kan_status check(kan_code_job *c, const kan_table *released, const uint64_t *row_of,
                        uint64_t n_released) {
    kan_code_verdict verdict;
    kan_status status = kan_code_job_recount(c, released, "the release", row_of, &verdict);
    if (status == KAN_OK && (verdict.fault.size > 0 || verdict.unchecked.size > 0 ||
                             verdict.recount.n_people != n_released))
        status = kan_fail(c->run, KAN_FAILED,
                          "internal error: the release was counted again, and is not what was "
                          "promised; nothing was released; please report it: %s",
                          verdict.fault.size > 0       ? verdict.fault.bytes
                          : verdict.unchecked.size > 0 ? verdict.unchecked.bytes
                                                       : "rows were lost");
    c->recount = verdict.recount;
    c->recount.foreign = (kan_slice){NULL, 0}; /* of the table that goes now */
    kan_code_verdict_destroy(&verdict);
    return status;
}

static kan_status recount(kan_code_job *c, const kan_release_part *part) {
    const uint32_t n = c->question.people.n;
    kan_table *released = NULL;
    uint64_t *row_of = NULL, n_released = 0;
    kan_status status;
    KAN_TRY_DONE(kan_release_part_read(part, &released));
    KAN_TRY_DONE(kan_alloc(c->run, n, sizeof *row_of, &row_of));
    for (uint32_t row = 0; row < n; row++)
        if (!c->answer.is_left[row])
            row_of[n_released++] = row;
    if (released->n_rows == n_released)
        KAN_TRY_DONE(check(c, released, row_of, n_released));
    else
        status = kan_fail(c->run, KAN_FAILED,
                          "internal error: rows were lost on the way to the disk; nothing was "
                          "released; please report it");
done:
    kan_table_destroy(released);
    kan_free(c->run, row_of);
    return status;
}

static kan_status release(kan_code_job *c, const char *output, kan_result *out) {
    const kan_options *options = &c->job->options;
    const kan_release_part_order order = {.setup = &c->setup,
                                          .is_left_out = c->answer.is_left,
                                          .n_left_out = c->answer.n_left,
                                          .kind = kan_output_kind(c->job),
                                          .target = output,
                                          .texts = &c->texts,
                                          .overwrite = kan_options_switch(options, "force")};
    kan_release_part *part = NULL;
    kan_status status;
    const double start = kan_now_ms();
    kan_report_progress(c->run, "write", 0, 0);
    KAN_TRY(kan_release_part_write(&order, &part));
    kan_release_part_tell(part);
    c->write_ms = kan_now_ms() - start;
    KAN_TRY_DONE(recount(c, part));
    KAN_TRY_DONE(kan_code_job_tell_release(c, output, out));
    KAN_TRY_DONE(kan_check_cancel(c->run));
    KAN_TRY_DONE(kan_release_part_commit(part));
    out->holds = true;
done:
    kan_release_part_destroy(part);
    return status;
}

kan_status kan_codes_anonymize(kan_job *job, kan_result *out) {
    kan_code_job c;
    kan_status status;
    const char *output = kan_options_find(&job->options, "output");
    job->makes_release = true;
    KAN_TRY_DONE(kan_code_job_init(job, &c));
    KAN_TRY_DONE(kan_output_check(job));
    KAN_TRY_DONE(kan_code_job_read(&c, "input"));
    KAN_TRY_DONE(kan_code_job_solve(&c));
    KAN_TRY_DONE(release(&c, output, out));
done:
    kan_code_job_destroy(&c);
    return status;
}

/* ---- verify --------------------------------------------------------------------------------- */

static kan_status verify(kan_code_job *c, kan_input *release, kan_result *out) {
    kan_code_verdict verdict;
    kan_status status;
    KAN_TRY(kan_input_open_release(c->job, "input", false, release));
    KAN_TRY(kan_code_job_take_released(c, release));
    for (size_t i = 0; i < release->n_columns; i++)
        release->encode[i] = true;
    KAN_TRY(kan_input_read(release));
    status = kan_code_job_recount(c, release->table, release->name, NULL, &verdict);
    if (status == KAN_OK)
        status = kan_code_job_tell_verdict(c, release->name, &verdict, out);
    kan_code_verdict_destroy(&verdict);
    return status;
}

kan_status kan_codes_verify(kan_job *job, kan_result *out) {
    kan_code_job c;
    kan_input release = {.run = job->run};
    kan_status status;
    KAN_TRY_DONE(kan_code_job_init(job, &c));
    KAN_TRY_DONE(kan_options_find(&job->options, "original") ? kan_code_job_read(&c, "original")
                                                             : kan_code_job_bind(&c));
    KAN_TRY_DONE(verify(&c, &release, out));
done:
    kan_input_close(&release);
    kan_code_job_destroy(&c);
    return status;
}
