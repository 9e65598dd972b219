/* What a value of a setting can be, for completion and forms: one of a closed list, or a path.
 *
 * Lists of registered kinds are put together once, on first use, from constants alone. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "job/settings/settings_inside.h"

enum { LIST_BYTES = 2048 };

/* Filled once by fill(), constant ever after: the names of each family, with | between them. */
static char lists[KAN_N_FAMILIES][LIST_BYTES];
static char automatic_lists[KAN_N_FAMILIES][LIST_BYTES]; /* with `auto` or `all` before them */
static pthread_once_t filled = PTHREAD_ONCE_INIT;

/* A name that finds no room is left out: it can still be typed. */
static void add_name(char *list, const char *name) {
    const size_t used = strlen(list), size = strlen(name);
    if (used + size + 2 > LIST_BYTES)
        return;
    if (used > 0)
        strcat(list, "|");
    strcat(list, name);
}

static void fill_lists(void) {
    for (unsigned family = 0; family < KAN_N_FAMILIES; family++) {
        add_name(automatic_lists[family], family == KAN_FAMILY_RECODING ? "all" : "auto");
        for (size_t i = 0; i < kan_registry_count((kan_family)family); i++) {
            const char *name = kan_registry_at((kan_family)family, i)->name;
            add_name(lists[family], name);
            add_name(automatic_lists[family], name);
        }
    }
}

/* The entry that a setting is of; of a copy the first of its name. */
static const kan_setting_entry *entry_of(const kan_setting *setting) {
    for (size_t i = 0; setting && i < kan_setting_count(); i++)
        if (&kan_setting_entry_at(i)->setting == setting)
            return kan_setting_entry_at(i);
    return setting ? kan_setting_entry_find(setting->name) : NULL;
}

const char *kan_setting_choices(const kan_setting *setting) {
    const kan_setting_entry *entry = entry_of(setting);
    if (!entry || !setting->argument)
        return NULL;
    if (entry->form == KAN_FORM_KIND) {
        pthread_once(&filled, fill_lists);
        return entry->automatic ? automatic_lists[entry->family] : lists[entry->family];
    }
    return (entry->form == KAN_FORM_SPEC || entry->form == KAN_FORM_NAMED) &&
                   entry->spec.type == KAN_OPTION_CHOICE
               ? entry->spec.choices
               : NULL;
}

bool kan_setting_takes_path(const kan_setting *setting) {
    const kan_setting_entry *entry = setting ? kan_setting_entry_find(setting->name) : NULL;
    if (entry && entry->form == KAN_FORM_COUNT_OR_PATH)
        return setting->file != KAN_FILE_NONE;
    return entry && entry->form == KAN_FORM_PATH;
}

bool kan_setting_takes_columns(const kan_setting *setting) {
    const kan_setting_entry *entry = setting ? kan_setting_entry_find(setting->name) : NULL;
    return entry && kan_form_of(entry)->takes_columns;
}

static bool is_choice(const kan_setting_entry *entry) {
    return entry->form == KAN_FORM_SPEC && entry->spec.type == KAN_OPTION_CHOICE;
}

kan_status kan_job_check_choices(const kan_job *job, const char *command) {
    for (size_t i = 0; i < job->options.n; i++) {
        const kan_setting_entry *entry =
            kan_setting_entry_for(job->options.values[i].name, command);
        if (entry && is_choice(entry))
            KAN_TRY(kan_option_check(job->run, &entry->spec, job->options.values[i].value));
    }
    return KAN_OK;
}

kan_status kan_setting_check_choice(kan_run *run, const kan_setting_entry *entry,
                                    const char *value) {
    char known[1024];
    size_t used = 0;
    const kan_status status = kan_option_check(run, &entry->spec, value);
    if (status != KAN_BAD_INPUT || !is_choice(entry))
        return status;
    known[0] = 0;
    size_t n = 0;
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting_entry *other = kan_setting_entry_at(i);
        if (!is_choice(other) || strcmp(other->setting.name, entry->setting.name) != 0)
            continue;
        if (other != entry && kan_option_check(run, &other->spec, value) == KAN_OK)
            return KAN_OK;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s (kanon ",
                                 n++ > 0 ? ", " : "", other->spec.choices);
        for (const char *at = other->setting.commands; *at && used + 3 < sizeof known; at++)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%c",
                                     *at == ' ' ? "," : "", *at);
        used +=
            used + 1 < sizeof known ? (size_t)snprintf(known + used, sizeof known - used, ")") : 0;
        used = used < sizeof known ? used : sizeof known - 1;
    }
    char quoted[256];
    if (n < 2)
        return kan_option_check(run, &entry->spec, value);
    return kan_fail(run, KAN_BAD_INPUT, "--%s: %s is not one of %s", entry->setting.name,
                    kan_quote(kan_slice_of(value), quoted), known);
}
