/* Settings: the table or the file that a command is about, and what it reads beside it. */
#include "job/settings/settings_inside.h"

static const kan_setting_entry tables[] = {
    {.setting = {.name = "input",
                 .argument = "INPUT",
                 .summary =
                     "the table: CSV, also .gz or .zst, another format of `kanon list`, or the "
                     "address of a table in a database; - is standard input",
                 .group = "Input",
                 .commands = ON_SEARCH},
     .form = KAN_FORM_PATH,
     .what = "input",
     .is_table = true},
    {.setting = {.name = "input",
                 .argument = "RELEASE",
                 .summary = "the table to be checked: CSV, also .gz or .zst, or another format of "
                            "`kanon list`; - is standard input",
                 .group = "Input",
                 .commands = "verify"},
     .form = KAN_FORM_PATH,
     .what = "input",
     .is_table = true},
    {.setting = {.name = "input",
                 .argument = "RELEASE",
                 .summary = "the release: CSV, also .gz or .zst, or another format of `kanon "
                            "list`; - is standard input",
                 .group = "Input",
                 .commands = "utility"},
     .form = KAN_FORM_PATH,
     .what = "input",
     .is_table = true},
    {.setting = {.name = "input",
                 .argument = "INPUT",
                 .summary = "the table to look at: CSV, also .gz or .zst, or another format of "
                            "`kanon list`; - is standard input",
                 .group = "Input",
                 .commands = "profile"},
     .form = KAN_FORM_PATH,
     .what = "input",
     .is_table = true},
    {.setting = {.name = "input",
                 .argument = "TABLE",
                 .summary = "the table, raw or released: CSV, also .gz or .zst, or another format "
                            "of `kanon list`; - is standard input",
                 .group = "Input",
                 .commands = "risk"},
     .form = KAN_FORM_PATH,
     .what = "input",
     .is_table = true},
    {.setting = {.name = "input",
                 .argument = "INPUT",
                 .summary = "the table whose columns get hierarchies: CSV, also .gz or .zst, or "
                            "another format of "
                            "`kanon list`; - is standard input",
                 .group = "Input",
                 .commands = "hierarchy-build"},
     .form = KAN_FORM_PATH,
     .what = "input",
     .is_table = true},
    {.setting =
         {.name = "hierarchy",
          .argument = "FILE|DIR",
          .summary =
              "a hierarchy file, in columns or as a tree, or a directory of them: NAME.csv or "
              "NAME.txt for column NAME",
          .group = "Input",
          .commands = "hierarchy-check"},
     .form = KAN_FORM_PATH,
     .what = "hierarchy"},
    {.setting =
         {.name = "hierarchy",
          .argument = "FILE|SPEC",
          .summary =
              "a hierarchy file, in columns or as a tree; or a builder, such as intervals:5,10",
          .group = "Input",
          .commands = "hierarchy-show"},
     .form = KAN_FORM_PATH,
     .what = "hierarchy"},
    {.setting = {.name = "hierarchy",
                 .argument = "FILE",
                 .summary = "a hierarchy file, in columns or as a tree",
                 .group = "Input",
                 .commands = "hierarchy-convert"},
     .form = KAN_FORM_PATH,
     .what = "hierarchy"},
    {.setting =
         {.name = "input",
          .argument = "DATA",
          .summary =
              "the table that the hierarchy is for: CSV, also .gz or .zst, or another format of "
              "`kanon list`; - is standard input",
          .group = "Input",
          .commands = "hierarchy-check hierarchy-show"},
     .form = KAN_FORM_PATH,
     .what = "input",
     .is_table = true},
    {.setting = {.name = "column",
                 .argument = "NAME[=SPEC]",
                 .summary =
                     "columns to build hierarchies for, each perhaps with a builder of its own: "
                     "--column age=intervals:5,10 --column zip",
                 .group = "Input",
                 .repeats = true,
                 .commands = "hierarchy-build"},
     .form = KAN_FORM_QUASI},
    {.setting = {.name = "column",
                 .argument = "NAME",
                 .summary = "the column of DATA that the hierarchy is for",
                 .group = "Input",
                 .fallback = "the name of the file",
                 .repeats = true,
                 .commands = "hierarchy-check hierarchy-show"},
     .form = KAN_FORM_QUASI},
    {.setting =
         {.name = "method",
          .argument = "SPEC",
          .summary =
              "how hierarchies are built: intervals:5,10,20 digits:5 prefix:3,1 "
              "date:month,year quantiles:20,5 frequency:10,100 suppress; kanon list tells more",
          .group = "Input",
          .fallback = "one that suits the values",
          .commands = "hierarchy-build"},
     .form = KAN_FORM_TEXT},
    {.setting =
         {.name = "input",
          .argument = "RESULT",
          .summary =
              "the result that kanon anonymize or kanon search wrote with --json; - is standard "
              "input",
          .group = "Input",
          .commands = "report"},
     .form = KAN_FORM_PATH,
     .what = "input"},
    {.setting = {.name = "generator",
                 .argument = "NAME",
                 .summary = "the table to make; `kanon list` shows them",
                 .group = "Input",
                 .commands = "generate"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_GENERATOR},
};

const kan_setting_list kan_settings_tables = KAN_SETTING_LIST(tables);

static const kan_setting_entry beside[] = {
    {.setting = {.name = "format",
                 .argument = "NAME",
                 .summary = "what kind of file the table is; `kanon list` shows them",
                 .group = "Input",
                 .fallback = "by its ending",
                 .commands = ON_ALL_TABLES},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_SOURCE},
    {.setting = {.name = "engine",
                 .argument = "NAME",
                 .summary = "what counts the rows of a table in files that are too large to be "
                            "read: duckdb, for Parquet, also a folder or a pattern of files; a "
                            "release in Parquet is made by it, too",
                 .group = "Input",
                 .fallback = "the table is read",
                 .commands = ON_ALL_TABLES},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "duckdb"}},
    {.setting = {.name = "separator",
                 .argument = "C",
                 .summary = "what stands between fields: one character, or tab",
                 .group = "Input",
                 .fallback = "detected",
                 .commands = ON_ALL_TABLES},
     .form = KAN_FORM_SEPARATOR},
    {.setting =
         {.name = "missing",
          .argument = "[NAME=]VALUE,...",
          .summary =
              "what stands for a missing value, in all columns or in one: NA,NULL,. or age=-9,99. "
              "All of them are one value, apart from the order of numbers and dates, and a release "
              "shows the first that occurs. A value with a comma or an equals sign stands in "
              "double quotes",
          .group = "Input",
          .fallback = "empty fields",
          .repeats = true,
          .commands = ON_ALL_TABLES},
     .form = KAN_FORM_SPELLING},
    {.setting = {.name = "decimal",
                 .argument = "[NAME=]C",
                 .summary =
                     "what stands before the decimals of numbers, in all columns or in one: , or .",
                 .group = "Input",
                 .fallback = ".",
                 .repeats = true,
                 .commands = ON_ALL_TABLES},
     .form = KAN_FORM_SPELLING},
    {.setting = {.name = "thousands",
                 .argument = "[NAME=]C",
                 .summary = "what stands between groups of three digits: . , ' _ or blank; a "
                            "release has no groups",
                 .group = "Input",
                 .fallback = "none",
                 .repeats = true,
                 .commands = ON_ALL_TABLES},
     .form = KAN_FORM_SPELLING},
    {.setting =
         {.name = "date-format",
          .argument = "[NAME=]FORMAT",
          .summary =
              "how dates are written, in all columns or in one: %d.%m.%Y, born=%m/%d/%Y, "
              "%d-%b-%Y, with a time %d.%m.%Y %H:%M:%S, and with its zone %z. Years of two digits "
              "need the first of their hundred years: %d.%m.%y@1930",
          .group = "Input",
          .fallback = "%Y-%m-%d",
          .repeats = true,
          .commands = ON_ALL_TABLES},
     .form = KAN_FORM_SPELLING},
    {.setting =
         {.name = "encoding",
          .argument = "NAME",
          .summary =
              "how the text of the table is encoded: latin1, windows-1252, utf-16, or another "
              "that `iconv -l` lists; hierarchies and orders that are not UTF-8 are read so, too",
          .group = "Input",
          .fallback = "utf-8, or what a byte order mark says",
          .commands = ON_SEARCH " profile " ON_HIERARCHY},
     .form = KAN_FORM_ENCODING},
    {.setting =
         {.name = "encoding",
          .argument = "NAME",
          .summary =
              "how the text of the original is encoded: latin1, windows-1252, utf-16, or another "
              "that `iconv -l` lists; other files that are not UTF-8 are read so, too",
          .group = "Input",
          .fallback = "utf-8, or what a byte order mark says",
          .commands = "verify utility risk"},
     .form = KAN_FORM_ENCODING},
    {.setting = {.name = "encoding",
                 .argument = "NAME",
                 .summary = "how the hierarchy is encoded where it is not UTF-8, such as latin1",
                 .group = "Input",
                 .commands = "hierarchy-convert"},
     .form = KAN_FORM_ENCODING},
    {.setting = {.name = "output-encoding",
                 .argument = "NAME",
                 .summary = "how the text of the release is encoded",
                 .group = "Input",
                 .fallback = "utf-8, or --encoding where it is not",
                 .commands = "verify utility risk"},
     .form = KAN_FORM_ENCODING},
    {.setting =
         {.name = "original",
          .argument = "FILE",
          .summary =
              "the table before it was anonymized: also check that every released value covers "
              "an original one and no row was invented",
          .group = "Input",
          .fallback = "the input of --job, where it is at hand",
          .commands = "verify"},
     .form = KAN_FORM_PATH,
     .what = "original",
     .is_table = true},
    {.setting = {.name = "original",
                 .argument = "FILE",
                 .summary = "the table before it was anonymized",
                 .group = "Input",
                 .commands = "utility"},
     .form = KAN_FORM_PATH,
     .what = "original",
     .is_table = true},
    {.setting = {.name = "original",
                 .argument = "FILE",
                 .summary = "the table before it was anonymized: tells the risk before, too",
                 .group = "Input",
                 .commands = "risk"},
     .form = KAN_FORM_PATH,
     .what = "original",
     .is_table = true},
    {.setting =
         {.name = "population",
          .argument = "FILE",
          .summary =
              "everybody whom the table was drawn from, with the same quasi-identifiers, raw or "
              "at the labels of the table: for journalist risk (k-map)",
          .group = "Input",
          .commands = "risk"},
     .form = KAN_FORM_PATH,
     .what = "population",
     .is_table = true},
    {.setting = {.name = "population",
                 .argument = "FILE",
                 .summary =
                     "everybody whom the table was drawn from, the people of the table among "
                     "them, with the same quasi-identifiers, raw: for --k-map and --presence",
                 .group = "Input",
                 .commands = "anonymize search compare verify"},
     .form = KAN_FORM_PATH,
     .what = "population",
     .is_table = true},
    {.setting =
         {.name = "population-size",
          .argument = "N",
          .summary =
              "how many people the table was drawn from: estimates how many of them are unique",
          .group = "Input",
          .commands = "risk"},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1}},
    {.setting = {.name = "sampling-fraction",
                 .argument = "F",
                 .summary =
                     "the same as a share: the table is this part of the population, such as 0.05",
                 .group = "Input",
                 .commands = "risk"},
     .spec = {.type = KAN_OPTION_REAL, .least = 0, .most = 1}},
    {.setting = {.name = "threshold",
                 .argument = "K",
                 .summary = "rows in groups of fewer than K are at risk: their risk is above 1/K",
                 .group = "Privacy",
                 .fallback = "k, else 5",
                 .commands = "risk"},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1}},
    {.setting = {.name = "missing-matches",
                 .summary = "also count for each row the rows that it can match where * and a "
                            "missing value may be anything",
                 .group = "Privacy",
                 .commands = "risk"}},
    {.setting = {.name = "suda-columns",
                 .argument = "N",
                 .summary = "look for the smallest sets of up to N columns, 1 to 4, that make a "
                            "row unique (SUDA)",
                 .group = "Privacy",
                 .fallback = "4 with --rows, else none are looked for",
                 .commands = "risk"},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1, .most = 4}},
    {.setting =
         {.name = "certificate",
          .argument = "FILE",
          .summary =
              "check what a search wrote with --certificate instead of a release; RELEASE is "
              "then the table that was searched, and --hierarchies or --qi NAME=HIERARCHY its "
              "hierarchies",
          .group = "Input",
          .commands = "verify"},
     .form = KAN_FORM_PATH,
     .what = "certificate"},
    {.setting =
         {.name = "most-nodes",
          .argument = "N",
          .summary =
              "with --certificate: compute the cost of at most N nodes to check that nothing is "
              "better; 0: no limit, however long it takes",
          .group = "Input",
          .fallback = "what takes some ten seconds",
          .commands = "verify"},
     .spec = {.type = KAN_OPTION_COUNT}},
    {.setting = {.name = "rows",
                 .argument = "N",
                 .summary = "number of rows",
                 .group = "Input",
                 .fallback = "the generator's own",
                 .commands = "generate"},
     .form = KAN_FORM_COUNT_OR_PATH,
     .spec = {.type = KAN_OPTION_COUNT, .least = 1}},
    {.setting = {.name = "job",
                 .argument = "FILE",
                 .summary = "take settings from a YAML file; flags win over it",
                 .group = "Input"},
     .form = KAN_FORM_PATH,
     .what = "job file"},
};

const kan_setting_list kan_settings_beside = KAN_SETTING_LIST(beside);
