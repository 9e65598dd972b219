/* A job whose release satisfies the rule, as far as columns tell.
 *
 * What was found is left out, save what can be made coarse enough: dates become years, ages are capped
 * at 90, ZIP codes keep three digits. What is undecided is left out until somebody decides. A rule about
 * identifiers alone promises no k; a job needs one, and gets 5. */
#include <stdio.h>

#include "io/streams/streams.h"
#include "job/rules/rules.h"

/* What becomes of a column. */
typedef enum { LEFT_OUT, UNTREATED, AS_YEARS, AS_AGE, AS_AREA, AS_QUASI } treatment;

/* Whether dates are all that speaks against it. */
static bool has_only(const kan_rule_column *column, kan_id_kind kind) {
    bool is_there = false;
    for (unsigned i = 0; i < KAN_ID_KINDS; i++) {
        if (i == (unsigned)kind)
            is_there = column->kinds[i].verdict == KAN_RULE_FOUND;
        else if (column->kinds[i].verdict == KAN_RULE_FOUND)
            return false;
    }
    return is_there && !column->is_text;
}

static unsigned meanings(const kan_rules *r, size_t c) {
    return kan_rule_name_kinds(r->input.columns[c], r->skip).meanings;
}

static treatment choose(const kan_rules *r, size_t c) {
    const kan_rule_column *column = &r->columns[c];
    const kan_profile_column *profile = &r->profiles[c];
    if (!kan_yaml_is_sayable(r->input.columns[c]) ||
        !kan_pair_is_sayable(kan_setting_entry_find("qi"), r->input.columns[c]))
        return LEFT_OUT;
    if (r->decided[c] == KAN_RULES_BY_DROP)
        return LEFT_OUT;
    if (r->decided[c] == KAN_RULES_BY_PROMISE)
        return column->verdict == KAN_RULE_CLEAR ? AS_QUASI : LEFT_OUT;
    if (column->verdict == KAN_RULE_CLEAR)
        return profile->n_distinct == 0 || column->is_reviewed ? UNTREATED : AS_QUASI;
    if (column->verdict == KAN_RULE_UNDECIDED)
        return LEFT_OUT;
    if (has_only(column, KAN_ID_DATE) && profile->type == KAN_TYPE_DATE && r->release_year > 0)
        return AS_YEARS;
    if (has_only(column, KAN_ID_DATE) && profile->type == KAN_TYPE_NUMBER &&
        (meanings(r, c) & KAN_WORD_AGE))
        return AS_AGE;
    if (has_only(column, KAN_ID_PLACE) && (meanings(r, c) & KAN_WORD_POSTCODE) &&
        !column->is_small_area && profile->shortest == 5 && profile->longest == 5)
        return AS_AREA;
    return LEFT_OUT;
}

/* ---- the text ------------------------------------------------------------------------------- */

static void add_key(kan_text *text, const char *name) {
    kan_text_print(text, strlen(name) > 128 ? "  ? " : "  ");
    kan_yaml_add_scalar(text, name);
    kan_text_print(text, strlen(name) > 128 ? "\n  : " : ": ");
}

static size_t count_of(const kan_rules *r, const treatment *all, treatment which) {
    size_t n = 0;
    for (size_t c = 0; c < r->input.n_columns; c++)
        n += all[c] == which;
    return n;
}

/* A capped number has no hierarchy of intervals around the cap: it is kept or hidden. */
static const char *spec_of(const kan_rules *r, size_t c, treatment t) {
    return t == AS_YEARS            ? "date:year,decade"
           : t == AS_AREA           ? "prefix:3"
           : t == AS_AGE            ? "suppress"
           : r->profiles[c].spec[0] ? r->profiles[c].spec
                                    : "suppress";
}

static void add_quasi(const kan_rules *r, const treatment *all, kan_text *text) {
    size_t n = 0;
    kan_text_print(text,
                   "\n# Others could recognise somebody by these: they are generalized.\nqi:\n");
    for (size_t c = 0; c < r->input.n_columns; c++) {
        if (all[c] == LEFT_OUT || all[c] == UNTREATED || n == KAN_MAX_ATTRIBUTES)
            continue;
        n++;
        add_key(text, r->input.columns[c]);
        kan_text_print(text, "%s\n", spec_of(r, c, all[c]));
    }
}

static void add_levels(const kan_rules *r, const treatment *all, kan_text *text) {
    if (count_of(r, all, AS_YEARS) + count_of(r, all, AS_AREA) == 0)
        return;
    kan_text_print(text, "\n# Years and three digits at the most.\nlevel:\n");
    for (size_t c = 0; c < r->input.n_columns; c++)
        if (all[c] == AS_YEARS || all[c] == AS_AREA) {
            add_key(text, r->input.columns[c]);
            kan_text_print(text, "1..\n");
        }
}

static void add_caps(const kan_rules *r, const treatment *all, kan_text *text) {
    size_t n = count_of(r, all, AS_YEARS) + count_of(r, all, AS_AGE);
    bool is_begun = false;
    for (size_t i = 0; i < KAN_RULE_COLUMNS && r->rule.caps[i].column; i++)
        n++;
    if (n == 0)
        return;
    for (size_t c = 0; c < r->input.n_columns; c++) {
        if (all[c] != AS_YEARS && all[c] != AS_AGE)
            continue;
        if (!is_begun)
            kan_text_print(text,
                           "\n# Ages above 89, and days that tell one, as one category.\ncap:\n");
        is_begun = true;
        add_key(text, r->input.columns[c]);
        if (all[c] == AS_AGE)
            kan_text_print(text, "..%d\n", KAN_ID_OLDEST + 1);
        else
            kan_text_print(text, "%04d-01-01..\n", r->release_year - KAN_ID_OLDEST);
    }
    for (size_t i = 0; i < KAN_RULE_COLUMNS && r->rule.caps[i].column; i++) {
        size_t c;
        if (!kan_input_find(&r->input, kan_slice_of(r->rule.caps[i].column), &c) ||
            all[c] == LEFT_OUT || all[c] == AS_YEARS || all[c] == AS_AGE)
            continue;
        if (!is_begun)
            kan_text_print(text, "\n# As the rule caps them.\ncap:\n");
        is_begun = true;
        add_key(text, r->rule.caps[i].column);
        kan_yaml_add_scalar(text, r->rule.caps[i].range);
        kan_text_print(text, "\n");
    }
}

static void add_list(const kan_rules *r, const treatment *all, treatment which, const char *key,
                     const char *about, kan_text *text) {
    bool is_begun = false;
    for (size_t c = 0; c < r->input.n_columns; c++) {
        if (all[c] != which || !kan_yaml_is_sayable(r->input.columns[c]))
            continue;
        if (!is_begun)
            kan_text_print(text, "\n# %s\n%s:\n", about, key);
        is_begun = true;
        kan_text_print(text, "  - ");
        kan_yaml_add_scalar(text, r->input.columns[c]);
        kan_text_print(text, "  # %s\n", r->columns[c].reason);
    }
}

static void add_promise(const kan_rules *r, kan_text *text) {
    const char *weight = kan_options_find(&r->job->options, "sampling-weight");
    const char *person = kan_options_find(&r->job->options, "person");
    bool has_k = false;
    kan_text_print(text, "\n");
    for (size_t i = 0; i < KAN_RULE_PROMISES && r->rule.promise[i].setting; i++) {
        has_k |= strcmp(r->rule.promise[i].setting, "k") == 0;
        kan_text_print(text, "%s: ", r->rule.promise[i].setting);
        kan_yaml_add_scalar(text, r->rule.promise[i].value);
        kan_text_print(text, "\n");
    }
    if (!r->has_promise)
        kan_text_print(text,
                       "# The rule names identifiers, and promises nothing beside; this does.\n");
    if (!has_k)
        kan_text_print(text, r->has_promise ? "k: 1\n" : "k: 5\n");
    if (r->has_promise && weight) {
        kan_text_print(text, "sampling-weight: ");
        kan_yaml_add_scalar(text, weight);
        kan_text_print(text, "\n");
    }
    if (person) {
        kan_text_print(text, "person: ");
        kan_yaml_add_scalar(text, person);
        kan_text_print(text, "\n");
    }
    kan_text_print(text, "suppress: 5%%\n");
}

/* The weight and the person have a part of their own in the job. */
static bool is_part(const kan_rules *r, size_t c) {
    const char *weight = kan_options_find(&r->job->options, "sampling-weight");
    const char *person = kan_options_find(&r->job->options, "person");
    return (weight && strcmp(weight, r->input.columns[c]) == 0) ||
           (person && strcmp(person, r->input.columns[c]) == 0);
}

static void add_left_out(const kan_rules *r, const treatment *all, kan_text *text) {
    bool is_begun = false;
    for (size_t c = 0; c < r->input.n_columns; c++) {
        if (all[c] != LEFT_OUT || is_part(r, c) || !kan_yaml_is_sayable(r->input.columns[c]))
            continue;
        if (!is_begun)
            kan_text_print(text, "\n# The rule does not allow these, or nobody has decided about "
                                 "them: they are left out.\ndrop:\n");
        is_begun = true;
        kan_text_print(text, "  - ");
        kan_yaml_add_scalar(text, r->input.columns[c]);
        kan_text_print(text, "  # %s\n", r->columns[c].reason);
    }
}

static bool is_earlier(const kan_options *options, size_t i) {
    for (size_t j = 0; j < i; j++)
        if (strcmp(options->values[j].name, options->values[i].name) == 0)
            return true;
    return false;
}

/* The lines that say how the table is read. */
static void add_reading(const kan_rules *r, kan_text *text) {
    const kan_options *options = &r->job->options;
    for (size_t i = 0; i < options->n; i++) {
        const char *name = options->values[i].name;
        const kan_setting_entry *entry = kan_setting_entry_for(name, "check");
        if (!entry || !(entry->setting.traits & KAN_TRAIT_READING) ||
            !kan_setting_entry_for(name, "anonymize") || is_earlier(options, i))
            continue;
        kan_text_print(text, "%s:%s", name, entry->setting.repeats ? "\n" : " ");
        for (size_t j = i; j < options->n; j++)
            if (strcmp(options->values[j].name, name) == 0) {
                kan_text_print(text, entry->setting.repeats ? "  - " : "");
                kan_yaml_add_scalar(text, options->values[j].value);
                kan_text_print(text, "\n");
                if (!entry->setting.repeats)
                    break;
            }
    }
}

/* The table and the rule. */
static kan_status add_names(const kan_rules *r, const char *path, kan_text *text) {
    const char *rule = kan_options_find(&r->job->options, "rules");
    bool is_named = false;
    if (r->input.is_file) {
        kan_text_print(text, "# The table:\ninput: ");
        KAN_TRY(kan_job_add_path(r->job, "input", path, text, &is_named));
        kan_text_print(text, is_named ? "\n" : "-  # name it on the command line\n");
    }
    kan_text_print(text, "rules: ");
    if (r->is_file)
        KAN_TRY(kan_job_add_path(r->job, "rules", path, text, &is_named));
    else
        kan_yaml_add_scalar(text, rule);
    kan_text_print(text, "\n");
    if (r->release_date) {
        kan_text_print(text, "release-date: ");
        kan_yaml_add_scalar(text, r->release_date);
        kan_text_print(text, "\n");
    }
    return KAN_OK;
}

static kan_status print_job(const kan_rules *r, treatment *all, kan_text *text) {
    const char *path = kan_options_find(&r->job->options, "job-out");
    for (size_t c = 0; c < r->input.n_columns; c++)
        all[c] = is_part(r, c) ? LEFT_OUT : choose(r, c);
    kan_text_print(text,
                   "# Made by kanon check, for the rule %s of %s.\n"
                   "# Its release satisfies the rule as far as columns tell; what you know besides "
                   "was not checked.\n",
                   r->rule.name, r->rule.date);
    KAN_TRY(add_names(r, path, text));
    add_reading(r, text);
    if (count_of(r, all, LEFT_OUT) + count_of(r, all, UNTREATED) == r->input.n_columns)
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "--job-out: no column is left that a release could have; look at those for "
                        "a person to decide, and name what is read with --reviewed");
    add_quasi(r, all, text);
    add_levels(r, all, text);
    add_caps(r, all, text);
    add_list(r, all, UNTREATED, "keep", "Somebody has read these, or they show nothing.", text);
    add_left_out(r, all, text);
    add_promise(r, text);
    return kan_text_status(text);
}

kan_status kan_rules_write_job(const kan_rules *r) {
    const char *path = kan_options_find(&r->job->options, "job-out");
    treatment *all;
    kan_status status;
    kan_text text;
    if (!path)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(r->run, r->input.n_columns, sizeof *all, &all));
    kan_text_init(&text, r->run);
    KAN_TRY_DONE(print_job(r, all, &text));
    status = kan_target_put(r->run, path, kan_options_switch(&r->job->options, "force"),
                            KAN_TARGET_SHARED, text.bytes, text.size);
done:
    kan_text_destroy(&text);
    kan_free(r->run, all);
    return status;
}
