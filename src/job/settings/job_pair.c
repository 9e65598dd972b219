/* Settings about columns, with the name of the column as it is: no sign in it is special. */
#include "job/settings/job.h"
#include "job/settings/settings_inside.h"

bool kan_setting_takes_pairs(const kan_setting_entry *entry) {
    return kan_form_of(entry)->takes_pairs;
}

bool kan_pair_is_sayable(const kan_setting_entry *entry, const char *column) {
    return *column && !(kan_form_of(entry)->reads_quotes && strstr(column, "\"="));
}

kan_status kan_pair_join(kan_job *job, const kan_setting_entry *entry, const char *column,
                         const char *value, const char **out) {
    const bool has_quotes =
        kan_form_of(entry)->reads_quotes && (strchr(column, '=') || strchr(column, '"'));
    const char *name = entry->setting.name, *quote = has_quotes ? "\"" : "";
    if (!kan_pair_is_sayable(entry, column))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--%s: a column whose name is empty or holds \"= cannot be named here; "
                        "rename it in the table",
                        name);
    kan_text text;
    kan_text_init(&text, job->run);
    kan_text_print(&text, "%s%s%s", quote, column, quote);
    if (*value)
        kan_text_print(&text, "=%s", value);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(&job->arena, text.bytes, text.size, out);
    kan_text_destroy(&text);
    return status;
}

kan_status kan_job_set_column(kan_job *job, const char *name, const char *column,
                              const char *value) {
    KAN_NEED(NULL, job);
    KAN_NEED(job->run, name);
    KAN_NEED(job->run, column);
    const kan_setting_entry *entry = kan_setting_entry_find(name);
    const bool has_value = value && *value;
    if (!entry)
        return kan_job_add(job, name, column); /* says so */
    const bool is_list = entry->form == KAN_FORM_COLUMN || entry->form == KAN_FORM_COLUMNS;
    if (!is_list && !kan_setting_takes_pairs(entry))
        return kan_fail(job->run, KAN_BAD_INPUT, "--%s is not about columns", name);
    if (has_value ? is_list : !is_list && entry->form != KAN_FORM_QUASI)
        return kan_fail(job->run, KAN_BAD_INPUT, "--%s takes %s; write --%s %s", name,
                        is_list ? "only columns" : "a column and a value", name,
                        entry->setting.argument);
    const char *item = column;
    if (!is_list)
        KAN_TRY(kan_pair_join(job, entry, column, has_value ? value : "", &item));
    return kan_job_add(job, name, item);
}
