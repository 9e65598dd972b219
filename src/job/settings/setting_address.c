/* Values of path settings that are addresses of tables in an engine (engine/address.h): which
 * settings take one. No message repeats a text that may hold a password. */
#include <stdio.h>
#include <string.h>

#include "engine/address.h"
#include "job/settings/settings.h"

bool kan_path_is_address(const char *path) {
    return path && kan_address_is_one(path);
}

/* Tables, and the release, whichever command is meant: that is not known yet. */
static bool takes_address(const char *setting) {
    for (size_t i = 0; i < kan_setting_count(); i++)
        if (kan_setting_entry_at(i)->is_table && strcmp(kan_setting_at(i)->name, setting) == 0)
            return true;
    return false;
}

static kan_status check_address(kan_run *run, const char *setting, const char *value,
                                bool is_shared) {
    kan_address address;
    char text[1024];
    if (!kan_address_is_one(value))
        return KAN_OK;
    kan_status status = kan_address_parse_any(run, kan_run_arena(run), value, &address);
    if (status == KAN_OK && !takes_address(setting))
        return kan_fail(run, KAN_BAD_INPUT,
                        "--%s: this is the address of a table in a database; name a file", setting);
    if (status == KAN_OK && is_shared)
        status = kan_address_check_shared(run, &address);
    if (status == KAN_OK)
        return KAN_OK;
    snprintf(text, sizeof text, "%s", kan_run_error(run));
    return kan_fail(run, status, "--%s: %s", setting, text);
}

kan_status kan_setting_check_address(kan_run *run, const char *setting, const char *value) {
    return check_address(run, setting, value, false);
}

kan_status kan_setting_check_shared_address(kan_run *run, const char *setting, const char *value) {
    return check_address(run, setting, value, true);
}
