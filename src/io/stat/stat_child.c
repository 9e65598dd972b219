/* Order of calls: libreadstat calls take_shape, then take_variable and take_label in an order that
 * depends on the format, then take_value row by row.
 *
 * How many rows a .sav has is not told to libreadstat: it would stop there and say nothing of the
 * rows behind. The parent compares. */
#include "io/stat/stat_child.h"

#include <errno.h>
#include <readstat.h>
#include <stdio.h>
#include <unistd.h>

enum {
    IN_BYTES = 1 << 18,
    TEXT_BYTES = 1 << 20,
    ROWS_AT = 80, /* of a .sav: 4 bytes */
    ENDIAN_AT = 64
};

struct kan_stat_child {
    kan_run *run;
    kan_stat_child_plan plan;
    kan_stat_send_fn send;
    void *to;
    bool is_broken; /* nobody listens, or a fault was sent */
    /* The file. */
    char *in;
    uint64_t in_at, at; /* where the buffer begins, where the next read does */
    size_t in_size;
    int64_t declared; /* rows; -1: not said */
    /* Rows. */
    size_t n_wanted, n_seen;     /* n_seen: columns */
    size_t *place_of;            /* by column: which of the wanted ones; SIZE_MAX: none */
    bool counts_alone;           /* no column is wanted: the first is looked at for its rows */
    uint64_t *words;             /* n_wanted x n_block */
    size_t n_block, n_rows;      /* rows that fit, rows that are there */
    size_t n_cells;              /* of the row that is being taken */
    uint64_t n_done;             /* rows that were sent */
    uint64_t row_bytes, row_end; /* of .xpt: of a row, and where one ends */
    char *text;
    size_t text_size;
};

/* ---- frames --------------------------------------------------------------------------------- */

static bool send_bytes(kan_stat_child *child, const void *bytes, size_t size) {
    if (!child->is_broken && size > 0 && !child->send(child->to, bytes, size))
        child->is_broken = true;
    return !child->is_broken;
}

static bool send_header(kan_stat_child *child, kan_stat_frame kind, size_t size) {
    const kan_stat_header header = {(uint32_t)kind, (uint32_t)size};
    return send_bytes(child, &header, sizeof header);
}

/* A frame of a few small things, made on the stack. */
typedef struct {
    char bytes[1 << 14];
    size_t size;
    bool is_full;
} small_frame;

static void put_bytes(small_frame *frame, const void *bytes, size_t size) {
    if (size > sizeof frame->bytes - frame->size) {
        frame->is_full = true;
        return;
    }
    memcpy(frame->bytes + frame->size, bytes, size);
    frame->size += size;
}

static void put_u32(small_frame *frame, uint32_t value) {
    put_bytes(frame, &value, sizeof value);
}

static void put_u64(small_frame *frame, uint64_t value) {
    put_bytes(frame, &value, sizeof value);
}

static void put_text(small_frame *frame, const char *text) {
    const size_t size = text ? strlen(text) : 0;
    put_u32(frame, (uint32_t)size);
    put_bytes(frame, text ? text : "", size);
}

static bool send_small(kan_stat_child *child, kan_stat_frame kind, const small_frame *frame) {
    return send_header(child, kind, frame->size) && send_bytes(child, frame->bytes, frame->size);
}

/* `row` counts from 1, 0: none; column -1: none. */
static void send_fault(kan_stat_child *child, uint64_t row, int column, const char *what) {
    small_frame frame = {.size = 0};
    put_u64(&frame, row);
    put_u32(&frame, (uint32_t)column);
    put_text(&frame, what);
    (void)send_small(child, KAN_STAT_FAULT, &frame);
    child->is_broken = true;
}

/* ---- the file ------------------------------------------------------------------------------- */

static int open_input(const char *path, void *context) {
    (void)path;
    (void)context;
    return 0;
}

static int close_input(void *context) {
    (void)context;
    return 0;
}

static readstat_off_t seek_input(readstat_off_t offset, readstat_io_flags_t whence, void *context) {
    kan_stat_child *child = context;
    const int64_t base = whence == READSTAT_SEEK_SET   ? 0
                         : whence == READSTAT_SEEK_CUR ? (int64_t)child->at
                                                       : (int64_t)child->plan.size;
    if (offset < -base || offset > (int64_t)child->plan.size - base)
        return -1;
    child->at = (uint64_t)(base + offset);
    return (readstat_off_t)child->at;
}

static bool is_sav(const kan_stat_child *child, const char *first) {
    return child->plan.format == KAN_STAT_SAV && child->plan.size >= ROWS_AT + 4 &&
           (memcmp(first, "$FL2", 4) == 0 || memcmp(first, "$FL3", 4) == 0);
}

static uint32_t swapped(uint32_t word) {
    return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}

/* Takes the number of rows of a .sav and puts "unknown" in its place. */
static void hide_rows(kan_stat_child *child, char *first) {
    uint32_t layout, rows;
    if (!is_sav(child, first))
        return;
    memcpy(&layout, first + ENDIAN_AT, sizeof layout);
    memcpy(&rows, first + ROWS_AT, sizeof rows);
    child->declared = (int32_t)(layout > 0xffff ? swapped(rows) : rows);
    memset(first + ROWS_AT, 0xff, sizeof rows);
}

static bool fill_from_file(kan_stat_child *child, size_t size) {
    size_t n = 0;
    while (n < size) {
        const ssize_t got =
            pread(child->plan.file, child->in + n, size - n, (off_t)(child->in_at + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        n += (size_t)got;
    }
    return true;
}

/* Fills the buffer with the part of the file in which the next read begins. */
static bool fill_buffer(kan_stat_child *child) {
    child->in_at = child->at / IN_BYTES * IN_BYTES;
    const uint64_t left = child->plan.size - child->in_at;
    const size_t size = left < IN_BYTES ? (size_t)left : IN_BYTES;
    child->in_size = 0;
    if (child->plan.file < 0)
        memcpy(child->in, child->plan.bytes + child->in_at, size);
    else if (!fill_from_file(child, size))
        return false;
    child->in_size = size;
    if (child->in_at == 0)
        hide_rows(child, child->in);
    return true;
}

static ssize_t read_input(void *bytes, size_t size, void *context) {
    kan_stat_child *child = context;
    size_t n = 0;
    while (n < size && child->at < child->plan.size) {
        if ((child->at < child->in_at || child->at >= child->in_at + child->in_size) &&
            !fill_buffer(child))
            return -1;
        const size_t from = (size_t)(child->at - child->in_at), left = child->in_size - from;
        const size_t got = size - n < left ? size - n : left;
        memcpy((char *)bytes + n, child->in + from, got);
        n += got;
        child->at += got;
    }
    return (ssize_t)n;
}

static readstat_error_t update_input(long size, readstat_progress_handler progress, void *user,
                                     void *context) {
    (void)size;
    (void)progress;
    (void)user;
    (void)context;
    return READSTAT_OK;
}

/* ---- columns and labels --------------------------------------------------------------------- */

static int take_shape(readstat_metadata_t *metadata, void *context) {
    kan_stat_child *child = context;
    small_frame frame = {.size = 0};
    const int rows = readstat_get_row_count(metadata);
    if (child->plan.format != KAN_STAT_SAV)
        child->declared = rows;
    put_u64(&frame, (uint64_t)child->declared);
    put_u64(&frame, (uint64_t)(int64_t)readstat_get_var_count(metadata));
    put_text(&frame, readstat_get_file_label(metadata));
    return send_small(child, KAN_STAT_SHAPE, &frame) ? READSTAT_HANDLER_OK : READSTAT_HANDLER_ABORT;
}

static uint64_t word_of(double number) {
    uint64_t word;
    number += 0.0; /* -0 is 0 */
    memcpy(&word, &number, sizeof word);
    return word;
}

/* Letters of missing codes are small ones here, whatever the format has; the code ._ of SAS is the
 * one without a letter. */
static uint64_t missing_word(char tag) {
    const unsigned char letter = (unsigned char)(tag >= 'A' && tag <= 'Z' ? tag - 'A' + 'a' : tag);
    return KAN_STAT_MISSING | (letter >= 'a' && letter <= 'z' ? letter : 0);
}

/* The bits of a number, and missing codes that no format has a letter for. */
static uint64_t exact_word(readstat_value_t value) {
    const double number = readstat_double_value(value);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (readstat_value_is_tagged_missing(value))
        return KAN_STAT_MISSING | (unsigned char)readstat_value_tag(value);
    if (readstat_value_is_system_missing(value))
        return KAN_STAT_MISSING;
    return number - number == 0 ? bits : KAN_STAT_MISSING | (number > 0 ? 1 : number < 0 ? 2 : 3);
}

static uint64_t number_word(readstat_value_t value) {
    if (readstat_value_is_tagged_missing(value) || readstat_value_is_system_missing(value))
        return missing_word(readstat_value_tag(value));
    const double number = readstat_double_value(value);
    /* A number that is none: missing. Infinity is one to libreadstat, and text to nobody. */
    return number - number == 0 ? word_of(number) : missing_word(0);
}

static kan_stat_storage storage_of(readstat_type_t type) {
    switch (type) {
    case READSTAT_TYPE_INT8:
        return KAN_STAT_INT8;
    case READSTAT_TYPE_INT16:
        return KAN_STAT_INT16;
    case READSTAT_TYPE_INT32:
        return KAN_STAT_INT32;
    case READSTAT_TYPE_FLOAT:
        return KAN_STAT_FLOAT;
    case READSTAT_TYPE_DOUBLE:
        return KAN_STAT_DOUBLE;
    default:
        return KAN_STAT_STRING;
    }
}

/* The ends of a range may be infinite: LOWEST and HIGHEST. */
static uint64_t end_word(readstat_value_t value) {
    return word_of(readstat_double_value(value));
}

static void put_missing(small_frame *frame, const readstat_variable_t *variable) {
    const int n = readstat_variable_get_missing_ranges_count(variable);
    const uint32_t fits = n < 0                       ? 0
                          : n > KAN_STAT_MISSING_MOST ? KAN_STAT_MISSING_MOST
                                                      : (uint32_t)n;
    put_u32(frame, fits);
    for (uint32_t i = 0; i < fits; i++) {
        const readstat_value_t least = readstat_variable_get_missing_range_lo(variable, (int)i);
        const readstat_value_t most = readstat_variable_get_missing_range_hi(variable, (int)i);
        const bool is_text = readstat_value_type_class(least) == READSTAT_TYPE_CLASS_STRING;
        put_u64(frame, is_text ? 0 : end_word(least));
        put_u64(frame, is_text ? 0 : end_word(most));
        put_text(frame, is_text ? readstat_string_value(least) : "");
    }
}

static bool send_variable(kan_stat_child *child, readstat_variable_t *variable, const char *set) {
    small_frame frame = {.size = 0};
    const int width = readstat_variable_get_display_width(variable);
    put_u32(&frame, (uint32_t)storage_of(readstat_variable_get_type(variable)));
    put_u32(&frame, (uint32_t)(width > 0 ? width : 0));
    put_u32(&frame, (uint32_t)(variable->decimals > 0 ? variable->decimals : 0));
    put_u32(&frame, (uint32_t)readstat_variable_get_measure(variable));
    put_u32(&frame, (uint32_t)readstat_variable_get_alignment(variable));
    put_text(&frame, readstat_variable_get_name(variable));
    put_text(&frame, readstat_variable_get_format(variable));
    put_text(&frame, readstat_variable_get_label(variable));
    put_text(&frame, set);
    put_missing(&frame, variable);
    if (frame.is_full)
        send_fault(child, 0, (int)child->n_seen, "the description of this column is too long");
    return !child->is_broken && send_small(child, KAN_STAT_VARIABLE, &frame);
}

/* The columns are the same as when they were read for the first time, or it is another file. */
static int take_variable(int index, readstat_variable_t *variable, const char *set, void *context) {
    kan_stat_child *child = context;
    const size_t column = child->n_seen++;
    child->row_bytes += readstat_variable_get_storage_width(variable);
    if (index < 0 || (size_t)index != column || column >= KAN_STAT_COLUMNS_MOST) {
        send_fault(child, 0, -1, "its columns are not in order");
        return READSTAT_HANDLER_ABORT;
    }
    if (!child->plan.is_wanted)
        return send_variable(child, variable, set) ? READSTAT_HANDLER_OK : READSTAT_HANDLER_ABORT;
    if (column >= child->plan.n_columns) {
        send_fault(child, 0, -1, "it has more columns than when it was opened");
        return READSTAT_HANDLER_ABORT;
    }
    const bool is_looked_at = child->plan.is_wanted[column] || (child->counts_alone && column == 0);
    return is_looked_at ? READSTAT_HANDLER_OK : READSTAT_HANDLER_SKIP_VARIABLE;
}

static int take_label(const char *set, readstat_value_t value, const char *label, void *context) {
    kan_stat_child *child = context;
    small_frame frame = {.size = 0};
    const bool is_text = readstat_value_type_class(value) == READSTAT_TYPE_CLASS_STRING;
    put_text(&frame, set);
    put_u32(&frame, is_text);
    put_u64(&frame, is_text                     ? 0
                    : readstat_value_tag(value) ? missing_word(readstat_value_tag(value))
                                                : number_word(value));
    put_text(&frame, is_text ? readstat_string_value(value) : "");
    put_text(&frame, label);
    if (frame.is_full)
        send_fault(child, 0, -1, "the label of a value is too long");
    return !child->is_broken && send_small(child, KAN_STAT_LABEL, &frame) ? READSTAT_HANDLER_OK
                                                                          : READSTAT_HANDLER_ABORT;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static bool send_text(kan_stat_child *child) {
    const size_t size = child->text_size;
    child->text_size = 0;
    return size == 0 ||
           (send_header(child, KAN_STAT_TEXT, size) && send_bytes(child, child->text, size));
}

static bool put_string(kan_stat_child *child, const char *string, size_t size) {
    while (size > 0) {
        const size_t left = TEXT_BYTES - child->text_size, n = size < left ? size : left;
        memcpy(child->text + child->text_size, string, n);
        child->text_size += n;
        string += n;
        size -= n;
        if (child->text_size == TEXT_BYTES && !send_text(child))
            return false;
    }
    return true;
}

static bool send_block(kan_stat_child *child) {
    const uint32_t n_rows = (uint32_t)child->n_rows;
    const size_t bytes = child->n_rows * sizeof *child->words;
    if (n_rows == 0)
        return !child->is_broken;
    if (!send_text(child) ||
        !send_header(child, KAN_STAT_BLOCK, sizeof n_rows + child->n_wanted * bytes) ||
        !send_bytes(child, &n_rows, sizeof n_rows))
        return false;
    for (size_t i = 0; i < child->n_wanted; i++)
        if (!send_bytes(child, child->words + i * child->n_block, bytes))
            return false;
    child->n_done += n_rows;
    child->n_rows = 0;
    return true;
}

static bool take_string(kan_stat_child *child, readstat_value_t value, uint64_t *word) {
    const char *string = readstat_string_value(value);
    size_t size = string ? strlen(string) : 0;
    while (!child->plan.is_exact && size > 0 && string[size - 1] == ' ')
        size--;
    *word = size;
    return size < KAN_STAT_TEXT_MOST && put_string(child, string, size);
}

static bool take_cell(kan_stat_child *child, int column, readstat_value_t value) {
    const size_t place = child->place_of[column];
    if (place == SIZE_MAX)
        return child->counts_alone;
    uint64_t *word = &child->words[place * child->n_block + child->n_rows];
    if (place != child->n_cells++)
        return false; /* cells come in the order of columns */
    if (readstat_value_type_class(value) == READSTAT_TYPE_CLASS_STRING)
        return take_string(child, value, word);
    *word = child->plan.is_exact ? exact_word(value) : number_word(value);
    return true;
}

static int take_value(int row, readstat_variable_t *variable, readstat_value_t value,
                      void *context) {
    kan_stat_child *child = context;
    const int column = readstat_variable_get_index(variable);
    if (child->row_end == 0)
        child->row_end = child->at;
    if (!child->plan.is_wanted || child->is_broken)
        return READSTAT_HANDLER_ABORT;
    if (column < 0 || (size_t)column >= child->plan.n_columns ||
        (uint64_t)row != child->n_done + child->n_rows || !take_cell(child, column, value)) {
        send_fault(child, child->n_done + child->n_rows + 1, column, "the rows are damaged");
        return READSTAT_HANDLER_ABORT;
    }
    if (child->n_cells == child->n_wanted) {
        child->n_cells = 0;
        if (++child->n_rows == child->n_block && !send_block(child))
            return READSTAT_HANDLER_ABORT;
    }
    return READSTAT_HANDLER_OK;
}

/* ---- the whole file ------------------------------------------------------------------------- */

static readstat_error_t parse(kan_stat_child *child, readstat_parser_t *parser) {
    switch (child->plan.format) {
    case KAN_STAT_SAV:
        return readstat_parse_sav(parser, "", child);
    case KAN_STAT_POR:
        return readstat_parse_por(parser, "", child);
    case KAN_STAT_DTA:
        return readstat_parse_dta(parser, "", child);
    case KAN_STAT_SAS7BDAT:
        return readstat_parse_sas7bdat(parser, "", child);
    case KAN_STAT_XPT:
        return readstat_parse_xport(parser, "", child);
    }
    return READSTAT_ERROR_PARSE;
}

static readstat_parser_t *make_parser(kan_stat_child *child) {
    readstat_parser_t *parser = readstat_parser_init();
    if (!parser)
        return NULL;
    readstat_set_open_handler(parser, open_input);
    readstat_set_close_handler(parser, close_input);
    readstat_set_seek_handler(parser, seek_input);
    readstat_set_read_handler(parser, read_input);
    readstat_set_update_handler(parser, update_input);
    readstat_set_io_ctx(parser, child);
    readstat_set_metadata_handler(parser, take_shape);
    readstat_set_variable_handler(parser, take_variable);
    if (!child->plan.is_wanted)
        readstat_set_value_label_handler(parser, take_label);
    /* Without rows, .dta is read to its end, where its labels are; others end at the first value. */
    if (child->plan.is_wanted || child->plan.format != KAN_STAT_DTA)
        readstat_set_value_handler(parser, take_value);
    if (child->plan.encoding)
        readstat_set_file_character_encoding(parser, child->plan.encoding);
    return parser;
}

static bool is_of_text(readstat_error_t error) {
    return error == READSTAT_ERROR_CONVERT_BAD_STRING || error == READSTAT_ERROR_CONVERT ||
           error == READSTAT_ERROR_CONVERT_SHORT_STRING ||
           error == READSTAT_ERROR_CONVERT_LONG_STRING;
}

/* A .xpt does not say how many rows it has. Behind the last one are blanks, up to a multiple of 80
 * bytes. */
static bool is_cut_off(kan_stat_child *child) {
    char rest[80];
    if (child->plan.format != KAN_STAT_XPT)
        return false;
    if (child->plan.size % sizeof rest != 0)
        return true;
    if (child->row_end == 0 || child->row_bytes == 0)
        return false;
    const uint64_t left = (child->plan.size - child->row_end) % child->row_bytes;
    child->at = child->plan.size - left;
    if (left >= sizeof rest || read_input(rest, (size_t)left, child) != (ssize_t)left)
        return true;
    for (size_t i = 0; i < left; i++)
        if (rest[i] != ' ')
            return true;
    return false;
}

/* The place of a fault in text is the value behind the last one that came. */
static void send_error(kan_stat_child *child, readstat_error_t error) {
    const uint64_t row = child->plan.is_wanted ? child->n_done + child->n_rows + 1 : 0;
    if (is_of_text(error))
        send_fault(child, row, -1,
                   "a text is not in the encoding that the file states; name the right one with "
                   "--encoding, such as windows-1252");
    else if (error == READSTAT_ERROR_UNSUPPORTED_CHARSET)
        send_fault(child, 0, -1,
                   "its encoding is not known; name one with --encoding, such as windows-1252");
    else
        send_fault(child, row, -1, readstat_error_message(error));
}

void kan_stat_child_act(kan_stat_child *child, kan_stat_send_fn send, void *to) {
    child->send = send;
    child->to = to;
    readstat_parser_t *parser = make_parser(child);
    const readstat_error_t error = parser ? parse(child, parser) : READSTAT_ERROR_MALLOC;
    if (parser)
        readstat_parser_free(parser);
    if (child->is_broken)
        return;
    if (error != READSTAT_OK && (error != READSTAT_ERROR_USER_ABORT || child->plan.is_wanted)) {
        send_error(child, error);
    } else if (is_cut_off(child)) {
        send_fault(child, 0, -1, "its end is missing");
    } else if (child->n_cells > 0) {
        send_fault(child, child->n_done + child->n_rows + 1, -1, "the row is not complete");
    } else if (send_block(child)) {
        small_frame frame = {.size = 0};
        put_u64(&frame, child->n_done);
        put_u64(&frame, (uint64_t)child->declared);
        put_u64(&frame, child->n_seen);
        (void)send_small(child, KAN_STAT_END, &frame);
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

static kan_status make_places(kan_stat_child *child) {
    const kan_stat_child_plan *plan = &child->plan;
    KAN_TRY(kan_alloc(child->run, plan->n_columns, sizeof *child->place_of, &child->place_of));
    for (size_t i = 0; i < plan->n_columns; i++)
        child->place_of[i] = plan->is_wanted && plan->is_wanted[i] ? child->n_wanted++ : SIZE_MAX;
    child->counts_alone = plan->is_wanted && child->n_wanted == 0;
    child->n_block = kan_stat_block_rows(child->n_wanted);
    return kan_alloc(child->run, child->n_wanted * child->n_block, sizeof *child->words,
                     &child->words);
}

kan_status kan_stat_child_create(kan_run *run, const kan_stat_child_plan *plan,
                                 kan_stat_child **out) {
    kan_stat_child *child;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *child, &child));
    child->run = run;
    child->plan = *plan;
    child->declared = -1;
    KAN_TRY_DONE(make_places(child));
    KAN_TRY_DONE(kan_alloc(run, IN_BYTES, 1, &child->in));
    KAN_TRY_DONE(kan_alloc(run, TEXT_BYTES, 1, &child->text));
    *out = child;
done:
    if (status != KAN_OK)
        kan_stat_child_destroy(child);
    return status;
}

void kan_stat_child_destroy(kan_stat_child *child) {
    if (!child)
        return;
    kan_free(child->run, child->place_of);
    kan_free(child->run, child->words);
    kan_free(child->run, child->in);
    kan_free(child->run, child->text);
    kan_free(child->run, child);
}
