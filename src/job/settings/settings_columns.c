/* Settings: columns, and the parts that they play. */
#include "job/settings/settings_inside.h"

static const kan_setting_entry columns[] = {
    {.setting =
         {.name = "qi",
          .argument = "NAME[=HIERARCHY]",
          .summary =
              "quasi-identifiers: columns by which somebody could be recognised. A hierarchy is a "
              "file or a builder: age=intervals:5,10,20 zip=digits:5 birth=date:month,year",
          .group = "Columns",
          .traits = SHOWN | EVERYDAY | EACH_TABLE | WITH_DRAWS,
          .repeats = true,
          .commands = ON_DATA,
          .label = "Quasi-identifier",
          .words = "quasi-identifier"},
     .not_with_codes =
         "what quasi-identifiers and codes promise together is not worked out: somebody may know "
         "both; leave the columns out, or release them in a table that nobody can join with this "
         "one",
     .form = KAN_FORM_QUASI},
    {.setting = {.name = "qi",
                 .argument = "NAME=HIERARCHY",
                 .summary = "the hierarchy that a column of the release was made with, so that its "
                            "labels can be read: a file or a builder, as with kanon anonymize",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "utility"},
     .form = KAN_FORM_QUASI},
    {.setting = {.name = "qi",
                 .argument = "NAME[=HIERARCHY]",
                 .summary = "quasi-identifiers: columns by which somebody could be recognised. "
                            "With --population, the hierarchy by which the labels of the table are "
                            "read: a file or a builder, as with kanon anonymize",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "risk"},
     .form = KAN_FORM_QUASI},
    {.setting = {.name = "qi",
                 .argument = "NAME[=HIERARCHY]",
                 .summary = "quasi-identifiers: columns by which somebody could be recognised, as "
                            "far as others know them, with the hierarchy by which the labels of "
                            "the release are read: a file or a builder, as with kanon anonymize",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "attack"},
     .form = KAN_FORM_QUASI},
    {.setting = {.name = "qi",
                 .argument = "NAME[=HIERARCHY]",
                 .summary = "quasi-identifiers, for a rule that promises something: columns by "
                            "which somebody could be recognised, beside those of the rule",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "check"},
     .form = KAN_FORM_QUASI},
    {.setting = {.name = "reviewed",
                 .argument = "NAME",
                 .summary = "columns that somebody has read and found to hold nothing that the "
                            "rule names; not free text, and nothing that was found",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "check"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "reviewed",
                 .argument = "NAME",
                 .summary = "columns that somebody has read and found to hold nothing that the "
                            "rule names; not free text, and nothing that was found",
                 .group = "Columns",
                 .traits = SHOWN,
                 .repeats = true,
                 .commands = "anonymize"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "hierarchies",
                 .argument = "DIR",
                 .summary = "where the hierarchy files are: DIR/NAME.csv, or a tree in "
                            "DIR/NAME.txt, for column NAME",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY | TABLES | EACH_TABLE | WITH_CODES | WITH_DRAWS,
                 .commands = ON_TABLES},
     .form = KAN_FORM_PATH},
    {.setting =
         {.name = "order",
          .argument = "NAME=FILE",
          .summary =
              "the order in which a column's values may be cut into intervals: one value per line "
              "(searches that cut into intervals, and mondrian; without it, numbers and dates are "
              "in order of value, text as in its hierarchy file or by bytes)",
          .group = "Columns",
          .traits = SHOWN | CUTS,
          .repeats = true,
          .commands = ON_SEARCH},
     .form = KAN_FORM_ORDER,
     .remedy = "write a column and a file with one value per line, such as "
               "education=education-order.txt"},
    {.setting = {.name = "bins",
                 .argument = "NAME=WIDTH[@ORIGIN]",
                 .summary =
                     "numbers in the same bin stay together (searches that cut into intervals, and "
                     "mondrian): age=5 makes bins of width 5 that begin at 0, age=5@17 at 17",
                 .group = "Columns",
                 .traits = SHOWN | CUTS,
                 .repeats = true,
                 .commands = ON_SEARCH},
     .form = KAN_FORM_BINS},
    {.setting = {.name = "cap",
                 .argument = "NAME=LOW..HIGH",
                 .summary = "numbers or dates of a released column below LOW are shown as <LOW, "
                            "and HIGH or more as >=HIGH; one of the two may be left out: age=..90",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS | EACH_TABLE,
                 .repeats = true,
                 .commands = ON_DATA " risk attack"},
     .not_with_epsilon = "write a hierarchy file instead, with --levels",
     .form = KAN_FORM_CAP},
    {.setting = {.name = "round",
                 .argument = "NAME=STEP",
                 .summary = "numbers of a released column are rounded to the nearest multiple of "
                            "STEP, halves away from zero: income=1000",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS | EACH_TABLE,
                 .repeats = true,
                 .commands = ON_DATA " risk attack"},
     .not_with_epsilon = "write intervals instead, such as --qi age=intervals:5, with --levels",
     .form = KAN_FORM_STEP},
    {.setting =
         {.name = "pseudonym",
          .argument = "NAME",
          .summary =
              "columns that are released as keyed pseudonyms (HMAC-SHA-256, 128 bits): the same "
              "value has the same pseudonym wherever --key and --key-domain are the same. Rows can "
              "be linked by them: such a release is pseudonymous, not anonymous",
          .group = "Columns",
          .traits = SHOWN | NEEDS_ROWS,
          .repeats = true,
          .commands = ON_DATA,
          .words = "released as a pseudonym"},
     .not_with_ledger = "pseudonyms link the rows of two releases, whatever these show; leave "
                        "--pseudonym out",
     .not_with_epsilon =
         "a pseudonym is of its row, and no group has it; --drop leaves the column out",
     .not_in_database = "the key would have to go there",
     .form = KAN_FORM_COLUMNS},
    {.setting =
         {.name = "shift-dates",
          .argument = "NAME",
          .summary =
              "the dates of these columns are shifted, all those of a person by the same number of "
              "days, which follows from --by, --within and --key; times of day stay",
          .group = "Columns",
          .traits = SHOWN | NEEDS_ROWS | EACH_TABLE,
          .repeats = true,
          .commands = ON_DATA},
     .not_with_epsilon = "a shifted date is of its row, and no group has it; --qi "
                         "born=date:month,year shows parts of it",
     .not_in_database = "each person's dates move by a secret number of days",
     .form = KAN_FORM_COLUMNS},
    {.setting =
         {.name = "by",
          .argument = "NAME",
          .summary =
              "the column that identifies the person, for --shift-dates; it need not be released",
          .group = "Columns",
          .traits = SHOWN,
          .commands = ON_DATA},
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "within",
                 .argument = "DAYS",
                 .summary = "the most days by which --shift-dates shifts, backwards or forwards; "
                            "all numbers up to it, including 0, are equally likely",
                 .group = "Columns",
                 .traits = SHOWN | TABLES | EACH_TABLE,
                 .commands = ON_DATA},
     .form = KAN_FORM_DAYS},
    {.setting =
         {.name = "key",
          .argument = "FILE",
          .summary =
              "the secret of --pseudonym, --shift-dates and --ledger: a file of at least 16 bytes "
              "that nobody can guess, such as (umask 077; head -c 32 /dev/urandom > FILE). Whoever "
              "has it can find out whom a pseudonym stands for, by how much dates were shifted, "
              "and "
              "with the ledger who was in which group",
          .group = "Columns",
          .traits = SECRET | TABLES,
          .commands = ON_DATA},
     .form = KAN_FORM_PATH},
    {.setting = {.name = "key-domain",
                 .argument = "TEXT",
                 .summary = "what the key is used for: pseudonyms of different domains cannot be "
                            "compared. Without it, the name of the column",
                 .group = "Columns",
                 .traits = SHOWN,
                 .commands = ON_DATA},
     .form = KAN_FORM_TEXT},
    {.setting = {.name = "sensitive",
                 .argument = "NAME",
                 .summary = "columns whose values nobody should learn about a person",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY | EACH_TABLE | WITH_DRAWS,
                 .repeats = true,
                 .commands = ON_DATA " check risk attack",
                 .label = "Sensitive",
                 .words = "sensitive"},
     .not_with_codes =
         "nothing is promised of it: all people whom somebody finds by their codes may "
         "have one value; --keep releases it if you decide so",
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "class",
                 .argument = "NAME",
                 .summary = "column that a classifier will predict (cost classification)",
                 .group = "Columns",
                 .traits = SHOWN,
                 .commands = ON_SEARCH,
                 .words = "class to be predicted"},
     .not_with_epsilon = "no search is made that could look at it; --keep releases the column",
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "person",
                 .argument = "NAME",
                 .summary =
                     "the column that identifies the person, where a person may have several rows: "
                     "people are "
                     "counted, not rows (by most searches). It is left out of the release",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS | EVERYDAY,
                 .commands = ON_SEARCH,
                 .words = "identifies the person, left out"},
     .not_with_epsilon = "neighbours differ by one row there, so that a person with several rows "
                         "is not covered; give each person one row",
     .not_with_codes =
         "each row is a person here; write all codes of a person into the cell of one row",
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "person",
                 .argument = "NAME",
                 .summary =
                     "the column that identifies the person, where a person may have several rows: "
                     "people are counted, not rows. It is a column of the release, or of "
                     "--original if the release has its rows in the same order",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .commands = "verify check"},
     .not_with_epsilon = "neighbours differ by one row there, so that a person with several rows "
                         "is not covered; give each person one row",
     .not_with_codes =
         "each row is a person here; write all codes of a person into the cell of one row",
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "person",
                 .argument = "NAME",
                 .summary = "the column that identifies the person, where a person may have "
                            "several rows: a group is as large as the number of its people",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .commands = "risk"},
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "sampling-weight",
                 .argument = "NAME",
                 .summary =
                     "the column with the weight of each row: how many people of the "
                     "population it stands for (--individual-risk, --global-risk). It is left "
                     "out of the "
                     "release, unless --keep names it, too",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS,
                 .commands = ON_SEARCH,
                 .words = "sampling weight"},
     .not_with_epsilon = "a weight is of its row, and no group has it",
     .not_with_codes = "weights are for --individual-risk and its like, which are about "
                       "quasi-identifiers",
     .not_in_database = "the weight of each row would have to leave the database",
     .form = KAN_FORM_COLUMN},
    {.setting =
         {.name = "sampling-weight",
          .argument = "NAME",
          .summary =
              "the column with the weight of each row, for --individual-risk and its like: a "
              "column of the release, or of --original if it can be told which row of "
              "it each row is",
          .group = "Columns",
          .traits = SHOWN,
          .commands = "verify check"},
     .not_with_epsilon = "a weight is of its row, and no group has it",
     .not_with_codes = "weights are for --individual-risk and its like, which are about "
                       "quasi-identifiers",
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "sampling-weight",
                 .argument = "NAME",
                 .summary = "the column with the weight of each row: how many people of the "
                            "population it stands for; for the individual risk",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS | ROWS_ALONE,
                 .commands = "risk"},
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "sampling-weight",
                 .argument = "NAME",
                 .summary = "the column with the weight of each row: how many people of the "
                            "population it stands for. A column of the original, and of the "
                            "release unless its rows are those of the original in their order",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .commands = "utility"},
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "calibrate",
                 .argument = "NAME",
                 .summary = "columns whose combinations of values are strata: the released weights "
                            "of a stratum (--sampling-weight W --keep W) add up to those of all of "
                            "its rows, also of those that are left out. The columns need not be "
                            "released",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS,
                 .repeats = true,
                 .commands = ON_SEARCH},
     .not_with_codes = "weights are for --individual-risk, which is about quasi-identifiers",
     .not_in_database = "the weight of each row would have to leave the database",
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "calibrate",
                 .argument = "NAME",
                 .summary = "the columns whose combinations of values were strata: the weights of "
                            "the release must be those of --original, calibrated by them, and "
                            "nothing else",
                 .group = "Columns",
                 .traits = SHOWN,
                 .repeats = true,
                 .commands = "verify"},
     .not_with_codes = "weights are for --individual-risk, which is about quasi-identifiers",
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "strata",
                 .argument = "NAME",
                 .summary = "with --missing-matches: rows match people of their own stratum alone, "
                            "the rows that have the same value in this column as it was read; it "
                            "need not be released",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS | ROWS_ALONE,
                 .commands = "anonymize search compare"},
     .not_with_codes = "strata are for --missing-matches, which is about quasi-identifiers",
     .not_in_database = "the stratum of each row would have to leave the database",
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "strata",
                 .argument = "NAME",
                 .summary =
                     "with --missing-matches: rows must match people of their own stratum, the "
                     "rows that have the same value in this column of --original. It need "
                     "not be in the release, if that has its rows in the same order",
                 .group = "Columns",
                 .traits = SHOWN | ROWS_ALONE,
                 .commands = "verify"},
     .not_with_codes = "strata are for --missing-matches, which is about quasi-identifiers",
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "household",
                 .argument = "NAME",
                 .summary = "the column that identifies the household of each row: who is left out "
                            "leaves with all rows of the household, and --suppress counts "
                            "households. It is left out of the release",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS,
                 .commands = ON_SEARCH,
                 .words = "identifies the household, left out"},
     .not_with_ledger = "what it means where households leave together is not worked out; leave "
                        "--household out",
     .not_with_codes = "each row is a person here, and leaves alone",
     .not_in_database = "the household of each row would have to leave the database",
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "household",
                 .argument = "NAME",
                 .summary = "the column that identifies the household of each row: each is in the "
                            "release with all of its rows, or with none. It is a column of "
                            "--original, if the release has its rows in the same order",
                 .group = "Columns",
                 .traits = SHOWN,
                 .commands = "verify"},
     .not_with_codes = "each row is a person here, and leaves alone",
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "household",
                 .argument = "NAME",
                 .summary = "the column that identifies the household of each row, which is "
                            "recognised when any of its members is",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS | ROWS_ALONE,
                 .commands = "risk"},
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "household",
                 .argument = "NAME",
                 .summary = "the column that identifies the household of each row: columns that "
                            "are the same for all members of a household are found",
                 .group = "Input",
                 .traits = SHOWN,
                 .commands = "profile"},
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "codes",
                 .argument = "NAME[=HIERARCHY]",
                 .summary = "the column with a set of codes for each person, several in a cell, "
                            "such as diagnoses "
                            "or products: whoever knows some of them is what --k-codes is about. "
                            "The hierarchy of "
                            "the codes is a file or a builder: dx=icd10.csv, dx=prefix:3,1",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS | OF_CODES | WITH_CODES,
                 .commands = ON_DATA,
                 .words = "set of codes"},
     .not_in_database = "a cell with several codes is one value there",
     .form = KAN_FORM_QUASI},
    {.setting = {.name = "codes-separator",
                 .argument = "C",
                 .summary = "the character between the codes of a cell, or tab",
                 .group = "Columns",
                 .traits = SHOWN | OF_CODES | WITH_CODES,
                 .fallback = ";",
                 .commands = ON_DATA},
     .form = KAN_FORM_SEPARATOR},
    {.setting =
         {.name = "id",
          .argument = "NAME",
          .summary =
              "columns that name people directly; left out of the release. Patterns such as id_* "
              "name several",
          .group = "Columns",
          .traits = SHOWN | EVERYDAY | EACH_TABLE | WITH_CODES | WITH_DRAWS,
          .repeats = true,
          .commands = ON_SEARCH,
          .label = "Name or number",
          .words = "name or number of a person, left out"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "keep",
                 .argument = "NAME",
                 .summary = "columns that are released as they are, because you decided that "
                            "nobody can be recognised by them; patterns such as q* name several",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY | EACH_TABLE | WITH_CODES | WITH_DRAWS,
                 .repeats = true,
                 .commands = ON_SEARCH,
                 .label = "Keep unchanged",
                 .words = "kept unchanged"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "drop",
                 .argument = "NAME",
                 .summary = "columns that are left out; patterns such as q* name several",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY | EACH_TABLE | WITH_CODES | WITH_DRAWS,
                 .repeats = true,
                 .commands = ON_SEARCH,
                 .label = "Leave out",
                 .words = "left out"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "others",
                 .argument = "keep|drop|refuse",
                 .summary = "what happens to columns that no flag above names: keep releases them "
                            "as they are, drop leaves them out, refuse stops when there are any",
                 .group = "Columns",
                 .traits = SHOWN | WITH_CODES | WITH_DRAWS,
                 .fallback = "drop",
                 .commands = ON_SEARCH},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "keep|drop|refuse"}},
    {.setting = {.name = "class",
                 .argument = "NAME",
                 .summary = "column that a classifier will predict: the release must have it",
                 .group = "Columns",
                 .traits = SHOWN,
                 .commands = "verify"},
     .not_with_epsilon = "no search is made that could look at it; --keep releases the column",
     .form = KAN_FORM_COLUMN},
    {.setting =
         {.name = "id",
          .argument = "NAME",
          .summary =
              "columns that name people directly: the release must not have them. Patterns such "
              "as id_* name several",
          .group = "Columns",
          .traits = SHOWN | EVERYDAY | EACH_TABLE | WITH_CODES | WITH_DRAWS,
          .repeats = true,
          .commands = "verify"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "keep",
                 .argument = "NAME",
                 .summary =
                     "columns that are released as they are: the release must have them, and no "
                     "columns other than those that are named; patterns such as q* name several",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY | EACH_TABLE | WITH_CODES | WITH_DRAWS,
                 .repeats = true,
                 .commands = "verify"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "drop",
                 .argument = "NAME",
                 .summary = "columns that are not compared; patterns such as q* name several",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "utility"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "drop",
                 .argument = "NAME",
                 .summary =
                     "columns that the release must not have; patterns such as q* name several",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY | EACH_TABLE | WITH_CODES | WITH_DRAWS,
                 .repeats = true,
                 .commands = "verify"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "others",
                 .argument = "keep|drop|refuse",
                 .summary = "whether the release has (keep) or must not have (drop, refuse) "
                            "columns that no flag above names",
                 .group = "Columns",
                 .traits = SHOWN | WITH_CODES | WITH_DRAWS,
                 .fallback = "drop with --job, --keep or --drop",
                 .commands = "verify"},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "keep|drop|refuse"}},
    {.setting = {.name = "id",
                 .argument = "NAME",
                 .summary = "the column that says who is who in the register and in --original; "
                            "without it, both have the same people in the same order",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "attack"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "id",
                 .argument = "NAME",
                 .summary = "columns that name people directly; passed on to the kanon anonymize "
                            "that is suggested as the next step",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "hierarchy-build"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "sensitive",
                 .argument = "NAME",
                 .summary =
                     "columns whose values nobody should learn about a person; passed on like --id",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "hierarchy-build"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "person",
                 .argument = "NAME",
                 .summary = "the column that identifies the person, where a person may have "
                            "several rows; passed on like --id",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .commands = "hierarchy-build"},
     .form = KAN_FORM_COLUMN},
};

const kan_setting_list kan_settings_columns = KAN_SETTING_LIST(columns);
