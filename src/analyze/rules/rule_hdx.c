/* hdx: the threshold for microdata on the Humanitarian Data Exchange. */
#include "analyze/rules/rules.h"

#define DIRECT (KAN_ID_ALL & ~KAN_ID_BIT(KAN_ID_PLACE) & ~KAN_ID_BIT(KAN_ID_DATE))

const kan_rule kan_rule_hdx = {
    .name = "hdx",
    .title = "Humanitarian Data Exchange",
    .source = "OCHA Centre for Humanitarian Data, guidance note on statistical disclosure control",
    .date = "2019-08-07",
    .text = "Microdata are shared where the global risk of disclosure, estimated with the sampling "
            "weights, is at most 3 %, and nothing names people directly.",
    .kinds = DIRECT,
    .promise = {{"global-risk", "0.03"}},
    .needs_weights = true,
    .left = {
        "which columns others could know: those of --qi were counted, and no others",
        "whether the table is sensitive for other reasons: groups can be harmed of whom nobody "
        "is recognised"}};
