/* kanon attack: what somebody finds out who has a release and something else. */
#include "cli.h"

const cli_command cli_attack = {
    .name = "attack",
    .examples = "kanon generate census --rows 20000\n"
                "kanon anonymize census.csv -o release.csv --k 5 --suppress 1% \\\n"
                "    --qi age,gender,education --hierarchies census-hierarchies \\\n"
                "    --sensitive occupation\n"
                "kanon attack release.csv --register census.csv --original census.csv \\\n"
                "    --qi age,gender,education --hierarchies census-hierarchies \\\n"
                "    --sensitive occupation\n"
                "kanon anonymize --job job.yaml -o undone.csv\n"
                "kanon attack undone.csv --knowing-method --original census.csv --job job.yaml\n",
    .more =
        "A row matches a person if each quasi-identifier that is known of her is covered by what "
        "the row shows. Rows of nothing but * are not looked at. What is most likely of a person "
        "is what most of the rows that match her show.\n"
        "With --knowing-method values that the release hides are changed in the original, and the "
        "release is made again, as the job file says: who knows how it was made rules out all that "
        "make another one.",
};
