/* ema-0070: the threshold for published clinical reports. */
#include "analyze/rules/rules.h"

/* What names somebody directly: all kinds but places and dates, which the promise is about. */
#define DIRECT (KAN_ID_ALL & ~KAN_ID_BIT(KAN_ID_PLACE) & ~KAN_ID_BIT(KAN_ID_DATE))

const kan_rule kan_rule_ema = {
    .name = "ema-0070",
    .title = "EMA policy 0070",
    .source = "EMA/90915/2016, external guidance on the implementation of policy 0070, version 1.3",
    .date = "2017-09-20",
    .text =
        "Data on trial participants are anonymized so that the largest risk that any of them is "
        "recognised is at most 0.09, and nothing names them directly.",
    .kinds = DIRECT,
    .promise = {{"k", "12"}},
    .promise_note = "the largest risk of a group of 12 is 1/12 = 0.0833; that of a group of 11 is "
                    "1/11 = 0.0909, above 0.09, although others round it to 0.09",
    .left = {"which columns others could know: those of --qi were counted, and no others",
             "whether the people of the table are all that an attacker would look among"}};
