/* The file of --save: finished trials, a line of JSON each.
 *
 * The first line says of which table; every other one is a trial with its key, and any number of
 * comparisons of that table may share the file. A line is written with one call and synced; one
 * that was cut short by the end of the machine has no line break, and is taken off before anything
 * is added. The file is locked while it is used. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/compare/compare_inside.h"

struct kan_compare_save {
    kan_compare *compare;
    const char *path;
    int file;
    off_t size; /* bytes of whole lines */
};

static const char format_name[] = "kanon compare 1";
/* The hash and the figures let somebody with a register try out what she does not know. */
static const char private_words[] =
    "for those who may see the table: its hash, and figures over everybody in it";

static kan_status fail_errno(const kan_compare_save *save, const char *what, const char *remedy) {
    return kan_fail(save->compare->run, KAN_FAILED, "--save %s: %s: %s; %s", save->path, what,
                    strerror(errno), remedy);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_all(int file, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t n = write(file, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static bool sync_file(int file) {
    while (fsync(file) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == ENOTSUP;
    return true;
}

static int add_bytes(const char *bytes, size_t size, void *text) {
    kan_text_add(text, bytes, size);
    return 0;
}

/* Not json_dumps, which leaves out the name of a member that it had no memory for. */
static kan_status print_line(const kan_compare_save *save, json_t *line, kan_text *text) {
    const int wrong =
        line ? json_dump_callback(line, add_bytes, text, JSON_COMPACT | JSON_REAL_PRECISION(15))
             : -1;
    json_decref(line);
    kan_text_add(text, "\n", 1);
    KAN_TRY(kan_text_status(text));
    return wrong ? kan_fail(save->compare->run, KAN_FAILED, "out of memory while a cell was saved")
                 : KAN_OK;
}

/* All of the line or nothing of it. */
static kan_status add_line(kan_compare_save *save, json_t *line) {
    kan_text text;
    kan_text_init(&text, save->compare->run);
    const kan_status status = print_line(save, line, &text);
    const size_t size = text.size;
    const bool is_written =
        status == KAN_OK && write_all(save->file, text.bytes, size) && sync_file(save->file);
    kan_text_destroy(&text);
    KAN_TRY(status);
    if (is_written) {
        save->size += (off_t)size;
        return KAN_OK;
    }
    const int error = errno;
    if (ftruncate(save->file, save->size) != 0) {
        /* The line has no end, then, and is taken off when the file is opened again. */
    }
    errno = error;
    return fail_errno(save, "cannot be written",
                      "the cells before are safe; free some space and run the same command again");
}

kan_status kan_compare_save_add(kan_compare_save *save, const kan_compare_trial *trial) {
    const json_int_t status = json_integer_value(json_object_get(trial->json, "status"));
    if (!save || status == KAN_FAILED) /* might work another time */
        return KAN_OK;
    return add_line(save, json_pack("{s:s, s:O}", "key", trial->key, "cell", trial->json));
}

/* ---- reading --------------------------------------------------------------------------------- */

static kan_status read_text(kan_compare_save *save, kan_text *text) {
    char part[1 << 14];
    for (;;) {
        const ssize_t n = read(save->file, part, sizeof part);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(save, "cannot be read", "check the file, or choose another one");
        if (n == 0)
            return kan_text_status(text);
        kan_text_add(text, part, (size_t)n);
    }
}

static kan_status bad_line(const kan_compare_save *save, size_t line) {
    return kan_fail(save->compare->run, KAN_BAD_INPUT,
                    "--save %s:%zu: kanon compare did not write this line; choose another file, or "
                    "remove the line",
                    save->path, line);
}

static kan_status check_head(const kan_compare_save *save, const json_t *head, const char *input) {
    const char *format = json_string_value(json_object_get(head, "format"));
    const char *made_of = json_string_value(json_object_get(head, "input"));
    if (!format || strcmp(format, format_name) != 0 || !made_of)
        return kan_fail(save->compare->run, KAN_BAD_INPUT,
                        "--save %s: this file was not made by kanon compare; choose another name",
                        save->path);
    if (strcmp(made_of, input) != 0)
        return kan_fail(save->compare->run, KAN_BAD_INPUT,
                        "--save %s: its cells were made of another table, or the table has changed "
                        "since; choose another file, or remove this one to start over",
                        save->path);
    return KAN_OK;
}

/* Trials of other settings stay where they are. */
static kan_status take_trial(const kan_compare_save *save, json_t *line, size_t number) {
    kan_compare *compare = save->compare;
    const char *key = json_string_value(json_object_get(line, "key"));
    json_t *saved = json_object_get(line, "cell");
    if (!key || !json_is_integer(json_object_get(saved, "status")))
        return bad_line(save, number);
    for (size_t i = 0; i < compare->n_trials; i++) {
        kan_compare_trial *trial = &compare->trials[i];
        if (trial->json || strcmp(trial->key, key) != 0)
            continue;
        KAN_TRY(kan_compare_take_saved(compare, trial, json_incref(saved)));
        compare->n_resumed++;
    }
    return KAN_OK;
}

static kan_status take_line(const kan_compare_save *save, kan_slice text, size_t number,
                            const char *input) {
    json_error_t error;
    json_t *line = json_loadb(text.bytes, text.size, 0, &error);
    if (!line) /* jansson calls some of its failing allocations mistakes of the text */
        line = json_loadb(text.bytes, text.size, 0, &error);
    if (!line && json_error_code(&error) == json_error_out_of_memory)
        return kan_fail(save->compare->run, KAN_FAILED, "out of memory while --save %s was read",
                        save->path);
    kan_status status = number == 1 ? check_head(save, line, input)
                        : line      ? take_trial(save, line, number)
                                    : bad_line(save, number);
    json_decref(line);
    return status;
}

static kan_status take_lines(kan_compare_save *save, const kan_text *text, const char *input) {
    size_t number = 0;
    for (size_t at = 0; at < text->size;) {
        const char *end = memchr(text->bytes + at, '\n', text->size - at);
        if (!end) {
            if (number == 0) /* no file of ours begins like this */
                return check_head(save, NULL, input);
            kan_note(save->compare->run, "--save %s: its last line was cut short, and is removed",
                     save->path);
            break;
        }
        const size_t size = (size_t)(end - text->bytes) - at;
        KAN_TRY(take_line(save, (kan_slice){text->bytes + at, size}, ++number, input));
        at += size + 1;
        save->size = (off_t)at;
    }
    if (save->size < (off_t)text->size && ftruncate(save->file, save->size) != 0)
        return fail_errno(save, "cannot be shortened", "check its permissions");
    if (number > 0)
        return KAN_OK;
    return add_line(save, json_pack("{s:s, s:s, s:s}", "format", format_name, "input", input,
                                    "private", private_words));
}

/* ---- the file -------------------------------------------------------------------------------- */

static kan_status open_file(kan_compare_save *save) {
    struct stat info;
    save->file = open(save->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (save->file < 0)
        return kan_fail(save->compare->run, KAN_BAD_INPUT,
                        "--save %s: %s; check the path and its permissions", save->path,
                        strerror(errno));
    if (fstat(save->file, &info) != 0 || !S_ISREG(info.st_mode))
        return kan_fail(save->compare->run, KAN_BAD_INPUT,
                        "--save %s: this is not a plain file; name one that can be appended to",
                        save->path);
    if (flock(save->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return kan_fail(save->compare->run, KAN_BAD_INPUT,
                        "--save %s: another kanon compare is using it; wait for it, or choose "
                        "another file",
                        save->path);
    return KAN_OK;
}

static kan_status load(kan_compare_save *save, const kan_setup *setup) {
    char input[KAN_HASH_TEXT];
    kan_text text;
    KAN_TRY(kan_compare_make_keys(save->compare, setup));
    KAN_TRY(kan_compare_hash_input(save->compare, setup, input));
    KAN_TRY(open_file(save));
    kan_text_init(&text, save->compare->run);
    kan_status status = read_text(save, &text);
    if (status == KAN_OK)
        status = take_lines(save, &text, input);
    kan_text_destroy(&text);
    return status;
}

kan_status kan_compare_save_open(kan_compare *compare, const kan_setup *setup,
                                 kan_compare_save **out) {
    const char *path = kan_options_find(&compare->job->options, "save");
    kan_compare_save *save;
    if (!path)
        return KAN_OK;
    if (strcmp(path, "-") == 0)
        return kan_fail(compare->run, KAN_BAD_INPUT,
                        "--save -: cells are saved in a file, to be read again; name one");
    const char *population = kan_options_find(&compare->job->options, "population");
    if (population && kan_path_is_address(population))
        return kan_fail(compare->run, KAN_BAD_INPUT,
                        "--save: whether the population in the database is still the same cannot "
                        "be told from saved cells; leave --save out");
    KAN_TRY(kan_alloc_zero(compare->run, 1, sizeof *save, &save));
    *save = (kan_compare_save){.compare = compare, .path = path, .file = -1};
    const kan_status status = load(save, setup);
    if (status == KAN_OK)
        *out = save;
    else
        kan_compare_save_close(save);
    return status;
}

void kan_compare_save_close(kan_compare_save *save) {
    if (!save)
        return;
    if (save->file >= 0)
        (void)close(save->file);
    kan_free(save->compare->run, save);
}
