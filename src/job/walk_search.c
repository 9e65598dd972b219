/* `search`: the solution space and its best, without a release. */
#include "job/result.h"

kan_status kan_walk_search(kan_job *job, kan_result *out) {
    kan_status status;
    kan_setup setup;
    kan_solution solution = {.setup = &setup};
    double start = kan_now_ms();
    KAN_TRY_DONE(kan_setup_make(job, &setup));
    status = kan_solution_find(&setup, false, &solution);
    if (status == KAN_OK) {
        kan_outcome outcome = {.command = "search",
                               .setup = &setup,
                               .solution = &solution,
                               .total_ms = kan_now_ms() - start};
        out->holds = true;
        status = kan_result_write(&outcome, out);
    }
    kan_solution_destroy(&solution);
done:
    kan_setup_destroy(&setup);
    return status;
}
