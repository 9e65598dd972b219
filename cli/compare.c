/* kanon compare: several searches, promises or costs on the same table. */
#include <string.h>

#include "cli.h"

/* The table is as wide as the terminal, unless the user says how wide. */
static int compare(const cli_command *command, int n, char **arguments) {
    char flag[32];
    bool is_said = false;
    for (int i = 0; i < n && strcmp(arguments[i], "--") != 0; i++)
        is_said |=
            strncmp(arguments[i], "--width", 7) == 0 || strncmp(arguments[i], "--job", 5) == 0;
    if (is_said)
        return cli_work(command, n, arguments);
    snprintf(flag, sizeof flag, "--width=%u", cli_width(stdout));
    return cli_work_with(command, flag, n, arguments);
}

const cli_command cli_compare = {
    .name = "compare",
    .examples = "kanon generate census --rows 20000\n"
                "kanon compare census.csv --qi age,gender,race --hierarchies census-hierarchies\n"
                "kanon compare census.csv --qi age,gender,race \\\n"
                "    --hierarchies census-hierarchies --ks 5,10 --suppressions 0,1% \\\n"
                "    --algorithms auto,datafly,mondrian --chart cost.svg --save cells.jsonl\n"
                "kanon compare census.csv --qi age,gender,race \\\n"
                "    --hierarchies census-hierarchies --ks 5,10 --commands\n",
    .more = "--time-limit is for each search separately. A search that finds nothing, or refuses "
            "the promise, does not stop the others. Ctrl-C ends the comparison: what is finished "
            "is shown, and with --save the same command continues from there.",
    .keeps_interrupted = true,
    .main = compare,
};
