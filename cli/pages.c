/* Man pages: sources for scdoc, made from the tables of commands and settings, so that they cannot
 * lag behind them: kanon(1), one page per command, and kanon-job(5). */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "server/serve.h"

enum { PATH_BYTES = 4096, TEXT_BYTES = 2048 };

/* ---- text ----------------------------------------------------------------------------------- */

/* Text as it is: what scdoc would take for a mark gets a backslash. */
static void put(FILE *to, const char *text) {
    for (const char *at = text; *at; at++) {
        const bool is_first = at == text || at[-1] == '\n';
        if (strchr("\\*_`", *at) || (*at == '+' && at[1] == '+') ||
            (is_first && strchr("#-.[]|;<>:", *at)))
            fputc('\\', to);
        fputc(*at, to);
    }
}

/* Lines are paragraphs. */
static void put_paragraphs(FILE *to, const char *text) {
    for (; *text; text++) {
        if (*text == '\n') {
            fputs("\n\n", to);
            continue;
        }
        char line[TEXT_BYTES];
        const size_t size = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)size, text);
        put(to, line);
        text += size - 1;
    }
    fputs("\n\n", to);
}

/* Lines that are commands, as they are. */
static void put_literal(FILE *to, const char *lines) {
    fputs("```\n", to);
    for (const char *at = lines; *at; at++)
        fputs(*at == '\\' ? "\\\\" : (const char[]){*at, '\0'}, to);
    if (*lines && lines[strlen(lines) - 1] != '\n')
        fputc('\n', to);
    fputs("```\n\n", to);
}

static void put_title(FILE *to, const char *name, unsigned section, const char *summary) {
    fprintf(to, "%s(%u) \"kanon %s\" \"kanon\"\n\n# NAME\n\n%s - ", name, section, kan_version(),
            name);
    put(to, summary);
    fputs("\n\n", to);
}

static void put_see_also(FILE *to, const char *own) {
    size_t n;
    const cli_command *const *commands = cli_commands(&n);
    const char *before = "";
    fputs("# SEE ALSO\n\n", to);
    if (strcmp(own, "kanon") != 0) {
        fputs("*kanon*(1)", to);
        before = ", ";
    }
    for (size_t i = 0; i < n; i++) {
        if (strcmp(own, commands[i]->name) == 0)
            continue;
        fprintf(to, "%s*kanon-%s*(1)", before, commands[i]->name);
        before = ", ";
    }
    fprintf(to, "%s\n", strcmp(own, "job") == 0 ? "" : ", *kanon-job*(5)");
}

/* ---- a command ------------------------------------------------------------------------------ */

static void put_setting(FILE *to, const cli_command *command, const kan_setting *setting) {
    char text[TEXT_BYTES];
    const char *choices = kan_setting_choices(setting);
    if (command->positional && strcmp(setting->name, command->positional) == 0) {
        fputc('_', to);
        put(to, setting->argument);
        fprintf(to, "_, *--%s* _", setting->name);
        put(to, setting->argument);
        fputs("_\n", to);
    } else {
        const char letter = cli_short_flag(setting);
        const char shorter[] = {'*', '-', letter, '*', ',', ' ', '\0'};
        fprintf(to, "%s*--%s*", letter ? shorter : "", setting->name);
        if (setting->argument) {
            fputs(" _", to);
            put(to, setting->argument);
            fputc('_', to);
        }
        fputc('\n', to);
    }
    cli_setting_text(setting, text, sizeof text);
    fputc('\t', to);
    put(to, text);
    if (choices && strcmp(choices, setting->argument) != 0) {
        fputs(". One of: ", to);
        for (; *choices; choices++)
            if (*choices == '|')
                fputs(", ", to);
            else
                fputc(*choices, to);
    }
    fputs("\n\n", to);
}

/* Commands with the pages that describe them. */
static void put_list(FILE *to, const cli_command *const *commands, size_t n) {
    fputs("# COMMANDS\n\n", to);
    for (size_t i = 0; i < n; i++) {
        fprintf(to, "*%s*, *kanon-%s*(1)\n\t", cli_title(commands[i]), commands[i]->name);
        put(to, commands[i]->summary);
        fputs("\n\n", to);
    }
}

static size_t count_actions(const cli_command *command) {
    size_t n = 0;
    while (command->actions && command->actions[n])
        n++;
    return n;
}

/* Groups stand in the order in which the table has them. */
static void put_settings(FILE *to, const cli_command *command) {
    const size_t n = kan_setting_count();
    for (size_t i = 0; i < n; i++) {
        const kan_setting *first = kan_setting_at(i);
        bool is_new = kan_setting_is_for(first, command->name);
        for (size_t j = 0; j < i && is_new; j++)
            is_new = !kan_setting_is_for(kan_setting_at(j), command->name) ||
                     strcmp(kan_setting_at(j)->group, first->group) != 0;
        if (!is_new)
            continue;
        fputs("## ", to);
        put(to, first->group);
        fputs("\n\n", to);
        for (size_t j = i; j < n; j++)
            if (strcmp(kan_setting_at(j)->group, first->group) == 0 &&
                kan_setting_is_for(kan_setting_at(j), command->name))
                put_setting(to, command, kan_setting_at(j));
    }
}

static bool has_settings(const cli_command *command) {
    for (size_t i = 0; i < kan_setting_count(); i++)
        if (kan_setting_is_for(kan_setting_at(i), command->name))
            return true;
    return false;
}

static void put_exit_status(FILE *to) {
    fputs("# EXIT STATUS\n"
          "\n"
          "*0*\n"
          "\tdone\n"
          "\n"
          "*1*\n"
          "\tcould not be done: input, output or memory\n"
          "\n"
          "*2*\n"
          "\twrong use or bad input; the message says where, and what to do\n"
          "\n"
          "*3*\n"
          "\tthe promise does not hold, or nothing within the limits keeps it\n"
          "\n"
          "*130*\n"
          "\tinterrupted; no result was written\n"
          "\n",
          to);
}

static void put_command(FILE *to, const cli_command *command) {
    char name[128], usage[TEXT_BYTES];
    snprintf(name, sizeof name, "kanon-%s", command->name);
    put_title(to, name, 1, command->summary);
    fputs("# SYNOPSIS\n\n*kanon* ", to);
    snprintf(usage, sizeof usage, "%s %s", cli_title(command), command->arguments);
    put(to, usage);
    fputs("\n\n# DESCRIPTION\n\n", to);
    put_paragraphs(to, command->about);
    if (command->more)
        put_paragraphs(to, command->more);
    if (command->actions)
        put_list(to, command->actions, count_actions(command));
    if (has_settings(command) || command->own_flags)
        fputs("# OPTIONS\n\n", to);
    if (has_settings(command))
        fputs("The value of a flag is the next argument, or follows an equals sign: *--name* "
              "_VALUE_ or *--name=*_VALUE_.\n"
              "\n",
              to);
    put_settings(to, command);
    if (command->own_flags)
        put_literal(to, command->own_flags);
    put_exit_status(to);
    if (command->examples) {
        fputs("# EXAMPLES\n\n", to);
        put_literal(to, command->examples);
    }
    put_see_also(to, command->name);
}

/* ---- the overview --------------------------------------------------------------------------- */

static void put_overview(FILE *to) {
    size_t n;
    const cli_command *const *commands = cli_commands(&n);
    put_title(to, "kanon", 1, "release a table of people in which nobody can be singled out");
    fputs("# SYNOPSIS\n\n*kanon* _COMMAND_ [_ARGUMENTS_]\n\n*kanon help* [_COMMAND_]\n\n"
          "# DESCRIPTION\n\n"
          "kanon generalizes the columns by which somebody could be recognised, as little as the "
          "promise allows, and writes nothing that it has not verified. Tables are CSV, plain or "
          "compressed, files of Excel, SPSS, Stata and SAS, Parquet, JSON lines, or tables of a "
          "database; *kanon list* shows the formats. *-* stands for standard input and output. "
          "Existing files are not overwritten without *--force*, and nothing half-written is left "
          "behind.\n\n",
          to);
    put_list(to, commands, n);
    put_exit_status(to);
    fputs("# ENVIRONMENT\n"
          "\n"
          "*NO_COLOR*\n"
          "\tno colour, also on a terminal\n"
          "\n"
          "*TMPDIR*\n"
          "\twhere temporary files are kept; else _/tmp_\n"
          "\n"
          "*KANON_DUCKDB*\n"
          "\tDuckDB's library, for Parquet and JSON lines, if *--duckdb* does not name it\n"
          "\n"
          "*SOURCE_DATE_EPOCH*\n"
          "\tthe date of a report, in seconds since 1970\n"
          "\n"
          "# EXAMPLES\n"
          "\n",
          to);
    put_literal(to, "kanon demo\nkanon help anonymize\n");
    fputs("# THE MANUAL\n"
          "\n"
          "*kanon serve* shows it under Manual on every page, with a search box. It is also "
          "installed as pages, which begin with _share/doc/kanon/html/index.html_: below _/usr_ if "
          "kanon was installed as a package of the system. *kanon pages html* _DIR_ writes them "
          "anywhere.\n"
          "\n",
          to);
    put_see_also(to, "kanon");
}

/* ---- job files ------------------------------------------------------------------------------ */

static const char job_text[] =
    "# DESCRIPTION\n"
    "\n"
    "A job file gives the flags of a command in YAML: one mapping, whose keys are the names of "
    "flags without their dashes. It is given with *--job* _FILE_. Flags of the command line "
    "override it.\n"
    "\n"
    "A hyphen in a key may be written as an underscore. A switch is _true_ or _false_. A setting "
    "that repeats may be a list, whose items are taken whole, or one text, which is split at "
    "commas as on the command line. *qi* may also be a mapping from columns to hierarchies, "
    "*weight* and *bins* from columns to numbers, *order* from columns to files.\n"
    "\n"
    "Paths are relative to the job file. The key *command* is optional, and must agree with the "
    "command that is run. Unknown keys are refused, and the nearest known one is named; all "
    "problems of a file are reported together, each with its line.\n"
    "\n"
    "Several tables that belong together are a mapping *tables* of names to their own settings, "
    "with "
    "*key* (the column that names its rows), *of* (the table that they belong to) and *by* (the "
    "column with that table's key): for *kanon-anonymize*(1) and *kanon-verify*(1).\n"
    "\n"
    "A job file may come from somebody else. It can name no library (*duckdb*), and an *odbc:* "
    "address in it has DSN, Database and table alone. Commands that only look (verify, risk, "
    "attack, utility, profile, compare, search, hierarchy check and show) ignore the files that it "
    "would "
    "have them write, and its *force*, with a note; as flags, both work.\n"
    "\n"
    "# EXAMPLE\n"
    "\n"
    "```\n"
    "command: anonymize\n"
    "input: census.csv\n"
    "output: release.csv\n"
    "hierarchies: census-hierarchies\n"
    "qi: [age, gender, race]\n"
    "k: 5\n"
    "suppress: 1%\n"
    "```\n"
    "\n"
    "# KEYS\n"
    "\n";

static void put_key(FILE *to, const kan_setting *setting) {
    char text[TEXT_BYTES];
    fprintf(to, "*%s*: _", setting->name);
    put(to, setting->argument ? setting->argument : "true|false");
    fputs("_\n\t", to);
    cli_setting_text(setting, text, sizeof text);
    put(to, text);
    fputs(" (", to);
    for (const char *at = setting->commands; *at; at++)
        if (*at == ' ')
            fputs(", ", to);
        else
            fputc(*at, to);
    fputs(")\n\n", to);
}

static void put_job(FILE *to) {
    put_title(to, "kanon-job", 5, "settings of kanon in a file");
    fputs(job_text, to);
    for (size_t i = 0; i < kan_setting_count(); i++)
        if (strcmp(kan_setting_at(i)->name, "job") != 0)
            put_key(to, kan_setting_at(i));
    put_see_also(to, "job");
}

/* ---- files ---------------------------------------------------------------------------------- */

static FILE *open_page(const char *folder, const char *name, unsigned section) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s.%u.scd", folder, name, section);
    FILE *file = fopen(path, "w");
    if (!file)
        cli_error("%s: %s", path, strerror(errno));
    return file;
}

static bool close_page(FILE *file) {
    const bool has_failed = ferror(file) != 0;
    if (fclose(file) == 0 && !has_failed)
        return true;
    cli_error("a page could not be written: %s", strerror(errno));
    return false;
}

static bool write_commands(const char *folder, const cli_command *const *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char name[128];
        snprintf(name, sizeof name, "kanon-%s", from[i]->name);
        FILE *file = open_page(folder, name, 1);
        if (!file)
            return false;
        put_command(file, from[i]);
        if (!close_page(file))
            return false;
        if (from[i]->actions && !write_commands(folder, from[i]->actions, count_actions(from[i])))
            return false;
    }
    return true;
}

static bool write_pages(const char *folder) {
    size_t n;
    const cli_command *const *commands = cli_commands(&n);
    FILE *file = open_page(folder, "kanon", 1);
    if (!file)
        return false;
    put_overview(file);
    if (!close_page(file) || !(file = open_page(folder, "kanon-job", 5)))
        return false;
    put_job(file);
    return close_page(file) && write_commands(folder, commands, n);
}

/* The columns of the table that a command line names, for completion. A line under way has faults,
 * which the shell does not show: what could be read of it counts. */
static int print_columns(const cli_command *command, int n, char **arguments) {
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    const char *names;
    kan_status status = run ? kan_job_create(run, &job) : KAN_FAILED;
    if (status == KAN_OK) {
        (void)cli_flags_parse(command, run, job, n, arguments);
        status = kan_job_columns(job, &names);
        if (status == KAN_OK)
            fputs(names, stdout);
        else
            cli_error_lines(kan_run_error(run));
    }
    kan_job_destroy(job);
    kan_run_destroy(run);
    return cli_finish((int)status);
}

static int write_manual(const char *folder) {
    errno = 0;
    if (sv_manual_write(folder))
        return KAN_OK;
    cli_error("%s: the manual cannot be written there: %s", folder,
              errno ? strerror(errno) : "out of memory");
    return KAN_FAILED;
}

int cli_pages(int n, char **arguments) {
    const char *what = n > 0 ? arguments[0] : "";
    if (strcmp(what, "html") == 0 && n == 2)
        return write_manual(arguments[1]);
    if (strcmp(what, "man") == 0 && n == 2)
        return write_pages(arguments[1]) ? KAN_OK : KAN_FAILED;
    if (strcmp(what, "columns") == 0 && n >= 2 && cli_command_find(arguments[1]))
        return print_columns(cli_command_find(arguments[1]), n - 2, arguments + 2);
    if (strcmp(what, "bash") == 0 && n == 1)
        cli_complete_bash(stdout);
    else if (strcmp(what, "zsh") == 0 && n == 1)
        cli_complete_zsh(stdout);
    else {
        cli_error("kanon pages html DIR, kanon pages man DIR, kanon pages bash, kanon pages zsh, "
                  "or kanon pages columns "
                  "COMMAND ...");
        return KAN_BAD_INPUT;
    }
    return cli_finish(KAN_OK);
}
