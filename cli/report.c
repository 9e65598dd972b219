/* kanon report: the page of a result. */
#include "cli.h"

const cli_command cli_report = {
    .name = "report",
    .summary = "make the report of a result that --json wrote: one page of HTML",
    .usage = "report RESULT.json -o FILE.html [FLAGS]",
    .about = "Makes the page that kanon anonymize --report makes, from the result that it wrote "
             "with --json at the same time. The page needs nothing else, asks nothing of the "
             "network, and shows no value that the release hides.",
    .examples = "kanon generate census\n"
                "kanon anonymize census.csv -o release.csv --k 5 --suppress 1% \\\n"
                "    --qi age,gender,race --hierarchies census-hierarchies \\\n"
                "    --report report.html --json result.json\n"
                "kanon report result.json -o again.html\n",
    .more = "What --report-internal adds to a page is in no result: such a page is made by kanon "
            "anonymize alone.",
    .positional = "input",
    .main = cli_work,
};
