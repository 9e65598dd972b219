/* Population uniques, recounted: the share of the population that is unique, by the estimate that
 * `kanon risk` tells first, is at most S. From the sizes of the released groups, and the size of the
 * population: as it was given, or the released rows / the fraction, or the sum of their weights.
 *
 * The search estimates by code of its own, with 1e-3 of S to spare. No group but those of one row can be
 * why it fails. The group of rows that show * in every quasi-identifier is one like any other; where the
 * rest keeps the promise without it, it alone is what fails. */
#include <stdlib.h>

#include "analyze/models/uniques.h"
#include "analyze/verify/verify.h"

static int compare_sizes(const void *a, const void *b) {
    const kan_size_count *x = a, *y = b;
    return x->size < y->size ? -1 : x->size > y->size;
}

static double count_people(const kan_claim_model *model, double rows, double weights) {
    const double people = (double)kan_options_count(model->options, "population-size", 0);
    const double fraction = kan_options_real(model->options, "sampling-fraction", 0);
    return people > 0 ? people : fraction > 0 ? rows / fraction : weights;
}

/* The share that is estimated from all groups but one (SIZE_MAX: from all); 0 where nobody is alone, and
 * 2 where there is no estimate. */
static double estimate(const kan_claim_model *model, const kan_groups_recount *groups,
                       size_t without) {
    kan_group_sizes sizes = {.counts = (void *)groups->size_room};
    kan_estimates found;
    double rows = 0, weights = 0;
    size_t n = 0;
    for (size_t g = 0; g < groups->n; g++) {
        if (g == without)
            continue;
        sizes.counts[n++] = (kan_size_count){groups->rows[g], 1};
        rows += (double)groups->rows[g];
        weights += groups->weights ? groups->weights[g] : 0;
    }
    if (n == 0)
        return 0;
    qsort(sizes.counts, n, sizeof *sizes.counts, compare_sizes);
    for (size_t i = 0; i < n; i++) {
        if (sizes.n > 0 && sizes.counts[sizes.n - 1].size == sizes.counts[i].size)
            sizes.counts[sizes.n - 1].n_groups++;
        else
            sizes.counts[sizes.n++] = sizes.counts[i];
    }
    if (sizes.counts[0].size > 1)
        return 0;
    kan_estimate_make(&sizes, count_people(model, rows, weights), &found);
    return found.has_chosen && found.by[found.chosen].is_known ? found.by[found.chosen].share : 2;
}

static void check_groups(const kan_claim_model *model, const kan_groups_recount *groups,
                         kan_model_recount *out) {
    const double most = (double)model->numerator / (double)model->denominator;
    const double share = estimate(model, groups, SIZE_MAX);
    out->is_reached = groups->n > 0 && share <= 1;
    out->whole = 1; /* what is reached is no fraction */
    out->reached = out->is_reached ? share : 0;
    out->holds = share <= most;
    if (out->holds)
        return;
    out->star_fails = groups->star != SIZE_MAX && estimate(model, groups, groups->star) <= most;
    for (size_t g = 0; g < groups->n; g++)
        if (out->star_fails ? g == groups->star : groups->rows[g] == 1)
            kan_model_add_failing(groups, g, out);
}

/* `options` has the settings of the job, all of them. */
static kan_status read(kan_run *run, const kan_options *options, kan_claim_model *model) {
    const char *fraction = kan_options_find(options, "sampling-fraction");
    KAN_TRY(kan_recount_read_decimal(run, options, "population-uniques", model));
    if (fraction && kan_options_find(options, "population-size"))
        return kan_fail(run, KAN_BAD_INPUT,
                        "--population-size and --sampling-fraction say the same; leave one out");
    if (fraction && !(kan_options_real(options, "sampling-fraction", 0) > 0))
        return kan_fail(
            run, KAN_BAD_INPUT,
            "--sampling-fraction: 0 is not a share that a table can be; write a decimal "
            "above 0, such as 0.05");
    return KAN_OK;
}

static void tell(const kan_claim_model *model, const kan_claim_column *column, kan_facts *facts) {
    (void)column;
    kan_facts_add(facts, (kan_fact){"population-uniques", KAN_FACT_NUMBER, .text = model->text});
}

static void say_promised(const kan_claim_model *model, const kan_claim_column *column,
                         kan_text *text) {
    (void)column;
    kan_text_print(text, "=%s", model->text);
}

static void say_reached(double reached, kan_text *text) {
    kan_text_print(text, ", the estimated share of the population is %.4g", reached);
}

static const kan_shown_fact shown[] = {{"population-uniques", KAN_SHOWN_SHARE}};

static void show(const kan_model_page *page) {
    page->say(page,
              "The table is a sample of a larger population. Of all the people there, at most ");
    page->percent(page, "population-uniques");
    page->say(page, " are like nobody else in what the release shows, as it is estimated from the "
                    "sizes of its groups. That is an estimate, and says nothing of those few.");
    page->reached(page, " The estimate is ", true);
}

const kan_recount_kind kan_recount_population_uniques = {
    .name = "population-uniques",
    .uses_weights = true,
    .takes_size = true,
    .read = read,
    .check_groups = check_groups,
    .tell = tell,
    .say_promised = say_promised,
    .say_reached = say_reached,
    .shown = shown,
    .n_shown = sizeof shown / sizeof *shown,
    .show = show,
};
