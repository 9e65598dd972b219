/* What people see: errors, notes, the live line, colour and width. Everything here goes to standard
 * error, except styles, which go where the caller writes. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static bool takes_colour(FILE *to) {
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no_colour && *no_colour)
        return false;
    if (!term || strcmp(term, "dumb") == 0)
        return false;
    return isatty(fileno(to)) == 1;
}

const char *cli_style_text(FILE *to, cli_style style) {
    static const char *const escapes[] = {
        [CLI_PLAIN] = "\033[0m",  [CLI_BOLD] = "\033[1m",    [CLI_FAINT] = "\033[2m",
        [CLI_RED] = "\033[1;31m", [CLI_YELLOW] = "\033[33m", [CLI_CYAN] = "\033[36m"};
    return takes_colour(to) ? escapes[style] : "";
}

unsigned cli_width(FILE *to) {
    struct winsize size;
    if (isatty(fileno(to)) == 1 && ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col < 120 ? size.ws_col : 120;
    return 80;
}

/* Columns of UTF-8 bytes: one per code point. */
static unsigned columns_of(const char *text, size_t size) {
    unsigned columns = 0;
    for (size_t i = 0; i < size; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

void cli_print_wrapped(FILE *to, const char *text, unsigned column, unsigned indent,
                       unsigned width) {
    bool is_first = true;
    while (*text) {
        size_t size = strcspn(text, " ");
        unsigned columns = columns_of(text, size);
        if (!is_first && column + 1 + columns > width) {
            fprintf(to, "\n%*s", (int)indent, "");
            column = indent;
            is_first = true;
        }
        if (!is_first) {
            fputc(' ', to);
            column++;
        }
        fwrite(text, 1, size, to);
        column += columns;
        is_first = false;
        text += size;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

void cli_error_lines(const char *text) {
    do {
        size_t size = strcspn(text, "\n");
        fprintf(stderr, "%skanon:%s %.*s\n", cli_style_text(stderr, CLI_RED),
                cli_style_text(stderr, CLI_PLAIN), (int)size, text);
        text += size + (text[size] == '\n');
    } while (*text);
}

void cli_error(const char *format, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_error_lines(text);
}

/* ---- live line ------------------------------------------------------------------------------ */

void cli_terminal_clear(cli_terminal *terminal) {
    if (terminal->has_line)
        fputs("\r\033[K", stderr);
    terminal->has_line = false;
}

static double now_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Columns of the terminal as they are: what is too narrow for a help text is no reason to wrap. */
static unsigned line_width(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* Whether the stage is another one than before: of another name, or one that begins again, as
 * reading does when a second table is read. */
static bool is_new_stage(const cli_terminal *terminal, const kan_progress *progress) {
    return !terminal->stage || strcmp(terminal->stage, progress->stage) != 0 ||
           progress->done < terminal->last_done;
}

/* A stage is told when it has gone on for two seconds, and long ones every ten: what is done sooner
 * needs no line in a log. */
static bool plain_is_due(const cli_terminal *terminal, double now) {
    return (!terminal->is_told && now - terminal->stage_began >= 2) ||
           now - terminal->last_told >= 10;
}

/* Four times a second, and where a stage begins and ends. */
static bool json_is_due(const cli_terminal *terminal, const kan_progress *progress, double now) {
    return !terminal->is_told || now - terminal->last_told >= 0.25 ||
           (progress->total > 0 && progress->done == progress->total &&
            progress->done != terminal->last_done);
}

static void print_live(cli_terminal *terminal, const kan_progress *progress, double seconds) {
    char line[CLI_LINE_BYTES];
    /* One column less: a cursor behind the last one wraps on some terminals. */
    cli_live_line(progress, seconds, line_width() - 1, line);
    fprintf(stderr, "\r\033[K%s", line);
    terminal->has_line = true;
}

static void print_plain(cli_terminal *terminal, const kan_progress *progress, double now) {
    char line[CLI_LINE_BYTES];
    cli_live_line(progress, now - terminal->stage_began, CLI_LINE_BYTES, line);
    fprintf(stderr, "progress: %s\n", line);
    terminal->is_told = true;
    terminal->last_told = now;
}

static void print_json(cli_terminal *terminal, const kan_progress *progress, double now) {
    char line[CLI_JSON_BYTES];
    cli_progress_json(progress, now - terminal->stage_began, now - terminal->began, line);
    fprintf(stderr, "%s\n", line);
    terminal->is_told = true;
    terminal->last_told = now;
}

static void on_progress(void *user, const kan_progress *progress) {
    cli_terminal *terminal = user;
    const double now = now_seconds();
    if (is_new_stage(terminal, progress)) {
        terminal->stage = progress->stage;
        terminal->stage_began = now;
        terminal->is_told = false;
    }
    if (terminal->form == CLI_PROGRESS_LINE)
        print_live(terminal, progress, now - terminal->stage_began);
    else if (terminal->form == CLI_PROGRESS_PLAIN && plain_is_due(terminal, now))
        print_plain(terminal, progress, now);
    else if (terminal->form == CLI_PROGRESS_JSON && json_is_due(terminal, progress, now))
        print_json(terminal, progress, now);
    terminal->last_done = progress->done;
    fflush(stderr);
}

static void on_note(void *user, const char *note) {
    cli_terminal *terminal = user;
    cli_terminal_clear(terminal);
    if (!terminal->is_quiet)
        fprintf(stderr, "%snote:%s %s\n", cli_style_text(stderr, CLI_YELLOW),
                cli_style_text(stderr, CLI_PLAIN), note);
}

bool cli_is_on(const kan_job *job, const char *name) {
    const char *value = kan_job_get(job, name, 0);
    return value && strcmp(value, "true") == 0;
}

static bool has_terminal(void) {
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && term && strcmp(term, "dumb") != 0;
}

/* --quiet leaves out what nobody asked for; whoever names a form wants it. */
static cli_progress_form form_of(const kan_job *job) {
    static const char *const names[] = {[CLI_PROGRESS_NONE] = "none",
                                        [CLI_PROGRESS_LINE] = "line",
                                        [CLI_PROGRESS_PLAIN] = "plain",
                                        [CLI_PROGRESS_JSON] = "json"};
    const char *said = kan_job_get(job, "progress", 0);
    if (cli_is_on(job, "no-progress"))
        return CLI_PROGRESS_NONE;
    for (size_t i = 0; said && i < sizeof names / sizeof *names; i++)
        if (strcmp(said, names[i]) == 0)
            return (cli_progress_form)i;
    if (cli_is_on(job, "quiet"))
        return CLI_PROGRESS_NONE;
    return has_terminal() ? CLI_PROGRESS_LINE : CLI_PROGRESS_PLAIN;
}

void cli_terminal_attach(cli_terminal *terminal, kan_run *run, const kan_job *job) {
    *terminal = (cli_terminal){.form = form_of(job), .is_quiet = cli_is_on(job, "quiet")};
    terminal->began = terminal->last_told = now_seconds();
    kan_run_on_note(run, on_note, terminal);
    if (terminal->form != CLI_PROGRESS_NONE)
        kan_run_on_progress(run, on_progress, terminal);
}

int cli_finish(int status) {
    bool has_failed = ferror(stdout) != 0;
    errno = 0;
    has_failed = fflush(stdout) != 0 || has_failed;
    if (!has_failed)
        return status;
    /* Whoever read our output has gone: that needs no word. */
    if (errno != EPIPE)
        cli_error("standard output: %s; what has arrived there is not the whole output",
                  errno ? strerror(errno) : "could not be written");
    return status == 0 ? KAN_FAILED : status;
}
