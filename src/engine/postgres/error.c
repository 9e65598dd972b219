/* What PostgreSQL refuses, in words: what was to be done, the server's first line, and what helps.
 * DETAIL, CONTEXT and notices are never shown, for they hold rows; of errors about values the part
 * with the value is cut off. libpq shows no password in any message. */
#include <ctype.h>
#include <stdio.h>

#include "engine/postgres/connection.h"

typedef struct remedy {
    const char *state; /* SQLSTATE, or its class of two characters */
    kan_status status;
    const char *words;
} remedy;

/* The first that fits. */
static const remedy remedies[] = {
    {"57014", KAN_FAILED,
     "if a time limit ended it (statement_timeout, lock_timeout), give it more: PGOPTIONS='-c "
     "statement_timeout=0'"},
    {"55P03", KAN_FAILED, "another session holds a lock; try again, or raise lock_timeout"},
    {"25P03", KAN_FAILED,
     "it waits in a transaction while kanon searches; give it more time: PGOPTIONS='-c "
     "idle_in_transaction_session_timeout=0'"},
    {"25006", KAN_BAD_INPUT,
     "a release cannot be made there; connect to a server and as a user that may write"},
    {"42P01", KAN_BAD_INPUT, "name an existing table, with its schema: table=SCHEMA.NAME"},
    {"3F000", KAN_BAD_INPUT, "name an existing schema: table=SCHEMA.NAME"},
    {"42501", KAN_BAD_INPUT,
     "kanon needs USAGE on the schema and SELECT on the columns of the input; for a release also "
     "TEMPORARY on the database and CREATE on its schema"},
    {"42P07", KAN_BAD_INPUT,
     "a table of that name exists by now; choose another name, or --force to replace it"},
    {"3D000", KAN_BAD_INPUT, "name an existing database"},
    {"28", KAN_BAD_INPUT,
     "check the user in the address, and the password in PGPASSWORD or in the file ~/.pgpass"},
    {"53100", KAN_FAILED, "make room on the server; nothing of the release is left there"},
    {"53400", KAN_FAILED,
     "the server's limit (temp_file_limit) is too small for this table; have it raised"},
    {"53", KAN_FAILED, "the server is short of a resource; try again when it has less to do"},
    {"22021", KAN_BAD_INPUT,
     "the database does not know the encoding of its texts (SQL_ASCII), and one is not UTF-8; "
     "convert the column, or leave it out"},
    {"22P05", KAN_FAILED,
     "the database's encoding has no such character; use labels that it can hold, or a database in "
     "UTF8"},
    {"40", KAN_FAILED, "another session changed the same data at the same time; try again"},
    {"57P", KAN_FAILED, "the server is going down, or an administrator ended the connection"},
};

/* Told apart by the function of the server that says so: its words come in the server's language. */
static const remedy policy_remedy = {"42501", KAN_BAD_INPUT,
                                     "its row-level security shows this user a part of the rows, "
                                     "and kanon counts all or none: connect "
                                     "as its owner, as a role with BYPASSRLS, or give a table that "
                                     "holds just the rows that are meant "
                                     "(CREATE TABLE .. AS SELECT)"};

static bool is_policy(const kan_pg *pg, const PGresult *result) {
    const char *function = pg->pq.resultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
    return function && strcmp(function, "check_enable_rls") == 0;
}

static const remedy *find_remedy(const char *state) {
    for (size_t i = 0; state && i < sizeof remedies / sizeof *remedies; i++)
        if (strncmp(remedies[i].state, state, strlen(remedies[i].state)) == 0)
            return &remedies[i];
    return NULL;
}

/* The size of the first line; of errors about values, up to where the value begins. */
static int size_to_show(const char *words, const char *state) {
    size_t size = strcspn(words, "\r\n");
    const bool is_about_values = state && state[0] == '2' && (state[1] == '2' || state[1] == '3') &&
                                 strcmp(state, "22021") != 0;
    if (is_about_values) {
        const char *value = strstr(words, ": ");
        const char *quoted = strchr(words, '"');
        if (value && (size_t)(value - words) < size)
            size = (size_t)(value - words);
        if (quoted && (size_t)(quoted - words) < size && quoted > words)
            size = (size_t)(quoted - words);
    }
    while (size > 0 && words[size - 1] == ' ')
        size--;
    return size > 400 ? 400 : (int)size;
}

/* Two runs that want the same name meet in the catalog. */
static bool is_name_taken(const char *state, const char *constraint) {
    return state && strcmp(state, "23505") == 0 && constraint &&
           (strcmp(constraint, "pg_class_relname_nsp_index") == 0 ||
            strcmp(constraint, "pg_type_typname_nsp_index") == 0);
}

bool kan_pg_is_end(const kan_pg *pg, const PGresult *result) {
    const char *severity = pg->pq.resultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    return severity && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0);
}

void kan_pg_keep_end(kan_pg *pg, const PGresult *notice) {
    const char *state = pg->pq.resultErrorField(notice, PG_DIAG_SQLSTATE);
    if (state && kan_pg_is_end(pg, notice))
        (void)snprintf(pg->end_state, sizeof pg->end_state, "%s", state);
}

kan_status kan_pg_fail(kan_pg *pg, const PGresult *result, const char *what) {
    const char *state = pg->pq.resultErrorField(result, PG_DIAG_SQLSTATE);
    const char *words = pg->pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    pg->is_broken |= kan_pg_is_end(pg, result);
    if (is_name_taken(state, pg->pq.resultErrorField(result, PG_DIAG_CONSTRAINT_NAME))) {
        state = "42P07";
        words = "somebody else has just made a table of that name";
    }
    if (!words)
        words = pg->pq.resultErrorMessage(result);
    const remedy *found = is_policy(pg, result) ? &policy_remedy : find_remedy(state);
    return kan_fail(pg->run, found ? found->status : KAN_FAILED, "%s: could not %s: %.*s%s%s",
                    pg->address->text, what, size_to_show(words, state), words, found ? "; " : "",
                    found ? found->words : "");
}

kan_status kan_pg_fail_broken(kan_pg *pg, const char *what) {
    const char *words = pg->connection ? pg->pq.errorMessage(pg->connection) : "";
    if (pg->is_broken)
        return kan_fail(pg->run, KAN_FAILED,
                        "%s: could not %s: the connection to the server is lost", pg->address->text,
                        what);
    pg->is_broken = true;
    const remedy *found = find_remedy(*pg->end_state ? pg->end_state : NULL);
    return kan_fail(pg->run, KAN_FAILED,
                    "%s: could not %s: the connection to the server was lost: %.*s%s%s; %s",
                    pg->address->text, what, size_to_show(words, NULL), words, found ? "; " : "",
                    found ? found->words : "",
                    pg->commits ? "whether the release is there is not known: look for it, it was "
                                  "complete and recounted"
                                : "what was begun is not committed, and the server rolls it back");
}

/* "...failed: FATAL:  3D000: database "x" does not exist", as libpq writes it where it is asked for
 * all: the state is the only part that no language changes. Empty where there is none. */
static const char *find_state(const char *line, int size, char state[6]) {
    for (int i = 0; i + 8 < size; i++) {
        if (strncmp(line + i, ":  ", 3) != 0 || line[i + 8] != ':')
            continue;
        int j = 0;
        while (j < 5 &&
               (isdigit((unsigned char)line[i + 3 + j]) || isupper((unsigned char)line[i + 3 + j])))
            j++;
        if (j < 5)
            continue;
        memcpy(state, line + i + 3, 5);
        state[5] = '\0';
        return line + i + 9; /* the words behind it */
    }
    state[0] = '\0';
    return line;
}

kan_status kan_pg_fail_connect(kan_pg *pg) {
    const char *words = pg->connection ? pg->pq.errorMessage(pg->connection) : "no memory";
    char state[6];
    const char *rest = find_state(words, size_to_show(words, NULL), state);
    while (*rest == ' ')
        rest++;
    const remedy *found = find_remedy(*state ? state : NULL);
    if (pg->connection && pg->pq.connectionNeedsPassword(pg->connection))
        return kan_fail(pg->run, KAN_BAD_INPUT,
                        "%s: the server wants a password; set PGPASSWORD, or write it into the "
                        "file ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600)",
                        pg->address->text);
    return kan_fail(pg->run, found ? found->status : KAN_FAILED, "%s: could not connect: %.*s; %s",
                    pg->address->text, size_to_show(rest, NULL), rest,
                    found ? found->words : "check host and port, and whether the server runs");
}
