/* Pictures of jobs: which two columns, and where to. What is drawn, and what may be: see
 * report/partition_picture.h. */
#include "job/outcome/picture.h"

#include "io/streams/streams.h"
#include "report/partition_picture.h"

static const char *wanted_path(const kan_setup *setup) {
    return kan_options_find(&setup->job->options, "picture");
}

/* ---- which columns -------------------------------------------------------------------------- */

static const kan_column *column_of(const kan_setup *setup, unsigned a) {
    return &setup->table->columns[setup->quasi[a]];
}

/* Values of a column: those of released rows once these are known. */
static uint32_t count_values(const kan_setup *setup, const kan_released *released, unsigned a) {
    return released ? kan_released_values(released, a) : column_of(setup, a)->dictionary.n;
}

/* The two with the most values; the first of equals. In the order of the quasi-identifiers. */
static void choose_columns(const kan_setup *setup, const kan_released *released, unsigned *out) {
    unsigned best[2] = {0, 1};
    uint32_t most[2] = {count_values(setup, released, 0), 0};
    for (unsigned a = 1; a < setup->n_quasi; a++) {
        const uint32_t n = count_values(setup, released, a);
        if (n > most[0]) {
            best[1] = best[0];
            most[1] = most[0];
            best[0] = a;
            most[0] = n;
        } else if (a == 1 || n > most[1]) {
            best[1] = a;
            most[1] = n;
        }
    }
    out[0] = best[0] < best[1] ? best[0] : best[1];
    out[1] = best[0] < best[1] ? best[1] : best[0];
}

static kan_status find_column(const kan_setup *setup, const char *name, unsigned *out) {
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (strcmp(column_of(setup, a)->name, name) == 0) {
            *out = a;
            return KAN_OK;
        }
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--picture-columns: '%s' is not a quasi-identifier; name two of --qi", name);
}

static kan_status find_columns(const kan_setup *setup, const kan_released *released,
                               unsigned *out) {
    const kan_options *options = &setup->job->options;
    const size_t n = kan_options_count_of(options, "picture-columns");
    if (setup->n_quasi < 2)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--picture shows two quasi-identifiers, and there is one; name another "
                        "with --qi, or leave --picture out");
    if (n == 0) {
        choose_columns(setup, released, out);
        return KAN_OK;
    }
    if (n != 2)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--picture-columns names %zu column%s, and a picture has two; write "
                        "--picture-columns ACROSS,UPWARDS",
                        n, n == 1 ? "" : "s");
    for (unsigned i = 0; i < 2; i++)
        KAN_TRY(find_column(setup, kan_options_at(options, "picture-columns", i), &out[i]));
    if (out[0] == out[1])
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--picture-columns names '%s' twice; name two columns",
                        column_of(setup, out[0])->name);
    return KAN_OK;
}

kan_status kan_picture_is_possible(const kan_setup *setup) {
    unsigned columns[2];
    if (!wanted_path(setup)) {
        if (kan_options_find(&setup->job->options, "picture-columns"))
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--picture-columns says what a picture shows, and none is asked for; "
                            "write --picture FILE.svg as well");
        return KAN_OK;
    }
    if (!setup->search->regions || setup->search->local)
        return kan_fail(
            setup->run, KAN_BAD_INPUT,
            "--picture shows regions, and %s makes none; write %s, or leave --picture out",
            setup->search->kind.name,
            kan_options_find(&setup->job->options, "recoding")
                ? "--recoding ordered-regions, without --algorithm"
                : "--algorithm mondrian");
    KAN_TRY(find_columns(setup, NULL, columns));
    for (unsigned i = 0; i < 2; i++)
        switch (kan_setup_middle(setup, columns[i])) {
        case KAN_MIDDLE_NONE:
            break;
        case KAN_MIDDLE_MODE:
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--picture shows what covers groups, and with --modes the release "
                            "shows none of '%s'; leave --modes out, or write --picture-columns "
                            "without it",
                            column_of(setup, columns[i])->name);
        case KAN_MIDDLE_MEAN:
        case KAN_MIDDLE_MEDIAN:
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--picture shows ranges, and with --summary %s the release has none "
                            "of '%s'; write --summary range or both, or --picture-columns without "
                            "it",
                            kan_options_find(&setup->job->options, "summary"),
                            column_of(setup, columns[i])->name);
        }
    return KAN_OK;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* The column of the release that shows the cells of an attribute. */
static kan_status take_column(const kan_solution *solution, unsigned a, kan_picture_column *out) {
    const kan_setup *setup = solution->setup;
    const kan_group_release *release = &solution->by_group;
    for (size_t c = 0; c < release->n_columns; c++)
        if (release->attribute_of[c] == a && release->middle[c] == KAN_MIDDLE_NONE) {
            *out = (kan_picture_column){.name = column_of(setup, a)->name,
                                        .domain = setup->domains[a],
                                        .cells = &solution->answer.recoding.regions->cells[a],
                                        .names = &release->names[a],
                                        .cell_of = release->codes + c * release->n_groups};
            return KAN_OK;
        }
    return kan_fail(setup->run, KAN_FAILED,
                    "internal error: the release has no ranges to draw; please report this");
}

static kan_status draw(const kan_released *released, kan_text *text) {
    const kan_solution *solution = released->solution;
    const kan_setup *setup = solution->setup;
    /* a local recoding may leave rows out: the last group, which is not released */
    kan_partition_picture picture = {.n_quasi = setup->n_quasi,
                                     .n_groups = solution->groups.n_released_groups,
                                     .n_rows = solution->viewer.counts};
    unsigned columns[2];
    KAN_TRY(find_columns(setup, released, columns));
    for (unsigned i = 0; i < 2; i++)
        KAN_TRY(take_column(solution, columns[i], &picture.columns[i]));
    return kan_partition_picture_print(setup->run, &picture, text);
}

kan_status kan_picture_draw(const kan_released *released, kan_text *text, unsigned *columns,
                            bool *is_drawn) {
    const kan_solution *solution = released->solution;
    const kan_setup *setup = solution->setup;
    *is_drawn = false;
    if (!kan_recoding_has_regions(&solution->answer.recoding) || setup->n_quasi < 2 ||
        solution->groups.n_released_groups == 0)
        return KAN_OK;
    KAN_TRY(find_columns(setup, released, columns));
    for (unsigned i = 0; i < 2; i++)
        if (kan_setup_middle(setup, columns[i]) != KAN_MIDDLE_NONE)
            return KAN_OK;
    KAN_TRY(draw(released, text));
    *is_drawn = true;
    return KAN_OK;
}

kan_status kan_picture_write(const kan_setup *setup, const kan_released *released) {
    const char *path = wanted_path(setup);
    kan_status status;
    kan_text text;
    if (!path)
        return KAN_OK;
    KAN_TRY(kan_picture_is_possible(setup));
    kan_text_init(&text, setup->run);
    KAN_TRY_DONE(draw(released, &text));
    status = kan_target_put(setup->run, path, kan_options_switch(&setup->job->options, "force"),
                            KAN_TARGET_SHARED, text.bytes, text.size);
done:
    kan_text_destroy(&text);
    return status;
}
