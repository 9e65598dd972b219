/* kanon profile: what a table holds, and who can be singled out by which columns. */
#include "cli.h"

const cli_command cli_profile = {
    .name = "profile",
    .examples = "kanon generate census\n"
                "kanon profile census.csv\n"
                "kanon profile census.csv --job-out job.yaml --no-values --json profile.json\n",
    .more =
        "Roles: id (names people; left out of the release), quasi-identifier (others know it; "
        "generalized), sensitive (nobody should learn it), drop (free text; left out), undecided "
        "(nothing says what it is; left out until you decide). "
        "A row is alone when no other row has the same values. Missing are \"\" and ?.",
};
