/* The command line: what its files share. It sees the library through kanon.h alone. */
#ifndef KANON_CLI_H
#define KANON_CLI_H

#include <stdio.h>

#include "kanon.h"

/* ---- commands ------------------------------------------------------------------------------- */

/* A command, of the library or of the command line alone. What the library's table says (name to
 * positional) is taken from there; the file of a command adds what only the command line needs. */
typedef struct cli_command {
    const char *name;
    const char *title;      /* what is typed for it, after "kanon "; NULL: its name */
    const char *summary;    /* one line of `kanon help` */
    const char *arguments;  /* what follows in its usage */
    const char *about;      /* two sentences */
    const char *positional; /* the setting that the argument without a flag gives; NULL: none */
    const char *examples;   /* lines, each a command that works; NULL: none */
    const char *more;       /* a paragraph after the settings; NULL: none */
    const struct cli_command *const *actions; /* second words, NULL behind the last; NULL: none */
    bool keeps_interrupted; /* what is done by then is told when it is interrupted */
    const char *own_flags;  /* help lines for flags that are not settings; NULL: none */
    /* The arguments after the command's name; returns the exit status. NULL: cli_work. */
    int (*main)(const struct cli_command *command, int n, char **arguments);
} cli_command;

/* What single files say of commands. */
extern const cli_command cli_anonymize, cli_search, cli_compare, cli_verify, cli_check, cli_utility,
    cli_risk, cli_attack, cli_profile, cli_hierarchy, cli_hierarchy_build, cli_hierarchy_check,
    cli_hierarchy_show, cli_hierarchy_convert, cli_ledger, cli_ledger_show, cli_ledger_check,
    cli_ledger_forget, cli_report, cli_generate, cli_list, cli_demo, cli_serve;

/* ---- commands.c ----------------------------------------------------------------------------- */

/* All commands by their first words, in the order of `kanon help`. */
const cli_command *const *cli_commands(size_t *n);
/* The command of that name, second words included ("hierarchy-build"), or NULL. */
const cli_command *cli_command_find(const char *name);
/* The main of a command of two words, where the second is none that there is. */
int cli_no_action(const cli_command *command, int n, char **arguments);
/* The second word of an action. */
const char *cli_action_word(const cli_command *command, size_t index);

/* What messages call a command. */
static inline const char *cli_title(const cli_command *command) {
    return command->title ? command->title : command->name;
}

/* ---- help.c --------------------------------------------------------------------------------- */

void cli_help_general(FILE *to);
/* With the settings that most jobs need, or with all of them. */
void cli_help_command(FILE *to, const cli_command *command, bool shows_all);
/* What help says of a setting: its summary, whether it repeats, its default. */
void cli_setting_text(const kan_setting *setting, char *room, size_t size);
/* Whether --help or -h is among the arguments, before any `--`. */
bool cli_wants_help(int n, char **arguments);
/* Whether --all is. */
bool cli_wants_all(int n, char **arguments);

/* ---- flags.c -------------------------------------------------------------------------------- */

/* Sets what the arguments say, then loads the job file they name. Every problem is printed;
 * KAN_BAD_INPUT when there were any. */
kan_status cli_flags_parse(const cli_command *command, kan_run *run, kan_job *job, int n,
                           char **arguments);
/* The letter that stands for a flag, as in -o; '\\0': none. */
char cli_short_flag(const kan_setting *setting);

/* ---- terminal.c ----------------------------------------------------------------------------- */

typedef enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_FAINT, CLI_RED, CLI_YELLOW, CLI_CYAN } cli_style;

/* The escape that begins a style, "" where the stream takes no colour; CLI_PLAIN ends it. */
const char *cli_style_text(FILE *to, cli_style style);
unsigned cli_width(FILE *to);
/* Text wrapped at blanks; the first line is already `column` wide, later ones are indented. */
void cli_print_wrapped(FILE *to, const char *text, unsigned column, unsigned indent,
                       unsigned width);

/* "kanon: ..." on standard error, one line per problem. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_error_lines(const char *text);

typedef enum cli_progress_form {
    CLI_PROGRESS_NONE,
    CLI_PROGRESS_LINE,  /* one live line */
    CLI_PROGRESS_PLAIN, /* a line now and then, for logs */
    CLI_PROGRESS_JSON   /* an object per line, for programs */
} cli_progress_form;

/* The progress and the notes of a run. */
typedef struct cli_terminal {
    cli_progress_form form;
    bool is_quiet;
    bool has_line;      /* a live line stands there */
    const char *stage;  /* that was told last; NULL: none yet */
    uint64_t last_done; /* of that stage */
    bool is_told;       /* plain: the stage has had a line */
    double began, stage_began, last_told;
} cli_terminal;

/* Settings of the job say what is shown: quiet, progress, no-progress. */
void cli_terminal_attach(cli_terminal *terminal, kan_run *run, const kan_job *job);
void cli_terminal_clear(cli_terminal *terminal);
/* Whether a switch of the job is on. */
bool cli_is_on(const kan_job *job, const char *name);

/* Ends what was written to standard output: the exit status, made worse when it failed. */
int cli_finish(int status);

/* ---- live_line.c ---------------------------------------------------------------------------- */

enum { CLI_LINE_BYTES = 256 };

/* What there is to say about a stage that began `seconds` ago, in at most `width` columns. */
void cli_live_line(const kan_progress *progress, double seconds, unsigned width,
                   char room[CLI_LINE_BYTES]);
/* Until the stage ends: by its share, or by the time limit; below 0 when nothing is known. */
double cli_seconds_left(const kan_progress *progress, double seconds);

/* ---- progress_json.c ------------------------------------------------------------------------ */

enum { CLI_JSON_BYTES = 640 };

/* The same as a JSON object; the stage and the whole work have taken so long. */
void cli_progress_json(const kan_progress *progress, double stage_seconds, double seconds,
                       char room[CLI_JSON_BYTES]);

/* ---- signals.c ------------------------------------------------------------------------------ */

/* From here on Ctrl-C interrupts the run (see kan_run_interrupt); when that has cancelled it, a
 * further one ends the program at once. NULL: no run. */
void cli_signals_attach(kan_run *run);
/* The work is done, and its status is what it is: what comes while memory is given back must not
 * turn it into another one. */
void cli_signals_ignore(void);

/* ---- target.c ------------------------------------------------------------------------------- */

/* Writes a text beside the path and gives it its name when it is whole. `-` is standard output. */
kan_status cli_write_text(const char *path, const char *text, bool overwrite);

/* ---- pages.c, completion.c ------------------------------------------------------------------ */

/* `kanon pages`, which no help names: what the build makes of the tables of commands and settings.
 * `pages man DIR` writes the sources of the man pages for scdoc, `pages html DIR` the manual as pages of
 * HTML, `pages bash` and `pages zsh` print completions. */
int cli_pages(int n, char **arguments);
void cli_complete_bash(FILE *to);
void cli_complete_zsh(FILE *to);

/* ---- work.c --------------------------------------------------------------------------------- */

/* One job as a command: flags, run, result. */
int cli_work(const cli_command *command, int n, char **arguments);
/* The same with a flag before the arguments. */
int cli_work_with(const cli_command *command, char *flag, int n, char **arguments);

#endif
