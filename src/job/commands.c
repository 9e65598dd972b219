/* The table of commands, and what single ones need beyond it. */
#include "job/commands.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/attack/attack.h"
#include "job/compare/compare.h"
#include "job/hierarchies/hierarchies.h"
#include "job/import/import.h"
#include "job/ledger/ledger.h"
#include "job/profile/profile.h"
#include "job/release/release.h"
#include "job/report/report.h"
#include "job/risk/risk.h"
#include "job/rules/rules.h"
#include "job/tables/tables.h"
#include "job/utility/utility.h"
#include "job/verify/verify.h"
#include "job/walk_generate.h"

/* `kanon verify RELEASE --job FILE`: the input of the job is the original that the release is held
 * against, where it is at hand. Whoever got the release alone does not have it. A table of a
 * database is taken for at hand where the release is in one, too. */
static kan_status take_original(kan_job *job) {
    struct stat made_from, release;
    const char *input = kan_options_find(&job->options, "input");
    if (!job->made_from || kan_job_names_table(job, "original") ||
        kan_options_find(&job->options, "certificate"))
        return KAN_OK;
    if (kan_path_is_address(job->made_from))
        return input && kan_path_is_address(input) && strcmp(input, job->made_from) != 0
                   ? kan_job_add(job, "original", job->made_from)
                   : KAN_OK;
    if (access(job->made_from, R_OK) != 0 || stat(job->made_from, &made_from) != 0)
        return KAN_OK;
    if (input && stat(input, &release) == 0 && release.st_dev == made_from.st_dev &&
        release.st_ino == made_from.st_ino)
        return KAN_OK;
    return kan_job_add(job, "original", job->made_from);
}

/* ---- needs that commands share -------------------------------------------------------------- */

#define INPUT(words)                                                                               \
    {                                                                                              \
        .setting = "input", .or_table = true,                                                      \
        .message = "no table was named; write kanon " words " INPUT (- is standard input)"         \
    }

#define QUASI_IDENTIFIERS_UNLESS(other)                                                            \
    {                                                                                              \
        .setting = "qi", .unless = other,                                                          \
        .message = "no quasi-identifier was named; write --qi and the columns by which somebody "  \
                   "could be recognised, such as --qi age,gender,zip"                              \
    }
#define QUASI_IDENTIFIERS QUASI_IDENTIFIERS_UNLESS(NULL)

#define PROMISE_UNLESS(other)                                                                      \
    {                                                                                              \
        .unless = other, .or_unless = "subsets", /* which may say its k itself */                  \
            .message = "no promise was asked for; write --k N, such as --k 5"                      \
    }
#define PROMISE PROMISE_UNLESS(NULL)

#define PERSON                                                                                     \
    {                                                                                              \
        .setting = "person", .when_trait = KAN_TRAIT_PEOPLE, .unless = "household",                \
        .message = " is about people who have several rows; name the column that identifies the "  \
                   "person with --person NAME, or leave it out"                                    \
    }

#define CODES                                                                                      \
    {                                                                                              \
        .setting = "codes", .when_trait = KAN_TRAIT_CODES,                                         \
        .message = " is about a column with a set of codes for each person; name the column with " \
                   "--codes NAME, or leave it out"                                                 \
    }

#define HIERARCHY(rest)                                                                            \
    { .setting = "hierarchy", .message = "no hierarchy was named; write kanon hierarchy " rest }

#define LEDGER(rest)                                                                               \
    {                                                                                              \
        .setting = "ledger",                                                                       \
        .message = "no ledger was named; write kanon ledger " rest " --key FILE"                   \
    }

#define LEDGER_KEY                                                                                 \
    {                                                                                              \
        .setting = "key",                                                                          \
        .message = "no key was named; write --key and the file with the key of the ledger"         \
    }

#define DATA_OF_COLUMN                                                                             \
    {                                                                                              \
        .setting = "input", .or_table = true, .when = "column",                                    \
        .message = "--column is a column of the data, and none was named; write --input DATA"      \
    }

/* ---- the table ------------------------------------------------------------------------------ */

/* In the order of help texts. */
static const kan_command_entry entries[] = {
    {.command = {.name = "anonymize",
                 .words = "anonymize",
                 .arguments = "INPUT -o OUT --qi COLUMNS --k N [FLAGS]",
                 .summary = "release a table: read, search, apply, verify, write",
                 .about = "Finds the generalization that keeps the promise and loses least, "
                          "applies it, recounts the released rows and only then writes them. A "
                          "column that no flag names is left out; --keep releases it as it is.",
                 .positional = "input"},
     .walk = kan_walk_anonymize,
     .walk_tables = kan_tables_anonymize,
     .needs = {INPUT("anonymize"),
               {.setting = "output",
                .or_table = true,
                .message =
                    "no target was named; write -o OUT for the release (- is standard output)"},
               {.setting = "keep-suppressed",
                .when = "show-suppressed",
                .message = "--show-suppressed is about suppressed rows that are kept; add "
                           "--keep-suppressed, or leave it out"},
               {.setting = "dialect",
                .when = "emit",
                .message = "--emit writes statements, and each database has its own; name it with "
                           "--dialect"},
               {.setting = "emit",
                .when = "dialect",
                .message = "--dialect is the database of statements; add --emit, or leave it out"},
               {.setting = "emit",
                .when = "counts",
                .message = "--counts is for a release as statements; add --emit sql, or leave it "
                           "out"},
               {.setting = "emit",
                .when = "into",
                .message = "--into is the table that statements make; add --emit sql, or leave it "
                           "out; the address of a table is named by --output"},
               QUASI_IDENTIFIERS,
               PERSON,
               CODES,
               PROMISE}},
    {.command =
         {.name = "search",
          .words = "search",
          .arguments = "INPUT --qi COLUMNS --k N [FLAGS]",
          .summary =
              "show what is possible: minimal generalizations, the best by cost; writes no data",
          .about = "Finds which generalizations keep the promise, which of them are minimal, and "
                   "the best by cost. It writes no data, only what it found.",
          .positional = "input"},
     .walk = kan_walk_search,
     .walk_tables = kan_tables_search,
     .only_looks = true,
     .needs = {INPUT("search"), QUASI_IDENTIFIERS, PERSON, CODES, PROMISE}},
    {.command =
         {.name = "compare",
          .words = "compare",
          .arguments = "INPUT --qi COLUMNS [--ks N,N] [--algorithms LIST] [FLAGS]",
          .summary = "several searches, values of k, limits or costs side by side; writes no data",
          .about = "Searches once for every combination of --algorithms, --ks, --suppressions "
                   "and --costs, all else being equal, and shows what each release would lose and "
                   "how likely it is that people would be recognised in it. Every cell of the "
                   "comparison is recounted, and comes with the command that makes its release.",
          .positional = "input"},
     .walk = kan_walk_compare,
     .walk_tables = kan_walk_compare_tables,
     .only_looks = true,
     .needs = {INPUT("compare"),
               QUASI_IDENTIFIERS,
               PERSON,
               CODES,
               {.setting = "proof",
                .is_refused = true,
                .message = "--proof is about one question, and kanon compare asks several; use it "
                           "with kanon search or kanon anonymize"}}},
    {.command = {.name = "verify",
                 .words = "verify",
                 .arguments = "RELEASE --qi COLUMNS --k N [FLAGS]",
                 .summary = "recount a release, whoever made it: does the promise hold?",
                 .about =
                     "Recounts a table as it stands, whoever made it, and says whether the promise "
                     "holds: exit status 0 when it does, 3 when it does not, 1 when something "
                     "could not be checked. If the original is given, it also checks that every "
                     "released value covers an original one and no row was invented.\n"
                     "With --job, --id, --keep, --drop or --others the columns of the release must "
                     "be those that were decided on, and with --original no more rows may be "
                     "missing than --suppress allows.\n"
                     "With --certificate it checks instead what proves the answer of a search, "
                     "against the table that was searched: that nothing was left out, that every "
                     "claim is true, and that nothing better existed.",
                 .positional = "input"},
     .walk = kan_walk_verify,
     .walk_tables = kan_tables_verify,
     .only_looks = true,
     /* A certificate says itself what it is about. */
     .needs = {INPUT("verify"), QUASI_IDENTIFIERS_UNLESS("certificate"), PERSON, CODES,
               PROMISE_UNLESS("certificate")},
     .prepare = take_original},
    {.command =
         {.name = "check",
          .words = "check",
          .arguments = "TABLE --rules NAME|FILE [FLAGS]",
          .summary = "hold a table or a release against a rule, such as HIPAA Safe Harbor",
          .about = "Looks for what a rule does not allow: columns that hold identifiers, by their "
                   "names, labels and values; dates finer than a year; a promise that does not "
                   "hold. Exit status 0 when nothing is against the rule and every column was "
                   "decided, 3 when something is, 1 when something is for a person to decide. "
                   "What you know besides the table is not checked.",
          .positional = "input"},
     .walk = kan_walk_check,
     .only_looks = true,
     .needs = {INPUT("check"),
               {.setting = "rules",
                .message = "no rule was named; write --rules hipaa-safe-harbor, or another that "
                           "kanon help check names"}}},
    {.command = {.name = "utility",
                 .words = "utility",
                 .arguments = "RELEASE --original FILE [--workload FILE] [FLAGS]",
                 .summary = "what can still be done with a release: columns, or queries",
                 .about =
                     "Holds a release against the original: how exact its columns are, and how "
                     "far their distributions moved. With a workload it "
                     "answers every query twice, exactly on the original and on "
                     "the release under the assumption that the values which a cell stands "
                     "for are equally likely, and says how far apart the answers are. The result "
                     "contains exact figures: it is for those who may see the original.",
                 .positional = "input"},
     .walk = kan_walk_utility,
     .only_looks = true,
     .needs = {INPUT("utility"),
               {.setting = "original",
                .message = "no original was named; write --original FILE, the table before it was "
                           "anonymized"},
               {.setting = "workload",
                .when = "regress",
                .is_refused = true,
                .message = "--regress asks for a model and --workload for answers to queries; ask "
                           "for them in runs of their own"},
               {.setting = "workload",
                .when = "classify",
                .is_refused = true,
                .message = "--classify asks for a model and --workload for answers to queries; ask "
                           "for them in runs of their own"},
               {.setting = "regress",
                .when = "as",
                .unless = "classify",
                .message = "--as says how coarser numbers enter a model; name one with --regress "
                           "FORMULA or --classify NAME, or leave it out"}}},
    {.command = {.name = "risk",
                 .words = "risk",
                 .arguments = "TABLE --qi NAMES [--original FILE] [--population FILE] [FLAGS]",
                 .summary = "how likely people are to be recognised in a table, before and after",
                 .about =
                     "Counts how many rows look alike, and says what that means for somebody who "
                     "knows a person in the table (prosecutor), has a list of the population "
                     "(journalist) or links all rows to names (marketer); how many people are "
                     "unique; and what the groups reveal about sensitive values. The table may be "
                     "raw or a release; with --original both are shown, side by side.",
                 .positional = "input"},
     .walk = kan_walk_risk,
     .walk_tables = kan_tables_risk,
     .only_looks = true,
     .needs = {INPUT("risk"), QUASI_IDENTIFIERS}},
    {.command = {.name = "attack",
                 .words = "attack",
                 .arguments = "RELEASE --qi NAMES [--register FILE] [--with OTHER] [FLAGS]",
                 .summary = "what somebody finds out who has a release and something else",
                 .about =
                     "Does what an intruder would do with a release, before somebody else does: "
                     "holds a list of people against it and counts how many of them are matched by "
                     "exactly one row, and whose sensitive value is certain; puts it together with "
                     "other releases of the same people; with --knowing-method tries out which "
                     "hidden values would have led to the same release. With --original it says "
                     "which guesses are right. It writes no data; what it tells is for those who "
                     "may see the table.",
                 .positional = "input"},
     .walk = kan_walk_attack,
     .only_looks = true,
     .needs = {INPUT("attack"),
               {.setting = "register",
                .when = "as",
                .message =
                    "--as is about somebody who has a list of people; name it with --register "
                    "FILE, or leave it out"},
               {.setting = "register",
                .when = "nearest",
                .message = "--nearest is about somebody who has a list of people; name it with "
                           "--register FILE, or leave it out"},
               QUASI_IDENTIFIERS},
     .check = kan_attack_check},
    {.command = {.name = "profile",
                 .words = "profile",
                 .arguments = "INPUT [INPUT ...] [FLAGS]",
                 .summary = "what a table contains, and which columns single people out",
                 .about = "Shows each column with its type, its values and what part it might play "
                          "in a release, and how identifying combinations of up to four columns "
                          "are. The roles are only suggestions, from names and values. Of several "
                          "tables it also says which belongs to which, by which columns. The "
                          "output shows raw values: it is for those who may see the table.",
                 .positional = "input"},
     .walk = kan_walk_profile,
     .only_looks = true,
     .needs = {INPUT("profile")}},
    {.command = {.name = "hierarchy-build",
                 .words = "hierarchy build",
                 .arguments = "INPUT --column NAME[=SPEC] [-o FILE|DIR/] [FLAGS]",
                 .summary = "make hierarchies for columns of a table",
                 .about = "Makes the hierarchy of one column or of several: what each value "
                          "becomes when it is generalized, level by level. Without --method one is "
                          "proposed that suits the values: round intervals for numbers, months and "
                          "years for dates, masked characters for codes.",
                 .positional = "input"},
     .walk = kan_walk_hierarchy_build,
     .needs = {INPUT("hierarchy build"),
               {.setting = "column",
                .message = "no column was named; write --column and the columns to build "
                           "hierarchies for, such as --column age,zip"}}},
    {.command = {.name = "hierarchy-check",
                 .words = "hierarchy check",
                 .arguments = "FILE|DIR [--input DATA] [--column NAME]",
                 .summary = "find what is wrong with hierarchy files",
                 .about = "Checks a hierarchy file, or all of a directory: values without a line, "
                          "labels with two parents or two meanings, lines of unequal length, more "
                          "than one top. Shows for each level how many labels it has, and with "
                          "data the rows of the smallest and the largest one.",
                 .positional = "hierarchy"},
     .walk = kan_walk_hierarchy_check,
     .only_looks = true,
     .needs = {HIERARCHY("check FILE, or DIR for all of a directory"), DATA_OF_COLUMN},
     .check = kan_hierarchy_check_file},
    {.command = {.name = "hierarchy-show",
                 .words = "hierarchy show",
                 .arguments = "FILE|SPEC [--input DATA] [--column NAME] [--depth N]",
                 .summary = "show a hierarchy as a tree",
                 .about =
                     "Shows a hierarchy file, or what a builder makes of a column, as a tree, with "
                     "the values and, with data, the rows below each label. Long lists are folded.",
                 .positional = "hierarchy"},
     .walk = kan_walk_hierarchy_show,
     .only_looks = true,
     .needs = {HIERARCHY("show FILE, or a builder such as intervals:5,10"), DATA_OF_COLUMN},
     .check = kan_hierarchy_check_builder},
    {.command =
         {.name = "hierarchy-convert",
          .words = "hierarchy convert",
          .arguments = "FILE -o OUT",
          .summary = "turn columns into a tree of text, or back",
          .about =
              "Writes a hierarchy in the other form: as a tree, one label per line and indented "
              "below what it belongs to, which is easy to write and to read; or in columns, a line "
              "for each value. Both forms are accepted wherever a hierarchy file is.",
          .positional = "hierarchy"},
     .walk = kan_walk_hierarchy_convert,
     .needs = {HIERARCHY("convert FILE -o OUT"),
               {.setting = "output",
                .message =
                    "no target was named; write -o OUT.txt for a tree, -o OUT.csv for columns"}},
     .check = kan_hierarchy_check_file},
    {.command = {.name = "ledger-show",
                 .words = "ledger show",
                 .arguments = "FILE --key FILE",
                 .summary = "what was released when, and to how many people",
                 .about =
                     "Shows the releases of a ledger: when each was made, by which job, how "
                     "many rows, people and groups it has, and into how many cells all "
                     "releases together divide the people. No person is named: a ledger has no "
                     "names.",
                 .positional = "ledger"},
     .walk = kan_walk_ledger_show,
     .only_looks = true,
     .needs = {LEDGER("show FILE"), LEDGER_KEY}},
    {.command = {.name = "ledger-check",
                 .words = "ledger check",
                 .arguments = "FILE --key FILE",
                 .summary = "is a ledger whole, and was each release in it handed out?",
                 .about = "Checks that a ledger is complete, unchanged and of this key, and looks "
                          "for releases that were being made when a run was killed: one that "
                          "stands under its name is out, one that does not is told.",
                 .positional = "ledger"},
     .walk = kan_walk_ledger_check,
     .needs = {LEDGER("check FILE"), LEDGER_KEY}},
    {.command = {.name = "ledger-forget",
                 .words = "ledger forget",
                 .arguments = "FILE --which N|NAME --key FILE",
                 .summary = "take a release out of a ledger that nobody was ever given",
                 .about =
                     "Removes one release from a ledger, so that later releases need not keep "
                     "their promise together with it. This is for a release that nobody but "
                     "you ever had, and whose file is deleted. All other releases stay as they "
                     "are.",
                 .positional = "ledger"},
     .walk = kan_walk_ledger_forget,
     .needs = {LEDGER("forget FILE --which N"),
               {.setting = "which",
                .message = "no release was named; write --which and its number, which kanon "
                           "ledger show tells"},
               LEDGER_KEY}},
    {.command = {.name = "report",
                 .words = "report",
                 .arguments = "RESULT.json -o FILE.html [FLAGS]",
                 .summary = "make the report of a result that --json wrote: one page of HTML",
                 .about =
                     "Makes the page that kanon anonymize --report makes, from the result that it "
                     "wrote with --json at the same time. The page needs nothing else, makes no "
                     "network requests, and shows no value that the release hides.",
                 .positional = "input"},
     .walk = kan_walk_report,
     .needs =
         {INPUT("report"),
          {.setting = "output",
           .message =
               "no target was named; write -o FILE.html for the page (- is standard output)"}}},
    {.command = {.name = "import",
                 .words = "import",
                 .arguments = "PROJECT.deid -o FOLDER [FLAGS]",
                 .summary = "make a job of a project of ARX, with its table and its hierarchies",
                 .about =
                     "Reads a project that ARX saved, and makes a folder of it: the table and the "
                     "hierarchies as CSV, and a job file, kanon.yaml, which kanon anonymize "
                     "runs. What could not be taken over is listed, each with its reason. "
                     "Nothing of the project is run, and Java object streams in it are not "
                     "read.",
                 .positional = "input"},
     .walk = kan_walk_import,
     .needs = {{.setting = "input",
                .message = "no project was named; write kanon import PROJECT.deid -o FOLDER"},
               {.setting = "output",
                .message = "no folder was named; write -o FOLDER, which will be made"}}},
    {.command = {.name = "generate",
                 .words = "generate",
                 .arguments = "NAME [-o OUT] [FLAGS]",
                 .summary = "make a synthetic table and its hierarchies",
                 .about = "Makes a synthetic table, and a directory with a hierarchy for each of "
                          "its columns; or several tables that belong together, in a folder with "
                          "their hierarchies and a job file. The same seed makes the same bytes on "
                          "every machine.",
                 .positional = "generator"},
     .walk = kan_walk_generate,
     .needs = {{.setting = "generator",
                .message = "no table was named; write kanon generate NAME, such as census"}},
     .check = kan_generate_check},
};

enum { N_ENTRIES = sizeof entries / sizeof *entries };

size_t kan_command_count(void) {
    return N_ENTRIES;
}

const kan_command *kan_command_at(size_t index) {
    return index < N_ENTRIES ? &entries[index].command : NULL;
}

const kan_command_entry *kan_command_entry_find(const char *name) {
    for (size_t i = 0; name && i < N_ENTRIES; i++)
        if (strcmp(entries[i].command.name, name) == 0)
            return &entries[i];
    return NULL;
}

const kan_command *kan_command_find(const char *name) {
    const kan_command_entry *entry = kan_command_entry_find(name);
    return entry ? &entry->command : NULL;
}

static bool is_same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool kan_command_needs(const kan_command *command, const char *setting) {
    const kan_command_entry *entry = command ? kan_command_entry_find(command->name) : NULL;
    const kan_need *need = entry ? entry->needs : NULL;
    for (; need && need->message; need++)
        if (!need->when && !need->when_trait && !need->unless && !need->is_refused &&
            is_same(need->setting, setting))
            return true;
    return false;
}
