/* kanon verify: recounts a release that anyone made, or checks a certificate. */
#include "cli.h"

const cli_command cli_verify = {
    .name = "verify",
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
};
