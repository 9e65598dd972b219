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
    return cli_work_with(command, flag, n, arguments);
}

const cli_command cli_hierarchy_build = {
    .name = "hierarchy-build",
    .examples = "kanon generate census\n"
                "kanon hierarchy build census.csv --column age,occupation\n"
                "kanon hierarchy build census.csv --column age --method intervals:5,10,20 \\\n"
                "    -o age.csv\n"
                "kanon hierarchy build census.csv --column age=quantiles:20,5 --column gender \\\n"
                "    -o hierarchies/\n",
    .more = "quantiles and frequency look at how many rows have a value. Their bounds and groups "
            "reveal something about the data to everybody who sees the release; the others do not.",
};

const cli_command cli_hierarchy_check = {
    .name = "hierarchy-check",
    .examples = "kanon generate census\n"
                "kanon hierarchy check census-hierarchies --input census.csv\n"
                "kanon hierarchy check census-hierarchies/age.csv\n",
};

const cli_command cli_hierarchy_show = {
    .name = "hierarchy-show",
    .examples = "kanon generate census\n"
                "kanon hierarchy show census-hierarchies/age.csv --input census.csv\n"
                "kanon hierarchy show quantiles:20,5 --input census.csv --column age --depth 1\n",
    .main = show,
};

const cli_command cli_hierarchy_convert = {
    .name = "hierarchy-convert",
    .examples = "kanon generate census\n"
                "kanon hierarchy convert census-hierarchies/education.csv -o education.txt\n"
                "kanon hierarchy convert education.txt -o education.csv\n",
    .more = "In a tree, a value may be at any depth; in columns, it repeats its own label until "
            "the level of its parent. A line that begins with # is a comment; a label that is "
            "empty, or begins with # or a blank, is put in double quotes, with \\\" \\\\ \\n \\t "
            "and \\xNN for what cannot be written.",
};

const cli_command cli_hierarchy = {
    .name = "hierarchy",
    .summary = "build, check, show and convert hierarchies",
    .arguments = "build|check|show|convert [ARGUMENTS]",
    .about = "A hierarchy says what each value of a column becomes when it is generalized. These "
             "commands make them, find their mistakes, and show them.",
    .examples = "kanon generate census\n"
                "kanon hierarchy build census.csv --column age,gender -o hierarchies/\n"
                "kanon hierarchy check hierarchies/ --input census.csv\n"
                "kanon hierarchy show hierarchies/age.csv\n"
                "kanon hierarchy convert hierarchies/age.csv -o age.txt\n",
    .main = cli_no_action,
};
