/* Jobs and results: setting values, and handing the job to the walk of its command.
 *
 * Order of calls: kan_job_create, kan_job_set for each flag, kan_job_load for a job file (it takes
 * only what no flag has set), kan_job_run. Every value is checked as it is set; what can only be
 * seen when all are there (a missing input, a target that exists) is checked by kan_job_run before
 * the walk begins. */
#include "job/settings/job.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/settings/settings.h"
#include "job/solve/setup.h"
#include "job/targets.h"

kan_status kan_job_create(kan_run *run, kan_job **out) {
    kan_job *job;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *job, &job));
    job->run = run;
    kan_arena_init(&job->arena, run);
    kan_options_init(&job->options, &job->arena);
    *out = job;
    return KAN_OK;
}

void kan_job_destroy(kan_job *job) {
    if (!job)
        return;
    kan_options_destroy(&job->options);
    kan_arena_destroy(&job->arena);
    kan_free(job->run, job);
}

kan_status kan_job_use_table(kan_job *job, kan_table *table) {
    KAN_TRY(kan_table_seal(table));
    job->table = table;
    return KAN_OK;
}

const char *kan_job_get(const kan_job *job, const char *name, size_t index) {
    return kan_options_at(&job->options, name, index);
}

/* ---- setting -------------------------------------------------------------------------------- */

static kan_status unknown_setting(kan_run *run, const char *name) {
    char quoted[256];
    const char *near = kan_setting_nearest(name, NULL);
    kan_quote(kan_slice_of(name), quoted);
    if (near)
        return kan_fail(run, KAN_BAD_INPUT, "%s is not a setting; did you mean %s?", quoted, near);
    return kan_fail(run, KAN_BAD_INPUT, "%s is not a setting; kanon help lists them", quoted);
}

/* The column that an item of a list is about. */
static kan_slice item_column(kan_setting_form form, const char *item) {
    kan_slice column = kan_slice_of(item);
    const char *rest;
    double weight;
    if (form == KAN_FORM_QUASI)
        kan_quasi_parse(item, &column, &rest);
    else if (form == KAN_FORM_BINS)
        (void)kan_bins_parse(item, &column, &rest);
    else if (form == KAN_FORM_ORDER)
        (void)kan_order_parse(item, &column, &rest);
    else if (form == KAN_FORM_WEIGHT)
        (void)kan_weight_parse(item, &column, &weight);
    return column;
}

static kan_status check_unique(kan_job *job, const kan_setting_entry *entry, const char *item) {
    const char *name = entry->setting.name;
    kan_slice column = item_column(entry->form, item);
    char quoted[256];
    for (size_t i = 0; i < job->options.n; i++)
        if (strcmp(job->options.values[i].name, name) == 0 &&
            kan_slice_equal(item_column(entry->form, job->options.values[i].value), column))
            return kan_fail(job->run, KAN_BAD_INPUT, "--%s: %s is given twice; leave one out", name,
                            kan_quote(column, quoted));
    return KAN_OK;
}

kan_status kan_job_add_item(kan_job *job, const char *name, const char *item) {
    const kan_setting_entry *entry = kan_setting_entry_find(name);
    if (!entry)
        return unknown_setting(job->run, name);
    KAN_TRY(kan_setting_check(job->run, entry, item));
    if (entry->setting.repeats) {
        KAN_TRY(check_unique(job, entry, item));
        return kan_options_add(&job->options, name, item);
    }
    for (size_t i = 0; i < job->options.n; i++)
        if (strcmp(job->options.values[i].name, name) == 0)
            return kan_arena_copy(&job->arena, item, strlen(item), &job->options.values[i].value);
    return kan_options_add(&job->options, name, item);
}

/* Adds each item of a comma list. */
static kan_status add_list(kan_job *job, const kan_setting_entry *entry, const char *list) {
    const char *name = entry->setting.name, *left = list, *copy;
    const bool is_quasi = entry->form == KAN_FORM_QUASI;
    kan_slice item;
    if (kan_list_is_one(list, is_quasi))
        return kan_job_add_item(job, name, list);
    while (kan_list_next(&left, is_quasi, &item)) {
        if (item.size == 0) {
            char quoted[256];
            return kan_fail(job->run, KAN_BAD_INPUT, "--%s: %s holds an empty item; is a comma %s?",
                            name, kan_quote(kan_slice_of(list), quoted),
                            left ? "doubled" : "left over at the end");
        }
        KAN_TRY(kan_arena_copy(&job->arena, item.bytes, item.size, &copy));
        KAN_TRY(kan_job_add_item(job, name, copy));
    }
    return KAN_OK;
}

kan_status kan_job_set(kan_job *job, const char *name, const char *value) {
    const kan_setting_entry *entry = kan_setting_entry_find(name);
    if (!entry)
        return unknown_setting(job->run, name);
    if (!value) {
        if (entry->setting.argument)
            return kan_fail(job->run, KAN_BAD_INPUT, "--%s needs a value: --%s %s", name, name,
                            entry->setting.argument);
        value = "true";
    }
    if (strcmp(name, "job") == 0)
        return kan_job_load(job, value);
    if (!*value || !kan_setting_takes_lists(&entry->setting))
        return kan_job_add_item(job, name, value);
    size_t n_before = job->options.n;
    kan_status status = add_list(job, entry, value);
    if (status != KAN_OK)
        job->options.n = n_before; /* all of a list, or nothing of it */
    return status;
}

/* ---- running -------------------------------------------------------------------------------- */

typedef kan_status (*walk_fn)(kan_job *job, kan_result *out);

static walk_fn find_walk(const char *command) {
    static const struct {
        const char *command;
        walk_fn walk;
    } walks[] = {{"anonymize", kan_walk_anonymize},
                 {"search", kan_walk_search},
                 {"compare", kan_walk_compare},
                 {"verify", kan_walk_verify},
                 {"utility", kan_walk_utility},
                 {"risk", kan_walk_risk},
                 {"profile", kan_walk_profile},
                 {"hierarchy-build", kan_walk_hierarchy_build},
                 {"hierarchy-check", kan_walk_hierarchy_check},
                 {"hierarchy-show", kan_walk_hierarchy_show},
                 {"hierarchy-convert", kan_walk_hierarchy_convert},
                 {"report", kan_walk_report},
                 {"generate", kan_walk_generate}};
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++)
        if (strcmp(walks[i].command, command) == 0)
            return walks[i].walk;
    return NULL;
}

/* `kanon verify RELEASE --job FILE`: the input of the job is the original that the release is held
 * against, where it is at hand. Whoever got the release alone does not have it. */
static kan_status take_original(kan_job *job) {
    struct stat made_from, release;
    const char *input = kan_options_find(&job->options, "input");
    if (!job->made_from || kan_options_find(&job->options, "original") ||
        kan_options_find(&job->options, "certificate") || access(job->made_from, R_OK) != 0 ||
        stat(job->made_from, &made_from) != 0)
        return KAN_OK;
    if (input && stat(input, &release) == 0 && release.st_dev == made_from.st_dev &&
        release.st_ino == made_from.st_ino)
        return KAN_OK;
    return kan_job_add_item(job, "original", job->made_from);
}

kan_status kan_job_run(kan_job *job, const char *command, kan_result **out) {
    walk_fn walk = find_walk(command);
    if (!walk)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "'%s' is not a command; there are anonymize, search, compare, verify, "
                        "utility, risk, profile, report, "
                        "hierarchy-build, -check, -show and -convert, and generate",
                        command);
    if (job->command && strcmp(job->command, command) != 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "%s: the job is for '%s', and '%s' was asked for; run kanon %.*s%s%s, or "
                        "take the key `command` out of the file",
                        job->command_place, job->command, command, (int)strcspn(job->command, "-"),
                        job->command,
                        strchr(job->command, '-') ? " " : "", /* kanon hierarchy build */
                        strchr(job->command, '-') ? strchr(job->command, '-') + 1 : "");
    if (strcmp(command, "verify") == 0)
        KAN_TRY(take_original(job));
    KAN_TRY(kan_job_check_complete(job, command));
    KAN_TRY(kan_job_check_targets(job, command));
    KAN_TRY(kan_setup_run(job));
    kan_result *result;
    KAN_TRY(kan_result_create(job->run, &result));
    kan_status status = walk(job, result);
    if (status != KAN_OK) {
        kan_result_destroy(result);
        return status;
    }
    kan_text_make_plain(&result->summary); /* names and values may hold anything */
    kan_text_make_plain(&result->unchecked);
    *out = result;
    return KAN_OK;
}

/* ---- results -------------------------------------------------------------------------------- */

kan_status kan_result_create(kan_run *run, kan_result **out) {
    kan_result *result;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *result, &result));
    result->run = run;
    result->holds = true;
    kan_text_init(&result->json, run);
    kan_text_init(&result->summary, run);
    kan_text_init(&result->unchecked, run);
    *out = result;
    return KAN_OK;
}

void kan_result_destroy(kan_result *result) {
    if (!result)
        return;
    kan_text_destroy(&result->json);
    kan_text_destroy(&result->summary);
    kan_text_destroy(&result->unchecked);
    kan_table_destroy(result->table);
    kan_free(result->run, result);
}

bool kan_result_holds(const kan_result *result) {
    return result->holds;
}

const char *kan_result_unchecked(const kan_result *result) {
    return result->unchecked.size > 0 ? result->unchecked.bytes : NULL;
}

const char *kan_result_json(const kan_result *result) {
    return result->json.bytes ? result->json.bytes : "";
}

const char *kan_result_summary(const kan_result *result) {
    return result->summary.bytes ? result->summary.bytes : "";
}

const kan_table *kan_result_table(const kan_result *result) {
    return result->table;
}
