/* The rules that kanon knows: one line each. */
#include <string.h>

#include "analyze/rules/rules.h"

static const kan_rule *const rules[] = {&kan_rule_hipaa, &kan_rule_ema, &kan_rule_hdx};

const kan_rule *kan_rule_at(size_t index) {
    return index < sizeof rules / sizeof *rules ? rules[index] : NULL;
}

const kan_rule *kan_rule_find(const char *name) {
    const kan_rule *rule;
    for (size_t i = 0; (rule = kan_rule_at(i)); i++)
        if (strcmp(rule->name, name) == 0)
            return rule;
    return NULL;
}

const char *kan_rule_verdict_word(kan_rule_verdict verdict) {
    return verdict == KAN_RULE_FOUND       ? "found"
           : verdict == KAN_RULE_UNDECIDED ? "undecided"
                                           : "clear";
}

const char *kan_rule_by_word(kan_rule_by by) {
    return by == KAN_RULE_BY_NAME ? "name" : by == KAN_RULE_BY_LABEL ? "label" : "values";
}
