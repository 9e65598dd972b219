/* kanon: the program. Finds the command and hands it the rest of the arguments. */
#include <string.h>

#include "cli.h"

static const cli_command *const commands[] = {
    &cli_anonymize, &cli_search, &cli_verify, &cli_generate, &cli_list, &cli_demo,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static const cli_command *find_command(const char *name) {
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edits between two short words: insert, delete, replace, swap of neighbours. */
static size_t edit_distance(const char *a, const char *b) {
    enum { MOST = 31 };
    size_t n = strlen(a), m = strlen(b), rows[3][MOST + 1];
    if (n > MOST || m > MOST)
        return MOST;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *above = rows[(i - 1) % 3], *here = rows[i % 3], *two_above = rows[(i + 1) % 3];
        here[0] = i;
        for (size_t j = 1; j <= m; j++) {
            here[j] =
                least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = least(here[j], two_above[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

static int unknown_command(const char *name) {
    const char *best = NULL;
    size_t best_distance = 0;
    for (size_t i = 0; i < N_COMMANDS; i++) {
        size_t distance = edit_distance(name, commands[i]->name);
        if (distance <= strlen(commands[i]->name) / 3 + 1 && (!best || distance < best_distance)) {
            best = commands[i]->name;
            best_distance = distance;
        }
    }
    if (best)
        cli_error("unknown command '%s'; did you mean %s?", name, best);
    else
        cli_error("unknown command '%s'; kanon help lists them", name);
    return KAN_BAD_INPUT;
}

static int help(int n, char **arguments) {
    if (n == 0) {
        cli_help_general(stdout, commands, N_COMMANDS);
        return cli_finish(KAN_OK);
    }
    const cli_command *command = find_command(arguments[0]);
    if (!command)
        return unknown_command(arguments[0]);
    cli_help_command(stdout, command);
    return cli_finish(KAN_OK);
}

int main(int n, char **arguments) {
    cli_signals_attach(NULL);
    const char *name = n > 1 ? arguments[1] : "help";
    int n_rest = n > 2 ? n - 2 : 0;
    char **rest = arguments + (n > 2 ? 2 : n);
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(n_rest, rest);
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        printf("kanon %s\n", kan_version());
        return cli_finish(KAN_OK);
    }
    const cli_command *command = find_command(name);
    if (!command && name[0] == '-') {
        cli_error("a command comes first, then its flags: kanon COMMAND %s ...; kanon help lists "
                  "the commands",
                  name);
        return KAN_BAD_INPUT;
    }
    if (!command)
        return unknown_command(name);
    if (cli_wants_help(n_rest, rest)) {
        cli_help_command(stdout, command);
        return cli_finish(KAN_OK);
    }
    return command->main(command, n_rest, rest);
}
