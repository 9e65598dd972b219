/* What a value of a setting can be, for completion and forms: one of a closed list, or a path.
 *
 * Lists of registered kinds are put together once, on first use, from constants alone. */
#include <pthread.h>
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

const char *kan_setting_choices(const kan_setting *setting) {
    const kan_setting_entry *entry = setting ? kan_setting_entry_find(setting->name) : NULL;
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
