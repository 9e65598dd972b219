/* kanon report: the page of a result. */
#include "cli.h"

const cli_command cli_report = {
    .name = "report",
    .examples = "kanon generate census\n"
                "kanon anonymize census.csv -o release.csv --k 5 --suppress 1% \\\n"
                "    --qi age,gender,race --hierarchies census-hierarchies \\\n"
                "    --report report.html --json result.json\n"
                "kanon report result.json -o again.html\n",
    .more = "What --report-internal adds to a page is not in any result: only kanon anonymize "
            "makes such a page.",
};
