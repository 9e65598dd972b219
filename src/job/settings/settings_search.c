/* Settings: what is promised, and how the best release is looked for. */
#include "job/settings/settings_inside.h"

static const kan_setting_entry privacy[] = {
    {.setting = {.name = "k",
                 .argument = "N",
                 .summary =
                     "every released row shares its quasi-identifiers with at least N-1 others",
                 .group = "Privacy",
                 .traits = SHOWN | COMPARED | EVERYDAY | TABLES,
                 .commands = ON_DATA},
     .not_with_epsilon = "the least size of a group follows from --epsilon and --delta",
     .form = KAN_FORM_K},
    {.setting = {.name = "k",
                 .argument = "N",
                 .summary = "the k that was promised; used for --threshold if that is not given",
                 .group = "Privacy",
                 .traits = SHOWN | TABLES,
                 .commands = "risk"},
     .form = KAN_FORM_K},
    {.setting = {.name = "k",
                 .argument = "N",
                 .summary = "the k that was promised: people who are found among fewer are told",
                 .group = "Privacy",
                 .traits = SHOWN | EVERYDAY,
                 .fallback = "5",
                 .commands = "attack"},
     .form = KAN_FORM_K},
    {.setting = {.name = "ks",
                 .argument = "N,N",
                 .summary = "values of k to compare, in place of --k",
                 .group = "Privacy",
                 .traits = SHOWN | COMPARED | EVERYDAY | TABLES,
                 .fallback = "2,5,10,50 if nothing is promised",
                 .repeats = true,
                 .commands = "compare"},
     .form = KAN_FORM_K},
    {.setting = {.name = "subsets",
                 .argument = "M|M:K,M:K",
                 .summary = "in place of all quasi-identifiers at once: every set of M of them, "
                            "with --k or, in place of that, each M with a k of its own, such as "
                            "2:5,3:3",
                 .group = "Privacy",
                 .traits = SHOWN | ROWS_ALONE,
                 .commands = ON_DATA},
     .not_with_ledger =
         "it is about groups by all quasi-identifiers, and --subsets promises others; "
         "leave one of the two out",
     .form = KAN_FORM_SUBSETS},
    {.setting = {.name = "suppress",
                 .argument = "N|P%|all",
                 .summary =
                     "how many rows may be left out: a number of rows, a share of them such as 1%, "
                     "or all",
                 .group = "Privacy",
                 .traits = SHOWN | COMPARED | EVERYDAY | TABLES | WITH_CODES,
                 .fallback = "0",
                 .commands = ON_SEARCH},
     .not_with_epsilon = "groups below the least size are left out, however many these are: a "
                         "limit would tell how many",
     .form = KAN_FORM_SUPPRESS},
    {.setting = {.name = "suppress",
                 .argument = "N|P%|all",
                 .summary = "how many rows may have been left out: a number, a percentage, or all; "
                            "checked if the original is given",
                 .group = "Privacy",
                 .traits = SHOWN | EVERYDAY | TABLES | WITH_CODES,
                 .fallback = "0 with --job",
                 .commands = "verify"},
     .not_with_epsilon = "groups below the least size are left out, however many these are: a "
                         "limit would tell how many",
     .form = KAN_FORM_SUPPRESS},
    {.setting = {.name = "ledger",
                 .argument = "FILE",
                 .summary =
                     "keep the promise over several releases of the same people: FILE says, in "
                     "private, who was in which group of each earlier one, and gets the new one "
                     "when it gets its name. It is made by the first release; --id names the "
                     "column that names people, and --key the secret by which they are hashed",
                 .group = "Privacy",
                 .traits = SHOWN | NEEDS_ROWS | ROWS_ALONE,
                 .commands = "anonymize",
                 .file = KAN_FILE_EXTENDED},
     .what = "ledger",
     .not_with_codes = "who was in which group is not worked out for sets of codes",
     .not_with_epsilon = "each release spends its own --epsilon, whoever was in earlier ones: add "
                         "them up",
     .not_in_database = "who was in which group would have to leave the database",
     .form = KAN_FORM_PATH},
    {.setting = {.name = "leavers",
                 .argument = "count|refuse|repair",
                 .summary =
                     "with --ledger: where fewer than k of those who were together in all earlier "
                     "releases are out of the new one, tell how many, make no release, or leave "
                     "others of them out, within --suppress, until k are",
                 .group = "Privacy",
                 .traits = SHOWN,
                 .fallback = "count",
                 .commands = ON_SEARCH},
     .not_with_codes = "it is for --ledger, which is not worked out for sets of codes",
     .not_with_epsilon = "it is for --ledger, and each release spends its own --epsilon",
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "count|refuse|repair"}},
    {.setting = {.name = "attacker",
                 .argument = "knows-when|knows-if",
                 .summary =
                     "with --ledger, whom the promise is for: who knows in which releases somebody "
                     "is; or who knows that she is in the new one and not since when, so that "
                     "newcomers need not be k where people of one past hide them",
                 .group = "Privacy",
                 .traits = SHOWN,
                 .fallback = "knows-when",
                 .commands = ON_DATA},
     .not_with_codes = "it is for --ledger, which is not worked out for sets of codes",
     .not_with_epsilon = "it is for --ledger, and each release spends its own --epsilon",
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "knows-when|knows-if"}},
    {.setting = {.name = "ledger",
                 .argument = "FILE",
                 .summary = "what the promise costs together with the earlier releases that FILE "
                            "tells of; it stays as it is, and need not be there before the first",
                 .group = "Privacy",
                 .traits = SHOWN | NEEDS_ROWS | ROWS_ALONE,
                 .commands = "search compare"},
     .what = "ledger",
     .not_with_codes = "who was in which group is not worked out for sets of codes",
     .form = KAN_FORM_PATH},
    {.setting =
         {.name = "suppress-by",
          .argument = "person|household|row",
          .summary =
              "with --person, or --household: whoever has a row that must be left out is left "
              "out with all rows, or with all of the household, and --suppress counts people, or "
              "households; or only that row is left out, and --suppress counts rows",
          .group = "Privacy",
          .traits = SHOWN | PEOPLE,
          .fallback = "person, with --household household",
          .commands = ON_DATA,
          .label = "whoever has a row that must be left out is left out",
          .words = "with all rows; the limit counts people|with all of the household; the limit "
                   "counts households|with that row only; the limit counts rows"},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "person|household|row"}},
    {.setting =
         {.name = "person-promise",
          .argument = "groups|histories",
          .summary =
              "with --person: every group has rows of k people; or, if the rows of a person can "
              "still be linked, what all rows of a person show together is shown by k people",
          .group = "Privacy",
          .traits = SHOWN | PEOPLE | TABLES,
          .fallback = "groups",
          .commands = ON_DATA,
          .label = "what at least k people have in common",
          .words =
              "every group has rows of k people|all rows of a person look like those of k people"},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "groups|histories"}},
    {.setting = {.name = "household-promise",
                 .argument = "groups|composition",
                 .summary = "with --household: every group has k rows; or what all rows of a "
                            "household show together, its composition, is shown by k households",
                 .group = "Privacy",
                 .traits = SHOWN,
                 .fallback = "groups",
                 .commands = ON_DATA},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "groups|composition"}},
    {.setting = {.name = "k-codes",
                 .argument = "K",
                 .summary =
                     "whoever knows up to --known codes of a person finds at least K people with "
                     "them, or none (k^m-anonymity)",
                 .group = "Privacy",
                 .traits = SHOWN | OF_CODES | WITH_CODES,
                 .commands = ON_DATA},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1}},
    {.setting = {.name = "known",
                 .argument = "M",
                 .summary = "how many codes of a person somebody may know, with --k-codes",
                 .group = "Privacy",
                 .traits = SHOWN | OF_CODES | WITH_CODES,
                 .commands = ON_DATA},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1, .most = 16}},
    {.setting =
         {.name = "epsilon",
          .argument = "E",
          .summary =
              "in place of --k: (E, D)-differential privacy with --delta D. Each row is drawn "
              "with probability 1 - e^-E, shown at --levels or those of --apply, and groups "
              "below a size that follows from E and D are left out",
          .group = "Privacy",
          .traits = SHOWN | NEEDS_ROWS | OF_DRAWS | WITH_DRAWS,
          .commands = ON_DATA},
     .spec = {.type = KAN_OPTION_REAL, .least = 0.01, .most = 5}},
    {.setting = {.name = "delta",
                 .argument = "D",
                 .summary = "with --epsilon: the probability with which more may be learned of a "
                            "person; far below one in the number of people, such as 1e-6",
                 .group = "Privacy",
                 .traits = SHOWN | OF_DRAWS | WITH_DRAWS,
                 .commands = ON_DATA},
     .spec = {.type = KAN_OPTION_REAL, .least = 1e-15, .most = 1e-3}},
    {.setting = {.name = "suppressions",
                 .argument = "LIST",
                 .summary = "limits to compare, in place of --suppress: 0,1%,5%",
                 .group = "Privacy",
                 .traits = SHOWN | COMPARED | TABLES,
                 .repeats = true,
                 .commands = "compare"},
     .form = KAN_FORM_SUPPRESS},
};

const kan_setting_list kan_settings_privacy = KAN_SETTING_LIST(privacy);

static const kan_setting_entry search[] = {
    {.setting = {.name = "algorithm",
                 .argument = "NAME",
                 .summary =
                     "how to search for the best release: `kanon list` shows the searches; auto is "
                     "bisect, the quickest, or screen where that would be wrong; k-optimize cuts "
                     "values into intervals instead of using levels of hierarchies; mondrian cuts "
                     "the rows into small groups, each with its own ranges",
                 .group = "Search",
                 .traits = SHOWN | COMPARED | EVERYDAY,
                 .fallback = "auto",
                 .commands = ON_SEARCH},
     .not_with_epsilon = "what a search chooses depends on the table; say --levels, or --apply a "
                         "result of another table",
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
                     "which releases a search may choose from, from one level per column to each "
                     "cell on its own; `kanon list` shows the models and their searches",
                 .group = "Search",
                 .traits = SHOWN | WITH_CODES,
                 .fallback = "that of the search",
                 .commands = ON_SEARCH},
     .not_with_epsilon = "values are shown at the levels of --levels or --apply",
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_RECODING},
    {.setting =
         {.name = "recodings",
          .argument = "NAME,NAME|all",
          .summary =
              "recoding models to compare, in place of --recoding, each with the search that auto "
              "chooses, or with --algorithm; all: every model that some search makes",
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
                 .traits = SHOWN | WITH_CODES,
                 .commands = "verify"},
     .not_with_epsilon = "values are shown at the levels of --levels or --apply",
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_RECODING},
    {.setting = {.name = "costs",
                 .argument = "NAME,NAME",
                 .summary = "costs to compare, in place of --cost: each search minimizes each of "
                            "them; all costs are measured in any case",
                 .group = "Search",
                 .traits = SHOWN | COMPARED | EVERYDAY | TABLES,
                 .repeats = true,
                 .commands = "compare"},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_COST},
    {.setting = {.name = "utility",
                 .summary = "hold each release against the table, as kanon utility does: how far "
                            "distributions and cells moved, and how well a model tells the two "
                            "apart (pMSE ratio); it takes longer than most searches",
                 .group = "Search",
                 .traits = SHOWN | COMPARED | EVERYDAY,
                 .commands = "compare"},
     .spec = {.type = KAN_OPTION_SWITCH}},
    {.setting = {.name = "cost",
                 .argument = "NAME",
                 .summary = "what the search minimizes; `kanon list` shows the costs",
                 .group = "Search",
                 .traits = SHOWN | COMPARED | EVERYDAY | TABLES | WITH_CODES,
                 .fallback = "discernibility",
                 .commands = ON_SEARCH},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_COST},
    {.setting = {.name = "count",
                 .argument = "rows|people",
                 .summary =
                     "with --person: what costs count. rows: each row alike. people: all rows of a "
                     "person together weigh as much as those of any other, and sizes of groups are "
                     "numbers of people",
                 .group = "Search",
                 .traits = SHOWN | PEOPLE,
                 .fallback = "rows",
                 .commands = ON_SEARCH,
                 .label = "what costs count",
                 .words = "every row alike|every person alike, however many rows she has"},
     .spec = {.type = KAN_OPTION_CHOICE, .choices = "rows|people"}},
    {.setting = {.name = "level",
                 .argument = "NAME=N|LOW..HIGH",
                 .summary =
                     "the level of a column's hierarchy to use, or the lowest and the highest that "
                     "are allowed: age=2, age=1..3, age=1.. or age=..3; 0 is the value itself",
                 .group = "Search",
                 .traits = SHOWN | TABLES,
                 .repeats = true,
                 .commands = ON_SEARCH},
     .not_with_epsilon = "a search would choose within it by the table; say --levels, or --apply a "
                         "result of another table",
     .form = KAN_FORM_LEVEL},
    {.setting = {.name = "levels",
                 .argument = "N,N",
                 .summary = "the level of each quasi-identifier, in the order of --qi: nothing is "
                            "searched; these levels are applied, checked and recounted",
                 .group = "Search",
                 .traits = SHOWN | ONE_RELEASE | WITH_DRAWS,
                 .commands = "anonymize search"},
     .form = KAN_FORM_LEVELS},
    {.setting = {.name = "apply",
                 .argument = "RESULT.json",
                 .summary =
                     "use the levels or cuts of an earlier result, which --json wrote, perhaps for "
                     "another table: nothing is searched, and the promise is checked again",
                 .group = "Search",
                 .traits = SHOWN | ONE_RELEASE | WITH_DRAWS,
                 .commands = "anonymize search"},
     .form = KAN_FORM_PATH},
    {.setting = {.name = "counting",
                 .argument = "memory|engine",
                 .summary = "where the groups of a table in a database are counted: in memory, for "
                            "which kanon fetches the distinct combinations; or in the database "
                            "(engine), from which only numbers come, for tables with too many "
                            "combinations: for --k alone, with bisect or a form of incognito",
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
                 .traits = SHOWN | TABLES | EACH_TABLE,
                 .fallback = "1",
                 .repeats = true,
                 .commands = ON_SEARCH},
     .form = KAN_FORM_WEIGHT},
    {.setting = {.name = "for",
                 .argument = "MODEL",
                 .summary =
                     "the model that the release is made for: the column to be predicted, alone or "
                     "with those that it is predicted by, such as \"income ~ age + sex\". Columns "
                     "that the model does not use become coarse first; where it uses all, mondrian "
                     "cuts where the outcome, a column of --class, differs most",
                 .group = "Search",
                 .traits = SHOWN,
                 .commands = ON_SEARCH},
     .not_with_epsilon = "no search is made that could prefer what the model uses",
     .form = KAN_FORM_FORMULA},
    {.setting = {.name = "importance",
                 .argument = "NAME",
                 .summary = "with --missing-matches: the columns whose cells should be shown, the "
                            "most important first; fewer hidden cells of one count more than any "
                            "number of those after it, in place of --cost and --weight",
                 .group = "Search",
                 .traits = SHOWN | ROWS_ALONE,
                 .repeats = true,
                 .commands = ON_SEARCH},
     .form = KAN_FORM_COLUMNS},
    {.setting = {.name = "threads",
                 .argument = "N",
                 .summary = "threads to use",
                 .group = "Running",
                 .traits = SHOWN | MACHINE | TABLES,
                 .fallback = "one per core",
                 .commands = ON_TABLES " profile " ON_HIERARCHY},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1, .most = 256}},
    {.setting = {.name = "memory",
                 .argument = "SIZE",
                 .summary = "the most memory to use, such as 512M or 2G; what has an entry per row "
                            "is then kept in temporary files if it would take too much",
                 .group = "Running",
                 .traits = SHOWN | TABLES | WITH_CODES | WITH_DRAWS,
                 .fallback = "no limit",
                 .commands = ON_TABLES " profile " ON_HIERARCHY},
     .form = KAN_FORM_BYTES},
    {.setting = {.name = "tmp",
                 .argument = "DIR",
                 .summary = "where temporary files are kept; they have no name, and disappear "
                            "however the program ends; those of --engine duckdb are in a folder, "
                            "which remains after a kill until kanon starts with the same DIR again",
                 .group = "Running",
                 .traits = SHOWN | MACHINE | TABLES,
                 .fallback = "$TMPDIR, else /tmp",
                 .commands = ON_TABLES " profile " ON_HIERARCHY,
                 .file = KAN_FILE_FOLDER},
     .form = KAN_FORM_PATH},
    {.setting =
         {.name = "spool-limit",
          .argument = "SIZE",
          .summary =
              "the largest size that a table from a pipe or unpacked from a .gz or .zst file may "
              "have, such as 20G; it is kept in memory, or in --tmp if it would take too much",
          .group = "Running",
          .traits = SHOWN | WITH_DRAWS,
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
          .traits = SHOWN | TABLES | WITH_CODES,
          .fallback = "no limit",
          .commands = ON_SEARCH},
     .spec = {.type = KAN_OPTION_REAL, .least = 0}},
    {.setting = {.name = "effort",
                 .argument = "N|all",
                 .summary =
                     "the steps that a search for levels makes at most where it cannot prove "
                     "its answer sooner; the result says how many were made, and as many give "
                     "the same bytes again; all: on to the proof, however long that takes",
                 .group = "Search",
                 .traits = SHOWN | TABLES | WITH_CODES,
                 .fallback = "a number that follows from the size of the table",
                 .commands = ON_SEARCH},
     .form = KAN_FORM_EFFORT},
    {.setting = {.name = "seed",
                 .argument = "N",
                 .summary = "the seed of searches that use random numbers, such as hill-climb; "
                            "--shuffle does not depend on it",
                 .group = "Search",
                 .traits = SHOWN | TABLES | WITH_CODES,
                 .fallback = "1",
                 .commands = ON_SEARCH},
     .not_with_epsilon =
         "rows are drawn by the system's randomness: whoever knew the seed would know which",
     .spec = {.type = KAN_OPTION_COUNT}},
    {.setting = {.name = "sample",
                 .argument = "N",
                 .summary = "the number of rows in which combinations of columns are counted; from "
                            "a table with more, a random sample is drawn",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "100000",
                 .commands = "profile"},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1, .most = 1000000000}},
    {.setting = {.name = "subsets",
                 .argument = "N",
                 .summary = "look at no more than N combinations of columns",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "5000",
                 .commands = "profile"},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1, .most = 1000000}},
    {.setting = {.name = "sample",
                 .argument = "N",
                 .summary = "look for N people of the register, who are drawn at random, and say "
                            "what follows for all of them, with an interval of 95%",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "all, and fewer where that would take long",
                 .commands = "attack"},
     .spec = {.type = KAN_OPTION_COUNT, .least = 1, .most = 1000000000}},
    {.setting = {.name = "nearest",
                 .summary = "with --register: look for the rows that are nearest to each person, "
                            "too, in standard deviations of numbers and dates: for values that "
                            "were perturbed, rounded, swapped or averaged",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "only where --original shows that numbers were changed",
                 .commands = "attack"}},
    {.setting = {.name = "knowing-method",
                 .summary = "somebody knows how the release was made: change hidden values of "
                            "--original, make the release again as --job says, and count which of "
                            "them make the same one",
                 .group = "Search",
                 .traits = SHOWN,
                 .commands = "attack"}},
    {.setting = {.name = "probes",
                 .argument = "N|all",
                 .summary = "anonymizations that --knowing-method makes for each of its figures, "
                            "about; where there is more to try, cells and tables are drawn at "
                            "random; all: every cell with all of its values",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "2000, and fewer of tables with more than 1000 rows",
                 .commands = "attack"},
     .form = KAN_FORM_EFFORT},
    {.setting = {.name = "seed",
                 .argument = "N",
                 .summary = "a different number draws a different sample",
                 .group = "Search",
                 .traits = SHOWN,
                 .fallback = "1",
                 .commands = "profile attack"},
     .spec = {.type = KAN_OPTION_COUNT}},
    {.setting = {.name = "seed",
                 .argument = "N",
                 .summary =
                     "a different number makes a different table, the same number the same bytes",
                 .group = "Input",
                 .traits = SHOWN,
                 .fallback = "the generator's own",
                 .commands = "generate"},
     .spec = {.type = KAN_OPTION_COUNT}},
};

const kan_setting_list kan_settings_search = KAN_SETTING_LIST(search);
