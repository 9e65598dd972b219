/* A toy source: a file NAME.words has a row per line, its values being words between blanks; the
 * first line names the columns. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "io/source.h"

enum { MOST_COLUMNS = 8, LINE = 256 };

typedef struct {
    kan_run *run;
    const char *path;
    FILE *file;
    size_t n_columns;
    char header[LINE];
    const char *names[MOST_COLUMNS];
    long rows_at; /* where the rows begin */
    char comment; /* lines that begin with it are passed over; 0: none are */
} words;

/* Cuts a line into its words, in place. */
static size_t cut(char *line, const char **out) {
    size_t n = 0;
    for (char *rest, *word = strtok_r(line, " \n", &rest); word && n < MOST_COLUMNS;
         word = strtok_r(NULL, " \n", &rest))
        out[n++] = word;
    return n;
}

static bool takes(const char *path) {
    const size_t size = strlen(path);
    return size > 6 && strcmp(path + size - 6, ".words") == 0;
}

static void close_words(void *state) {
    words *made = state;
    if (made->file)
        fclose(made->file);
    kan_free(made->run, made);
}

static kan_status open_words(kan_run *run, const char *path, const kan_source_options *options,
                             void **state) {
    words *made;
    const char *comment = options->given ? kan_options_find(options->given, "words-comment") : NULL;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *made, &made));
    made->comment = comment ? *comment : '\0';
    made->run = run;
    made->path = path;
    made->file = fopen(path, "r");
    if (!made->file || !fgets(made->header, LINE, made->file)) {
        close_words(made);
        return kan_fail(run, KAN_BAD_INPUT, "%s: no words; name a file that has some", path);
    }
    made->n_columns = cut(made->header, made->names);
    made->rows_at = ftell(made->file);
    *state = made;
    return KAN_OK;
}

static const char *name(const void *state) {
    return ((const words *)state)->path;
}

static size_t n_columns(const void *state) {
    return ((const words *)state)->n_columns;
}

static const char *column_name(const void *state, size_t column) {
    return ((const words *)state)->names[column];
}

static kan_status read_words(void *state, const bool *encode, const bool *as_is, kan_table **out) {
    const words *from = state;
    char line[LINE];
    kan_table *table;
    (void)encode;
    (void)as_is;
    KAN_TRY(kan_table_create(from->run, from->n_columns, from->names, &table));
    kan_status status = KAN_OK;
    if (fseek(from->file, from->rows_at, SEEK_SET) != 0)
        status = kan_fail(from->run, KAN_FAILED, "%s: cannot be read again", from->path);
    while (status == KAN_OK && fgets(line, LINE, from->file)) {
        const char *cells[MOST_COLUMNS];
        if (from->comment && line[0] == from->comment)
            continue;
        status = cut(line, cells) == from->n_columns
                     ? kan_table_add_row(table, cells)
                     : kan_fail(from->run, KAN_BAD_INPUT, "%s: a row has too few words; add some",
                                from->path);
    }
    if (status == KAN_OK)
        status = kan_table_seal(table);
    if (status == KAN_OK)
        *out = table;
    else
        kan_table_destroy(table);
    return status;
}

static const kan_option_spec options[] = {
    {.name = "words-comment",
     .argument = "SIGN",
     .summary = "lines that begin with it are passed over",
     .type = KAN_OPTION_TEXT,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAIT_READING,
     .label = "Comments of words",
     .words = "of words: the sign that comments begin with"},
    {.name = "words-key",
     .argument = "FILE",
     .summary = "a secret in a file, which does nothing",
     .type = KAN_OPTION_PATH,
     .traits = KAN_TRAIT_SECRET | KAN_TRAIT_READING},
    {.name = "words-password",
     .argument = "WORD",
     .summary = "a secret that is a word, which does nothing",
     .type = KAN_OPTION_TEXT,
     .traits = KAN_TRAIT_SECRET | KAN_TRAIT_READING},
};

const kan_source_kind kan_source_words = {
    .kind = {.name = "words",
             .summary = "values that are words between blanks",
             .options = options,
             .n_options = sizeof options / sizeof *options},
    .title = "words",
    .takes = takes,
    .open = open_words,
    .close = close_words,
    .name = name,
    .n_columns = n_columns,
    .column_name = column_name,
    .read = read_words,
};
