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
                "    --sensitive occupation\n"
                "kanon risk census.csv --qi age,gender,education --rows rows.csv\n",
    .more = "Population uniques are estimated by three models: Pitman's sampling formula (shown "
            "first if the table is at most a tenth of the population), the slide negative binomial "
            "and Zayatz's (otherwise the smaller of these two is shown first). All assume that the "
            "table was drawn at random.\n"
            "The file of --rows is internal: it must not be shared. Its column suda has the score "
            "of SUDA: each smallest set of k of ATT columns that makes the row unique counts (ATT "
            "- k) (ATT - k - 1) ... (ATT - M), where M is --suda-columns, at most ATT - 1. Its "
            "column dis_suda, where the share of the population is known, is 1 / (1 + (U / DIS - "
            "U) / (S^q A)): U rows are unique, P in groups of two, f is the share, DIS is U f / (U "
            "f + P (1 - f)), S the score, q is 1 + (8 - ATT) / 20, and A the sum of 1 / S^q.\n"
            "With --missing-matches, two rows match if in each column they show the same, or one "
            "of them shows * or nothing; a label such as [30-39] matches only itself.",
};
