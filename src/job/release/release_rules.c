/* A release held against a rule (--rules): its bytes are read again, before they get their name. What the rule
 * does not allow is not released. What is for a person to decide is told, in the result and in the
 * report. */
#include "core/wording.h"
#include "job/release/application.h"
#include "job/rules/rules.h"

/* Whether the job promises what the rule does: the same numbers, and k at least. */
static bool has_promise(const kan_job *job, const kan_rule_promise *asked) {
    const kan_setting_entry *entry = kan_setting_entry_find(asked->setting);
    uint64_t has, needs;
    for (size_t i = 0; i < job->options.n; i++) {
        const char *given = job->options.values[i].value;
        if (strcmp(job->options.values[i].name, asked->setting) != 0)
            continue;
        if (entry && entry->form == KAN_FORM_K && kan_parse_count(given, &has) &&
                    kan_parse_count(asked->value, &needs)
                ? has >= needs
                : strcmp(given, asked->value) == 0)
            return true;
    }
    return false;
}

static bool is_promised(const kan_rule *rule, const char *name) {
    for (size_t i = 0; i < KAN_RULE_PROMISES && rule->promise[i].setting; i++)
        if (strcmp(rule->promise[i].setting, name) == 0)
            return true;
    return false;
}

static bool has_group_of(const kan_setting_entry *entry, const char *other) {
    return strcmp(entry->setting.group, kan_setting_entry_find(other)->setting.group) == 0;
}

/* Whether k and l are counted with it as the rule means them. Of a setting that is not known for that
 * nobody has worked out that it weakens nothing. */
static bool is_plain_setting(const kan_rule *rule, const char *name) {
    enum { NO_PROMISE = KAN_TRAIT_OUTPUT | KAN_TRAIT_DISPLAY | KAN_TRAIT_MACHINE };
    const kan_setting_entry *entry = kan_setting_entry_for(name, "anonymize");
    if (!entry)
        return false;
    if (has_group_of(entry, "k"))
        return is_promised(rule, name) || entry->form == KAN_FORM_SUPPRESS;
    /* one spelling for several values, and people in place of rows */
    if (entry->form == KAN_FORM_SPELLING || strcmp(name, "person") == 0)
        return false;
    return (entry->setting.traits & (NO_PROMISE | KAN_TRAIT_READING | KAN_TRAIT_EVERYDAY)) ||
           has_group_of(entry, "rules") || has_group_of(entry, "algorithm") ||
           entry->form == KAN_FORM_CAP || strcmp(name, "reviewed") == 0 ||
           strcmp(name, "shuffle") == 0;
}

/* k, and l of all sensitive columns alike: groups by fewer columns are larger, and keep them, too. */
static bool is_plain_promise(const kan_job *job, const kan_rule *rule) {
    size_t n_l = 0;
    for (size_t i = 0; i < KAN_RULE_PROMISES && rule->promise[i].setting; i++)
        if (strcmp(rule->promise[i].setting, "k") != 0 &&
            strcmp(rule->promise[i].setting, "l") != 0)
            return false;
    for (size_t i = 0; i < job->options.n; i++) {
        const char *name = job->options.values[i].name;
        const bool is_l = strcmp(name, "l") == 0;
        n_l += is_l;
        if (!is_plain_setting(rule, name) ||
            (is_l && (strchr(job->options.values[i].value, '=') || n_l > 1)))
            return false;
    }
    return !rule->needs_weights;
}

static bool is_counted(const kan_application *app, const char *name) {
    for (size_t i = 0; i < app->n_quasi; i++)
        if (strcmp(app->quasi[i], name) == 0)
            return true;
    return false;
}

/* Each column that the rule's promise is about, and that the release has, was counted. */
static bool has_columns(const kan_rules *r, const kan_application *app) {
    for (size_t i = 0; r->rule.qi[i]; i++) {
        size_t unused;
        if (kan_input_find(&r->input, kan_slice_of(r->rule.qi[i]), &unused) &&
            !is_counted(app, r->rule.qi[i]))
            return false;
    }
    return app->n_quasi > 0;
}

/* The release was recounted just now, with what the job promises: where that is not what the rule does,
 * the rule was not checked. */
static void judge_promise(kan_rules *r, const kan_application *app) {
    if (!r->has_promise)
        return;
    if (is_plain_promise(r->job, &r->rule) && has_columns(r, app)) {
        r->promise = KAN_RULES_SATISFIED;
        return;
    }
    r->promise = KAN_RULES_UNCHECKED;
    r->promise_reason = "recounted as the job promises it; `kanon check` recounts the rule";
    kan_note(r->run, "%s: %s", r->rule.name, r->promise_reason);
}

static kan_status check_promise(const kan_rules *r) {
    for (size_t i = 0; i < KAN_RULE_PROMISES && r->rule.promise[i].setting; i++)
        if (!has_promise(r->job, &r->rule.promise[i]))
            return kan_fail(r->run, KAN_BAD_INPUT,
                            "--rules: %s asks for --%s %s; add it to the job", r->rule.name,
                            r->rule.promise[i].setting, r->rule.promise[i].value);
    return KAN_OK;
}

kan_status kan_release_check_rules(kan_job *job) {
    if (!kan_options_find(&job->options, "rules"))
        return KAN_OK;
    if (!kan_options_find(&job->options, "output") || kan_output_is_engine(job) ||
        kan_output_is_script(job) || kan_output_is_arrow(job))
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--rules: a release is held against a rule where it is a file; write it to one, "
            "or hold it against the rule with kanon check");
    kan_rules r;
    kan_status status = kan_rules_begin(job, &r);
    if (status == KAN_OK)
        status = check_promise(&r);
    kan_rules_end(&r);
    return status;
}

/* All that is against the rule, each with why. */
static kan_status refuse(const kan_rules *r) {
    kan_text text;
    char quoted[256];
    kan_text_init(&text, r->run);
    for (size_t c = 0; c < r->input.n_columns; c++)
        if (r->columns[c].verdict == KAN_RULE_FOUND)
            kan_text_print(&text, "%s%s (%s)", text.size ? ", " : "",
                           kan_quote(kan_slice_of(r->input.columns[c]), quoted),
                           r->columns[c].reason);
    for (size_t i = 0; i < KAN_RULE_COLUMNS && r->rule.caps[i].column; i++)
        if (r->has_cap[i] && r->caps[i] == KAN_RULE_FOUND)
            kan_text_print(&text, "%s%s (values beyond %s)", text.size ? ", " : "",
                           kan_quote(kan_slice_of(r->rule.caps[i].column), quoted),
                           r->rule.caps[i].range);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_fail(r->run, KAN_UNSATISFIED,
                          "the release would be against %s: %s; nothing was written. kanon check "
                          "--job-out writes a job that satisfies it",
                          r->rule.name, text.size ? text.bytes : "what stands beside the table");
    kan_text_destroy(&text);
    return status;
}

static kan_status check(kan_rules *r, const kan_application *app, const kan_sink *sink,
                        kan_outcome *outcome) {
    const kan_source_options options = kan_sink_options_of(sink, app->place);
    KAN_TRY(kan_rules_open_as(r, kan_sink_path(sink), kan_sink_reader(sink), &options));
    KAN_TRY(kan_rules_judge(r));
    judge_promise(r, app);
    if (kan_rules_status_of(r) == KAN_RULES_BROKEN)
        return refuse(r);
    const size_t n = kan_rules_count(r, KAN_RULE_UNDECIDED);
    if (n > 0)
        kan_note(
            r->run,
            "%zu %s for a person to decide by %s: the report names them, and kanon check says why",
            n, kan_plural(n, "column is", "columns are"), r->rule.name);
    outcome->rules = kan_rules_told_json(r);
    return outcome->rules ? KAN_OK : kan_fail(r->run, KAN_FAILED, "out of memory");
}

kan_status kan_release_judge(const kan_application *app, const kan_sink *sink,
                             kan_outcome *outcome) {
    kan_rules r;
    if (!kan_options_find(&app->setup->job->options, "rules"))
        return KAN_OK;
    kan_status status = kan_rules_begin(app->setup->job, &r);
    if (status == KAN_OK)
        status = check(&r, app, sink, outcome);
    kan_rules_end(&r);
    return status;
}
