/* What a job over several tables may say, and which table hangs on which. */
#include <stdio.h>
#include <string.h>

#include "job/tables/tables_inside.h"

/* ---- settings ------------------------------------------------------------------------------- */

/* How values of a column are written is said within its table. */
static void check_writing(const kan_job *job, const struct kan_option_value *said) {
    kan_slice name;
    const char *rest;
    char quoted[256];
    kan_spelled_parse(said->value, &name, &rest);
    for (unsigned s = 0; s < KAN_N_WRITINGS; s++)
        if (name.size > 0 && strcmp(said->name, kan_writing_names[s]) == 0)
            kan_problem_add(job->run,
                            "--%s: column %s is one of a table; write it within that table in the "
                            "job file",
                            said->name, kan_quote(name, quoted));
}

/* What a command has for one table, and why not for several. */
static const char *find_reason(const char *setting) {
    static const struct {
        const char *settings, *why; /* names between blanks */
    } reasons[] = {
        {" by ", "whose a row is follows from the keys of the tables; leave it out"},
        {" person original ",
         "the keys of the tables say whose each row is, and the job names the originals; leave it "
         "out"},
        {" save ", "whether saved cells are of the same tables is not told yet; leave it out"},
        {" algorithm algorithms recoding recodings ",
         "levels for several tables are searched in one way, by branch and bound; leave it out"},
        {" nodes all-nodes most-nodes ",
         "the search over several tables does not look at every node; --level NAME=N asks about "
         "one; leave it out"},
        {" levels apply ", "of several tables levels are given by name; write --level NAME=N for "
                           "each quasi-identifier"},
        {" rows ", "its lines are rows of one table; --json has the number of people by how many "
                   "share their tree; leave it out"},
    };
    char name[64];
    snprintf(name, sizeof name, " %s ", setting);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(reasons[i].settings, name))
            return reasons[i].why;
    return NULL;
}

/* Whether a value before it has the same name: what is wrong was said then. */
static bool is_repeated(const kan_job *job, const struct kan_option_value *said) {
    for (const struct kan_option_value *at = job->options.values; at < said; at++)
        if (strcmp(at->name, said->name) == 0)
            return true;
    return false;
}

static void check_setting(const kan_job *job, const kan_command *command,
                          const struct kan_option_value *said) {
    unsigned traits = kan_setting_traits(said->name, command->name);
    if (said->is_from_file) /* a job file is for other commands, too */
        traits |= kan_setting_traits(said->name, "anonymize") & KAN_TRAIT_TABLES;
    if (traits & KAN_TRAIT_TABLES)
        check_writing(job, said);
    if ((traits & (KAN_TRAIT_TABLES | KAN_TRAIT_DISPLAY | KAN_TRAIT_MACHINE)) ||
        !kan_setting_is_given(job, said->name) || is_repeated(job, said))
        return;
    const char *reason = find_reason(said->name);
    if ((traits | kan_setting_traits(said->name, "anonymize")) & KAN_TRAIT_EACH_TABLE)
        kan_problem_add(job->run,
                        "--%s: a job over several tables has one for each of them; write it within "
                        "the table in the job file",
                        said->name);
    else if (reason)
        kan_problem_add(job->run, "--%s: %s", said->name, reason);
    else if (strcmp(command->name, "anonymize") == 0 || strcmp(command->name, "verify") == 0)
        kan_problem_add(job->run,
                        "--%s is not taken for several tables yet: what is promised of them is k, "
                        "for histories; leave it out, or anonymize each table by itself",
                        said->name);
    else
        kan_problem_add(
            job->run,
            "--%s is not taken by kanon %s for several tables yet; leave it out, or ask "
            "about each table by itself",
            said->name, command->words);
}

/* Days by which nothing is shifted are a promise that nobody keeps. */
static void check_shift(const kan_job *job) {
    bool shifts = false;
    for (const kan_job_part *part = job->parts; part; part = part->next)
        shifts |= kan_options_find(&part->job->options, "shift-dates") != NULL;
    if (!shifts && kan_options_find(&job->options, "within"))
        kan_problem_add(job->run, "--within: no table has shift-dates; name the columns there, or "
                                  "leave it out");
}

/* What has to be there, by command: what is promised, and where the release is. */
static void check_needs(const kan_job *job, const char *command) {
    const bool makes = strcmp(command, "anonymize") == 0, checks = strcmp(command, "verify") == 0;
    if ((makes || checks || strcmp(command, "search") == 0) && !kan_setting_is_given(job, "k"))
        kan_problem_add(job->run, "no promise was asked for; write --k N, such as --k 5");
    if (makes && !kan_options_find(&job->options, "output"))
        kan_problem_add(job->run, "no target was named; write -o FOLDER for the release");
    if (checks && !kan_options_find(&job->options, "input"))
        kan_problem_add(job->run, "no release was named; write kanon verify FOLDER --job FILE");
}

kan_status kan_tables_check(const kan_job *job, const kan_command *command) {
    kan_problems_begin(job->run);
    if (job->table)
        kan_problem_add(
            job->run,
            "a table is in memory, and each table of the job names its own file; leave it "
            "out, and write tables in memory to files first");
    for (size_t i = 0; i < job->options.n; i++)
        check_setting(job, command, &job->options.values[i]);
    check_shift(job);
    check_needs(job, command->name);
    return kan_problems_end(job->run);
}

/* ---- order ---------------------------------------------------------------------------------- */

static const kan_job_part *find_part(const kan_job *job, const char *name) {
    const kan_job_part *part = job->parts;
    while (part && strcmp(part->name, name) != 0)
        part = part->next;
    return part;
}

static void check_part(const kan_job *job, const kan_job_part *part) {
    const kan_job_part *parent = part->of ? find_part(job, part->of) : NULL;
    const char *input = kan_options_find(&part->job->options, "input");
    char quoted[256];
    kan_quote(kan_slice_of(part->name), quoted);
    if (!input)
        kan_problem_add(job->run, "%s: table %s has no file; write input: FILE", part->place,
                        quoted);
    else if (strcmp(input, "-") == 0 || kan_is_directory(input))
        kan_problem_add(job->run,
                        "%s: table %s: a folder of files and standard input are not taken for one "
                        "of several tables; write it to a file first",
                        part->place, quoted);
    if (part->of && !parent)
        kan_problem_add(job->run, "%s: table %s is of '%s', and there is no such table in the job",
                        part->place, quoted, part->of);
    else if (parent && !parent->key)
        kan_problem_add(job->run,
                        "%s: table %s is of '%s', which has no key; write key: COLUMN there, the "
                        "column that names its rows",
                        part->place, quoted, part->of);
    if (part->by && !part->of)
        kan_problem_add(job->run,
                        "%s: table %s: `by` is the column with the key of another table; name that "
                        "with `of`, or leave it out",
                        part->place, quoted);
}

/* The one table that is of no other. */
static const kan_job_part *find_people(const kan_job *job) {
    const kan_job_part *people = NULL;
    for (const kan_job_part *part = job->parts; part; part = part->next) {
        if (part->of)
            continue;
        if (people)
            kan_problem_add(job->run,
                            "%s: the tables '%s' and '%s' are both of no other; one of them has a "
                            "row for each person, the others hang below it: write of: TABLE",
                            part->place, people->name, part->name);
        people = people ? people : part;
    }
    if (!people)
        kan_problem_add(job->run,
                        "%s: every table is of another; one of them has a row for each person, and "
                        "is of none: leave its `of` out",
                        job->parts->place);
    else if (!people->key)
        kan_problem_add(job->run,
                        "%s: table '%s' has a row for each person, and no key; write key: COLUMN, "
                        "the column that identifies the person",
                        people->place, people->name);
    return people;
}

static void place(kan_clan *clan, const kan_job_part *part, size_t parent) {
    clan->tables[clan->n++] = (kan_clan_table){.part = part,
                                               .n_said = part->job->options.n,
                                               .parent = parent,
                                               .key = KAN_NO_COLUMN,
                                               .link = KAN_NO_COLUMN};
}

static bool is_placed(const kan_clan *clan, const kan_job_part *part) {
    for (size_t t = 0; t < clan->n; t++)
        if (clan->tables[t].part == part)
            return true;
    return false;
}

/* Children behind their parents, in the order of the file; who is never reached is in a circle. */
static void place_all(kan_clan *clan, const kan_job_part *people) {
    const kan_job *job = clan->job;
    place(clan, people, 0);
    for (size_t t = 0; t < clan->n; t++)
        for (const kan_job_part *part = job->parts; part; part = part->next)
            if (part->of && strcmp(part->of, clan->tables[t].part->name) == 0)
                place(clan, part, t);
    for (const kan_job_part *part = job->parts; part; part = part->next)
        if (!is_placed(clan, part))
            kan_problem_add(job->run,
                            "%s: table '%s' is of '%s', which belongs to itself over other tables; "
                            "each table hangs below that of people",
                            part->place, part->name, part->of);
}

kan_status kan_clan_order(kan_job *job, kan_clan *out) {
    size_t n = 0;
    *out = (kan_clan){.job = job, .run = job->run};
    kan_arena_init(&out->arena, job->run);
    kan_problems_begin(job->run);
    for (const kan_job_part *part = job->parts; part; part = part->next, n++)
        check_part(job, part);
    if (n > KAN_MOST_TABLES)
        kan_problem_add(job->run, "%s: %zu tables, the maximum is %d", job->parts->place, n,
                        KAN_MOST_TABLES);
    const kan_job_part *people = find_people(job);
    KAN_TRY(kan_problems_end(job->run));
    kan_problems_begin(job->run);
    place_all(out, people);
    return kan_problems_end(job->run);
}

void kan_clan_destroy(kan_clan *clan) {
    for (size_t t = 0; t < clan->n; t++) {
        kan_clan_table *table = &clan->tables[t];
        table->part->job->options.n = table->n_said;
        if (table->is_open)
            kan_setup_destroy(&table->setup);
        if (table->has_plain) {
            kan_input_close(&table->plain);
            table->part->job->table = NULL;
            table->part->job->is_table_taken = false;
        }
        kan_free(clan->run, table->parent_row);
        kan_free(clan->run, table->whose.codes);
        kan_free(clan->run, table->is_left);
    }
    kan_risk_trees_destroy(&clan->risk);
    explicit_bzero(clan->drawn_key, sizeof clan->drawn_key);
    kan_clan_close_schema(clan);
    kan_arena_destroy(&clan->arena);
}
