/* kanon utility: what can still be done with a release, and how well it answers queries. */
#include "cli.h"

const cli_command cli_utility = {
    .name = "utility",
    .examples = "kanon generate census\n"
                "kanon anonymize census.csv -o release.csv --k 5 --suppress 1% \\\n"
                "    --qi age,gender --hierarchies census-hierarchies\n"
                "kanon utility release.csv --original census.csv \\\n"
                "    --hierarchies census-hierarchies\n"
                "echo 'COUNT WHERE gender = Male AND age BETWEEN 30 AND 44' >queries.txt\n"
                "echo 'weight 2  AVG(age) WHERE gender = Female' >>queries.txt\n"
                "kanon utility release.csv --original census.csv --workload queries.txt \\\n"
                "    --hierarchies census-hierarchies\n",
    .more = "A workload has one query per line: COUNT, SUM(column), AVG, MIN or MAX, then WHERE "
            "and predicates joined by AND: =, <, <=, >, >=, BETWEEN x AND y, IN (a, b). A line may "
            "begin with weight N; # begins a comment; put names and values with blanks or special "
            "characters in quotes.",
};
