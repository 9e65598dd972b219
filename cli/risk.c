/* kanon risk: how likely people are recognised in a table, and what is learned of them then. */
#include "cli.h"

const cli_command cli_risk = {
    .name = "risk",
    .summary = "how likely people are recognised in a table, before and after",
    .usage = "risk TABLE --qi NAMES [--original FILE] [--population FILE] [FLAGS]",
    .about = "Counts how many rows look alike, and says what that means for somebody who knows a "
             "person in the table (prosecutor), has a list of the population (journalist) or links "
             "all rows to names (marketer); how many people are unique; and what the groups tell "
             "of sensitive values. A raw table or a release will do; with --original both are "
             "told, side by side.",
    .examples = "kanon generate census --rows 20000\n"
                "kanon risk census.csv --qi age,gender,education --population-size 500000\n"
                "kanon anonymize census.csv -o release.csv --k 5 --suppress 1% \\\n"
                "    --qi age,gender,education --hierarchies census-hierarchies \\\n"
                "    --sensitive occupation\n"
                "kanon risk release.csv --original census.csv --qi age,gender,education \\\n"
                "    --sensitive occupation\n",
    .more = "Population uniques are estimated by three models: Pitman's sampling formula (told "
            "first where the table is at most a tenth of the population), the slide negative "
            "binomial and Zayatz's (the smaller one of these is told first elsewhere). All assume "
            "that the table was drawn at random.",
    .positional = "input",
    .main = cli_work,
};
