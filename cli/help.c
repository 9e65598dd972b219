/* Help: made from the table of settings, so that it cannot lag behind it. */
#include <string.h>

#include "cli.h"

enum { FLAG_COLUMNS = 26 };

static void print_heading(FILE *to, const char *text) {
    fprintf(to, "\n%s%s%s\n", cli_style_text(to, CLI_BOLD), text, cli_style_text(to, CLI_PLAIN));
}

/* A flag, then its text in the column beside it, or below when the flag is long. */
static void print_entry(FILE *to, const char *flag, const char *text) {
    unsigned width = cli_width(to), used = 2 + (unsigned)strlen(flag);
    fprintf(to, "  %s", flag);
    if (used + 2 > FLAG_COLUMNS) {
        fputc('\n', to);
        used = 0;
    }
    fprintf(to, "%*s", (int)(FLAG_COLUMNS - used), "");
    cli_print_wrapped(to, text, FLAG_COLUMNS, FLAG_COLUMNS, width);
}

void cli_setting_text(const kan_setting *setting, char *room, size_t size) {
    snprintf(room, size, "%s%s%s%s%s", setting->summary,
             kan_setting_takes_lists(setting) ? "; repeatable, or a comma list"
             : setting->repeats               ? "; repeatable"
                                              : "",
             setting->fallback ? " (default: " : "", setting->fallback ? setting->fallback : "",
             setting->fallback ? ")" : "");
}

static bool is_positional(const cli_command *command, const kan_setting *setting) {
    return command->positional && strcmp(setting->name, command->positional) == 0;
}

static void print_setting(FILE *to, const cli_command *command, const kan_setting *setting) {
    char flag[160], text[1024];
    const char letter = cli_short_flag(setting);
    const char shorter[] = {'-', letter, ',', ' ', '\0'};
    if (is_positional(command, setting))
        snprintf(flag, sizeof flag, "%s", setting->argument);
    else
        snprintf(flag, sizeof flag, "%s--%s%s%s", letter ? shorter : "", setting->name,
                 setting->argument ? " " : "", setting->argument ? setting->argument : "");
    cli_setting_text(setting, text, sizeof text);
    print_entry(to, flag, text);
}

/* So many settings are shown at once; a command that has more shows those that most jobs need. */
enum { SHORT_ENOUGH = 12 };

static bool is_short(const cli_command *command) {
    size_t n = 0;
    for (size_t i = 0; i < kan_setting_count(); i++)
        n += kan_setting_is_for(kan_setting_at(i), command->name);
    return n <= SHORT_ENOUGH;
}

static bool is_shown(const cli_command *command, const kan_setting *setting, bool shows_all) {
    return kan_setting_is_for(setting, command->name) &&
           (shows_all || (setting->traits & KAN_TRAIT_EVERYDAY) || is_positional(command, setting));
}

/* The heading and all settings of it; nothing where an earlier setting has had the same. */
static void print_group(FILE *to, const cli_command *command, size_t first, bool shows_all) {
    const char *group = kan_setting_at(first)->group;
    bool has_heading = false;
    for (size_t i = 0; i < first; i++)
        if (strcmp(kan_setting_at(i)->group, group) == 0)
            return;
    for (size_t i = first; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (strcmp(setting->group, group) != 0 || !is_shown(command, setting, shows_all))
            continue;
        if (!has_heading)
            print_heading(to, group);
        has_heading = true;
        print_setting(to, command, setting);
    }
}

/* By subject, in the order of the table. Returns how many are left out. */
static size_t print_settings(FILE *to, const cli_command *command, bool shows_all) {
    size_t n_more = 0;
    for (size_t i = 0; i < kan_setting_count(); i++) {
        print_group(to, command, i, shows_all);
        n_more += kan_setting_is_for(kan_setting_at(i), command->name) &&
                  !is_shown(command, kan_setting_at(i), shows_all);
    }
    return n_more;
}

static void print_lines(FILE *to, const char *lines) {
    while (*lines) {
        size_t size = strcspn(lines, "\n");
        fprintf(to, "  %.*s\n", (int)size, lines);
        lines += size + (lines[size] == '\n');
    }
}

static void print_exit_status(FILE *to) {
    print_heading(to, "Exit status");
    print_entry(to, "0", "done");
    print_entry(to, "1", "could not be done: input, output or memory");
    print_entry(to, "2", "wrong use or bad input; the message says where, and what to do");
    print_entry(to, "3", "the promise does not hold, or nothing within the limits keeps it");
    print_entry(to, "130", "interrupted; no result was written");
}

/* Lines are paragraphs, with an empty line between them. */
static void print_paragraphs(FILE *to, const char *text) {
    for (const char *at = text; *at;) {
        char paragraph[1024];
        size_t size = strcspn(at, "\n");
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)size, at);
        if (at != text)
            fputc('\n', to);
        cli_print_wrapped(to, paragraph, 0, 0, cli_width(to));
        at += size + (at[size] == '\n');
    }
}

void cli_help_command(FILE *to, const cli_command *command, bool shows_all) {
    fprintf(to, "Usage: kanon %s %s\n\n", cli_title(command), command->arguments);
    print_paragraphs(to, command->about);
    if (command->examples) {
        print_heading(to, "Examples");
        print_lines(to, command->examples);
    }
    if (command->actions)
        print_heading(to, "Commands");
    for (size_t i = 0; command->actions && command->actions[i]; i++)
        print_entry(to, cli_title(command->actions[i]), command->actions[i]->summary);
    const size_t n_more = print_settings(to, command, shows_all || is_short(command));
    if (n_more > 0)
        fprintf(to, "\n%zu more flags, by subject: kanon help %s --all\n", n_more,
                cli_title(command));
    if (command->own_flags) {
        print_heading(to, "Flags");
        print_lines(to, command->own_flags);
    }
    if (command->more) {
        fputc('\n', to);
        print_paragraphs(to, command->more);
    }
    print_exit_status(to);
}

void cli_help_general(FILE *to) {
    unsigned width = cli_width(to);
    size_t n;
    const cli_command *const *commands = cli_commands(&n);
    fprintf(to, "Usage: kanon COMMAND [ARGUMENTS]\n\n");
    cli_print_wrapped(to,
                      "kanon releases a table of people in which nobody can be singled out: it "
                      "generalizes the columns by which somebody could be recognised, as little as "
                      "the promise allows, and writes nothing that it has not verified.",
                      0, 0, width);
    print_heading(to, "Commands");
    for (size_t i = 0; i < n; i++)
        print_entry(to, commands[i]->name, commands[i]->summary);
    print_entry(to, "help COMMAND", "examples and flags of a command; --all shows every flag");
    print_heading(to, "Start here");
    print_lines(to, "kanon demo\n"
                    "kanon help anonymize\n");
    print_heading(to, "The manual");
    print_lines(to, "kanon serve                     has a link to it on every page\n"
                    "share/doc/kanon/html/index.html the same pages, as installed files\n");
}

static bool has_word(int n, char **arguments, const char *word) {
    for (int i = 0; i < n && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], word) == 0)
            return true;
    return false;
}

bool cli_wants_help(int n, char **arguments) {
    return has_word(n, arguments, "--help") || has_word(n, arguments, "-h");
}

bool cli_wants_all(int n, char **arguments) {
    return has_word(n, arguments, "--all");
}
