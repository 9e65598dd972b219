/* kanon hierarchy: building, checking, showing and converting hierarchies. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli.h"

/* Whether standard output is a terminal whose locale says UTF-8. */
static bool shows_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    if (isatty(STDOUT_FILENO) != 1)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value)
            continue;
        const char *dot = strchr(value, '.');
        return dot &&
               (strncasecmp(dot + 1, "utf-8", 5) == 0 || strncasecmp(dot + 1, "utf8", 4) == 0);
    }
    return false;
}

/* The lines of the tree are chosen by the terminal, unless the user does. */
static int show(const cli_command *command, int n, char **arguments) {
    static char flag[] = "--draw=utf8";
    bool is_said = false;
    for (int i = 0; i < n && strcmp(arguments[i], "--") != 0; i++)
        is_said |=
            strncmp(arguments[i], "--draw", 6) == 0 || strncmp(arguments[i], "--job", 5) == 0;
    if (is_said || !shows_utf8())
        return cli_work(command, n, arguments);
    char **more = malloc(((size_t)n + 1) * sizeof *more);
    if (!more) {
        cli_error("out of memory");
        return KAN_FAILED;
    }
    more[0] = flag;
    for (int i = 0; i < n; i++)
        more[i + 1] = arguments[i];
    const int status = cli_work(command, n + 1, more);
    free(more);
    return status;
}

static const cli_command build_command = {
    .name = "hierarchy-build",
    .title = "hierarchy build",
    .summary = "make hierarchies for columns of a table",
    .usage = "hierarchy build INPUT --column NAME[=SPEC] [-o FILE|DIR/] [FLAGS]",
    .about = "Makes the hierarchy of one column or of several: what each value becomes when it is "
             "generalized, level by level. Without --method one is proposed that suits the values: "
             "round intervals for numbers, months and years for dates, masked characters for "
             "codes.",
    .examples = "kanon generate census\n"
                "kanon hierarchy build census.csv --column age,occupation\n"
                "kanon hierarchy build census.csv --column age --method intervals:5,10,20 \\\n"
                "    -o age.csv\n"
                "kanon hierarchy build census.csv --column age=quantiles:20,5 --column gender \\\n"
                "    -o hierarchies/\n",
    .more = "quantiles and frequency look at how many rows have a value. Their bounds and groups "
            "tell something of the data to everybody who sees the release; the others do not.",
    .positional = "input",
    .main = cli_work,
};

static const cli_command check_command = {
    .name = "hierarchy-check",
    .title = "hierarchy check",
    .summary = "find what is wrong with hierarchy files",
    .usage = "hierarchy check FILE|DIR [--input DATA] [--column NAME]",
    .about = "Checks a hierarchy file, or all of a directory: values without a line, labels with "
             "two parents or two meanings, lines of unequal length, more than one top. Tells for "
             "each level how many labels it has, and with data the rows of the smallest and the "
             "largest one.",
    .examples = "kanon generate census\n"
                "kanon hierarchy check census-hierarchies --input census.csv\n"
                "kanon hierarchy check census-hierarchies/age.csv\n",
    .positional = "hierarchy",
    .main = cli_work,
};

static const cli_command show_command = {
    .name = "hierarchy-show",
    .title = "hierarchy show",
    .summary = "show a hierarchy as a tree",
    .usage = "hierarchy show FILE|SPEC [--input DATA] [--column NAME] [--depth N]",
    .about = "Shows a hierarchy file, or what a builder makes of a column, as a tree, with the "
             "values and, with data, the rows below each label. Long lists are folded.",
    .examples = "kanon generate census\n"
                "kanon hierarchy show census-hierarchies/age.csv --input census.csv\n"
                "kanon hierarchy show quantiles:20,5 --input census.csv --column age --depth 1\n",
    .positional = "hierarchy",
    .main = show,
};

static const cli_command convert_command = {
    .name = "hierarchy-convert",
    .title = "hierarchy convert",
    .summary = "turn columns into a tree of text, or back",
    .usage = "hierarchy convert FILE -o OUT",
    .about = "Writes a hierarchy in the other form: as a tree, one label per line and indented "
             "below what it belongs to, which is easy to write and to read; or in columns, a line "
             "for each value. Both forms are taken wherever a hierarchy file is.",
    .examples = "kanon generate census\n"
                "kanon hierarchy convert census-hierarchies/education.csv -o education.txt\n"
                "kanon hierarchy convert education.txt -o education.csv\n",
    .more = "In a tree a value may stand at any depth; in columns it repeats its own label until "
            "the level of its parent. A line that begins with # is a comment; a label that is "
            "empty, or begins with # or a blank, stands in double quotes, with \\\" \\\\ \\n \\t "
            "and \\xNN for what cannot be written.",
    .positional = "hierarchy",
    .main = cli_work,
};

static const cli_command *const actions[] = {&build_command, &check_command, &show_command,
                                             &convert_command, NULL};

/* Reached when the second word is none of these. */
static int no_action(const cli_command *command, int n, char **arguments) {
    static const char *const names[] = {"build", "check", "show", "convert"};
    const char *word = n > 0 ? arguments[0] : NULL;
    const char *near = word ? kan_nearest(word, names, 4) : NULL;
    if (!word)
        cli_error("what shall be done? Write kanon hierarchy build, check, show or convert");
    else if (near)
        cli_error("'%s' is not a command of kanon %s; did you mean %s?", word, command->name, near);
    else
        cli_error("'%s' is not a command of kanon %s; there are build, check, show and convert",
                  word, command->name);
    return KAN_BAD_INPUT;
}

const cli_command cli_hierarchy = {
    .name = "hierarchy",
    .summary = "build, check, show and convert hierarchies",
    .usage = "hierarchy build|check|show|convert [ARGUMENTS]",
    .about = "A hierarchy says what each value of a column becomes when it is generalized. These "
             "commands make them, find their mistakes, and show them.",
    .examples = "kanon generate census\n"
                "kanon hierarchy build census.csv --column age,gender -o hierarchies/\n"
                "kanon hierarchy check hierarchies/ --input census.csv\n"
                "kanon hierarchy show hierarchies/age.csv\n"
                "kanon hierarchy convert hierarchies/age.csv -o age.txt\n",
    .actions = actions,
    .main = no_action,
};
