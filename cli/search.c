/* kanon search: the solution space, without writing data. */
#include "cli.h"

const cli_command cli_search = {
    .name = "search",
    .examples = "kanon generate census\n"
                "kanon search census.csv --k 5 --qi age,gender,race \\\n"
                "    --hierarchies census-hierarchies\n"
                "kanon search census.csv --k 5 --qi age=intervals:5,10,20,gender=suppress \\\n"
                "    --json -\n",
    .more = "The order of the quasi-identifiers is the order of the levels in the result. How a "
            "list of them is written: kanon help anonymize.",
};
