/* The names of the columns of a job's table, for programs that offer them. The header alone is
 * read: a file that would have to be unpacked or waited for is not looked into. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "job/input/input.h"

/* Whether a header can be read without the rest. */
static bool is_plain(const char *path) {
    static const char gzip[] = {'\x1f', '\x8b'}, zstd[] = {'\x28', '\xb5', '\x2f', '\xfd'};
    char first[4] = {0};
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    const size_t n = file ? fread(first, 1, sizeof first, file) : 0;
    if (file)
        fclose(file);
    return n > 0 && memcmp(first, gzip, sizeof gzip) != 0 && memcmp(first, zstd, sizeof zstd) != 0;
}

/* One line is one name, so that one with a line break, or what steers a terminal, is left out. */
static bool is_offered(const char *name) {
    for (size_t at = 0; name[at];) {
        const size_t n = kan_utf8_length(name + at, strlen(name + at));
        if (n == 0 || kan_utf8_steers(name + at, n))
            return false;
        at += n;
    }
    return true;
}

static kan_status read_header(kan_job *job, kan_text *text) {
    kan_input input;
    const kan_status status = kan_input_open(job, "input", false, &input);
    for (size_t i = 0; status == KAN_OK && i < input.n_columns; i++)
        if (is_offered(input.columns[i]))
            kan_text_print(text, "%s\n", input.columns[i]);
    kan_input_close(&input);
    return status == KAN_OK ? kan_text_status(text) : status;
}

kan_status kan_job_columns(kan_job *job, const char **out) {
    KAN_NEED(NULL, job);
    KAN_NEED(job->run, out);
    const char *path = kan_options_find(&job->options, "input");
    kan_text text;
    kan_text_init(&text, job->run);
    kan_status status = path && is_plain(path) ? read_header(job, &text) : KAN_OK;
    if (status == KAN_OK)
        status = kan_arena_copy(&job->arena, text.size ? text.bytes : "", text.size, out);
    kan_text_destroy(&text);
    return status;
}
