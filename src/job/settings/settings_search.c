/* Settings: what is promised, and how the best release is looked for. */
#include "job/settings/settings_inside.h"

static const kan_setting_entry privacy[] = {
    {.setting = {.name = "k",
                 .argument = "N",
                 .summary =
                     "every released row shares its quasi-identifiers with at least N-1 others",
                 .group = "Privacy",
                 .traits = SHOWN | COMPARED | EVERYDAY,
                 .commands = ON_DATA},
     .form = KAN_FORM_K},
    {.setting = {.name = "k",
                 .argument = "N",
                 .summary = "the k that was promised: what --threshold is where it is not given",
                 .group = "Privacy",
                 .traits = SHOWN,
                 .commands = "risk"},
     .form = KAN_FORM_K},
    {.setting = {.name = "ks",
                 .argument = "N,N",
                 .summary = "values of k to compare, in place of --k",
                 .group = "Privacy",
                 .traits = SHOWN | COMPARED | EVERYDAY,
                 .fallback = "2,5,10,50 where nothing is promised",
                 .repeats = true,
                 .commands = "compare"},
     .form = KAN_FORM_K},
    {.setting = {.name = "suppress",
                 .argument = "N|P%|all",
                 .summary =
                     "how many rows may be left out: a number of rows, a share of them such as 1%, "
                     "or all",
                 .group = "Privacy",
                 .traits = SHOWN | COMPARED | EVERYDAY,
                 .fallback = "0",
                 .commands = ON_SEARCH},
     .form = KAN_FORM_SUPPRESS},
    {.setting =
         {.name = "suppress",
          .argument = "N|P%|all",
          .summary =
              "how many rows may have been left out: a number, a percentage, or all; checked "
              "where the original is given",
          .group = "Privacy",
          .traits = SHOWN | EVERYDAY,
          .fallback = "0 with --job",
          .commands = "verify"},
     .form = KAN_FORM_SUPPRESS},
    {.setting = {.name = "suppress-by",
                 .argument = "person|row",
                 .summary =
                     "with --person: who has a row that must be left out leaves with all rows, and "
                     "--suppress is of people; or the row alone, and --suppress is of rows",
                 .group = "Privacy",
                 .traits = SHOWN,
                 .fallback = "person",
                 .commands = ON_DATA},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "person|row"}},
    {.setting = {.name = "person-promise",
                 .argument = "groups|histories",
                 .summary =
                     "with --person: every group has rows of k people; or, where the rows of a "
                     "person stay linkable, what all rows of a person show is shown by k people",
                 .group = "Privacy",
                 .traits = SHOWN,
                 .fallback = "groups",
                 .commands = ON_DATA},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "groups|histories"}},
    {.setting = {.name = "suppressions",
                 .argument = "LIST",
                 .summary = "limits to compare, in place of --suppress: 0,1%,5%",
                 .group = "Privacy",
                 .traits = SHOWN | COMPARED,
                 .repeats = true,
                 .commands = "compare"},
     .form = KAN_FORM_SUPPRESS},
};

const kan_setting_list kan_settings_privacy = KAN_SETTING_LIST(privacy);

static const kan_setting_entry search[] = {
    {.setting =
         {.name = "algorithm",
          .argument = "NAME",
          .summary =
              "how the best release is looked for: `kanon list` shows the searches; auto is "
              "bisect, the quickest, or screen where that would be wrong; k-optimize "
              "cuts values into intervals instead of taking levels of hierarchies; mondrian cuts "
              "the rows into small groups, each with ranges of its own",
          .group = "Search",
          .traits = SHOWN | COMPARED | EVERYDAY,
          .fallback = "auto",
          .commands = ON_SEARCH},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_SEARCH,
     .automatic = "auto"},
    {.setting = {.name = "algorithms",
                 .argument = "NAME,NAME",
                 .summary = "searches to compare, in place of --algorithm",
                 .group = "Search",
                 .traits = SHOWN | COMPARED | EVERYDAY,
                 .fallback = "auto,mondrian",
                 .repeats = true,
                 .commands = "compare"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_SEARCH,
     .automatic = "auto"},
    {.setting = {.name = "recoding",
                 .argument = "NAME",
                 .summary =
                     "which releases there are to choose from, from one level per column to each "
                     "cell by itself; `kanon list` shows the models and their searches",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "what the search makes",
                 .commands = ON_SEARCH},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_RECODING},
    {.setting = {.name = "recodings",
                 .argument = "NAME,NAME|all",
                 .summary =
                     "recoding models to compare, in place of --recoding, each by the search "
                     "that auto takes, or by --algorithm; all: those that some search makes",
                 .group = "Search",
                 .traits = SHOWN | COMPARED,
                 .repeats = true,
                 .commands = "compare"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_RECODING,
     .automatic = "all"},
    {.setting = {.name = "recoding",
                 .argument = "NAME",
                 .summary = "the recoding model whose rule the release must obey; `kanon list` "
                            "shows them",
                 .group = "Search",
                 .traits = SHOWN,
                 .commands = "verify"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_RECODING},
    {.setting =
         {.name = "costs",
          .argument = "NAME,NAME",
          .summary =
              "costs to compare, in place of --cost: each search looks for the least of each of "
              "them; all are measured in any case",
          .group = "Search",
          .traits = SHOWN | COMPARED | EVERYDAY,
          .repeats = true,
          .commands = "compare"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_COST},
    {.setting = {.name = "cost",
                 .argument = "NAME",
                 .summary = "what the best release loses least of; `kanon list` shows them",
                 .group = "Search",
                 .traits = SHOWN | COMPARED | EVERYDAY,
                 .fallback = "discernibility",
                 .commands = ON_SEARCH},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_COST},
    {.setting =
         {.name = "level",
          .argument = "NAME=N|LOW..HIGH",
          .summary =
              "the level of a column's hierarchy that is chosen, or the lowest and the highest "
              "that may be: age=2, age=1..3, age=1.. or age=..3; 0 is the value itself",
          .group = "Search",
          .traits = SHOWN,
          .repeats = true,
          .commands = ON_SEARCH},
     .form = KAN_FORM_LEVEL},
    {.setting = {.name = "levels",
                 .argument = "N,N",
                 .summary = "the level of each quasi-identifier, in the order of --qi: nothing is "
                            "searched, and these are applied, checked and recounted",
                 .group = "Search",
                 .traits = SHOWN | ONE_RELEASE,
                 .commands = "anonymize search"},
     .form = KAN_FORM_LEVELS},
    {.setting =
         {.name = "apply",
          .argument = "RESULT.json",
          .summary =
              "take the levels or cuts of an earlier result, which --json wrote, perhaps about "
              "another table: nothing is searched, and the promise is checked anew",
          .group = "Search",
          .traits = SHOWN | ONE_RELEASE,
          .commands = "anonymize search"},
     .form = KAN_FORM_PATH},
    {.setting =
         {.name = "counting",
          .argument = "memory|engine",
          .summary =
              "where groups are counted for a table in a database: the distinct combinations come "
              "here; or they stay there, and only numbers come, for tables with too many: --k "
              "alone, with bisect or the forms of incognito",
          .group = "Search",
          .traits = SHOWN,
          .fallback = "memory",
          .commands = "anonymize search"},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "memory|engine"}},
    {.setting = {.name = "all-nodes",
                 .summary =
                     "list every combination of levels that satisfies the promise, for --levels; "
                     "without it the result lists the minimal ones",
                 .group = "Search",
                 .traits = SHOWN,
                 .commands = "search"},
     .spec = {.type = KAN_OPTION_SWITCH}},
    {.setting = {.name = "weight",
                 .argument = "NAME=W",
                 .summary = "how much a column matters to the cost",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "1",
                 .repeats = true,
                 .commands = ON_SEARCH},
     .form = KAN_FORM_WEIGHT},
    {.setting = {.name = "threads",
                 .argument = "N",
                 .summary = "threads to use",
                 .group = "Running",
                 .traits = SHOWN | MACHINE,
                 .fallback = "one per core",
                 .commands = ON_TABLES " profile " ON_HIERARCHY},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1, .most = 256}},
    {.setting =
         {.name = "memory",
          .argument = "SIZE",
          .summary =
              "most memory to use, such as 512M or 2G; what has an entry per row is then kept "
              "in temporary files where it takes too much of it",
          .group = "Running",
          .traits = SHOWN,
          .fallback = "no limit",
          .commands = ON_TABLES " profile " ON_HIERARCHY},
     .form = KAN_FORM_BYTES},
    {.setting = {.name = "tmp",
                 .argument = "DIR",
                 .summary =
                     "where temporary files are kept; they have no name, and are gone however the "
                     "program ends; those of --engine duckdb are in a folder, which a kill leaves "
                     "until kanon starts with the same DIR again",
                 .group = "Running",
                 .traits = SHOWN | MACHINE,
                 .fallback = "$TMPDIR, else /tmp",
                 .commands = ON_TABLES " profile " ON_HIERARCHY,
                 .file = KAN_FILE_FOLDER},
     .form = KAN_FORM_PATH},
    {.setting =
         {.name = "spool-limit",
          .argument = "SIZE",
          .summary =
              "most bytes that a table from a pipe or out of a .gz or .zst file may have, such "
              "as 20G; it is kept in memory, or in --tmp where it takes too much of it",
          .group = "Running",
          .traits = SHOWN,
          .fallback = "half of the free space of --tmp, for what is kept there",
          .commands = ON_TABLES " profile " ON_HIERARCHY},
     .form = KAN_FORM_BYTES},
    {.setting =
         {.name = "time-limit",
          .argument = "SECONDS",
          .summary =
              "stop after that long, with the best found so far (bisect, and searches that cut "
              "into intervals) or with nothing (all others); 0: no limit",
          .group = "Search",
          .traits = SHOWN,
          .fallback = "no limit",
          .commands = ON_SEARCH},
     .spec = {.type = KAN_OPTION_REAL, .least = 0}},
    {.setting =
         {.name = "seed",
          .argument = "N",
          .summary =
              "the seed of searches that try at random, such as hill-climb; --shuffle does not "
              "follow from it",
          .group = "Search",
          .traits = SHOWN,
          .fallback = "1",
          .commands = ON_SEARCH},
     .spec = {.type = KAN_OPTION_COUNT}},
    {.setting = {.name = "sample",
                 .argument = "N",
                 .summary = "rows in which combinations of columns are counted; a table with more "
                            "rows gives a random sample",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "100000",
                 .commands = "profile"},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1, .most = 1000000000}},
    {.setting = {.name = "subsets",
                 .argument = "N",
                 .summary = "look at no more than so many combinations of columns",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "5000",
                 .commands = "profile"},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1, .most = 1000000}},
    {.setting = {.name = "seed",
                 .argument = "N",
                 .summary = "another number draws another sample",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "1",
                 .commands = "profile"},
     .spec = {.type = KAN_OPTION_COUNT}},
    {.setting = {.name = "seed",
                 .argument = "N",
                 .summary = "another number makes another table; the same one the same bytes",
                 .group = "Input",
                 .traits = SHOWN,
                 .fallback = "the generator's own",
                 .commands = "generate"},
     .spec = {.type = KAN_OPTION_COUNT}},
};

const kan_setting_list kan_settings_search = KAN_SETTING_LIST(search);
