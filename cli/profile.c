/* kanon profile: what a table holds, and who can be singled out by which columns. */
#include "cli.h"

const cli_command cli_profile = {
    .name = "profile",
    .summary = "what a table holds, and which columns single people out",
    .usage = "profile INPUT [FLAGS]",
    .about = "Shows each column with its type, its values and what part it might play in a "
             "release, and how telling combinations of up to four columns are. The roles are "
             "suggestions by names and values alone. The output shows raw values: it is for those "
             "who may see the table.",
    .examples = "kanon generate census\n"
                "kanon profile census.csv\n"
                "kanon profile census.csv --job-out job.yaml --no-values --json profile.json\n",
    .more =
        "Roles: id (names people; left out of the release), quasi-identifier (others know it; "
        "generalized), sensitive (nobody should learn it), drop (free text; left out), undecided "
        "(nothing says what it is; left out until you decide). "
        "A row is alone when no other row has the same values. Missing are \"\" and ?.",
    .positional = "input",
    .main = cli_work,
};
