/* The table of settings.
 *
 * The fixed entries stand in settings_*.c, in the order of the help texts; the options of
 * registered kinds follow the fixed ones of their group. The whole table is computed once, on first
 * use, from constants alone; it never changes after that, so any thread may read it. Looking up is
 * a walk over some hundred entries. */
#include "job/settings/settings.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "job/settings/settings_inside.h"

/* ---- the whole table ------------------------------------------------------------------------ */

enum { MOST_ENTRIES = 512 };

/* Filled once by fill(), constant ever after. */
static kan_setting_entry entries[MOST_ENTRIES];
static size_t n_entries;
static pthread_once_t filled = PTHREAD_ONCE_INIT;

/* Most names differ in their first letter, and every command looks some hundred of them up. */
static inline bool has_name(const kan_setting_entry *entry, const char *name) {
    return entry->setting.name[0] == name[0] && strcmp(entry->setting.name, name) == 0;
}

static bool has_entry(const char *name) {
    for (size_t i = 0; i < n_entries; i++)
        if (has_name(&entries[i], name))
            return true;
    return false;
}

/* ---- commands ------------------------------------------------------------------------------- */

/* Takes the next name off a list with blanks. */
static kan_slice next_command(const char **list) {
    const kan_slice name = {*list, strcspn(*list, " ")};
    *list += name.size + ((*list)[name.size] == ' ');
    return name;
}

const char *kan_command_names(char room[KAN_COMMAND_NAMES]) {
    size_t used = 0;
    room[0] = '\0';
    for (const char *left = ON_ALL; *left && used < KAN_COMMAND_NAMES;) {
        const kan_slice name = next_command(&left);
        const int more = snprintf(room + used, KAN_COMMAND_NAMES - used, "%s%.*s",
                                  used == 0 ? ""
                                  : *left   ? ", "
                                            : " and ",
                                  (int)name.size, name.bytes);
        used += more > 0 ? (size_t)more : 0;
    }
    return room;
}

/* `hierarchy build` is what people type, hierarchy-build its name. */
kan_slice kan_command_meant(const char *written) {
    for (const char *left = ON_ALL; *left;) {
        const kan_slice name = next_command(&left);
        size_t i = 0;
        while (i < name.size &&
               (written[i] == name.bytes[i] || (written[i] == ' ' && name.bytes[i] == '-')))
            i++;
        if (i == name.size && !written[i])
            return name;
    }
    return (kan_slice){NULL, 0};
}

/* ---- the whole table again ------------------------------------------------------------------ */

static void add_entry(kan_setting_entry entry) {
    KAN_ASSERT(n_entries < MOST_ENTRIES);
    if (n_entries == MOST_ENTRIES)
        return;
    entry.spec.name = entry.setting.name;
    if (!entry.spec.argument)
        entry.spec.argument = entry.setting.argument; /* for messages */
    if (!entry.setting.commands)
        entry.setting.commands = ON_ALL;
    /* A file is read unless its setting says otherwise, so that no run can overwrite it. */
    if (kan_form_of(&entry)->names_file && entry.setting.file == KAN_FILE_NONE)
        entry.setting.file = KAN_FILE_READ;
    if (entry.spec.library_variable)
        entry.setting.traits |= KAN_TRAIT_LOADS_CODE;
    entries[n_entries++] = entry;
}

static void add_fixed(kan_setting_list list) {
    for (size_t i = 0; i < list.n; i++)
        add_entry(list.entries[i]);
}

/* A path that repeats is one per column. */
static kan_setting_form form_of(const kan_option_spec *spec) {
    if (spec->is_per_column)
        return KAN_FORM_NAMED;
    if (spec->type == KAN_OPTION_PATH)
        return spec->repeats ? KAN_FORM_ORDER : KAN_FORM_PATH;
    return spec->type == KAN_OPTION_TEXT && spec->repeats ? KAN_FORM_VALUES : KAN_FORM_SPEC;
}

/* What help shows after the name of an option. */
static const char *argument_of(const kan_option_spec *spec) {
    if (spec->type == KAN_OPTION_SWITCH)
        return NULL;
    if (spec->argument)
        return spec->argument;
    return spec->type == KAN_OPTION_CHOICE ? spec->choices : "VALUE";
}

/* What messages call the file of an option: its name, where that is one word. */
static const char *word_of(const kan_option_spec *spec) {
    return strchr(spec->name, '-') ? NULL : spec->name;
}

/* Forms ask for no paths: these are of the machine that the server runs on. */
static const char *label_of(const kan_option_spec *spec) {
    return spec->type == KAN_OPTION_PATH ? NULL : spec->label ? spec->label : spec->name;
}

/* Two kinds may share an option (a threshold that two models need): it stands here once. */
static void add_options(kan_family family, const char *group, const char *commands) {
    for (size_t i = 0; i < kan_registry_count(family); i++) {
        const kan_kind *kind = kan_registry_at(family, i);
        for (size_t j = 0; j < kind->n_options; j++) {
            const kan_option_spec *spec = &kind->options[j];
            if (has_entry(spec->name))
                continue;
            add_entry(
                (kan_setting_entry){.setting = {.name = spec->name,
                                                .argument = argument_of(spec),
                                                .summary = spec->summary,
                                                .group = group,
                                                .fallback = spec->fallback,
                                                .repeats = spec->repeats || spec->is_per_column,
                                                .commands = commands,
                                                .file = spec->file,
                                                .traits = spec->traits,
                                                .label = label_of(spec),
                                                .words = spec->words ? spec->words : spec->summary},
                                    .form = form_of(spec),
                                    .spec = *spec,
                                    .what = word_of(spec)});
        }
    }
}

static void fill_table(void) {
    add_fixed(kan_settings_tables);
    add_fixed(kan_settings_columns);
    add_fixed(kan_settings_beside);
    add_options(KAN_FAMILY_SOURCE, "Input", ON_ALL_TABLES);
    add_options(KAN_FAMILY_GENERATOR, "Input", "generate");
    add_fixed(kan_settings_privacy);
    add_options(KAN_FAMILY_PRIVACY, "Privacy", ON_DATA);
    add_fixed(kan_settings_search);
    add_options(KAN_FAMILY_COST, "Search", ON_SEARCH);
    add_options(KAN_FAMILY_SEARCH, "Options of single searches (kanon list --all says of which)",
                ON_SEARCH);
    add_fixed(kan_settings_output);
    add_options(KAN_FAMILY_SINK, "Output", "anonymize verify");
}

size_t kan_setting_count(void) {
    pthread_once(&filled, fill_table);
    return n_entries;
}

const kan_setting *kan_setting_at(size_t index) {
    return index < kan_setting_count() ? &entries[index].setting : NULL;
}

const kan_setting_entry *kan_setting_entry_at(size_t index) {
    return index < kan_setting_count() ? &entries[index] : NULL;
}

const kan_setting_entry *kan_setting_entry_for(const char *name, const char *command) {
    const size_t n = kan_setting_count();
    for (size_t i = 0; i < n; i++)
        if (has_name(&entries[i], name) && kan_setting_is_for(&entries[i].setting, command))
            return &entries[i];
    return NULL;
}

const kan_setting_entry *kan_setting_entry_find(const char *name) {
    const size_t n = name ? kan_setting_count() : 0;
    for (size_t i = 0; i < n; i++)
        if (has_name(&entries[i], name))
            return &entries[i];
    return NULL;
}

const kan_setting *kan_setting_find(const char *name) {
    const kan_setting_entry *entry = kan_setting_entry_find(name);
    return entry ? &entry->setting : NULL;
}

/* Whether all entries of that name say that it may be shown, and none that it is a secret. */
static bool may_be_shown(const char *name) {
    const size_t n = kan_setting_count();
    bool is_known = false;
    for (size_t i = 0; i < n; i++) {
        const unsigned traits = entries[i].setting.traits;
        if (!has_name(&entries[i], name))
            continue;
        if (!(traits & KAN_TRAIT_SHOWN) || (traits & KAN_TRAIT_SECRET))
            return false;
        is_known = true;
    }
    return is_known;
}

bool kan_setting_is_secret(const kan_setting *setting) {
    return !setting || !may_be_shown(setting->name);
}

bool kan_setting_is_given(const kan_job *job, const char *name) {
    const kan_setting *setting = kan_setting_find(name);
    return setting && !setting->argument ? kan_options_switch(&job->options, name)
                                         : kan_options_find(&job->options, name) != NULL;
}

const char *kan_setting_shown(const char *name, const char *value) {
    const kan_setting *setting = kan_setting_find(name);
    if (setting && !kan_setting_is_secret(setting))
        return value;
    return setting && setting->argument ? setting->argument : "SECRET";
}

bool kan_setting_may_be_kept(const kan_setting *setting) {
    if (setting->traits & KAN_TRAIT_LOADS_CODE)
        return false;
    return !kan_setting_is_secret(setting) || kan_setting_takes_path(setting);
}

unsigned kan_setting_traits(const char *name, const char *command) {
    const kan_setting_entry *entry = kan_setting_entry_for(name, command);
    if (!entry)
        entry = kan_setting_entry_find(name);
    return (entry ? entry->setting.traits : 0) | (may_be_shown(name) ? 0 : KAN_TRAIT_SECRET);
}

/* Whether an entry before has the same name and the trait. */
static bool was_told(size_t index, unsigned trait, const char *command) {
    for (size_t i = 0; i < index; i++)
        if (has_name(&entries[i], entries[index].setting.name) &&
            (entries[i].setting.traits & trait) &&
            (!command || kan_setting_is_for(&entries[i].setting, command)))
            return true;
    return false;
}

const char *kan_setting_with(unsigned trait, const char *command, size_t index) {
    const size_t n = kan_setting_count();
    for (size_t i = 0; i < n; i++) {
        const kan_setting *setting = &entries[i].setting;
        if ((setting->traits & trait) && (!command || kan_setting_is_for(setting, command)) &&
            !was_told(i, trait, command) && index-- == 0)
            return setting->name;
    }
    return NULL;
}

bool kan_setting_takes_lists(const kan_setting *setting) {
    const kan_setting_entry *entry = setting ? kan_setting_entry_find(setting->name) : NULL;
    return entry && setting->repeats && !kan_form_of(entry)->is_whole;
}

bool kan_setting_is_for(const kan_setting *setting, const char *command) {
    const size_t size = command ? strlen(command) : 0;
    for (const char *at = setting && command ? setting->commands : ""; at && *at;) {
        size_t word = strcspn(at, " ");
        if (word == size && memcmp(at, command, size) == 0)
            return true;
        at += word + (at[word] == ' ');
    }
    return false;
}

/* How far a misspelt name is from a known one; UINT_MAX when it is not near enough to be meant: up
 * to a third of the name may differ, a slip or two, not another word. */
static unsigned distance_if_near(const char *name, const char *known) {
    if (strcasecmp(name, known) == 0)
        return 0;
    size_t size = strlen(name), known_size = strlen(known);
    size_t common = size < known_size ? size : known_size;
    /* `suppression`, `thread`: one is the beginning of the other. Another word behind it is farther
     * than a slip: `job-ot` is `job-out`, not `job`. */
    if (common >= 3 && strncmp(name, known, common) == 0) {
        const char next = (size < known_size ? known : name)[common];
        return next == '-' || next == '_' ? 2 : 1;
    }
    /* `kk` is a slip of `k`. */
    if (known_size == 1 && size == 2 && name[0] == known[0])
        return 1;
    /* A name of one letter shares nothing with its neighbours: `--x` does not mean `--k`. */
    unsigned distance = kan_edit_distance(name, known);
    size_t allowed = known_size / 3 < 1 ? 1 : known_size / 3;
    return distance <= allowed && distance < known_size ? distance : UINT_MAX;
}

const char *kan_setting_nearest(const char *name, const char *command) {
    const char *best = NULL;
    unsigned least = UINT_MAX;
    const size_t n = name ? kan_setting_count() : 0;
    for (size_t i = 0; i < n; i++) {
        const kan_setting *setting = &entries[i].setting;
        if (command && !kan_setting_is_for(setting, command))
            continue;
        unsigned distance = distance_if_near(name, setting->name);
        if (distance < least) {
            best = setting->name;
            least = distance;
        }
    }
    return best;
}
