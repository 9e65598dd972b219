/* What a rule promises, recounted as `verify` recounts it: a job of its own, with the settings of this
 * one that `verify` shares and the numbers of the rule. Its columns are those of the rule, and those
 * that --qi adds. */
#include "job/rules/rules.h"
#include "job/verify/verify.h"

static bool is_shared(const char *name) {
    const kan_setting_entry *here = kan_setting_entry_for(name, "check");
    const kan_setting_entry *there = kan_setting_entry_for(name, "verify");
    return here && there && !(here->setting.traits & KAN_TRAIT_OUTPUT);
}

/* A column of the rule that the table has not got tells nobody anything; one that has another name is for
 * a person to decide. */
static bool is_there(const kan_rules *r, const char *name) {
    size_t unused;
    return kan_input_find(&r->input, kan_slice_of(name), &unused);
}

static bool has_quasi(const kan_rules *r) {
    for (size_t i = 0; r->rule.qi[i]; i++)
        if (is_there(r, r->rule.qi[i]))
            return true;
    return kan_options_find(&r->job->options, "qi") != NULL;
}

static kan_status fill(const kan_rules *r, kan_job *job) {
    const kan_options *options = &r->job->options;
    for (size_t i = 0; i < options->n; i++)
        if (is_shared(options->values[i].name))
            KAN_TRY(kan_job_add(job, options->values[i].name, options->values[i].value));
    for (size_t i = 0; r->rule.qi[i]; i++) {
        const char *item;
        if (!is_there(r, r->rule.qi[i]) || kan_rules_names(r->job, "qi", r->rule.qi[i]))
            continue;
        KAN_TRY(kan_pair_join(job, kan_setting_entry_find("qi"), r->rule.qi[i], "", &item));
        KAN_TRY(kan_job_add(job, "qi", item));
    }
    for (size_t i = 0; i < KAN_RULE_PROMISES && r->rule.promise[i].setting; i++)
        KAN_TRY(kan_job_add(job, r->rule.promise[i].setting, r->rule.promise[i].value));
    job->table = r->job->table;
    job->is_table_taken = r->job->is_table_taken;
    job->tables = r->job->tables;
    return KAN_OK;
}

/* What `verify` asks for beside numbers: whose rows they are. */
static kan_status check_people(const kan_rules *r, const kan_job *job) {
    const kan_options *options = &job->options;
    if (kan_options_find(options, "person") || kan_options_find(options, "household"))
        return KAN_OK;
    for (size_t i = 0; i < KAN_RULE_PROMISES && r->rule.promise[i].setting; i++)
        if (kan_setting_traits(r->rule.promise[i].setting, "verify") & KAN_TRAIT_PEOPLE)
            return kan_fail(r->run, KAN_BAD_INPUT,
                            "--rules: %s asks for --%s %s, which is about people who have several "
                            "rows; name the column that identifies the person with --person NAME",
                            r->rule.name, r->rule.promise[i].setting, r->rule.promise[i].value);
    return KAN_OK;
}

static kan_status recount(kan_rules *r, kan_job *job) {
    kan_result *found;
    kan_status status;
    json_error_t error;
    KAN_TRY(kan_result_create(r->run, &found));
    KAN_TRY_DONE(kan_walk_verify(job, found));
    r->recount = json_loads(kan_result_json(found), 0, &error);
    if (!r->recount) {
        status = kan_fail(r->run, KAN_FAILED, "out of memory");
        goto done;
    }
    r->promise = kan_result_holds(found)       ? KAN_RULES_SATISFIED
                 : kan_result_unchecked(found) ? KAN_RULES_UNCHECKED
                                               : KAN_RULES_BROKEN;
    if (r->promise == KAN_RULES_UNCHECKED)
        KAN_TRY_DONE(kan_arena_copy(&r->job->arena, found->unchecked.bytes, found->unchecked.size,
                                    &r->promise_reason));
done:
    kan_result_destroy(found);
    return status;
}

kan_status kan_rules_recount(kan_rules *r) {
    const kan_options *options = &r->job->options;
    const char *input = kan_options_find(options, "input");
    kan_job *job;
    if (!r->has_promise)
        return KAN_OK;
    r->promise = KAN_RULES_UNCHECKED;
    if (!has_quasi(r))
        r->promise_reason = "which columns could others know? name them with --qi";
    else if (r->rule.needs_weights && !kan_options_find(options, "sampling-weight"))
        r->promise_reason =
            "how many people does each row stand for? name the column of the weights "
            "with --sampling-weight";
    else if (input && strcmp(input, "-") == 0)
        r->promise_reason =
            "a promise is counted in a second reading: name a file, not standard input";
    if (r->promise_reason)
        return KAN_OK;
    KAN_TRY(kan_job_create(r->run, &job));
    kan_status status = fill(r, job);
    if (status == KAN_OK)
        status = check_people(r, job);
    if (status == KAN_OK)
        status = recount(r, job);
    kan_job_destroy(job);
    return status;
}
