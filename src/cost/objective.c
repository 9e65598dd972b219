/* Making a cost ready. */
#include "cost/cost.h"

kan_status kan_objective_create(kan_run *run, kan_arena *arena, const kan_cost_kind *kind,
                                const kan_options *options, uint64_t k, const kan_problem *problem,
                                kan_objective *out) {
    if (kind->needs_class && problem->class_tail == KAN_NO_TAIL)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--cost %s needs a class column; name it with --class NAME",
                        kind->kind.name);
    kan_objective made = {.kind = kind};
    KAN_TRY(kind->of_rows
                ? kan_people_cost_create(run, arena, kind, options, k, problem, &made.state)
                : kind->create(run, arena, options, k, problem, &made.state));
    *out = made;
    return KAN_OK;
}

kan_status kan_cost_keep_problem(kan_run *run, kan_arena *arena, const kan_options *options,
                                 uint64_t k, const kan_problem *problem, void **out) {
    (void)run;
    (void)options;
    (void)k;
    const kan_problem **kept;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *kept, &kept));
    *kept = problem;
    *out = kept;
    return KAN_OK;
}

kan_status kan_cost_keep_k(kan_run *run, kan_arena *arena, const kan_options *options, uint64_t k,
                           const kan_problem *problem, void **out) {
    (void)run;
    (void)options;
    (void)problem;
    uint64_t *kept;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *kept, &kept));
    *kept = k;
    *out = kept;
    return KAN_OK;
}
