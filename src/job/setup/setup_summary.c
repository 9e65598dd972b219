/* What takes the place of the cells of a column, where searches over regions make groups: means and
 * medians of numbers, modes of text. */
#include "job/settings/settings.h"
#include "job/setup/setup.h"

kan_summary_form kan_setup_summary(const kan_setup *setup) {
    return kan_kind_has_option(&setup->search->kind, "summary")
               ? kan_summary_of(kan_options_find(&setup->job->options, "summary"))
               : KAN_SUMMARY_RANGE;
}

bool kan_setup_has_mean(const kan_setup *setup, unsigned a) {
    const kan_domain *domain = setup->domains[a];
    /* the ends of a capped column have no number to be averaged */
    return domain && domain->is_by_value && domain->column->dictionary.type == KAN_TYPE_NUMBER &&
           !domain->column->ends;
}

kan_middle kan_setup_middle(const kan_setup *setup, unsigned a) {
    const kan_summary_form form = kan_setup_summary(setup);
    if (kan_kind_has_option(&setup->search->kind, "modes") &&
        kan_options_switch(&setup->job->options, "modes") && setup->domains[a] &&
        setup->domains[a]->column->dictionary.type == KAN_TYPE_TEXT)
        return KAN_MIDDLE_MODE;
    if (!kan_summary_is_number(form) || !kan_setup_has_mean(setup, a))
        return KAN_MIDDLE_NONE;
    return form == KAN_SUMMARY_MEDIAN ? KAN_MIDDLE_MEDIAN : KAN_MIDDLE_MEAN;
}
