/* --calibrate: released weights of a stratum add up to those of all of its rows. Here is found which columns
 * make strata, and refused where nobody has said what it would be. */
#include "job/settings/settings.h"
#include "job/setup/setup.h"

static kan_status refuse(const kan_setup *setup, const char *why) {
    return kan_fail(setup->run, KAN_BAD_INPUT, "--calibrate: %s", why);
}

static kan_status find_weight(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    setup->calibrated = SIZE_MAX;
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (setup->roles[i] == KAN_ROLE_WEIGHT)
            setup->calibrated = i;
    if (setup->calibrated == SIZE_MAX)
        return refuse(setup, "there are no weights to calibrate; name their column with "
                             "--sampling-weight NAME, and release it with --keep NAME");
    if (!setup->shows_weight)
        return refuse(setup, "the weights are left out of the release, so that there is nothing to "
                             "calibrate; release them with --keep, too, or leave --calibrate out");
    if (kan_options_find(options, "person"))
        return refuse(setup, "what a weight is where a person has several rows is not worked out "
                             "(--person); leave --calibrate out, and the weights stay as they are");
    if (kan_options_switch(options, "show-suppressed"))
        return refuse(setup, "rows that are left out would show their weights all the same "
                             "(--show-suppressed), and others stand for them, too; leave one of "
                             "the two out");
    return KAN_OK;
}

static void take_column(kan_setup *setup, const char *name) {
    const kan_slice named = kan_slice_of(name);
    char quoted[256];
    size_t column;
    if (!kan_input_find(&setup->input, named, &column)) {
        kan_input_add_unknown(&setup->input, "calibrate", named);
        return;
    }
    if (column == setup->calibrated)
        kan_problem_add(setup->run,
                        "--calibrate: column %s has the weights themselves; name columns whose "
                        "values make strata, such as a region",
                        kan_quote(named, quoted));
    for (size_t i = 0; i < setup->n_strata; i++)
        if (setup->strata[i] == column)
            kan_problem_add(setup->run, "--calibrate: column %s is named twice",
                            kan_quote(named, quoted));
    setup->strata[setup->n_strata++] = column;
}

kan_status kan_setup_take_calibration(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    const size_t n = kan_options_count_of(options, "calibrate");
    if (n == 0)
        return KAN_OK;
    KAN_TRY(find_weight(setup));
    KAN_TRY(kan_arena_alloc(&setup->job->arena, n, sizeof *setup->strata, &setup->strata));
    kan_problems_begin(setup->run);
    for (size_t i = 0; i < n; i++)
        take_column(setup, kan_options_at(options, "calibrate", i));
    return kan_problems_end(setup->run);
}

void kan_setup_add_strata(const kan_setup *setup, kan_text *text) {
    enum { NAME_COLUMNS = 40 };
    for (size_t i = 0; i < setup->n_strata; i++) {
        kan_text_print(text, "%s", i > 0 ? ", " : "");
        (void)kan_words_add_label(text, kan_slice_of(setup->table->columns[setup->strata[i]].name),
                                  NAME_COLUMNS);
    }
}
