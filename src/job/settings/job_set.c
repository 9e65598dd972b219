/* Setting values: each is checked as it is set, and a list is taken as a whole or not at all. */
#include <string.h>

#include "job/settings/job.h"
#include "job/settings/settings_inside.h"

static kan_status unknown_setting(kan_run *run, const char *name) {
    char quoted[256];
    const char *near = kan_setting_nearest(name, NULL);
    kan_quote(kan_slice_of(name), quoted);
    if (near)
        return kan_fail(run, KAN_BAD_INPUT, "%s is not a setting; did you mean %s?", quoted, near);
    return kan_fail(run, KAN_BAD_INPUT,
                    "%s is not a setting; kanon help anonymize --all lists them", quoted);
}

static kan_status check_unique(kan_job *job, const kan_setting_entry *entry, const char *item) {
    const char *name = entry->setting.name;
    kan_slice column = kan_form_column(entry, item);
    char quoted[256];
    if (strcmp(name, "missing") == 0)
        return KAN_OK; /* lists add up */
    for (size_t i = 0; i < job->options.n; i++) {
        if (strcmp(job->options.values[i].name, name) != 0 ||
            !kan_slice_equal(kan_form_column(entry, job->options.values[i].value), column))
            continue;
        if ((entry->form == KAN_FORM_NAMED && column.size == 0) ||
            kan_setting_is_secret(&entry->setting))
            return kan_fail(job->run, KAN_BAD_INPUT, "--%s is given twice; leave one out", name);
        return kan_fail(job->run, KAN_BAD_INPUT, "--%s: %s is given twice; leave one out", name,
                        kan_quote(column.size ? column : kan_slice_of(item), quoted));
    }
    return KAN_OK;
}

/* A message may repeat the value: of a secret there is one that does not. */
static kan_status check_value(kan_run *run, const kan_setting_entry *entry, const char *value) {
    const kan_status status = kan_setting_check(run, entry, value);
    const char *name = entry->setting.name;
    if (status != KAN_BAD_INPUT || !*value || !kan_setting_is_secret(&entry->setting))
        return status;
    return kan_fail(run, status,
                    "--%s: the value, which is a secret, is not understood; write --%s %s", name,
                    name, kan_setting_shown(name, value));
}

kan_status kan_job_add(kan_job *job, const char *name, const char *item) {
    KAN_NEED(NULL, job);
    KAN_NEED(job->run, name);
    const kan_setting_entry *entry = kan_setting_entry_find(name);
    if (!entry)
        return unknown_setting(job->run, name);
    KAN_NEED(job->run, item);
    KAN_TRY(check_value(job->run, entry, item));
    if (entry->setting.repeats) {
        KAN_TRY(check_unique(job, entry, item));
        return kan_options_add(&job->options, name, item);
    }
    for (size_t i = 0; i < job->options.n; i++)
        if (strcmp(job->options.values[i].name, name) == 0) {
            job->options.values[i].is_from_file = false;
            return kan_arena_copy(&job->arena, item, strlen(item), &job->options.values[i].value);
        }
    return kan_options_add(&job->options, name, item);
}

/* Adds each item of a comma list. */
static kan_status add_list(kan_job *job, const kan_setting_entry *entry, const char *list) {
    const char *name = entry->setting.name, *left = list, *copy;
    const bool is_quasi = entry->form == KAN_FORM_QUASI;
    kan_slice item;
    if (kan_list_is_one(list, is_quasi)) {
        KAN_TRY(kan_list_take(&job->arena, entry, kan_slice_of(list), &copy));
        return kan_job_add(job, name, copy);
    }
    while (kan_list_next(&left, is_quasi, &item)) {
        if (item.size == 0) {
            char quoted[256];
            return kan_fail(job->run, KAN_BAD_INPUT, "--%s: %s holds an empty item; is a comma %s?",
                            name, kan_quote(kan_slice_of(kan_setting_shown(name, list)), quoted),
                            left ? "doubled" : "left over at the end");
        }
        KAN_TRY(kan_list_take(&job->arena, entry, item, &copy));
        KAN_TRY(kan_job_add(job, name, copy));
    }
    return KAN_OK;
}

kan_status kan_job_set(kan_job *job, const char *name, const char *value) {
    KAN_NEED(NULL, job);
    KAN_NEED(job->run, name);
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
        return kan_job_add(job, name, value);
    size_t n_before = job->options.n;
    kan_status status = add_list(job, entry, value);
    if (status != KAN_OK)
        job->options.n = n_before; /* all of a list, or nothing of it */
    return status;
}
