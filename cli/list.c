/* kanon list: everything that is registered. */
#include <string.h>

#include "cli.h"

static int list_main(const cli_command *command, int n, char **arguments) {
    bool as_json = false;
    for (int i = 0; i < n; i++) {
        if (strcmp(arguments[i], "--json") != 0) {
            cli_error("'%s' is not understood; kanon %s takes --json and nothing else",
                      arguments[i], command->name);
            return KAN_BAD_INPUT;
        }
        as_json = true;
    }
    kan_run *run = kan_run_create();
    const char *text;
    if (!run) {
        cli_error("out of memory");
        return KAN_FAILED;
    }
    int status = (int)kan_list(run, as_json, &text);
    if (status == KAN_OK) {
        fputs(text, stdout);
        status = cli_finish(status);
    } else {
        cli_error_lines(kan_run_error(run));
    }
    kan_run_destroy(run);
    return status;
}

const cli_command cli_list = {
    .name = "list",
    .summary = "every privacy model, cost, search and synthetic table, with its options",
    .usage = "list [--json]",
    .about =
        "Lists every privacy model, cost, search and synthetic table with its options, and the "
        "builders of hierarchies.",
    .examples = "kanon list\n"
                "kanon list --json\n",
    .own_flags = "--json                  as JSON\n",
    .main = list_main,
};
