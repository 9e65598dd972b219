/* kanon demo: the main job on synthetic data, start to finish.
 *
 * Each step is a command as a user would type it; what is shown is what is run. It works in a
 * directory of its own, removed at the end unless --keep names it. */
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#define COLUMNS "age,gender,race,marital-status,native-country"

enum { ROWS_SHOWN = 4, MOST_FIELDS = 16, LINE_BYTES = 1024 };

/* ---- before and after ----------------------------------------------------------------------- */

/* A line of a plain CSV file, cut into its fields. The generated table needs no quotes. */
typedef struct {
    char bytes[LINE_BYTES];
    char *fields[MOST_FIELDS];
    size_t n;
} record;

static bool read_record(FILE *file, record *out) {
    if (!fgets(out->bytes, sizeof out->bytes, file))
        return false;
    out->bytes[strcspn(out->bytes, "\r\n")] = '\0';
    out->n = 0;
    for (char *at = out->bytes; at && out->n < MOST_FIELDS;) {
        char *comma = strchr(at, ',');
        out->fields[out->n++] = at;
        if (comma)
            *comma++ = '\0';
        at = comma;
    }
    return true;
}

/* Whether a column is one of the quasi-identifiers of the demo. */
static bool is_shown(const char *name) {
    size_t size = strlen(name);
    for (const char *at = COLUMNS; *at;) {
        size_t word = strcspn(at, ",");
        if (word == size && strncmp(at, name, size) == 0)
            return true;
        at += word + (at[word] == ',');
    }
    return false;
}

/* The place of a released column among those of the original; header.n: none. */
static size_t place_of(const record *header, const char *name) {
    size_t i = 0;
    while (i < header->n && strcmp(header->fields[i], name) != 0)
        i++;
    return i;
}

/* The released row that may stand for an original one: what is kept is the same. The release keeps
 * the order, so the next original row that agrees is the one, suppressed rows skipped. */
static bool agrees(const record *header, const record *before, const record *released_header,
                   const record *after) {
    if (before->n != header->n || after->n != released_header->n)
        return false;
    for (size_t i = 0; i < after->n; i++) {
        const char *name = released_header->fields[i];
        const size_t place = place_of(header, name);
        if (place == header->n ||
            (!is_shown(name) && strcmp(before->fields[place], after->fields[i]) != 0))
            return false;
    }
    return true;
}

/* The quasi-identifiers of a row, each as wide as widths says of its place in the original. */
static void print_row(const record *original, const record *header, const record *row,
                      const size_t *widths, const char *lead, cli_style style) {
    int gap = 1; /* the width still to be filled before the next value */
    printf("  %s%s", lead, cli_style_text(stdout, style));
    for (size_t i = 0; i < header->n; i++) {
        if (!is_shown(header->fields[i]))
            continue;
        printf("%*s%s", gap, "", row->fields[i]);
        gap = (int)(widths[place_of(original, header->fields[i])] - strlen(row->fields[i])) + 2;
    }
    printf("%s\n", cli_style_text(stdout, CLI_PLAIN));
}

static void widen(size_t *width, const char *value) {
    *width = strlen(value) > *width ? strlen(value) : *width;
}

static void print_pairs(FILE *original, FILE *release) {
    static record header, released, before[ROWS_SHOWN], after[ROWS_SHOWN];
    size_t n = 0, widths[MOST_FIELDS] = {0};
    if (!read_record(original, &header) || !read_record(release, &released))
        return;
    while (n < ROWS_SHOWN && read_record(release, &after[n])) {
        bool is_found = false;
        while (!is_found && read_record(original, &before[n]))
            is_found = agrees(&header, &before[n], &released, &after[n]);
        if (!is_found)
            break;
        for (size_t i = 0; i < header.n; i++)
            widen(&widths[i], before[n].fields[i]);
        for (size_t i = 0; i < released.n; i++)
            widen(&widths[place_of(&header, released.fields[i])], after[n].fields[i]);
        n++;
    }
    for (size_t i = 0; i < header.n; i++)
        widen(&widths[i], header.fields[i]);
    printf("\nThe first rows, before and after:\n\n");
    print_row(&header, &header, &header, widths, "      ", CLI_BOLD);
    for (size_t row = 0; row < n; row++) {
        print_row(&header, &header, &before[row], widths, "before", CLI_FAINT);
        print_row(&header, &released, &after[row], widths, "after ", CLI_PLAIN);
    }
}

static void show_rows(void) {
    FILE *original = fopen("census.csv", "r"), *release = fopen("release.csv", "r");
    if (original && release)
        print_pairs(original, release);
    if (original)
        fclose(original);
    if (release)
        fclose(release);
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* Shows a command as it would be typed; a line ends between flags, not inside one. */
static void print_command(const char *name, int n, char **arguments) {
    unsigned width = cli_width(stdout), column = 10 + (unsigned)strlen(name);
    printf("%s  $ kanon %s", cli_style_text(stdout, CLI_CYAN), name);
    for (int i = 0; i < n; i++) {
        const char *value = arguments[i][0] == '-' && i + 1 < n ? arguments[i + 1] : NULL;
        unsigned size =
            1 + (unsigned)strlen(arguments[i]) + (value ? 1 + (unsigned)strlen(value) : 0);
        if (column + size + 2 > width) {
            printf(" \\\n     ");
            column = 5;
        }
        printf(" %s%s%s", arguments[i], value ? " " : "", value ? value : "");
        column += size;
        i += value != NULL;
    }
    printf("%s\n\n", cli_style_text(stdout, CLI_PLAIN));
    fflush(stdout);
}

/* Says why, shows the command, runs it. `line` is cut up at its blanks; every flag in it has a
 * value. */
static int run_step(const char *name, const char *why, const char *line) {
    enum { MOST_WORDS = 32 };
    const cli_command *command = cli_command_find(name);
    char words[512], *arguments[MOST_WORDS], *rest = NULL;
    int n = 0;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok_r(words, " ", &rest); word && n < MOST_WORDS;
         word = strtok_r(NULL, " ", &rest))
        arguments[n++] = word;
    printf("\n%s%s%s\n", cli_style_text(stdout, CLI_BOLD), why, cli_style_text(stdout, CLI_PLAIN));
    print_command(command->name, n, arguments);
    return command->main(command, n, arguments);
}

static int run_steps(void) {
    int status =
        run_step("generate", "1. A table of people, and how its values generalize", "census");
    if (status == KAN_OK)
        status =
            run_step("anonymize", "2. Release it so that everybody looks like at least four others",
                     "census.csv -o release.csv --k 5 --suppress 1% --qi " COLUMNS
                     " --hierarchies census-hierarchies --keep salary-class"
                     " --drop education,work-class,occupation");
    if (status == KAN_OK)
        show_rows();
    if (status == KAN_OK)
        status = run_step("verify", "3. Recount the release, against the original",
                          "release.csv --k 5 --qi " COLUMNS
                          " --original census.csv --hierarchies census-hierarchies");
    return status;
}

static void print_next(const char *kept) {
    printf("\n%sNext%s\n", cli_style_text(stdout, CLI_BOLD), cli_style_text(stdout, CLI_PLAIN));
    if (kept)
        printf("  The files are in %s.\n", kept);
    else
        printf("  kanon demo --keep DIR    keeps these files\n");
    printf("  kanon serve --demo       the same table as pages in your browser\n"
           "  kanon help anonymize     your own table: flags and examples\n"
           "  kanon list               privacy models, costs and searches\n");
}

/* ---- the directory -------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

/* Makes the directory and goes there. `room` becomes its name where it is a temporary one. */
static bool enter_directory(const char *kept, char *room, size_t size) {
    const char *base = getenv("TMPDIR");
    if (kept) {
        if (mkdir(kept, 0777) == 0 && chdir(kept) == 0)
            return true;
        if (errno == EEXIST) {
            cli_error("--keep %s: exists already; name a directory that does not", kept);
            return false;
        }
        cli_error("--keep %s: %s", kept, strerror(errno));
        return false;
    }
    int written = snprintf(room, size, "%s/kanon-demo-XXXXXX", base && *base ? base : "/tmp");
    if (written > 0 && (size_t)written < size && mkdtemp(room) && chdir(room) == 0)
        return true;
    cli_error("no temporary directory could be created: %s; name one with --keep DIR",
              strerror(errno));
    return false;
}

static int demo_main(const cli_command *command, int n, char **arguments) {
    char directory[4096];
    const char *kept = NULL;
    for (int i = 0; i < n; i++) {
        if (strncmp(arguments[i], "--keep=", 7) == 0 && arguments[i][7]) {
            kept = arguments[i] + 7;
        } else if (strcmp(arguments[i], "--keep") == 0 && i + 1 < n) {
            kept = arguments[++i];
        } else {
            cli_error("'%s' is not understood; kanon %s takes --keep DIR and nothing else",
                      arguments[i], command->name);
            return KAN_BAD_INPUT;
        }
    }
    if (!enter_directory(kept, directory, sizeof directory))
        return KAN_FAILED;
    int status = run_steps();
    if (status == KAN_OK)
        print_next(kept);
    if (!kept && (chdir("/") != 0 || nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS) != 0))
        cli_error("%s could not be removed: %s", directory, strerror(errno));
    return cli_finish(status);
}

const cli_command cli_demo = {
    .name = "demo",
    .summary = "the main job on built-in data, start to finish",
    .arguments = "[--keep DIR]",
    .about = "Makes a synthetic census, releases it with k = 5, shows rows before and after, and "
             "verifies the release. Everything happens in a temporary directory.",
    .examples = "kanon demo\n"
                "kanon demo --keep kanon-demo\n",
    .own_flags = "--keep DIR              work in DIR and keep the files\n",
    .main = demo_main,
};
