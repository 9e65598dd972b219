/* kanon serve: the whole walk as pages of a browser. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "server/serve.h"

enum { MOST_FLAGS = 8 };

typedef struct {
    sv_options options;
    const char *flags[MOST_FLAGS + 1]; /* of commands that the server runs */
    size_t n_flags;
} serve_line;

/* "4G" as bytes; false: it is none. */
static bool parse_size(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    const char *units = "KMGT", *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (errno || end == text || text[0] == '-' || (*end && (!unit || end[1])) ||
        number > (UINT64_MAX >> shift))
        return false;
    *out = (uint64_t)number << shift;
    return *out > 0;
}

static bool parse_port(const char *text, uint16_t *out) {
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (end == text || *end || text[0] == '-' || number > 65535)
        return false;
    *out = (uint16_t)number;
    return true;
}

/* Takes one flag with its value; false: it was not understood, and that was said. */
static bool take_flag(serve_line *line, const char *flag, const char *value) {
    if (strcmp(flag, "--dir") == 0) {
        line->options.folder = value;
    } else if (strcmp(flag, "--port") == 0) {
        if (!parse_port(value, &line->options.port)) {
            cli_error("--port: '%s' is not a port; write a number up to 65535", value);
            return false;
        }
    } else if (strcmp(flag, "--upload-limit") == 0) {
        if (!parse_size(value, &line->options.upload_limit)) {
            cli_error("--upload-limit: '%s' is not a size; write 500M or 20G", value);
            return false;
        }
    } else if (strcmp(flag, "--duckdb") == 0) {
        line->options.duckdb = value;
    } else { /* --threads, --memory, --tmp: what they mean is checked by a job */
        if (line->n_flags + 2 > MOST_FLAGS) {
            cli_error("%s is given twice; leave one out", flag);
            return false;
        }
        line->flags[line->n_flags++] = flag;
        line->flags[line->n_flags++] = value;
    }
    return true;
}

static bool takes_value(const char *flag) {
    static const char *const flags[] = {"--dir",    "--port", "--upload-limit", "--threads",
                                        "--memory", "--tmp",  "--duckdb"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(flag, flags[i]) == 0)
            return true;
    return false;
}

static bool parse(serve_line *line, int n, char **arguments) {
    static const char *const known[] = {"--dir",     "--port",      "--open", "--upload-limit",
                                        "--threads", "--memory",    "--tmp",  "--demo",
                                        "--duckdb",  "--by-address"};
    for (int i = 0; i < n; i++) {
        char *word = arguments[i], *equals = strchr(word, '=');
        if (strcmp(word, "--open") == 0) {
            line->options.opens = true;
        } else if (strcmp(word, "--by-address") == 0) {
            line->options.by_address = true;
        } else if (strcmp(word, "--demo") == 0) {
            line->options.demo = true;
        } else if (word[0] != '-' && kan_path_is_address(word)) {
            cli_error("kanon serve works on files, and this is the address of a table in a "
                      "database; use kanon anonymize on the command line");
            return false;
        } else if (word[0] != '-') {
            if (line->options.table) {
                cli_error("'%s': kanon serve takes one table; open others on the page", word);
                return false;
            }
            line->options.table = word;
        } else {
            if (equals)
                *equals = '\0';
            if (!takes_value(word)) {
                const char *near = kan_nearest(word, known, sizeof known / sizeof *known);
                cli_error("%s is not a flag of kanon serve; %s%s", word,
                          near ? "did you mean " : "kanon help serve lists them", near ? near : "");
                return false;
            }
            if (!equals && i + 1 == n) {
                cli_error("%s needs a value", word);
                return false;
            }
            if (!take_flag(line, word, equals ? equals + 1 : arguments[++i]))
                return false;
        }
    }
    if (line->options.table && line->options.demo) {
        cli_error("--demo has its own table; leave '%s' or --demo out", line->options.table);
        return false;
    }
    return true;
}

/* Settings of jobs are wrong now, not at the first click. */
static bool are_settings(const serve_line *line) {
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    kan_status status = run ? kan_job_create(run, &job) : KAN_FAILED;
    for (size_t i = 0; i < line->n_flags && status == KAN_OK; i += 2)
        status = kan_job_set(job, line->flags[i] + 2, line->flags[i + 1]);
    if (status != KAN_OK)
        cli_error_lines(run ? kan_run_error(run) : "out of memory");
    kan_job_destroy(job);
    kan_run_destroy(run);
    return status == KAN_OK;
}

static int serve_main(const cli_command *command, int n, char **arguments) {
    serve_line line = {.options = {.folder = "kanon-projects",
                                   .upload_limit = (uint64_t)20 << 30,
                                   .open_with = "xdg-open"}};
    (void)command;
    if (!parse(&line, n, arguments) || !are_settings(&line))
        return KAN_BAD_INPUT;
    line.options.flags = line.flags;
    return sv_serve(&line.options, cli_error);
}

const cli_command cli_serve = {
    .name = "serve",
    .summary = "all of it as pages in your browser, only on this machine",
    .arguments = "[TABLE] [--dir DIR] [--port N] [--open] [--demo]",
    .about =
        "Prints a link. Open it in a browser on this machine: look at a table, choose the role of "
        "each column, build hierarchies, see every solution and what it costs, release. Each step "
        "shows the command that does the same, and a project is a folder with a job file that "
        "kanon anonymize takes.\nIt listens only on 127.0.0.1. The link works once: whoever opens "
        "it first is let in, and nobody else; pressing Enter in the terminal makes a new one, "
        "which ends all others. TABLE is copied into the folder of projects.",
    .examples = "kanon serve --demo\n"
                "kanon generate census\n"
                "kanon serve census.csv --dir projects\n",
    .own_flags =
        "--dir DIR               the folder of projects; it is created if it does not exist "
        "(default: kanon-projects)\n"
        "--port N                the port to listen on (default: any free one)\n"
        "--open                  open the link with xdg-open\n"
        "--by-address            the link is to 127.0.0.1, for browsers that do not know "
        "NAME.localhost; if the browser also visits servers of other users of this machine, they "
        "then get its cookie\n"
        "--demo                  start with a built-in table\n"
        "--upload-limit SIZE     the largest file that can be uploaded (default: 20G)\n"
        "--threads N             threads of each search\n"
        "--memory SIZE           the most memory for each search\n"
        "--tmp DIR               where searches keep temporary files\n"
        "--duckdb PATH           DuckDB's library, for Parquet and JSON (default: $KANON_DUCKDB)\n",
    .main = serve_main,
};
