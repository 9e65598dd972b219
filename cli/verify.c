/* kanon verify: recounts a release that anyone made, or checks a certificate. */
#include "cli.h"

const cli_command cli_verify = {
    .name = "verify",
    .summary = "recount a release that anyone made: does the promise hold?",
    .usage = "verify RELEASE --qi COLUMNS --k N [FLAGS]",
    .about = "Recounts a table as it stands, whoever made it, and says whether the promise holds: "
             "exit status 0 when it does, 3 when it does not, 1 when something could not be "
             "checked. With the original at hand it also "
             "checks that every released value covers an original one and no row was invented.\n"
             "With --job, --id, --keep, --drop or --others the columns of the release must be "
             "those that were decided on, and with --original no more rows may be missing than "
             "--suppress allows.\n"
             "With --certificate it checks instead what proves the answer of a search, against the "
             "table that was searched: that nothing was left out, that every claim is true, and "
             "that nothing better existed.",
    .examples = "kanon generate census\n"
                "kanon anonymize census.csv -o release.csv --k 5 --suppress 1% \\\n"
                "    --qi age,gender --hierarchies census-hierarchies\n"
                "kanon verify release.csv --qi age,gender --k 5\n"
                "kanon verify release.csv --qi age,gender --k 5 --original census.csv \\\n"
                "    --hierarchies census-hierarchies\n"
                "kanon anonymize census.csv -o means.csv --k 5 --qi age,gender \\\n"
                "    --algorithm mondrian --summary mean\n"
                "kanon verify means.csv --qi age,gender --k 5 --original census.csv \\\n"
                "    --summary mean\n"
                "kanon search census.csv --k 5 --qi age,gender \\\n"
                "    --hierarchies census-hierarchies --certificate proof.json\n"
                "kanon verify --certificate proof.json --input census.csv \\\n"
                "    --hierarchies census-hierarchies\n",
    .positional = "input",
    .main = cli_work,
};
