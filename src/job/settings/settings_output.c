/* Settings: what is written, and how it is shown. */
#include "job/settings/settings_inside.h"

static const kan_setting_entry output[] = {
    /* The first of these stand behind the options of kinds, because kinds have options of that
       name. */
    {.setting =
         {.name = "summary",
          .argument = "NAME",
          .summary =
              "what numbers were released as: range; mean or median of the group; or both, the "
              "mean in a column NAME-mean, which then counts as a quasi-identifier. With "
              "--original they are checked, too",
          .group = "Input",
          .fallback = "range",
          .commands = "verify"},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "range|mean|median|both"}},
    {.setting = {.name = "modes",
                 .summary = "text was released as the most common value of the group: with "
                            "--original that is checked, and not what covers the rows",
                 .group = "Input",
                 .commands = "verify"},
     .spec = {.type = KAN_OPTION_SWITCH}},
    {.setting = {.name = "summary",
                 .argument = "NAME",
                 .summary = "what numbers of quasi-identifiers were released as: range; mean or "
                            "median of the group; or both. Of a mean or a median it is not known "
                            "whom it stands for",
                 .group = "Input",
                 .fallback = "range",
                 .commands = "utility risk"},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "range|mean|median|both"}},
    {.setting = {.name = "modes",
                 .summary = "text of quasi-identifiers was released as the most common value of "
                            "the group, which not all of its rows have",
                 .group = "Input",
                 .commands = "utility risk"},
     .spec = {.type = KAN_OPTION_SWITCH}},
    {.setting = {.name = "c",
                 .argument = "C",
                 .summary = "also tell the l of recursive l-diversity that is reached with this c",
                 .group = "Privacy",
                 .commands = "risk"},
     .spec = {.type = KAN_OPTION_REAL, .least = 0}},
    {.setting = {.name = "t-distance",
                 .argument = "[NAME=]KIND",
                 .summary =
                     "how far sensitive values are apart: auto, equal, ordered or hierarchical, as "
                     "with kanon anonymize",
                 .group = "Privacy",
                 .fallback = "auto",
                 .repeats = true,
                 .commands = "risk"},
     .form = KAN_FORM_NAMED,
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "auto|equal|ordered|hierarchical"}},
    {.setting = {.name = "t-hierarchy",
                 .argument = "NAME=FILE",
                 .summary = "the hierarchy by which values of a sensitive column are apart",
                 .group = "Privacy",
                 .repeats = true,
                 .commands = "risk"},
     .form = KAN_FORM_ORDER},
    {.setting =
         {.name = "workload",
          .argument = "FILE",
          .summary =
              "the queries, one per line, such as COUNT WHERE sex = Male AND age <= 36; - is "
              "standard input",
          .group = "Input",
          .commands = "utility"},
     .form = KAN_FORM_PATH,
     .what = "workload"},
    {.setting = {.name = "output",
                 .argument = "OUT",
                 .summary =
                     "the release, in the format that its ending tells, else as CSV; .gz and "
                     ".zst compress CSV, - is standard output; or the address of a table in the "
                     "database that has the input",
                 .group = "Output",
                 .commands = "anonymize",
                 .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "release",
     .is_table = true},
    {.setting = {.name = "output-format",
                 .argument = "NAME",
                 .summary = "what kind of file the release is; `kanon list` shows them",
                 .group = "Output",
                 .fallback = "by its ending",
                 .commands = "anonymize"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_SINK},
    {.setting =
         {.name = "output-encoding",
          .argument = "NAME",
          .summary =
              "how the text of a release in CSV is encoded: latin1, windows-1252, utf-16, or "
              "another that `iconv -l` lists; utf-16 begins with a byte order mark",
          .group = "Output",
          .fallback = "utf-8",
          .commands = "anonymize"},
     .form = KAN_FORM_ENCODING},
    {.setting = {.name = "output",
                 .argument = "FILE",
                 .summary = "the page of HTML; - is standard output",
                 .group = "Output",
                 .commands = "report",
                 .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "page"},
    {.setting = {.name = "output",
                 .argument = "FILE",
                 .summary = "write the table of all figures as CSV; - is standard output",
                 .group = "Output",
                 .commands = "compare",
                 .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "table"},
    {.setting = {.name = "rows",
                 .argument = "FILE",
                 .summary =
                     "write a line for each row: its group, its risk, and the smallest sets of "
                     "columns that make it unique, with scores; for those who may see the table, "
                     "never to be shared; in the format that the ending tells, else as CSV; - is "
                     "standard output",
                 .group = "Output",
                 .commands = "risk",
                 .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "file of rows"},
    {.setting = {.name = "metrics",
                 .argument = "NAME,NAME",
                 .summary = "costs that the table shows, and the first of them the chart",
                 .group = "Output",
                 .fallback = "what fits, those of --costs first",
                 .repeats = true,
                 .commands = "compare"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_COST},
    {.setting =
         {.name = "chart",
          .argument = "FILE.svg",
          .summary =
              "draw the cost, and the risk, against k, with a line for each method; for those who "
              "may see the table; - is standard output",
          .group = "Output",
          .commands = "compare",
          .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "chart"},
    {.setting = {.name = "save",
                 .argument = "FILE.jsonl",
                 .summary =
                     "add each cell to this file as soon as it is finished; cells that are there "
                     "already are not searched again; for those who may see the table",
                 .group = "Output",
                 .commands = "compare",
                 .file = KAN_FILE_EXTENDED},
     .form = KAN_FORM_PATH,
     .what = "saved cells",
     .is_checked_later = true},
    {.setting = {.name = "commands",
                 .summary = "print the command that makes each release, and search nothing",
                 .group = "Output",
                 .commands = "compare"}},
    {.setting = {.name = "width",
                 .argument = "N",
                 .summary = "columns that the table may take",
                 .group = "Output",
                 .fallback = "those of the terminal, else 80",
                 .commands = "compare"},
     .spec = {.type = KAN_OPTION_COUNT, .least = 40, .most = 1000}},
    {.setting = {.name = "output",
                 .argument = "OUT",
                 .summary = "where the table is written",
                 .group = "Output",
                 .fallback = "NAME.csv",
                 .commands = "generate",
                 .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "table"},
    {.setting = {.name = "hierarchies",
                 .argument = "DIR",
                 .summary = "where the table's hierarchies are written",
                 .group = "Output",
                 .fallback = "NAME-hierarchies beside the table",
                 .commands = "generate",
                 .file = KAN_FILE_FOLDER},
     .form = KAN_FORM_PATH},
    {.setting =
         {.name = "job-out",
          .argument = "FILE",
          .summary =
              "write a job file to start from, for --job of anonymize, search, compare, verify "
              "and risk: the suggested roles, k: 5, and hierarchies that are built; - is "
              "standard output",
          .group = "Output",
          .commands = "profile",
          .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "job file"},
    {.setting = {.name = "first-rows",
                 .argument = "N",
                 .summary = "show the first N rows in the JSON result, as first_rows",
                 .group = "Output",
                 .fallback = "0",
                 .commands = "profile"},
     .spec = {.type = KAN_OPTION_COUNT, .most = 1000}},
    {.setting = {.name = "no-values",
                 .summary = "show counts and shares alone, no value of the table",
                 .group = "Output",
                 .commands = "profile"}},
    {.setting =
         {.name = "output",
          .argument = "FILE|DIR/",
          .summary =
              "where the hierarchy is written: FILE.csv in columns, FILE.txt as a tree; DIR/ "
              "for a file NAME.csv for each column; - is standard output",
          .group = "Output",
          .fallback = "nowhere, it is only shown",
          .commands = "hierarchy-build",
          .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "hierarchy",
     .may_be_folder = true},
    {.setting =
         {.name = "output",
          .argument = "OUT",
          .summary =
              "OUT.txt for a tree, OUT.csv for columns; - is standard output, in the other form "
              "than FILE",
          .group = "Output",
          .commands = "hierarchy-convert",
          .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "hierarchy"},
    {.setting = {.name = "depth",
                 .argument = "N",
                 .summary = "levels below the top that are shown",
                 .group = "Output",
                 .fallback = "what fits on a page",
                 .commands = "hierarchy-show"},
     .spec = {.type = KAN_OPTION_COUNT, .most = 64}},
    {.setting = {.name = "list",
                 .argument = "N",
                 .summary = "the result of --json has the first N labels of each level, with their "
                            "rows; labels may be values of the data",
                 .group = "Output",
                 .fallback = "it has counts alone",
                 .commands = "hierarchy-show"},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1, .most = 100000}},
    {.setting = {.name = "draw",
                 .argument = "ascii|utf8",
                 .summary = "the lines of the tree",
                 .group = "Output",
                 .fallback = "utf8 on a terminal that shows it",
                 .commands = "hierarchy-show"},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "ascii|utf8"}},
    {.setting = {.name = "json",
                 .argument = "FILE",
                 .summary = "write the result as JSON; - is standard output",
                 .group = "Output",
                 .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "JSON result"},
    {.setting =
         {.name = "certificate",
          .argument = "FILE",
          .summary =
              "write what proves the answer, for kanon verify --certificate; for those who may "
              "see the data",
          .group = "Output",
          .commands = "anonymize search",
          .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "certificate"},
    {.setting =
         {.name = "nodes",
          .argument = "FILE",
          .summary =
              "write a line for every combination of levels as CSV, also where the promise fails: "
              "rows, groups, risk, costs, and what would have to be left out; for those who may "
              "see the table, never to be shared; - is standard output",
          .group = "Output",
          .commands = "search",
          .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "file of nodes"},
    {.setting =
         {.name = "picture",
          .argument = "FILE",
          .summary =
              "draw the groups of mondrian as rectangles over two columns, as SVG; it shows what "
              "the release shows",
          .group = "Output",
          .commands = "anonymize",
          .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "picture"},
    {.setting =
         {.name = "report",
          .argument = "FILE",
          .summary =
              "write a report for people, one page of HTML that needs nothing else; it shows no "
              "value that the release hides, and can go with it",
          .group = "Output",
          .commands = "anonymize",
          .file = KAN_FILE_WRITTEN},
     .form = KAN_FORM_PATH,
     .what = "report"},
    {.setting =
         {.name = "hash-key",
          .argument = "FILE",
          .summary =
              "the report has keyed hashes (HMAC-SHA-256) of the files that were read, for those "
              "who hold this secret file of at least 16 bytes; without it, none: a hash lets "
              "somebody try out what a table holds",
          .group = "Output",
          .commands = "anonymize"},
     .form = KAN_FORM_PATH},
    {.setting = {.name = "report-internal",
                 .summary = "the report also has raw rows, the smallest groups and raw values: for "
                            "those who may see "
                            "the table",
                 .group = "Output",
                 .commands = "anonymize"}},
    {.setting = {.name = "picture-columns",
                 .argument = "ACROSS,UPWARDS",
                 .summary = "the two quasi-identifiers of the picture",
                 .group = "Output",
                 .fallback = "those with the most values",
                 .repeats = true,
                 .commands = "anonymize"},
     .form = KAN_FORM_COLUMNS},
    {.setting =
         {.name = "cells",
          .summary =
              "say in the JSON result how many cells stand at each level of the hierarchies, as "
              "cell_levels",
          .group = "Output",
          .commands = ON_SEARCH}},
    {.setting = {.name = "keep-suppressed",
                 .summary = "keep suppressed rows, with * in every column",
                 .group = "Output",
                 .commands = "anonymize"}},
    {.setting = {.name = "show-suppressed",
                 .summary = "with --keep-suppressed: the kept rows show * in the quasi-identifiers "
                            "alone, and all "
                            "else as it was; refused unless they keep the promise as a group",
                 .group = "Output",
                 .commands = "anonymize"}},
    {.setting = {.name = "keep-suppressed",
                 .summary = "rows with * in every column are suppressed ones that were kept: they "
                            "tell nothing, and "
                            "may be fewer than k",
                 .group = "Privacy",
                 .commands = "verify"}},
    {.setting = {.name = "shuffle",
                 .summary = "permute the rows, because their order can identify, too: at random, "
                            "so that every run "
                            "gives another order",
                 .group = "Output",
                 .commands = "anonymize"}},
    {.setting =
         {.name = "shuffle-key",
          .argument = "FILE",
          .summary =
              "permute the rows in the order that follows from the bytes of this file, at least "
              "16: the same in every run. Whoever has the key can undo it: keep it secret, and "
              "make one for each table",
          .group = "Output",
          .commands = "anonymize"},
     .form = KAN_FORM_PATH},
    {.setting = {.name = "guard-formulas",
                 .summary = "write an apostrophe before cells that a spreadsheet would run as a "
                            "formula, names of "
                            "columns included; numbers stay as they are",
                 .group = "Output",
                 .commands = "anonymize"}},
    {.setting =
         {.name = "guard-formulas",
          .summary =
              "RELEASE was written with --guard-formulas: take the apostrophes before formulas off",
          .group = "Input",
          .commands = "verify risk"}},
    {.setting = {.name = "force",
                 .summary = "overwrite files that exist, with their modes as they are; never one "
                            "that the job reads",
                 .group = "Output"}},
    {.setting = {.name = "quiet",
                 .summary = "no summary, no notes, no progress: errors only",
                 .group = "Output"}},
    {.setting =
         {.name = "progress",
          .argument = "auto|line|plain|json|none",
          .summary =
              "how progress is shown on standard error: one live line, a plain line now and "
              "then, one JSON object per line, or not at all; auto is line on a terminal and "
              "plain elsewhere",
          .group = "Output",
          .fallback = "auto"},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "auto|line|plain|json|none"}},
    {.setting = {.name = "no-progress",
                 .summary = "the same as --progress none",
                 .group = "Output"}},
};

const kan_setting_list kan_settings_output = KAN_SETTING_LIST(output);
