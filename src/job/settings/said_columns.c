/* What settings say of columns. */
#include "job/settings/said_columns.h"

#include "job/settings/settings.h"

/* In the order in which columns get their roles: a message about two of them is told of the later one. */
static const kan_role_setting settings[] = {
    {"qi", KAN_ROLE_QUASI, false},
    {"column", KAN_ROLE_QUASI, false}, /* hierarchy-build: hierarchies are made for them */
    {"sensitive", KAN_ROLE_SENSITIVE, false},
    {"class", KAN_ROLE_CLASS, false},
    {"person", KAN_ROLE_PERSON, false},
    {"pseudonym", KAN_ROLE_PSEUDONYM, false},
    {"codes", KAN_ROLE_CODES, false},
    {"sampling-weight", KAN_ROLE_WEIGHT, false},
    {"id", KAN_ROLE_ID, true},
    {"drop", KAN_ROLE_DROP, true},
    {"keep", KAN_ROLE_KEEP, true},
    {"household", KAN_ROLE_HOUSEHOLD, false},
};
enum { N_SETTINGS = sizeof settings / sizeof *settings };

const kan_role_setting *kan_role_setting_at(size_t index) {
    return index < N_SETTINGS ? &settings[index] : NULL;
}

const kan_role_setting *kan_role_setting_of(kan_role role) {
    size_t i = 0;
    while (i < N_SETTINGS && settings[i].role != role)
        i++;
    return kan_role_setting_at(i);
}

const kan_role_setting *kan_role_setting_for(kan_role role, const char *command) {
    size_t i = 0;
    while (i < N_SETTINGS &&
           (settings[i].role != role || !kan_setting_entry_for(settings[i].name, command)))
        i++;
    return kan_role_setting_at(i);
}

const char *kan_setting_role_at(const char *command, size_t index) {
    for (size_t i = 0; i < N_SETTINGS; i++)
        if (kan_setting_entry_for(settings[i].name, command) && index-- == 0)
            return settings[i].name;
    return NULL;
}

size_t kan_said_count(const kan_options *options, const kan_role_setting *setting) {
    return kan_options_count_of(options, setting->name);
}

kan_said_column kan_said_at(const kan_options *options, const kan_role_setting *setting, size_t i) {
    const char *text = kan_options_at(options, setting->name, i);
    kan_said_column said = {.hierarchy = NULL};
    if (setting->role == KAN_ROLE_QUASI || setting->role == KAN_ROLE_CODES)
        kan_quasi_parse(text, &said.name, &said.hierarchy);
    else
        said.name = kan_slice_of(text);
    return said;
}

size_t kan_role_count(const kan_options *options, kan_role role) {
    return kan_said_count(options, kan_role_setting_of(role));
}

kan_said_column kan_role_at(const kan_options *options, kan_role role, size_t i) {
    return kan_said_at(options, kan_role_setting_of(role), i);
}

bool kan_role_names(const kan_options *options, kan_role role, kan_slice column,
                    kan_said_column *said) {
    const size_t n = kan_role_count(options, role);
    for (size_t i = 0; i < n; i++) {
        const kan_said_column at = kan_role_at(options, role, i);
        if (kan_slice_equal(at.name, column)) {
            *said = at;
            return true;
        }
    }
    return false;
}
