/* hipaa-safe-harbor: the eighteen kinds of identifiers of the Privacy Rule. */
#include "analyze/rules/rules.h"

const kan_rule kan_rule_hipaa = {
    .name = "hipaa-safe-harbor",
    .title = "HIPAA Safe Harbor",
    .source = "45 CFR 164.514(b)(2)",
    .date = "2013-06-07",
    .text =
        "None of eighteen kinds of identifiers of the individual, or of relatives, employers or "
        "household members, is in the table: names; places smaller than a state, save the "
        "first three digits of a ZIP code whose area has more than 20,000 people (000 for "
        "others); dates finer than a year, ages above 89 and what tells such an age, save as "
        "one category of 90 or older; telephone and fax numbers; e-mail addresses; social "
        "security, medical record, health plan and account numbers; certificates and licenses; "
        "vehicles; devices; web addresses; network addresses; biometric identifiers; "
        "photographs; any other unique number, characteristic or code.",
    .kinds = KAN_ID_ALL,
    .left = {
        "actual knowledge: whether you know that what is left could identify somebody, alone or "
        "with other information, 164.514(b)(2)(ii)",
        "columns that tell an age above 89 only together, such as an age at an event and the "
        "year of the event",
        "unique characteristics: a rare occupation, diagnosis or event that people have heard "
        "of"}};
