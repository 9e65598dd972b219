/* kanon list: what most users choose from, or everything that is registered. */
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
    bool as_json = false, is_all = false;
    for (int i = 0; i < n; i++) {
        if (strcmp(arguments[i], "--json") == 0)
            as_json = true;
        else if (strcmp(arguments[i], "--all") == 0)
            is_all = true;
        else {
            cli_error("'%s' is not understood; kanon %s takes --all and --json and nothing else",
                      arguments[i], command->name);
            return KAN_BAD_INPUT;
        }
    }
    kan_run *run = kan_run_create();
    const char *text;
    if (!run) {
        cli_error("out of memory");
        return KAN_FAILED;
    }
    int status =
        (int)(as_json || is_all ? kan_list(run, as_json, &text) : kan_list_everyday(run, &text));
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
    .summary = "privacy models, costs, searches, recoding models and formats",
    .arguments = "[--all] [--json]",
    .about = "Lists the privacy models, costs, searches, recoding models, synthetic tables and "
             "formats that most users choose from, and the builders of hierarchies. With --all it "
             "lists every one, with its options and its paper.",
    .examples = "kanon list\n"
                "kanon list --all\n"
                "kanon list --json\n",
    .own_flags = "--all                   every one, with its options and its paper\n"
                 "--json                  the same as JSON\n",
    .main = list_main,
};
