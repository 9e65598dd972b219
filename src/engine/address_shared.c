/* Addresses out of files that somebody else may have written, such as job files.
 *
 * Reading such a file must not run code of its author. Two kinds of address can make a client load a
 * library: a connection string of ODBC names a driver by its path, and many drivers take extensions
 * and plugins in keys of their own; and libpq takes a private key from an engine of OpenSSL, which may
 * be a path, too. So of ODBC what is known to be harmless is let through, and nothing else. Drivers
 * read the string once more, each by its own rules: some know no braces, so that a key may hide in
 * them. No value has any sign that could end it, whoever reads. */
#include <stdio.h>
#include <strings.h>

#include "engine/address.h"

static kan_status refuse_odbc(kan_run *run) {
    return kan_fail(run, KAN_BAD_INPUT,
                    "the address of a table in odbc in a job file has DSN, Database and table, "
                    "each without braces, quotes or blanks around it, and nothing else, because "
                    "drivers and their settings run code; put the rest into the source's own "
                    "settings (odbc.ini), or give the address on the command line");
}

static bool is_harmless_key(const char *at, size_t size) {
    static const char *const keys[] = {"DSN", "Database"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (size == strlen(keys[i]) && strncasecmp(at, keys[i], size) == 0)
            return true;
    return false;
}

/* Blanks within a value are harmless, those at its ends are cut off by some and kept by others. */
static bool is_plain_value(const char *at, size_t size) {
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)at[i] < 0x20 || at[i] == 0x7f || strchr("{}\"'=", at[i]))
            return false;
    return size > 0 && at[0] != ' ' && at[size - 1] != ' ';
}

/* The connection string as it goes to the driver, without `table`. */
static kan_status check_odbc(kan_run *run, const char *string) {
    while (*string) {
        const size_t size = strcspn(string, ";"), key = strcspn(string, "=;");
        if (key >= size || !is_harmless_key(string, key) ||
            !is_plain_value(string + key + 1, size - key - 1))
            return refuse_odbc(run);
        string += size + (string[size] == ';');
    }
    return KAN_OK;
}

/* ENGINE:KEY, where ENGINE may be the path of a library. */
static kan_status check_postgres(kan_run *run, const kan_address *address) {
    const char *const key = kan_address_option(address, "sslkey");
    if (!key || !strchr(key, ':'))
        return KAN_OK;
    return kan_fail(
        run, KAN_BAD_INPUT,
        "the address of a table in postgres in a job file takes its sslkey from an engine, which "
        "is a library that runs code; name a file without a colon, or set the variable PGSSLKEY");
}

kan_status kan_address_check_shared(kan_run *run, const kan_address *address) {
    if (strcmp(address->scheme, "odbc") == 0)
        return check_odbc(run, address->database);
    if (strcmp(address->scheme, "postgres") == 0)
        return check_postgres(run, address);
    return KAN_OK;
}
