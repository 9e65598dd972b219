/* kanon list: everything that is registered. */
#include <string.h>

#include "cli.h"

/* Names stand in the first columns, texts beside them; headings have no indent. */
enum { NAME_COLUMNS = 21 };

static void print_list(FILE *to, const char *text) {
    const unsigned width = cli_width(to);
    while (*text) {
        const size_t size = strcspn(text, "\n");
        const size_t name = text[0] == ' ' && size > NAME_COLUMNS ? NAME_COLUMNS : 0;
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)(size - name), text + name);
        if (name == 0 && text[0] == ' ')
            fprintf(to, "%s\n", line);
        else {
            fwrite(text, 1, name, to);
            cli_print_wrapped(to, line, (unsigned)name, (unsigned)name, width);
        }
        text += size + (text[size] == '\n');
    }
}

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
        if (as_json)
            fputs(text, stdout);
        else
            print_list(stdout, text);
        status = cli_finish(status);
    } else {
        cli_error_lines(kan_run_error(run));
    }
    kan_run_destroy(run);
    return status;
}

const cli_command cli_list = {
    .name = "list",
    .summary = "all privacy models, costs, searches and recoding models",
    .arguments = "[--json]",
    .about = "Lists every privacy model, cost, search, recoding model, synthetic table and format "
             "with its "
             "options, and the builders of hierarchies.",
    .examples = "kanon list\n"
                "kanon list --json\n",
    .own_flags = "--json                  as JSON\n",
    .main = list_main,
};
