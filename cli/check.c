/* kanon check: a table held against a rule. */
#include "cli.h"

const cli_command cli_check = {
    .name = "check",
    .examples = "kanon generate visits\n"
                "kanon check visits.csv --rules hipaa-safe-harbor --release-date 2026-03-31\n"
                "kanon check visits.csv --rules ema-0070 --qi age,sex\n"
                "kanon check visits.csv --rules ./ward.yaml --json check.json\n",
    .more =
        "Rules: hipaa-safe-harbor (the eighteen kinds of identifiers of 45 CFR 164.514(b)(2)), "
        "ema-0070 (the largest risk is at most 0.09: k = 12), hdx (global risk of 3 % at most, "
        "with "
        "sampling weights), or a file. A column is clear only where all its values belong to a set "
        "that cannot hold an identifier, or where somebody has read it (--reviewed). Free text "
        "never is.",
};
