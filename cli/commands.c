/* The commands: those of the library's table, each with what its file adds, and those that the
 * command line has by itself. A command of two words stands below the first of them. */
#include <string.h>

#include "cli.h"

/* A command of the library needs no line here, unless it has examples or a way of its own. */
static const cli_command *const files[] = {
    &cli_anonymize,
    &cli_search,
    &cli_compare,
    &cli_verify,
    &cli_check,
    &cli_utility,
    &cli_risk,
    &cli_attack,
    &cli_profile,
    &cli_hierarchy,
    &cli_hierarchy_build,
    &cli_hierarchy_check,
    &cli_hierarchy_show,
    &cli_hierarchy_convert,
    &cli_ledger,
    &cli_ledger_show,
    &cli_ledger_check,
    &cli_ledger_forget,
    &cli_report,
    &cli_generate,
    &cli_list,
    &cli_demo,
    &cli_serve,
};

enum { N_FILES = sizeof files / sizeof *files, MOST = 64 };

/* Filled by fill(), before anything else happens. */
static cli_command known[MOST];        /* those of the library first, in its order */
static const cli_command *first[MOST]; /* by first word */
static const cli_command *second[2 * MOST];
static size_t n_known, n_first, n_second;

static const cli_command *find_file(const char *name, size_t size) {
    for (size_t i = 0; i < N_FILES; i++)
        if (strlen(files[i]->name) == size && strncmp(files[i]->name, name, size) == 0)
            return files[i];
    return NULL;
}

static void add_known(const kan_command *command) {
    const cli_command *file = find_file(command->name, strlen(command->name));
    cli_command *out = &known[n_known++];
    if (file)
        *out = *file;
    out->name = command->name;
    out->title = command->words;
    out->summary = command->summary;
    out->arguments = command->arguments;
    out->about = command->about;
    out->positional = command->positional;
    if (!out->main)
        out->main = cli_work;
}

static bool is_first(const char *word, size_t size) {
    for (size_t i = 0; i < n_first; i++)
        if (strlen(first[i]->name) == size && strncmp(first[i]->name, word, size) == 0)
            return true;
    return false;
}

/* A command of two words: below the first of them where that has a file, else by its name. */
static void add_second(const cli_command *command, size_t size) {
    const cli_command *file = find_file(command->title, size);
    if (is_first(command->title, size))
        return; /* all of that first word are there */
    if (!file) {
        first[n_first++] = command;
        return;
    }
    cli_command *out = &known[n_known++];
    *out = *file;
    out->actions = &second[n_second];
    for (size_t i = 0; i < kan_command_count(); i++)
        if (strncmp(known[i].title, command->title, size + 1) == 0)
            second[n_second++] = &known[i];
    second[n_second++] = NULL;
    first[n_first++] = out;
}

static bool is_known(const char *name) {
    for (size_t i = 0; i < n_known; i++)
        if (strcmp(known[i].name, name) == 0)
            return true;
    return false;
}

static void fill(void) {
    const size_t n = kan_command_count();
    for (size_t i = 0; i < n; i++)
        add_known(kan_command_at(i));
    for (size_t i = 0; i < n; i++) {
        const size_t size = strcspn(known[i].title, " ");
        if (known[i].title[size])
            add_second(&known[i], size);
        else
            first[n_first++] = &known[i];
    }
    for (size_t i = 0; i < N_FILES; i++)
        if (!is_known(files[i]->name)) {
            known[n_known] = *files[i];
            first[n_first++] = &known[n_known++];
        }
}

const cli_command *const *cli_commands(size_t *n) {
    if (n_known == 0)
        fill();
    *n = n_first;
    return first;
}

const cli_command *cli_command_find(const char *name) {
    size_t n;
    (void)cli_commands(&n);
    for (size_t i = 0; i < n_known; i++)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

const char *cli_action_word(const cli_command *command, size_t index) {
    return command->actions[index]->title + strlen(command->name) + 1;
}

enum { MOST_ACTIONS = 16, LIST_BYTES = 256 };

/* "build, check, show or convert". */
static void list_names(const char *const *names, size_t n, const char *last, char *room) {
    size_t used = 0;
    room[0] = '\0';
    for (size_t i = 0; i < n && used < LIST_BYTES; i++)
        used += (size_t)snprintf(room + used, LIST_BYTES - used, "%s%s",
                                 i == 0       ? ""
                                 : i + 1 == n ? last
                                              : ", ",
                                 names[i]);
}

int cli_no_action(const cli_command *command, int n, char **arguments) {
    const char *word = n > 0 ? arguments[0] : NULL, *names[MOST_ACTIONS] = {NULL};
    char list[LIST_BYTES];
    size_t n_names = 0;
    for (; n_names < MOST_ACTIONS && command->actions[n_names]; n_names++)
        names[n_names] = cli_action_word(command, n_names);
    const char *near = word ? kan_nearest(word, names, n_names) : NULL;
    list_names(names, n_names, word ? " and " : " or ", list);
    if (!word)
        cli_error("what should be done? Write kanon %s %s", command->name, list);
    else if (near)
        cli_error("'%s' is not a command of kanon %s; did you mean %s?", word, command->name, near);
    else
        cli_error("'%s' is not a command of kanon %s; there are %s", word, command->name, list);
    return KAN_BAD_INPUT;
}
