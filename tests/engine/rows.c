/* For compare.sh: tables of nasty values, and rows in a form that every engine can print.
 *
 *   rows random SEED     a random table as CSV: quasi-identifiers n0.. of whole numbers and q0.. of
 *                        text, a sensitive column s, a column k that nobody looks at. An empty field
 *                        is NULL, "" an empty text
 *   rows where SEED      an expression that chooses rows of that table
 *   rows hex FILE.csv    a line per row: its values in hexadecimal digits, - for an empty one, with a
 *                        blank between them; the header first
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- hex ------------------------------------------------------------------------------------ */

static void end_value(bool *has_bytes, bool is_last) {
    if (!*has_bytes)
        putchar('-');
    putchar(is_last ? '\n' : ' ');
    *has_bytes = false;
}

static int print_hex(const char *path) {
    FILE *file = fopen(path, "rb");
    bool is_quoted = false, has_bytes = false, is_begun = false;
    int c;
    if (!file)
        return perror(path), 1;
    while ((c = getc(file)) != EOF) {
        if (is_quoted && c == '"') {
            const int next = getc(file);
            if (next != '"') {
                is_quoted = false;
                if (next != EOF)
                    ungetc(next, file);
                continue;
            }
        } else if (!is_quoted && c == '"') {
            is_quoted = is_begun = true;
            continue;
        } else if (!is_quoted && (c == ',' || c == '\n')) {
            end_value(&has_bytes, c == '\n');
            is_begun = c == ',';
            continue;
        } else if (!is_quoted && c == '\r') {
            continue;
        }
        printf("%02x", (unsigned)c);
        has_bytes = is_begun = true;
    }
    if (is_begun)
        end_value(&has_bytes, true);
    fclose(file);
    return 0;
}

/* ---- random --------------------------------------------------------------------------------- */

static uint64_t state;

static unsigned draw(unsigned below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % below);
}

/* What SQL, CSV, collations, types or padding could take for something else. */
static const char *const words[] = {
    "a",           "A",        "a ",        " a",       "\xc3\xa4",
    "\xc3\x84",    "ae",       "ss",        "\xc3\x9f", "null",
    "NULL",        "\\N",      "'",         "''",       "\"",
    "\\",          "\\'",      "%",         "_",        "; DROP TABLE people; --",
    "/*",          "--",       "$1",        "?",        "{x}",
    "a,b",         "a\nb",     "a\tb",      "x\\ny",    "0",
    "00",          "-0",       "1",         "1.0",      "1.00",
    "1e0",         "true",     "t",         "*",        "[1, 2]",
    "2001-02-03",  "2001-2-3", "e\xcc\x81", "\xc3\xa9", "\xf0\x9f\x98\x80",
    "\xe2\x80\xa8"};
enum { N_WORDS = sizeof words / sizeof *words, MOST_VALUES = 8 };

static void print_value(const char *text, bool is_text) {
    if (!text)
        return;
    if (!is_text && *text) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

/* A column has a few of the words, or numbers; NULL as well, and of quasi-identifiers "" too. */
typedef struct {
    bool is_number;
    const char *values[MOST_VALUES];
    char room[MOST_VALUES][16];
    unsigned n, n_nulls;
} column;

static void make_column(column *c, bool may_be_number, bool has_empty) {
    c->is_number = may_be_number && draw(2) == 0;
    c->n = 2 + draw(MOST_VALUES - 2);
    for (unsigned i = 0; i < c->n; i++) {
        snprintf(c->room[i], sizeof c->room[i], "%d", (int)draw(60) - 10);
        c->values[i] = c->is_number ? c->room[i] : words[draw(N_WORDS)];
    }
    if (!c->is_number && has_empty && draw(2) == 0)
        c->values[0] = "";
    c->n_nulls = draw(3) == 0 ? 1 : 0;
}

/* A table's columns, and how many rows it has. */
static unsigned make_columns(uint64_t seed, column columns[6], unsigned *n_quasi) {
    state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (unsigned i = 0; i < 8; i++)
        (void)draw(2);
    *n_quasi = 1 + draw(4);
    const unsigned n_rows = 5 + draw(116);
    for (unsigned i = 0; i < *n_quasi + 2; i++)
        make_column(&columns[i], i < *n_quasi, i < *n_quasi);
    return n_rows;
}

static void print_name(const column *c, unsigned i, unsigned n_quasi) {
    printf("%c%u", c->is_number ? 'n' : i < n_quasi ? 'q' : i == n_quasi ? 's' : 'k', i);
}

static void print_quoted(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void print_test(const column *c, unsigned i, unsigned n_quasi) {
    static const char *const signs[] = {"=", "!=", "<", "<=", ">", ">="};
    const char *value = c->values[draw(c->n)];
    print_name(c, i, n_quasi);
    if (draw(8) == 0) {
        fputs(draw(2) ? " is missing" : " is not missing", stdout);
    } else if (c->is_number) {
        printf(" %s %s%s", signs[draw(6)], value, draw(2) ? "" : draw(2) ? ".5" : ".0");
    } else if (!*value || strcmp(value, "?") == 0) {
        fputs(" is missing", stdout);
    } else if (draw(2)) {
        printf(" %s ", signs[draw(2)]);
        print_quoted(value);
    } else {
        printf(" %s (", draw(2) ? "in" : "not in");
        print_quoted(value);
        fputs(", ", stdout);
        print_quoted(words[1 + draw(10)]);
        putchar(')');
    }
}

static int print_where(uint64_t seed) {
    column columns[6];
    unsigned n_quasi;
    (void)make_columns(seed, columns, &n_quasi);
    for (unsigned n = 1 + draw(3), i = 0; i < n; i++) {
        const unsigned at = draw(n_quasi + 2);
        fputs(i == 0 ? "" : draw(2) ? " or " : " and ", stdout);
        fputs(draw(3) ? "" : "not ", stdout);
        print_test(&columns[at], at, n_quasi);
    }
    putchar('\n');
    return 0;
}

static int print_random(uint64_t seed) {
    column columns[6];
    unsigned n_quasi;
    const unsigned n_rows = make_columns(seed, columns, &n_quasi), n = n_quasi + 2;
    for (unsigned i = 0; i < n; i++) {
        fputs(i ? "," : "", stdout);
        print_name(&columns[i], i, n_quasi);
    }
    putchar('\n');
    for (unsigned row = 0; row < n_rows; row++) {
        for (unsigned i = 0; i < n; i++) {
            const column *c = &columns[i];
            const unsigned at = draw(c->n + c->n_nulls);
            if (i)
                putchar(',');
            print_value(at < c->n ? c->values[at] : NULL, !c->is_number);
        }
        putchar('\n');
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "hex") == 0)
        return print_hex(argv[2]);
    if (argc == 3 && strcmp(argv[1], "random") == 0)
        return print_random(strtoull(argv[2], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "where") == 0)
        return print_where(strtoull(argv[2], NULL, 10));
    fprintf(stderr, "rows random SEED, rows where SEED, or rows hex FILE.csv\n");
    return 2;
}
