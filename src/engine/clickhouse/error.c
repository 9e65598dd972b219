/* What ClickHouse answers in place of rows: "Code: 60, e.displayText() = DB::Exception: Table a.b doesn't
 * exist., e.what() = DB::Exception" in old versions, "Code: 60. DB::Exception: Table a.b does not
 * exist. (UNKNOWN_TABLE) (version 24.8)" in later ones. */
#include <stdlib.h>

#include "engine/clickhouse/http.h"

static const struct {
    long code;
    kan_status status;
    const char *remedy;
} known[] = {
    {32, KAN_FAILED, "a shard was lost; nothing was counted"},
    {57, KAN_BAD_INPUT, "use another name, or --force"},
    {60, KAN_BAD_INPUT, "is its name right, and is this its database?"},
    {75, KAN_FAILED, "is the server's disk full?"},
    {81, KAN_BAD_INPUT, "is the name of the database right?"},
    {158, KAN_FAILED,
     "the user's profile has a limit (such as max_rows_to_read or max_rows_to_group_by)"},
    {159, KAN_FAILED, "the user's profile limits the time of a statement (max_execution_time)"},
    {164, KAN_BAD_INPUT,
     "the user's profile is read-only: reading a table needs readonly=0 or 2, so that kanon can "
     "force settings which keep counts right, and making a release needs readonly=0"},
    {192, KAN_BAD_INPUT, "set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD"},
    {193, KAN_BAD_INPUT, "set CLICKHOUSE_PASSWORD"},
    {194, KAN_BAD_INPUT, "set CLICKHOUSE_PASSWORD"},
    {195, KAN_BAD_INPUT, "the user may not log in from this host"},
    {209, KAN_FAILED, "a shard did not answer in time; nothing was counted"},
    {210, KAN_FAILED, "a shard could not be reached; nothing was counted"},
    {241, KAN_FAILED,
     "the server has no more memory for it (max_memory_usage); fewer "
     "quasi-identifiers or a larger limit helps"},
    {243, KAN_FAILED, "the server's disk is full"},
    {279, KAN_FAILED, "a shard could not be reached; nothing was counted"},
    {291, KAN_BAD_INPUT, "the user may not see this database"},
    {394, KAN_FAILED, "somebody ended the statement on the server"},
    {452, KAN_BAD_INPUT,
     "the user's profile forbids a setting that kanon forces so that counts are right"},
    {497, KAN_BAD_INPUT,
     "the user needs SELECT on the input, and CREATE TABLE, INSERT, SELECT and "
     "DROP TABLE in the database of the release"},
    {516, KAN_BAD_INPUT, "set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD"},
};

/* Errors whose words show a value that cannot be read, or does not fit. */
static bool is_about_values(long code) {
    static const long codes[] = {6,   25,  26,  27,  38,  41,  69,  70,  72, 117,
                                 131, 321, 376, 395, 407, 441, 675, 676, 691};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code)
            return true;
    return false;
}

/* The words between the prefix and what only a programmer needs, of one line. */
static kan_slice words_of(kan_slice answer) {
    static const char begin[] = "Exception: "; /* of DB::Exception, DB::NetException and others */
    static const char *const ends[] = {", e.what() =", " (version ", ": While executing",
                                       " Stack trace:", "\n"};
    const char *words = memmem(answer.bytes, answer.size, begin, strlen(begin));
    if (words) {
        words += strlen(begin);
        answer = (kan_slice){words, answer.size - (size_t)(words - answer.bytes)};
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *found = memmem(answer.bytes, answer.size, ends[i], strlen(ends[i]));
        if (found)
            answer.size = (size_t)(found - answer.bytes);
    }
    while (answer.size > 0 &&
           (answer.bytes[answer.size - 1] == '.' || answer.bytes[answer.size - 1] == ' '))
        answer.size--;
    if (answer.size > 300)
        answer.size = 300;
    return answer;
}

kan_status kan_click_fail(kan_click_server *server, const char *what, long http_status,
                          kan_slice answer) {
    enum { SYNTAX_ERROR = 62 };
    kan_text plain;
    kan_text_init(&plain, server->run);
    long code = 0;
    if (answer.size > 6 && memcmp(answer.bytes, "Code: ", 6) == 0)
        code = strtol(answer.bytes + 6, NULL, 10); /* a text is NUL-terminated */
    server->code = code;
    if (code == SYNTAX_ERROR) { /* its words repeat the statement, and so values of the table */
        kan_text_print(&plain, "it does not understand the statement (code %ld)", code);
    } else if (is_about_values(code)) {
        kan_text_print(&plain, "a value does not fit (code %ld)", code);
    } else if (answer.size > 0) {
        const kan_slice words = words_of(answer);
        kan_text_add(&plain, words.bytes, words.size);
        kan_text_make_plain(&plain);
    }
    kan_status status = KAN_FAILED;
    const char *remedy = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code) {
            status = known[i].status;
            remedy = known[i].remedy;
        }
    status =
        kan_fail(server->run, status, "%s: %s says: %s%s%s%s", what, server->name,
                 plain.size > 0 ? plain.bytes : "nothing", remedy ? "; " : "", remedy ? remedy : "",
                 code == 0 && http_status != 500 ? "; is this ClickHouse's HTTP interface?" : "");
    kan_text_destroy(&plain);
    return status;
}
