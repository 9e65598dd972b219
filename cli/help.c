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

static void print_setting(FILE *to, const cli_command *command, const kan_setting *setting) {
    char flag[160], text[1024];
    bool is_positional = command->positional && strcmp(setting->name, command->positional) == 0;
    const char letter = cli_short_flag(setting);
    const char shorter[] = {'-', letter, ',', ' ', '\0'};
    if (is_positional)
        snprintf(flag, sizeof flag, "%s", setting->argument);
    else
        snprintf(flag, sizeof flag, "%s--%s%s%s", letter ? shorter : "", setting->name,
                 setting->argument ? " " : "", setting->argument ? setting->argument : "");
    cli_setting_text(setting, text, sizeof text);
    print_entry(to, flag, text);
}

static void print_settings(FILE *to, const cli_command *command) {
    static const char *const groups[] = {"Input", "Privacy", "Search",
                                         "Options of single searches (kanon list says whose)",
                                         "Output"};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        bool has_heading = false;
        for (size_t i = 0; i < kan_setting_count(); i++) {
            const kan_setting *setting = kan_setting_at(i);
            if (strcmp(setting->group, groups[g]) != 0 ||
                !kan_setting_is_for(setting, command->name))
                continue;
            if (!has_heading)
                print_heading(to, groups[g]);
            has_heading = true;
            print_setting(to, command, setting);
        }
    }
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
    print_entry(to, "1", "could not do it: input or output, memory");
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

void cli_help_command(FILE *to, const cli_command *command) {
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
    print_settings(to, command);
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
    print_entry(to, "help COMMAND", "flags and examples of a command");
    print_heading(to, "Start here");
    print_lines(to, "kanon demo\n"
                    "kanon help anonymize\n");
    print_heading(to, "The manual");
    print_lines(to, "kanon serve                     it is linked from every page\n"
                    "share/doc/kanon/html/index.html the same pages, as they are installed\n");
}

bool cli_wants_help(int n, char **arguments) {
    for (int i = 0; i < n && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0)
            return true;
    return false;
}
