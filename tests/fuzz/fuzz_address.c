/* Fuzzing addresses: whatever the text is, parsing it ends; what comes out holds together, and a
 * refusal does not repeat what stands in the place of a password. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/address.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static void check(const kan_address *a, const char *text) {
    require(strcmp(a->text, text) == 0 && a->scheme && a->table && *a->table);
    require(!a->schema || *a->schema);
    require(!a->host || *a->host);
    require(kan_address_is_near(a, a));
    for (size_t i = 0; i < a->n_options; i++)
        require(kan_address_option(a, a->options[i].name) == a->options[i].value);
    require(!kan_address_option(a, "password") && !kan_address_option(a, "table"));
}

/* The same with a password: always refused, and never said again. */
static void check_secret(kan_run *run, kan_arena *arena, const char *text) {
    static const char secret[] = "hUnt3r2-hUnt3r2";
    const char *const slashes = strstr(text, "://");
    const bool is_url = strncasecmp(text, "duckdb:", 7) != 0 && strncasecmp(text, "odbc:", 5) != 0;
    kan_address address;
    char room[4096];
    if (!is_url || !slashes || strlen(text) > 2000 || strstr(text, secret))
        return;
    const size_t first = (size_t)(slashes + 3 - text);
    memcpy(room, text, first);
    strcpy(room + first, "u:");
    strcat(room, secret);
    strcat(room, "@");
    strcat(room, text + first);
    require(kan_address_parse(run, arena, room, &address) != KAN_OK);
    require(!strstr(kan_run_error(run), secret));
}

/* A scheme without its //, or without its colon, is an address that is refused, whatever follows: were
 * it a path, messages would show it. */
static void check_mistyped(kan_run *run, kan_arena *arena, const char *text) {
    static const char *const beginnings[] = {"postgres:", "clickhouse//", "jdbc:", "PostgreSQL:/"};
    kan_address address;
    char room[4096];
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings && strlen(text) < 2000; i++) {
        strcpy(room, beginnings[i]);
        strcat(room, "hUnt3r2-hUnt3r2@");
        strcat(room, text);
        require(kan_address_is_one(room));
        require(kan_address_parse(run, arena, room, &address) != KAN_OK);
        require(!strstr(kan_run_error(run), "hUnt3r2-hUnt3r2"));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    kan_run *const run = kan_run_create();
    char *const text = malloc(size + 1);
    kan_address address;
    kan_arena arena;
    require(run && text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    kan_arena_init(&arena, run);
    check_mistyped(run, &arena, text);
    if (kan_address_is_one(text)) {
        if (kan_address_parse(run, &arena, text, &address) == KAN_OK)
            check(&address, text);
        else
            require(kan_run_error(run)[0] != '\0');
        if (kan_address_parse_any(run, &arena, text, &address) == KAN_OK)
            require(address.table || address.schema);
        check_secret(run, &arena, text);
    }
    kan_arena_destroy(&arena);
    kan_run_destroy(run);
    free(text);
    return 0;
}
