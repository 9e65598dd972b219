/* kanon generate: synthetic tables. */
#include "cli.h"

const cli_command cli_generate = {
    .name = "generate",
    .examples = "kanon generate patients\n"
                "kanon generate census\n"
                "kanon generate census --rows 1000000 --seed 7 -o million.csv \\\n"
                "    --hierarchies million-hierarchies\n"
                "kanon generate sales --rows 1000000\n"
                "kanon generate wide-census --rows 20000\n"
                "kanon generate hospital -o hospital/\n",
};
