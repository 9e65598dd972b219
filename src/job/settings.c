/* The table of settings.
 *
 * The fixed entries stand below in the order of the help texts; the options of registered kinds
 * follow the fixed ones of their group. The whole table is computed once, on first use, from
 * constants alone; it never changes after that, so any thread may read it. Looking up is a walk
 * over some forty entries. */
#include "job/settings.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

#define ON_DATA    "anonymize search verify"
#define ON_SEARCH  "anonymize search"
#define ON_TABLES  "anonymize search verify utility"
#define EVERYWHERE "anonymize search verify utility generate"

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
    {.setting = {"hierarchies", "DIR",
                 "where the hierarchy files are: DIR/NAME.csv for column NAME", "Input", NULL,
                 false, ON_TABLES},
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
          "mondrian): age=5 makes bins of five from the least value on, age=5@0 from 0 on",
          "Input", NULL, true, ON_SEARCH},
     .form = KAN_FORM_BINS},
    {.setting = {"sensitive", "NAME", "columns whose values must not be learned about somebody",
                 "Input", NULL, true, ON_DATA},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"class", "NAME", "column that a classifier will predict (cost classification)",
                 "Input", NULL, false, ON_SEARCH},
     .form = KAN_FORM_COLUMN},
    {.setting = {"id", "NAME", "columns that name people directly; left out of the release",
                 "Input", NULL, true, ON_SEARCH},
     .form = KAN_FORM_COLUMNS},
    {.setting = {"separator", "C", "what stands between fields: one character, or tab", "Input",
                 "detected", false, ON_TABLES},
     .form = KAN_FORM_SEPARATOR},
    {.setting = {"original", "FILE",
                 "the table before it was anonymized: also check that every released value covers "
                 "an original one and no row was invented",
                 "Input", NULL, false, "verify"},
     .form = KAN_FORM_PATH},
    {.setting = {"original", "FILE", "the table before it was anonymized", "Input", NULL, false,
                 "utility"},
     .form = KAN_FORM_PATH},
    {.setting = {"certificate", "FILE",
                 "check what a search wrote with --certificate instead of a release; RELEASE is "
                 "then the table that was searched, and --hierarchies or --qi NAME=HIERARCHY its "
                 "hierarchies",
                 "Input", NULL, false, "verify"},
     .form = KAN_FORM_PATH},
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
    {.setting = {"suppress", "N|P%|all",
                 "how many rows may be left out: a number, a percentage, or all", "Privacy", "0",
                 false, ON_SEARCH},
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
    {.setting = {"cost", "NAME", "what the best release loses least of; `kanon list` shows them",
                 "Search", "discernibility", false, ON_SEARCH},
     .form = KAN_FORM_KIND,
     .family = KAN_FAMILY_COST},
    {.setting = {"weight", "NAME=W", "how much a column matters to the cost", "Search", "1", true,
                 ON_SEARCH},
     .form = KAN_FORM_WEIGHT},
    {.setting = {"threads", "N", "threads to use", "Search", "one per core", false, ON_TABLES},
     .spec =
         {.name = "threads", .argument = "N", .type = KAN_OPTION_COUNT, .least = 1, .most = 256}},
    {.setting = {"memory", "SIZE",
                 "most memory to use, such as 512M or 2G; what has an entry per row is then kept "
                 "in temporary files where it takes too much of it",
                 "Search", "no limit", false, ON_TABLES},
     .form = KAN_FORM_BYTES},
    {.setting = {"tmp", "DIR",
                 "where temporary files are kept; they have no name, and are gone however the "
                 "program ends",
                 "Search", "$TMPDIR, else /tmp", false, ON_TABLES},
     .form = KAN_FORM_PATH},
    {.setting = {"time-limit", "SECONDS",
                 "stop after that long, with the best found so far (bisect, and searches that cut "
                 "into intervals) or with nothing (all others)",
                 "Search", "no limit", false, ON_SEARCH},
     .spec = {.name = "time-limit", .argument = "SECONDS", .type = KAN_OPTION_REAL, .least = 0}},
    {.setting = {"seed", "N", "the seed of all that is random, such as --shuffle and hill-climb",
                 "Search", "1", false, ON_SEARCH},
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
    {.setting = {"workload", "FILE",
                 "the queries, one per line, such as COUNT WHERE sex = Male AND age <= 36; - is "
                 "standard input",
                 "Input", NULL, false, "utility"},
     .form = KAN_FORM_PATH},
    {.setting = {"output", "OUT", "the release; .gz and .zst compress it, - is standard output",
                 "Output", NULL, false, "anonymize"},
     .form = KAN_FORM_PATH},
    {.setting = {"output", "OUT", "where the table is written", "Output", "NAME.csv", false,
                 "generate"},
     .form = KAN_FORM_PATH},
    {.setting = {"hierarchies", "DIR", "where the table's hierarchies are written", "Output",
                 "NAME-hierarchies beside the table", false, "generate"},
     .form = KAN_FORM_PATH},
    {.setting = {"json", "FILE", "write the result as JSON; - is standard output", "Output", NULL,
                 false, EVERYWHERE},
     .form = KAN_FORM_PATH},
    {.setting = {"certificate", "FILE",
                 "write what proves the answer, for kanon verify --certificate; for those who may "
                 "see the data",
                 "Output", NULL, false, ON_SEARCH},
     .form = KAN_FORM_PATH},
    {.setting =
         {"picture", "FILE",
          "draw the groups of mondrian as rectangles over two columns, as SVG; it shows what "
          "the release shows",
          "Output", NULL, false, "anonymize"},
     .form = KAN_FORM_PATH},
    {.setting = {"picture-columns", "ACROSS,UPWARDS", "the two quasi-identifiers of the picture",
                 "Output", "those with the most values", true, "anonymize"},
     .form = KAN_FORM_COLUMNS},
    SWITCH("cells",
           "say in the JSON result how many cells stand at each level of the hierarchies, as "
           "cell_levels",
           "Output", ON_SEARCH),
    SWITCH("keep-suppressed", "keep suppressed rows, with * in every quasi-identifier", "Output",
           "anonymize"),
    SWITCH("keep-suppressed",
           "rows with * in every quasi-identifier are suppressed ones: they may be fewer than k, "
           "and no model looks at them",
           "Privacy", "verify"),
    SWITCH("shuffle", "permute the rows: their order can identify, too", "Output", "anonymize"),
    SWITCH("force", "overwrite files that exist", "Output", EVERYWHERE),
    SWITCH("quiet", "no summary, no notes, no progress: errors only", "Output", EVERYWHERE),
    SWITCH("no-progress", "no progress line", "Output", EVERYWHERE),
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
    /* `suppression`, `thread`: one is the beginning of the other. */
    if (common >= 3 && strncmp(name, known, common) == 0)
        return 1;
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
