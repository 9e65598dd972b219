/* From arguments to settings. The flags are the settings of the command, so there is no table here:
 * --name value, --name=value, --name for a switch, -o for --output, -q for --quiet, and one
 * argument without a flag for what the command works on. `--` ends the flags. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct {
    const cli_command *command;
    kan_run *run;
    kan_job *job;
    int n, next;
    char **arguments;
    bool *is_given; /* by index of the setting */
    const char *job_path;
    unsigned n_problems;
} parser;

/* The setting of that name which the command understands; `*index` is its place. */
static const kan_setting *find_setting(const char *name, const char *command, size_t *index) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (strcmp(setting->name, name) == 0 && kan_setting_is_for(setting, command)) {
            *index = i;
            return setting;
        }
    }
    return NULL;
}

/* The commands that understand a flag; some may mean something else by it than others. */
static void list_owners(const char *name, char *room, size_t size) {
    size_t used = 0, index;
    room[0] = '\0';
    for (size_t i = 0; i < kan_command_count() && used < size; i++) {
        const char *command = kan_command_at(i)->name;
        if (find_setting(name, command, &index))
            used += (size_t)snprintf(room + used, size - used, "%s%s", used ? " " : "", command);
    }
}

/* Names the flag that was meant. The value of a misspelt flag is skipped, so that it is not taken
 * for the input as well. */
static void unknown_flag(parser *p, const char *name, bool has_value) {
    const char *command = cli_title(p->command);
    const char *near = kan_setting_nearest(name, p->command->name);
    const kan_setting *other = kan_setting_find(name);
    const kan_setting *meant = other ? other : near ? kan_setting_find(near) : NULL;
    char owners[512];
    p->n_problems++;
    list_owners(name, owners, sizeof owners);
    if (other)
        cli_error("--%s is not a flag of kanon %s (it belongs to: %s)", name, command, owners);
    else if (near)
        cli_error("--%s is not a flag of kanon %s; did you mean --%s?", name, command, near);
    else
        cli_error("--%s is not a flag of kanon %s; kanon help %s --all lists them", name, command,
                  command);
    if (meant && meant->argument && !has_value && p->next < p->n && p->arguments[p->next][0] != '-')
        p->next++;
}

static void set(parser *p, const kan_setting *setting, size_t index, const char *value) {
    if (!setting->repeats && p->is_given[index]) {
        p->n_problems++;
        cli_error("--%s is given twice; leave one out", setting->name);
        return;
    }
    p->is_given[index] = true;
    /* The file comes last, whatever the order of the flags: it takes only what they left open. */
    if (strcmp(setting->name, "job") == 0 && value) {
        p->job_path = value;
        return;
    }
    if (kan_job_set(p->job, setting->name, value) != KAN_OK) {
        p->n_problems++;
        cli_error_lines(kan_run_error(p->run));
    }
}

/* A flag whose value is the next argument, unless that is a flag itself: forgetting a value is
 * likelier than a value with two dashes, which can be written --name=--value. */
static void take_value(parser *p, const kan_setting *setting, size_t index, const char *flag) {
    const char *next = p->next < p->n ? p->arguments[p->next] : NULL;
    bool is_flag = next && strncmp(next, "--", 2) == 0;
    if (!next || is_flag) {
        p->n_problems++;
        cli_error("%s needs a value: %s %s", flag, flag, setting->argument);
        return;
    }
    p->next++;
    set(p, setting, index, next);
}

/* `text` is what follows the two dashes. */
static void take_long(parser *p, const char *text) {
    char name[128];
    size_t size = strcspn(text, "="), index = 0;
    snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), text);
    const kan_setting *setting = find_setting(name, p->command->name, &index);
    if (!setting)
        unknown_flag(p, name, text[size] == '=');
    else if (text[size] == '=')
        set(p, setting, index, text + size + 1);
    else if (!setting->argument)
        set(p, setting, index, NULL);
    else
        take_value(p, setting, index, text - 2);
}

static const struct {
    char letter;
    const char *name;
} short_flags[] = {{'o', "output"}, {'q', "quiet"}};

char cli_short_flag(const kan_setting *setting) {
    for (size_t i = 0; i < sizeof short_flags / sizeof *short_flags; i++)
        if (strcmp(short_flags[i].name, setting->name) == 0)
            return short_flags[i].letter;
    return '\0';
}

static const char *long_name(char letter) {
    for (size_t i = 0; i < sizeof short_flags / sizeof *short_flags; i++)
        if (short_flags[i].letter == letter)
            return short_flags[i].name;
    return "";
}

/* -o OUT, -oOUT, -q; -qo OUT is both. */
static void take_short(parser *p, const char *text) {
    size_t index = 0;
    const char flag[] = {'-', text[0], '\0'};
    const kan_setting *setting = find_setting(long_name(text[0]), p->command->name, &index);
    if (!setting) {
        p->n_problems++;
        cli_error("%s is not a flag of kanon %s; kanon help %s --all lists them", flag,
                  cli_title(p->command), cli_title(p->command));
    } else if (!setting->argument) {
        set(p, setting, index, NULL);
        if (text[1])
            take_short(p, text + 1);
    } else if (text[1]) {
        set(p, setting, index, text + 1);
    } else {
        take_value(p, setting, index, flag);
    }
}

/* The setting whose values further arguments without a flag are; NULL: the command takes one. */
static const kan_setting *find_operands(const parser *p, size_t *index) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if ((setting->traits & KAN_TRAIT_OPERANDS) &&
            kan_setting_is_for(setting, p->command->name)) {
            *index = i;
            return setting;
        }
    }
    return NULL;
}

static void take_operand(parser *p, const kan_setting *setting, size_t index, const char *text) {
    p->is_given[index] = true;
    if (kan_job_add(p->job, setting->name, text) != KAN_OK) { /* a comma is part of it */
        p->n_problems++;
        cli_error_lines(kan_run_error(p->run));
    }
}

static void take_positional(parser *p, const char *text) {
    size_t index = 0, more = 0;
    const char *name = p->command->positional;
    const kan_setting *setting = find_setting(name, p->command->name, &index);
    const kan_setting *operands = find_operands(p, &more);
    if (setting && p->is_given[index] && operands) {
        take_operand(p, operands, more, text);
    } else if (setting && p->is_given[index]) {
        const char *before = kan_job_get(p->job, name, 0);
        p->n_problems++;
        /* Of an address nothing is repeated: a password may stand in it. */
        const char *shown = kan_path_is_address(text) ? "the address of a table" : text;
        cli_error("'%s' is one argument too many: %s is already '%s'; is a flag missing before it?",
                  shown, setting->argument, before ? before : "given");
    } else if (setting) {
        set(p, setting, index, text);
    }
}

kan_status cli_flags_parse(const cli_command *command, kan_run *run, kan_job *job, int n,
                           char **arguments) {
    parser p = {.command = command, .run = run, .job = job, .n = n, .arguments = arguments};
    p.is_given = calloc(kan_setting_count(), sizeof *p.is_given);
    if (!p.is_given) {
        cli_error("out of memory");
        return KAN_FAILED;
    }
    bool has_flags = true;
    while (p.next < n) {
        const char *text = arguments[p.next++];
        if (has_flags && strcmp(text, "--") == 0)
            has_flags = false;
        else if (has_flags && strncmp(text, "--", 2) == 0)
            take_long(&p, text + 2);
        else if (has_flags && text[0] == '-' && text[1])
            take_short(&p, text + 1);
        else
            take_positional(&p, text);
    }
    free(p.is_given);
    if (p.job_path) {
        kan_status status = kan_job_load(job, p.job_path);
        if (status != KAN_OK) {
            cli_error_lines(kan_run_error(run));
            return status;
        }
    }
    return p.n_problems ? KAN_BAD_INPUT : KAN_OK;
}
