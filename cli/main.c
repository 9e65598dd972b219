/* kanon: the program. Finds the command and hands it the rest of the arguments. */
#include <string.h>

#include "cli.h"

static const cli_command *find_command(const char *name) {
    size_t n;
    const cli_command *const *commands = cli_commands(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* The command, or what its second word says; moves behind that word. */
static const cli_command *find_action(const cli_command *command, int *n, char ***arguments) {
    for (size_t i = 0; *n > 0 && command->actions && command->actions[i]; i++)
        if (strcmp(cli_action_word(command, i), (*arguments)[0]) == 0) {
            (*n)--;
            (*arguments)++;
            return command->actions[i];
        }
    return command;
}

/* Whether it is the name of a search. */
static bool is_search(const char *name) {
    const char *at = kan_setting_choices(kan_setting_find("algorithm"));
    const size_t size = strlen(name);
    for (; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strcspn(at, "|") == size && strncmp(at, name, size) == 0)
            return true;
    }
    return false;
}

static int unknown_command(const char *name) {
    enum { MOST_NAMES = 64 };
    const char *names[MOST_NAMES];
    size_t n;
    const cli_command *const *commands = cli_commands(&n);
    n = n < MOST_NAMES ? n : MOST_NAMES;
    for (size_t i = 0; i < n; i++)
        names[i] = commands[i]->name;
    const char *best = kan_nearest(name, names, n);
    if (is_search(name))
        cli_error("%s is a search, not a command: write kanon search FILE --algorithm %s ...; "
                  "kanon list --all shows its options",
                  name, name);
    else if (best)
        cli_error("unknown command '%s'; did you mean %s?", name, best);
    else
        cli_error("unknown command '%s'; kanon help lists them",
                  kan_path_is_address(name) ? "ADDRESS" : name);
    return KAN_BAD_INPUT;
}

static int help(int n, char **arguments) {
    const bool wants_all = cli_wants_all(n, arguments);
    if (n > 0 && strcmp(arguments[0], "--all") == 0) {
        n--;
        arguments++;
    }
    if (n == 0) {
        cli_help_general(stdout);
        return cli_finish(KAN_OK);
    }
    const cli_command *command = find_command(arguments[0]);
    if (!command)
        return unknown_command(arguments[0]);
    n--;
    arguments++;
    cli_help_command(stdout, find_action(command, &n, &arguments), wants_all);
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
    if (strcmp(name, "pages") == 0)
        return cli_pages(n_rest, rest);
    const cli_command *command = find_command(name);
    if (!command && name[0] == '-') {
        cli_error("a command comes first, then its flags: kanon COMMAND %s ...; kanon help lists "
                  "the commands",
                  name);
        return KAN_BAD_INPUT;
    }
    if (!command)
        return unknown_command(name);
    command = find_action(command, &n_rest, &rest);
    if (cli_wants_help(n_rest, rest)) {
        cli_help_command(stdout, command, cli_wants_all(n_rest, rest));
        return cli_finish(KAN_OK);
    }
    return command->main(command, n_rest, rest);
}
