/* kanon ledger: what was released of the same people before. */
#include "cli.h"

const cli_command cli_ledger_show = {
    .name = "ledger-show",
    .examples = "kanon ledger show people.ledger --key people.key\n"
                "kanon ledger show people.ledger --key people.key --json releases.json\n",
};

const cli_command cli_ledger_check = {
    .name = "ledger-check",
    .examples = "kanon ledger check people.ledger --key people.key\n",
};

const cli_command cli_ledger_forget = {
    .name = "ledger-forget",
    .examples = "kanon ledger forget people.ledger --which 3 --key people.key\n",
    .more = "A release whose file still stands where it was written is not forgotten: delete it "
            "first. Numbers are not given again.",
};

const cli_command cli_ledger = {
    .name = "ledger",
    .summary = "show and check what was released before, or forget a release",
    .arguments = "show|check|forget FILE --key FILE",
    .about = "A ledger keeps, for its owner alone, who was in which group of each release of a "
             "table, so that the next release keeps its promise together with all earlier ones. "
             "kanon anonymize --ledger makes it and adds to it; these commands look at it.",
    .examples = "kanon ledger show people.ledger --key people.key\n"
                "kanon ledger check people.ledger --key people.key\n"
                "kanon ledger forget people.ledger --which 3 --key people.key\n",
    .main = cli_no_action,
};
