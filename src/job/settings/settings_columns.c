/* Settings: columns, and the parts that they play. */
#include "job/settings/settings_inside.h"

static const kan_setting_entry columns[] = {
    {.setting =
         {.name = "qi",
          .argument = "NAME[=HIERARCHY]",
          .summary =
              "quasi-identifiers: columns by which somebody could be recognised. A hierarchy is "
              "a file, or built: age=intervals:5,10,20 zip=digits:5 birth=date:month,year",
          .group = "Columns",
          .traits = SHOWN | EVERYDAY,
          .repeats = true,
          .commands = ON_DATA},
     .form = KAN_FORM_QUASI},
    {.setting =
         {.name = "qi",
          .argument = "NAME=HIERARCHY",
          .summary =
              "the hierarchy that a column of the release was made with, so that its labels can "
              "be read: a file, or built, as with kanon anonymize",
          .group = "Columns",
          .traits = SHOWN | EVERYDAY,
          .repeats = true,
          .commands = "utility"},
     .form = KAN_FORM_QUASI},
    {.setting = {.name = "qi",
                 .argument = "NAME[=HIERARCHY]",
                 .summary =
                     "quasi-identifiers: columns by which somebody could be recognised. With "
                     "--population the hierarchy by which labels of the table are read: a file, or "
                     "built, as with kanon anonymize",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "risk"},
     .form = KAN_FORM_QUASI},
    {.setting = {.name = "hierarchies",
                 .argument = "DIR",
                 .summary = "where the hierarchy files are: DIR/NAME.csv, or a tree in "
                            "DIR/NAME.txt, for column NAME",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .commands = ON_TABLES},
     .form = KAN_FORM_PATH},
    {.setting =
         {.name = "order",
          .argument = "NAME=FILE",
          .summary =
              "the order in which a column's values may be cut into intervals: one value per "
              "line (searches that cut into intervals, and mondrian; otherwise numbers and dates "
              "by value, text as in its hierarchy file or by bytes)",
          .group = "Columns",
          .traits = SHOWN | CUTS,
          .repeats = true,
          .commands = ON_SEARCH},
     .form = KAN_FORM_ORDER,
     .remedy = "write a column and a file with one value per line, such as "
               "education=education-order.txt"},
    {.setting =
         {.name = "bins",
          .argument = "NAME=WIDTH[@ORIGIN]",
          .summary =
              "numbers in bins of one width stay together (searches that cut into intervals, and "
              "mondrian): age=5 makes bins of five from 0 on, age=5@17 from 17 on",
          .group = "Columns",
          .traits = SHOWN | CUTS,
          .repeats = true,
          .commands = ON_SEARCH},
     .form = KAN_FORM_BINS},
    {.setting =
         {.name = "cap",
          .argument = "NAME=LOW..HIGH",
          .summary =
              "numbers or dates of a released column below LOW are shown as <LOW, those from HIGH "
              "on as >=HIGH; one of the two may be left out: age=..90",
          .group = "Columns",
          .traits = SHOWN | NEEDS_ROWS,
          .repeats = true,
          .commands = ON_DATA " risk"},
     .form = KAN_FORM_CAP},
    {.setting = {.name = "round",
                 .argument = "NAME=STEP",
                 .summary =
                     "numbers of a released column become the nearest multiple of STEP, halves "
                     "away from zero: income=1000",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS,
                 .repeats = true,
                 .commands = ON_DATA " risk"},
     .form = KAN_FORM_STEP},
    {.setting =
         {.name = "pseudonym",
          .argument = "NAME",
          .summary =
              "columns that are released as keyed pseudonyms (HMAC-SHA-256, 128 bits): the same "
              "value has the same wherever --key and --key-domain are the same. Rows can be linked "
              "by them: such a release is pseudonymous, not anonymous",
          .group = "Columns",
          .traits = SHOWN | NEEDS_ROWS,
          .repeats = true,
          .commands = ON_DATA},
     .form = KAN_FORM_COLUMNS},
    {.setting =
         {.name = "shift-dates",
          .argument = "NAME",
          .summary =
              "dates of these columns are moved, all of a person by the same number of days, which "
              "follows from --by, --within and --key; times of day stay",
          .group = "Columns",
          .traits = SHOWN | NEEDS_ROWS,
          .repeats = true,
          .commands = ON_DATA},
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
                 .summary = "by how many days --shift-dates moves at most, backwards or forwards; "
                            "all numbers up to it, 0 included, are equally likely",
                 .group = "Columns",
                 .traits = SHOWN,
                 .commands = ON_DATA},
     .form = KAN_FORM_DAYS},
    {.setting =
         {.name = "key",
          .argument = "FILE",
          .summary =
              "the secret of --pseudonym and --shift-dates: a file of at least 16 bytes that "
              "nobody can guess, such "
              "as (umask 077; head -c 32 /dev/urandom > FILE). Whoever has it can find out whose a "
              "pseudonym is, and by how much dates were moved",
          .group = "Columns",
          .traits = SECRET,
          .commands = ON_DATA},
     .form = KAN_FORM_PATH},
    {.setting = {.name = "key-domain",
                 .argument = "TEXT",
                 .summary = "what the key is used for: pseudonyms of different domains cannot be "
                            "compared. Unless it is given, the name of the column",
                 .group = "Columns",
                 .traits = SHOWN,
                 .commands = ON_DATA},
     .form = KAN_FORM_TEXT},
    {.setting = {.name = "sensitive",
                 .argument = "NAME",
                 .summary = "columns whose values must not be learned about somebody",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = ON_DATA " risk"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "class",
                 .argument = "NAME",
                 .summary = "column that a classifier will predict (cost classification)",
                 .group = "Columns",
                 .traits = SHOWN,
                 .commands = ON_SEARCH},
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "person",
                 .argument = "NAME",
                 .summary =
                     "the column that identifies the person, where a person may have several rows: "
                     "people are "
                     "counted, not rows (searches over levels). It is left out of the release",
                 .group = "Columns",
                 .traits = SHOWN | NEEDS_ROWS | EVERYDAY,
                 .commands = ON_SEARCH},
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "person",
                 .argument = "NAME",
                 .summary =
                     "the column that identifies the person, where a person may have several rows: "
                     "people are "
                     "counted, not rows. Of the release, or of --original in whose order it stands",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .commands = "verify"},
     .form = KAN_FORM_COLUMN},
    {.setting = {.name = "person",
                 .argument = "NAME",
                 .summary = "the column that identifies the person, where a person may have "
                            "several rows: a group is as large as the number of its people",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .commands = "risk"},
     .form = KAN_FORM_COLUMN},
    {.setting =
         {.name = "id",
          .argument = "NAME",
          .summary =
              "columns that name people directly; left out of the release. Patterns such as id_* "
              "name several",
          .group = "Columns",
          .traits = SHOWN | EVERYDAY,
          .repeats = true,
          .commands = ON_SEARCH},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "keep",
                 .argument = "NAME",
                 .summary =
                     "columns that are released as they are, because you decided that nobody is "
                     "recognised by them; patterns such as q* name several",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = ON_SEARCH},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "drop",
                 .argument = "NAME",
                 .summary = "columns that are left out; patterns such as q* name several",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = ON_SEARCH},
     .form = KAN_FORM_COLUMNS},
    {.setting =
         {.name = "others",
          .argument = "keep|drop|refuse",
          .summary =
              "what becomes of columns that nothing above names: keep releases them as they are, "
              "drop leaves them out, refuse stops when there are any",
          .group = "Columns",
          .traits = SHOWN,
          .fallback = "drop",
          .commands = ON_SEARCH},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "keep|drop|refuse"}},
    {.setting = {.name = "class",
                 .argument = "NAME",
                 .summary = "column that a classifier will predict: the release must have it",
                 .group = "Columns",
                 .traits = SHOWN,
                 .commands = "verify"},
     .form = KAN_FORM_COLUMN},
    {.setting =
         {.name = "id",
          .argument = "NAME",
          .summary =
              "columns that name people directly: the release must not have them. Patterns such "
              "as id_* name several",
          .group = "Columns",
          .traits = SHOWN | EVERYDAY,
          .repeats = true,
          .commands = "verify"},
     .form = KAN_FORM_COLUMNS},
    {.setting =
         {.name = "keep",
          .argument = "NAME",
          .summary =
              "columns that are released as they are: the release must have them, and no others "
              "than those that are named; patterns such as q* name several",
          .group = "Columns",
          .traits = SHOWN | EVERYDAY,
          .repeats = true,
          .commands = "verify"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "drop",
                 .argument = "NAME",
                 .summary =
                     "columns that the release must not have; patterns such as q* name several",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "verify"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "others",
                 .argument = "keep|drop|refuse",
                 .summary =
                     "whether the release has (keep) or must not have (drop, refuse) columns that "
                     "nothing above names",
                 .group = "Columns",
                 .traits = SHOWN,
                 .fallback = "drop with --job, --keep or --drop",
                 .commands = "verify"},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "keep|drop|refuse"}},
    {.setting = {.name = "id",
                 .argument = "NAME",
                 .summary =
                     "columns that name people directly; handed on to the kanon anonymize that is "
                     "proposed as the next step",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "hierarchy-build"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "sensitive",
                 .argument = "NAME",
                 .summary =
                     "columns whose values must not be learned about somebody; handed on like --id",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .repeats = true,
                 .commands = "hierarchy-build"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "person",
                 .argument = "NAME",
                 .summary = "the column that identifies the person, where a person may have "
                            "several; handed on like --id",
                 .group = "Columns",
                 .traits = SHOWN | EVERYDAY,
                 .commands = "hierarchy-build"},
     .form = KAN_FORM_COLUMN},
};

const kan_setting_list kan_settings_columns = KAN_SETTING_LIST(columns);
