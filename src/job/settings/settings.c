/* The table of settings.
 *
 * The fixed entries stand below in the order of the help texts; the options of registered kinds
 * follow the fixed ones of their group. The whole table is computed once, on first use, from
 * constants alone; it never changes after that, so any thread may read it. Looking up is a walk
 * over some forty entries. */
#include "job/settings/settings.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

#define ON_DATA      "anonymize search compare verify"
#define ON_SEARCH    "anonymize search compare"
#define ON_TABLES    "anonymize search compare verify utility risk"
#define ON_HIERARCHY "hierarchy-build hierarchy-check hierarchy-show"
#define EVERYWHERE                                                                                 \
    "anonymize search compare verify utility risk profile generate"                                \
    " " ON_HIERARCHY " hierarchy-convert report"

#define SWITCH(word, text, heading, who)                                                           \
    {                                                                                              \
        .setting = {.name = word, .summary = text, .group = heading, .commands = who}, .spec = {   \
            .name = word,                                                                          \
            .type = KAN_OPTION_SWITCH                                                              \
        }                                                                                          \
    }

static const kan_setting_entry input_entries[] = {
    {.setting = {"input", "INPUT", "the table: a CSV file, also .gz or .zst; - is standard input",
                 "Input", NULL, false, ON_SEARCH},
     .form = KAN_FORM_PATH},
    {.setting = {"input", "RELEASE",
                 "the table to be checked: a CSV file, also .gz or .zst; - is standard input",
                 "Input", NULL, false, "verify"},
     .form = KAN_FORM_PATH},
    {.setting = {"input", "RELEASE",
                 "the release: a CSV file, also .gz or .zst; - is standard input", "Input", NULL,
                 false, "utility"},
     .form = KAN_FORM_PATH},
    {.setting = {"input", "INPUT",
                 "the table to look at: a CSV file, also .gz or .zst; - is standard input", "Input",
                 NULL, false, "profile"},
     .form = KAN_FORM_PATH},
    {.setting = {"input", "TABLE",
                 "the table, raw or released: a CSV file, also .gz or .zst; - is standard input",
                 "Input", NULL, false, "risk"},
     .form = KAN_FORM_PATH},
    {.setting = {"input", "INPUT",
                 "the table whose columns get hierarchies: a CSV file, also .gz or .zst; - is "
                 "standard input",
                 "Input", NULL, false, "hierarchy-build"},
     .form = KAN_FORM_PATH},
    {.setting = {"hierarchy", "FILE|DIR",
                 "a hierarchy file, in columns or as a tree, or a directory of them: NAME.csv or "
                 "NAME.txt for column NAME",
                 "Input", NULL, false, "hierarchy-check"},
     .form = KAN_FORM_PATH},
    {.setting = {"hierarchy", "FILE|SPEC",
                 "a hierarchy file, in columns or as a tree; or a builder, such as intervals:5,10",
                 "Input", NULL, false, "hierarchy-show"},
     .form = KAN_FORM_PATH},
    {.setting = {"hierarchy", "FILE", "a hierarchy file, in columns or as a tree", "Input", NULL,
                 false, "hierarchy-convert"},
     .form = KAN_FORM_PATH},
    {.setting = {"input", "DATA",
                 "the table that the hierarchy is for: a CSV file, also .gz or .zst; - is standard "
                 "input",
                 "Input", NULL, false, "hierarchy-check hierarchy-show"},
     .form = KAN_FORM_PATH},
    {.setting = {"column", "NAME[=SPEC]",
                 "columns to build hierarchies for, each perhaps with a builder of its own: "
                 "--column age=intervals:5,10 --column zip",
                 "Input", NULL, true, "hierarchy-build"},
     .form = KAN_FORM_QUASI},
    {.setting = {"column", "NAME", "the column of DATA that the hierarchy is for", "Input",
                 "the name of the file", true, "hierarchy-check hierarchy-show"},
     .form = KAN_FORM_QUASI},
    {.setting = {"method", "SPEC",
                 "how hierarchies are built: intervals:5,10,20 digits:5 prefix:3,1 "
                 "date:month,year quantiles:20,5 frequency:10,100 suppress; kanon list tells more",
                 "Input", "one that suits the values", false, "hierarchy-build"},
     .form = KAN_FORM_TEXT},
    {.setting = {"input", "RESULT",
                 "the result that kanon anonymize or kanon search wrote with --json; - is standard "
                 "input",
                 "Input", NULL, false, "report"},
     .form = KAN_FORM_PATH},
    {.setting = {"generator", "NAME", "the table to make; `kanon list` shows them", "Input", NULL,
                 false, "generate"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_GENERATOR},
    {.setting = {"qi", "NAME[=HIERARCHY]",
                 "quasi-identifiers: columns by which somebody could be recognised. A hierarchy is "
                 "a file, or built: age=intervals:5,10,20 zip=digits:5 birth=date:month,year",
                 "Input", NULL, true, ON_DATA},
     .form = KAN_FORM_QUASI},
    {.setting = {"qi", "NAME=HIERARCHY",
                 "the hierarchy that a column of the release was made with, so that its labels can "
                 "be read: a file, or built, as with kanon anonymize",
                 "Input", NULL, true, "utility"},
     .form = KAN_FORM_QUASI},
    {.setting = {"qi", "NAME[=HIERARCHY]",
                 "quasi-identifiers: columns by which somebody could be recognised. With "
                 "--population the hierarchy by which labels of the table are read: a file, or "
                 "built, as with kanon anonymize",
                 "Input", NULL, true, "risk"},
     .form = KAN_FORM_QUASI},
    {.setting =
         {"hierarchies", "DIR",
          "where the hierarchy files are: DIR/NAME.csv, or a tree in DIR/NAME.txt, for column NAME",
          "Input", NULL, false, ON_TABLES},
     .form = KAN_FORM_PATH},
    {.setting =
         {"order", "NAME=FILE",
          "the order in which a column's values may be cut into intervals: one value per "
          "line (searches that cut into intervals, and mondrian; otherwise numbers and dates "
          "by value, text as in its hierarchy file or by bytes)",
          "Input", NULL, true, ON_SEARCH},
     .form = KAN_FORM_ORDER},
    {.setting =
         {"bins", "NAME=WIDTH[@ORIGIN]",
          "numbers in bins of one width stay together (searches that cut into intervals, and "
          "mondrian): age=5 makes bins of five from 0 on, age=5@17 from 17 on",
          "Input", NULL, true, ON_SEARCH},
     .form = KAN_FORM_BINS},
    {.setting = {"sensitive", "NAME", "columns whose values must not be learned about somebody",
                 "Input", NULL, true, ON_DATA},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"sensitive", "NAME", "columns whose values must not be learned about somebody",
                 "Input", NULL, true, "risk"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"class", "NAME", "column that a classifier will predict (cost classification)",
                 "Input", NULL, false, ON_SEARCH},
     .form = KAN_FORM_COLUMN},
    {.setting =
         {"id", "NAME",
          "columns that name people directly; left out of the release. Patterns such as id_* "
          "name several",
          "Input", NULL, true, ON_SEARCH},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"keep", "NAME",
                 "columns that are released as they are, because you decided that nobody is "
                 "recognised by them; patterns such as q* name several",
                 "Input", NULL, true, ON_SEARCH},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"drop", "NAME", "columns that are left out; patterns such as q* name several",
                 "Input", NULL, true, ON_SEARCH},
     .form = KAN_FORM_COLUMNS},
    {.setting =
         {"others", "keep|drop|refuse",
          "what becomes of columns that nothing above names: keep releases them as they are, "
          "drop leaves them out, refuse stops when there are any",
          "Input", "drop", false, ON_SEARCH},
     .spec = {.name = "others",
              .argument = "WHAT",
              .type = KAN_OPTION_CHOICE,
              .choices = "keep|drop|refuse"}},
    {.setting = {"class", "NAME", "column that a classifier will predict: the release must have it",
                 "Input", NULL, false, "verify"},
     .form = KAN_FORM_COLUMN},
    {.setting = {"id", "NAME",
                 "columns that name people directly: the release must not have them. Patterns such "
                 "as id_* name several",
                 "Input", NULL, true, "verify"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"keep", "NAME",
                 "columns that are released as they are: the release must have them, and no others "
                 "than those that are named; patterns such as q* name several",
                 "Input", NULL, true, "verify"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"drop", "NAME",
                 "columns that the release must not have; patterns such as q* name several",
                 "Input", NULL, true, "verify"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"others", "keep|drop|refuse",
                 "whether the release has (keep) or must not have (drop, refuse) columns that "
                 "nothing above names",
                 "Input", "drop with --job, --keep or --drop", false, "verify"},
     .spec = {.name = "others",
              .argument = "WHAT",
              .type = KAN_OPTION_CHOICE,
              .choices = "keep|drop|refuse"}},
    {.setting = {"id", "NAME",
                 "columns that name people directly; handed on to the kanon anonymize that is "
                 "proposed as the next step",
                 "Input", NULL, true, "hierarchy-build"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"sensitive", "NAME",
                 "columns whose values must not be learned about somebody; handed on like --id",
                 "Input", NULL, true, "hierarchy-build"},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"separator", "C", "what stands between fields: one character, or tab", "Input",
                 "detected", false, ON_TABLES " profile " ON_HIERARCHY},
     .form = KAN_FORM_SEPARATOR},
    {.setting = {"original", "FILE",
                 "the table before it was anonymized: also check that every released value covers "
                 "an original one and no row was invented",
                 "Input", "the input of --job, where it is at hand", false, "verify"},
     .form = KAN_FORM_PATH},
    {.setting = {"original", "FILE", "the table before it was anonymized", "Input", NULL, false,
                 "utility"},
     .form = KAN_FORM_PATH},
    {.setting = {"original", "FILE",
                 "the table before it was anonymized: tells the risk before, too", "Input", NULL,
                 false, "risk"},
     .form = KAN_FORM_PATH},
    {.setting = {"population", "FILE",
                 "everybody whom the table was drawn from, with the same quasi-identifiers, raw or "
                 "at the labels of the table: for journalist risk (k-map)",
                 "Input", NULL, false, "risk"},
     .form = KAN_FORM_PATH},
    {.setting = {"population-size", "N",
                 "how many people the table was drawn from: estimates how many of them are unique",
                 "Input", NULL, false, "risk"},
     .spec = {.name = "population-size", .argument = "N", .type = KAN_OPTION_COUNT, .least = 1}},
    {.setting = {"sampling-fraction", "F",
                 "the same as a share: the table is this part of the population, such as 0.05",
                 "Input", NULL, false, "risk"},
     .spec = {.name = "sampling-fraction",
              .argument = "F",
              .type = KAN_OPTION_REAL,
              .least = 0,
              .most = 1}},
    {.setting = {"threshold", "K",
                 "rows in groups of fewer than K are at risk: their risk is above 1/K", "Privacy",
                 "k, else 5", false, "risk"},
     .spec = {.name = "threshold", .argument = "K", .type = KAN_OPTION_COUNT, .least = 1}},
    {.setting = {"certificate", "FILE",
                 "check what a search wrote with --certificate instead of a release; RELEASE is "
                 "then the table that was searched, and --hierarchies or --qi NAME=HIERARCHY its "
                 "hierarchies",
                 "Input", NULL, false, "verify"},
     .form = KAN_FORM_PATH},
    {.setting = {"most-nodes", "N",
                 "with --certificate: compute the cost of at most N nodes to check that nothing is "
                 "better; 0: no limit, however long it takes",
                 "Input", "what takes some ten seconds", false, "verify"},
     .spec = {.name = "most-nodes", .argument = "N", .type = KAN_OPTION_COUNT}},
    {.setting = {"rows", "N", "number of rows", "Input", "the generator's own", false, "generate"},
     .spec = {.name = "rows", .argument = "N", .type = KAN_OPTION_COUNT, .least = 1}},
    {.setting = {"job", "FILE", "take settings from a YAML file; flags win over it", "Input", NULL,
                 false, EVERYWHERE},
     .form = KAN_FORM_PATH},
};

static const kan_setting_entry privacy_entries[] = {
    {.setting = {"k", "N",
                 "every released row shares its quasi-identifiers with at least N-1 others",
                 "Privacy", NULL, false, ON_DATA},
     .form = KAN_FORM_K},
    {.setting = {"k", "N", "the k that was promised: what --threshold is where it is not given",
                 "Privacy", NULL, false, "risk"},
     .form = KAN_FORM_K},
    {.setting = {"ks", "N,N", "values of k to compare, in place of --k", "Privacy",
                 "2,5,10,50 where nothing is promised", true, "compare"},
     .form = KAN_FORM_K},
    {.setting = {"suppress", "N|P%|all",
                 "how many rows may be left out: a number, a percentage, or all", "Privacy", "0",
                 false, ON_SEARCH},
     .form = KAN_FORM_SUPPRESS},
    {.setting = {"suppress", "N|P%|all",
                 "how many rows may have been left out: a number, a percentage, or all; checked "
                 "where the original is given",
                 "Privacy", "0 with --job", false, "verify"},
     .form = KAN_FORM_SUPPRESS},
    {.setting = {"suppressions", "LIST", "limits to compare, in place of --suppress: 0,1%,5%",
                 "Privacy", NULL, true, "compare"},
     .form = KAN_FORM_SUPPRESS},
};

static const kan_setting_entry search_entries[] = {
    {.setting =
         {"algorithm", "NAME",
          "how the best release is looked for: `kanon list` shows the searches; auto is "
          "bisect, the quickest, or exhaustive where leaving out would be wrong; k-optimize "
          "cuts values into intervals instead of taking levels of hierarchies; mondrian cuts "
          "the rows into small groups, each with ranges of its own",
          "Search", "auto", false, ON_SEARCH},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_SEARCH,
     .automatic = "auto"},
    {.setting = {"algorithms", "NAME,NAME", "searches to compare, in place of --algorithm",
                 "Search", "auto,mondrian", true, "compare"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_SEARCH,
     .automatic = "auto"},
    {.setting = {"costs", "NAME,NAME",
                 "costs to compare, in place of --cost: each search looks for the least of each of "
                 "them; all are measured in any case",
                 "Search", NULL, true, "compare"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_COST},
    {.setting = {"cost", "NAME", "what the best release loses least of; `kanon list` shows them",
                 "Search", "discernibility", false, ON_SEARCH},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_COST},
    {.setting = {"weight", "NAME=W", "how much a column matters to the cost", "Search", "1", true,
                 ON_SEARCH},
     .form = KAN_FORM_WEIGHT},
    {.setting = {"threads", "N", "threads to use", "Search", "one per core", false,
                 ON_TABLES " profile " ON_HIERARCHY},
     .spec =
         {.name = "threads", .argument = "N", .type = KAN_OPTION_COUNT, .least = 1, .most = 256}},
    {.setting = {"memory", "SIZE",
                 "most memory to use, such as 512M or 2G; what has an entry per row is then kept "
                 "in temporary files where it takes too much of it",
                 "Search", "no limit", false, ON_TABLES " profile " ON_HIERARCHY},
     .form = KAN_FORM_BYTES},
    {.setting = {"tmp", "DIR",
                 "where temporary files are kept; they have no name, and are gone however the "
                 "program ends",
                 "Search", "$TMPDIR, else /tmp", false, ON_TABLES " profile " ON_HIERARCHY},
     .form = KAN_FORM_PATH},
    {.setting = {"spool-limit", "SIZE",
                 "most bytes that a table from a pipe or out of a .gz or .zst file may have, such "
                 "as 20G; it is kept in memory, or in --tmp where it takes too much of it",
                 "Search", "half of the free space of --tmp, for what is kept there", false,
                 ON_TABLES " profile " ON_HIERARCHY},
     .form = KAN_FORM_BYTES},
    {.setting = {"time-limit", "SECONDS",
                 "stop after that long, with the best found so far (bisect, and searches that cut "
                 "into intervals) or with nothing (all others); 0: no limit",
                 "Search", "no limit", false, ON_SEARCH},
     .spec = {.name = "time-limit", .argument = "SECONDS", .type = KAN_OPTION_REAL, .least = 0}},
    {.setting = {"seed", "N",
                 "the seed of searches that try at random, such as hill-climb; --shuffle does not "
                 "follow from it",
                 "Search", "1", false, ON_SEARCH},
     .spec = {.name = "seed", .argument = "N", .type = KAN_OPTION_COUNT}},
    {.setting = {"sample", "N",
                 "rows that combinations of columns are looked at in; a table with more of them "
                 "gives a random sample",
                 "Search", "100000", false, "profile"},
     .spec = {.name = "sample",
              .argument = "N",
              .type = KAN_OPTION_COUNT,
              .least = 1,
              .most = 1000000000}},
    {.setting = {"subsets", "N", "combinations of columns that are looked at, at the most",
                 "Search", "5000", false, "profile"},
     .spec = {.name = "subsets",
              .argument = "N",
              .type = KAN_OPTION_COUNT,
              .least = 1,
              .most = 1000000}},
    {.setting = {"seed", "N", "another number draws another sample", "Search", "1", false,
                 "profile"},
     .spec = {.name = "seed", .argument = "N", .type = KAN_OPTION_COUNT}},
    {.setting = {"seed", "N", "another number makes another table; the same one the same bytes",
                 "Input", "the generator's own", false, "generate"},
     .spec = {.name = "seed", .argument = "N", .type = KAN_OPTION_COUNT}},
};

static const kan_setting_entry output_entries[] = {
    /* These two here, behind the options of kinds, because searches have options of that name. */
    {.setting = {"summary", "NAME",
                 "what numbers were released as: range; mean, the mean of the group; or both, the "
                 "mean in a column NAME-mean, which then counts as a quasi-identifier. With "
                 "--original means are checked, too",
                 "Input", "range", false, "verify"},
     .spec = {.name = "summary",
              .argument = "NAME",
              .type = KAN_OPTION_CHOICE,
              .choices = "range|mean|both"}},
    {.setting = {"c", "C", "also tell the l of recursive l-diversity that is reached with this c",
                 "Privacy", NULL, false, "risk"},
     .spec = {.name = "c", .argument = "C", .type = KAN_OPTION_REAL, .least = 0}},
    {.setting = {"t-distance", "KIND",
                 "how far sensitive values are apart: auto, equal, ordered or hierarchical, as "
                 "with kanon anonymize",
                 "Privacy", "auto", false, "risk"},
     .spec = {.name = "t-distance",
              .argument = "KIND",
              .type = KAN_OPTION_CHOICE,
              .choices = "auto|equal|ordered|hierarchical"}},
    {.setting = {"t-hierarchy", "NAME=FILE",
                 "the hierarchy by which values of a sensitive column are apart", "Privacy", NULL,
                 true, "risk"},
     .form = KAN_FORM_ORDER},
    {.setting = {"workload", "FILE",
                 "the queries, one per line, such as COUNT WHERE sex = Male AND age <= 36; - is "
                 "standard input",
                 "Input", NULL, false, "utility"},
     .form = KAN_FORM_PATH},
    {.setting = {"output", "OUT", "the release; .gz and .zst compress it, - is standard output",
                 "Output", NULL, false, "anonymize"},
     .form = KAN_FORM_PATH},
    {.setting = {"output", "FILE", "the page of HTML; - is standard output", "Output", NULL, false,
                 "report"},
     .form = KAN_FORM_PATH},
    {.setting = {"output", "FILE", "write the table of all figures as CSV; - is standard output",
                 "Output", NULL, false, "compare"},
     .form = KAN_FORM_PATH},
    {.setting = {"metrics", "NAME,NAME",
                 "costs that the table shows, and the first of them the chart", "Output",
                 "what fits, those of --costs first", true, "compare"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_COST},
    {.setting =
         {"chart", "FILE.svg",
          "draw the cost, and the risk, against k, with a line for each method; for those who "
          "may see the table; - is standard output",
          "Output", NULL, false, "compare"},
     .form = KAN_FORM_PATH},
    {.setting = {"save", "FILE.jsonl",
                 "add each cell to this file as soon as it is finished; cells that are there "
                 "already are not searched again; for those who may see the table",
                 "Output", NULL, false, "compare"},
     .form = KAN_FORM_PATH},
    SWITCH("commands", "print the command that makes each release, and search nothing", "Output",
           "compare"),
    {.setting = {"width", "N", "columns that the table may take", "Output",
                 "those of the terminal, else 80", false, "compare"},
     .spec =
         {.name = "width", .argument = "N", .type = KAN_OPTION_COUNT, .least = 40, .most = 1000}},
    {.setting = {"output", "OUT", "where the table is written", "Output", "NAME.csv", false,
                 "generate"},
     .form = KAN_FORM_PATH},
    {.setting = {"hierarchies", "DIR", "where the table's hierarchies are written", "Output",
                 "NAME-hierarchies beside the table", false, "generate"},
     .form = KAN_FORM_PATH},
    {.setting = {"job-out", "FILE",
                 "write a job file to start from, for --job of anonymize, search, compare, verify "
                 "and risk: the suggested roles, k: 5, and hierarchies that are built; - is "
                 "standard output",
                 "Output", NULL, false, "profile"},
     .form = KAN_FORM_PATH},
    SWITCH("no-values", "show counts and shares alone, no value of the table", "Output", "profile"),
    {.setting = {"output", "FILE|DIR/",
                 "where the hierarchy is written: FILE.csv in columns, FILE.txt as a tree; DIR/ "
                 "for a file NAME.csv for each column; - is standard output",
                 "Output", "nowhere, it is only shown", false, "hierarchy-build"},
     .form = KAN_FORM_PATH},
    {.setting = {"output", "OUT",
                 "OUT.txt for a tree, OUT.csv for columns; - is standard output, in the other form "
                 "than FILE",
                 "Output", NULL, false, "hierarchy-convert"},
     .form = KAN_FORM_PATH},
    {.setting = {"depth", "N", "levels below the top that are shown", "Output",
                 "what fits on a page", false, "hierarchy-show"},
     .spec = {.name = "depth", .argument = "N", .type = KAN_OPTION_COUNT, .most = 64}},
    {.setting = {"draw", "ascii|utf8", "the lines of the tree", "Output",
                 "utf8 on a terminal that shows it", false, "hierarchy-show"},
     .spec =
         {.name = "draw", .argument = "HOW", .type = KAN_OPTION_CHOICE, .choices = "ascii|utf8"}},
    {.setting = {"json", "FILE", "write the result as JSON; - is standard output", "Output", NULL,
                 false, EVERYWHERE},
     .form = KAN_FORM_PATH},
    {.setting = {"certificate", "FILE",
                 "write what proves the answer, for kanon verify --certificate; for those who may "
                 "see the data",
                 "Output", NULL, false, "anonymize search"},
     .form = KAN_FORM_PATH},
    {.setting =
         {"picture", "FILE",
          "draw the groups of mondrian as rectangles over two columns, as SVG; it shows what "
          "the release shows",
          "Output", NULL, false, "anonymize"},
     .form = KAN_FORM_PATH},
    {.setting = {"report", "FILE",
                 "write a report for people, one page of HTML that needs nothing else; it shows no "
                 "value that the release hides, and can go with it",
                 "Output", NULL, false, "anonymize"},
     .form = KAN_FORM_PATH},
    {.setting =
         {"hash-key", "FILE",
          "the report has keyed hashes (HMAC-SHA-256) of the files that were read, for those "
          "who hold this secret file of at least 16 bytes; without it, none: a hash lets "
          "somebody try out what a table holds",
          "Output", NULL, false, "anonymize"},
     .form = KAN_FORM_PATH},
    SWITCH(
        "report-internal",
        "the report also has raw rows, the smallest groups and raw values: for those who may see "
        "the table",
        "Output", "anonymize"),
    {.setting = {"picture-columns", "ACROSS,UPWARDS", "the two quasi-identifiers of the picture",
                 "Output", "those with the most values", true, "anonymize"},
     .form = KAN_FORM_COLUMNS},
    SWITCH("cells",
           "say in the JSON result how many cells stand at each level of the hierarchies, as "
           "cell_levels",
           "Output", ON_SEARCH),
    SWITCH("keep-suppressed", "keep suppressed rows, with * in every column", "Output",
           "anonymize"),
    SWITCH("show-suppressed",
           "with --keep-suppressed: the kept rows show * in the quasi-identifiers alone, and all "
           "else as it was; refused unless they keep the promise as a group",
           "Output", "anonymize"),
    SWITCH("keep-suppressed",
           "rows with * in every column are suppressed ones that were kept: they tell nothing, and "
           "may be fewer than k",
           "Privacy", "verify"),
    SWITCH("shuffle",
           "permute the rows, because their order can identify, too: at random, so that every run "
           "gives another order",
           "Output", "anonymize"),
    {.setting = {"shuffle-key", "FILE",
                 "permute the rows in the order that follows from the bytes of this file, 16 at "
                 "least: the same in every run. Who has the key can undo it: keep it secret, and "
                 "make one for each table",
                 "Output", NULL, false, "anonymize"},
     .form = KAN_FORM_PATH},
    SWITCH("guard-formulas",
           "write an apostrophe before cells that a spreadsheet would run as a formula, names of "
           "columns included; numbers stay as they are",
           "Output", "anonymize"),
    SWITCH("guard-formulas",
           "RELEASE was written with --guard-formulas: take the apostrophes before formulas off",
           "Input", "verify risk"),
    SWITCH("force",
           "overwrite files that exist, with their modes as they are; never one that the job reads",
           "Output", EVERYWHERE),
    SWITCH("quiet", "no summary, no notes, no progress: errors only", "Output", EVERYWHERE),
    {.setting = {"progress", "auto|line|plain|json|none",
                 "how progress is shown on standard error: one live line, a plain line now and "
                 "then, one JSON object per line, or not at all; auto is line on a terminal and "
                 "plain elsewhere",
                 "Output", "auto", false, EVERYWHERE},
     .spec = {.name = "progress",
              .argument = "HOW",
              .type = KAN_OPTION_CHOICE,
              .choices = "auto|line|plain|json|none"}},
    SWITCH("no-progress", "the same as --progress none", "Output", EVERYWHERE),
};

/* ---- the whole table ------------------------------------------------------------------------ */

enum { MOST_ENTRIES = 256 };

/* Filled once by fill(), constant ever after. */
static kan_setting_entry entries[MOST_ENTRIES];
static size_t n_entries;
static pthread_once_t filled = PTHREAD_ONCE_INIT;

static bool has_entry(const char *name) {
    for (size_t i = 0; i < n_entries; i++)
        if (strcmp(entries[i].setting.name, name) == 0)
            return true;
    return false;
}

static void add_fixed(const kan_setting_entry *from, size_t n) {
    for (size_t i = 0; i < n && n_entries < MOST_ENTRIES; i++)
        entries[n_entries++] = from[i];
}

/* A path that repeats is one per column. */
static kan_setting_form form_of(const kan_option_spec *spec) {
    if (spec->type == KAN_OPTION_PATH)
        return spec->repeats ? KAN_FORM_ORDER : KAN_FORM_PATH;
    return spec->type == KAN_OPTION_TEXT && spec->repeats ? KAN_FORM_VALUES : KAN_FORM_SPEC;
}

/* Two kinds may share an option (a threshold that two models need): it stands here once. */
static void add_options(kan_family family, const char *group, const char *commands) {
    for (size_t i = 0; i < kan_registry_count(family); i++) {
        const kan_kind *kind = kan_registry_at(family, i);
        for (size_t j = 0; j < kind->n_options; j++) {
            const kan_option_spec *spec = &kind->options[j];
            if (has_entry(spec->name) || n_entries == MOST_ENTRIES)
                continue;
            entries[n_entries++] = (kan_setting_entry){
                .setting = {spec->name,
                            spec->type == KAN_OPTION_SWITCH   ? NULL
                            : spec->argument                  ? spec->argument
                            : spec->type == KAN_OPTION_CHOICE ? spec->choices
                                                              : "VALUE",
                            spec->summary, group, spec->fallback, spec->repeats, commands},
                .form = form_of(spec),
                .spec = *spec,
            };
        }
    }
}

#define ADD_FIXED(list) add_fixed(list, sizeof(list) / sizeof *(list))

static void fill(void) {
    ADD_FIXED(input_entries);
    add_options(KAN_FAMILY_GENERATOR, "Input", "generate");
    ADD_FIXED(privacy_entries);
    add_options(KAN_FAMILY_PRIVACY, "Privacy", ON_DATA);
    ADD_FIXED(search_entries);
    add_options(KAN_FAMILY_COST, "Search", ON_SEARCH);
    add_options(KAN_FAMILY_SEARCH, "Options of single searches (kanon list says whose)", ON_SEARCH);
    ADD_FIXED(output_entries);
}

size_t kan_setting_count(void) {
    pthread_once(&filled, fill);
    return n_entries;
}

const kan_setting *kan_setting_at(size_t index) {
    return index < kan_setting_count() ? &entries[index].setting : NULL;
}

const kan_setting_entry *kan_setting_entry_find(const char *name) {
    size_t n = kan_setting_count();
    for (size_t i = 0; i < n; i++)
        if (strcmp(entries[i].setting.name, name) == 0)
            return &entries[i];
    return NULL;
}

const kan_setting *kan_setting_find(const char *name) {
    const kan_setting_entry *entry = kan_setting_entry_find(name);
    return entry ? &entry->setting : NULL;
}

bool kan_setting_takes_lists(const kan_setting *setting) {
    const kan_setting_entry *entry = kan_setting_entry_find(setting->name);
    return entry && setting->repeats && entry->form != KAN_FORM_VALUES;
}

bool kan_setting_is_for(const kan_setting *setting, const char *command) {
    size_t size = strlen(command);
    for (const char *at = setting->commands; *at;) {
        size_t word = strcspn(at, " ");
        if (word == size && memcmp(at, command, size) == 0)
            return true;
        at += word + (at[word] == ' ');
    }
    return false;
}

/* How far a misspelt name is from a known one; UINT_MAX when it is not near enough to be meant: up
 * to a third of the name may differ, a slip or two, not another word. */
static unsigned distance_if_near(const char *name, const char *known) {
    if (strcasecmp(name, known) == 0)
        return 0;
    size_t size = strlen(name), known_size = strlen(known);
    size_t common = size < known_size ? size : known_size;
    /* `suppression`, `thread`: one is the beginning of the other. Another word behind it is farther
     * than a slip: `job-ot` is `job-out`, not `job`. */
    if (common >= 3 && strncmp(name, known, common) == 0)
        return strchr("-_", name[common]) || strchr("-_", known[common]) ? 2 : 1;
    /* `kk` is a slip of `k`. */
    if (known_size == 1 && size == 2 && name[0] == known[0])
        return 1;
    /* A name of one letter shares nothing with its neighbours: `--x` does not mean `--k`. */
    unsigned distance = kan_edit_distance(name, known);
    size_t allowed = known_size / 3 < 1 ? 1 : known_size / 3;
    return distance <= allowed && distance < known_size ? distance : UINT_MAX;
}

const char *kan_setting_nearest(const char *name, const char *command) {
    const char *best = NULL;
    unsigned least = UINT_MAX;
    size_t n = kan_setting_count();
    for (size_t i = 0; i < n; i++) {
        const kan_setting *setting = &entries[i].setting;
        if (command && !kan_setting_is_for(setting, command))
            continue;
        unsigned distance = distance_if_near(name, setting->name);
        if (distance < least) {
            best = setting->name;
            least = distance;
        }
    }
    return best;
}
