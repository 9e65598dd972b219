/* `check`: a table held against a rule. Exit status by the result: satisfied, not satisfied, and not
 * checked where nothing was found and something could not be decided. */
#include "job/rules/rules.h"

static kan_status walk(kan_rules *r, kan_result *out) {
    KAN_TRY(kan_rules_open(r, "input"));
    KAN_TRY(kan_rules_judge(r));
    KAN_TRY(kan_rules_recount(r));
    const kan_rules_status status = kan_rules_status_of(r);
    out->holds = status == KAN_RULES_SATISFIED;
    if (status == KAN_RULES_UNCHECKED) {
        const size_t n = kan_rules_count(r, KAN_RULE_UNDECIDED);
        if (n > 0)
            kan_text_print(&out->unchecked, "%zu %s for a person to decide", n,
                           kan_plural(n, "column is", "columns are"));
        if (r->promise_reason)
            kan_text_print(&out->unchecked, "%s%s", n > 0 ? "; " : "", r->promise_reason);
        if (r->beside.n > 0)
            kan_text_print(&out->unchecked, "%sthe file has more than the table",
                           out->unchecked.size > 0 ? "; " : "");
        if (out->unchecked.size == 0)
            kan_text_print(&out->unchecked,
                           "a cap could not be decided, or its column is not there");
        KAN_TRY(kan_text_status(&out->unchecked));
    }
    KAN_TRY(kan_rules_summarize(r, &out->summary));
    KAN_TRY(kan_result_set_json(out, kan_rules_json(r)));
    /* Last: whatever fails before leaves no file. */
    return kan_rules_write_job(r);
}

kan_status kan_walk_check(kan_job *job, kan_result *out) {
    kan_rules r;
    kan_status status = kan_rules_begin(job, &r);
    if (status == KAN_OK)
        status = walk(&r, out);
    kan_rules_end(&r);
    return status;
}
