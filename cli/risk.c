/* kanon risk: how likely people are recognised in a table, and what is learned of them then. */
#include "cli.h"

const cli_command cli_risk = {
    .name = "risk",
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
};
