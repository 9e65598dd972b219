/* The table of rules, by the name of the model. */
#include <string.h>

#include "analyze/recodings/labels.h"

static const struct {
    const char *model;
    kan_shape_rule rule;
} rules[] = {
    {"full-domain", kan_rule_full_domain},
    {"attribute-suppression", kan_rule_attribute_suppression},
    {"full-subtree", kan_rule_full_subtree},
    {"ordered-set", kan_rule_ordered_set},
    {"unrestricted", kan_rule_unrestricted},
    {"full-subgraph", kan_rule_full_subgraph},
    {"unrestricted-multi", kan_rule_unrestricted_multi},
    {"ordered-regions", kan_rule_ordered_regions},
    {"relaxed-regions", kan_rule_relaxed_regions},
    {"cell-suppression", kan_rule_cell_suppression},
    {"cell-generalization", kan_rule_cell_generalization},
};

static kan_shape_rule find(const char *model) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].model, model) == 0)
            return rules[i].rule;
    return NULL;
}

bool kan_shape_has_rule(const char *model) {
    return find(model) != NULL;
}

/* What the rule says in one reading of the labels; is_unsure: there is another. */
static kan_status ask(kan_run *run, kan_shape_rule rule, const kan_shape_question *question,
                      bool is_wide, bool *is_unsure, kan_shape_verdict *out) {
    kan_shape shape;
    *out = (kan_shape_verdict){.holds = true};
    *is_unsure = false;
    kan_status status = kan_shape_make(run, question, is_wide, &shape);
    if (status == KAN_OK)
        status = rule(&shape, out);
    for (size_t c = 0; c < shape.n_columns; c++)
        *is_unsure |= shape.labels[c].is_unsure;
    kan_shape_destroy(&shape);
    return status;
}

kan_status kan_shape_check(kan_run *run, const char *model, const kan_shape_question *question,
                           kan_shape_verdict *out) {
    const kan_shape_rule rule = find(model);
    kan_shape_verdict verdict, wide;
    bool is_unsure;
    if (!rule)
        return kan_fail(
            run, KAN_BAD_INPUT,
            "no release can be checked against the model %s: it has no rule for what is shown",
            model);
    KAN_TRY(ask(run, rule, question, false, &is_unsure, &verdict));
    if (is_unsure) {
        KAN_TRY(ask(run, rule, question, true, &is_unsure, &wide));
        if (verdict.holds != wide.holds)
            verdict = (kan_shape_verdict){
                .holds = true,
                .unchecked = "fully, as a label might be more than one node of its hierarchy"};
    }
    /* an end is a value, or a range up to it, and only the original says which values there are */
    for (size_t c = 0; c < question->n_columns && !verdict.holds; c++)
        if (question->columns[c].has_ends)
            verdict = (kan_shape_verdict){.holds = true,
                                          .unchecked = "what the ends of capped columns stand for"};
    for (size_t c = 0; c < question->n_columns && !verdict.unchecked; c++)
        if (question->columns[c].is_unread)
            verdict.unchecked = "which values its intervals and lists hold";
    *out = verdict;
    return KAN_OK;
}
