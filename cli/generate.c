/* kanon generate: synthetic tables. */
#include "cli.h"

const cli_command cli_generate = {
    .name = "generate",
    .summary = "make a synthetic table and its hierarchies",
    .usage = "generate NAME [-o OUT] [FLAGS]",
    .about = "Makes a synthetic table, and a directory with a hierarchy for each of its columns. "
             "The same seed makes the same bytes on every machine.",
    .examples = "kanon generate patients\n"
                "kanon generate census\n"
                "kanon generate census --rows 1000000 --seed 7 -o million.csv \\\n"
                "    --hierarchies million-hierarchies\n"
                "kanon generate sales --rows 1000000\n",
    .positional = "generator",
    .main = cli_work,
};
