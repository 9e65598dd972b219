/* What building the cube costs: see trial.h. In a file of its own because it looks inside one
 * search, which nothing else here does. */
#include "search/incognito/cube.h"
#include "trial.h"

/* As incognito-cube itself does it, up to the search. */
static kan_status build_cube(kan_run *run, const kan_question *question, double *ms) {
    kan_subset_search *subsets;
    kan_cube cube;
    KAN_TRY(kan_subset_search_create(run, question, &subsets));
    double start = bench_cpu_ms();
    kan_status status = kan_cube_build(subsets, kan_run_memory_left(run) / 2, &cube);
    *ms = bench_cpu_ms() - start;
    if (status == KAN_OK)
        kan_cube_destroy(&cube);
    kan_subset_search_destroy(subsets);
    return status;
}

double trial_cube_ms(const trial_fold *fold, const trial_question *question) {
    kan_run *run = fold->setup.run;
    trial_asked asked;
    double best = -1, spent = 0;
    kan_status status = trial_ask(fold, question, &asked);
    for (unsigned i = 0; status == KAN_OK && i < TRIAL_MOST_RUNS && spent < TRIAL_ENOUGH_MS; i++) {
        double ms = 0;
        status = build_cube(run, &asked.question, &ms);
        spent += ms;
        best = best < 0 || ms < best ? ms : best;
    }
    trial_asked_destroy(&asked);
    return status == KAN_OK ? best : -1;
}
