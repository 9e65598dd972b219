/* Files from Stata 13 on (117 and later) are sections between tags, the last of which ends the file.
 * Those before it are records of fixed sizes, which depend on the version; labels of values are the
 * last of them, each with its size before it, up to the end of the file. Nothing that a file says is
 * believed: all sizes are held against what is left of it. */
#include "io/stat/stat_dta.h"

#include <stdio.h>

typedef struct {
    kan_run *run;
    const kan_stream *stream;
    kan_window window;
    kan_beside *beside;
    uint64_t at;
    bool is_swapped; /* numbers are in the other order of bytes */
    bool is_broken;
    kan_status status; /* of looking at the file */
} walking;

/* ---- bytes ---------------------------------------------------------------------------------- */

/* The next bytes; NULL where so many are not left, and for good. */
static const char *peek(walking *w, uint64_t size) {
    if (!w->is_broken && size <= w->stream->size - w->at)
        w->status = kan_window_take(&w->window, w->stream, (size_t)w->at, (size_t)(w->at + size));
    else
        w->is_broken = true;
    w->is_broken |= w->status != KAN_OK;
    if (w->is_broken)
        return NULL;
    return w->window.bytes;
}

static const char *take(walking *w, uint64_t size) {
    const char *bytes = peek(w, size);
    if (bytes)
        w->at += size;
    return bytes;
}

static void skip(walking *w, uint64_t size) {
    if (w->is_broken || size > w->stream->size - w->at)
        w->is_broken = true;
    else
        w->at += size;
}

static uint64_t take_number(walking *w, unsigned size) {
    const unsigned char *bytes = (const unsigned char *)take(w, size);
    uint64_t number = 0;
    for (unsigned i = 0; bytes && i < size; i++)
        number |= (uint64_t)bytes[i] << 8 * (w->is_swapped ? size - 1 - i : i);
    return number;
}

static bool take_tag(walking *w, const char *tag) {
    const size_t size = strlen(tag);
    const char *bytes = peek(w, size);
    if (!bytes || memcmp(bytes, tag, size) != 0) {
        w->is_broken = true;
        return false;
    }
    w->at += size;
    return true;
}

/* Whether a tag is next; the file may end here. */
static bool is_next(walking *w, const char *tag) {
    const size_t size = strlen(tag);
    if (w->is_broken || size > w->stream->size - w->at)
        return false;
    const char *bytes = peek(w, size);
    return bytes && memcmp(bytes, tag, size) == 0;
}

static kan_slice text_of(const char *bytes, size_t size) {
    const char *end = memchr(bytes, '\0', size);
    return (kan_slice){bytes, end ? (size_t)(end - bytes) : size};
}

/* ---- what is beside the table --------------------------------------------------------------- */

static kan_status add_label(walking *w, const char *bytes, size_t size) {
    const kan_slice label = text_of(bytes, size);
    return w->beside && label.size > 0 ? kan_beside_add(w->beside, "the label of the file", label)
                                       : KAN_OK;
}

/* A characteristic: of what, its name, its text. Notes are characteristics of that name. */
static kan_status add_characteristic(walking *w, uint64_t size, size_t name_size) {
    const char *bytes = take(w, size);
    char what[512];
    if (!bytes || size < 2 * name_size || !w->beside)
        return KAN_OK;
    const kan_slice of = text_of(bytes, name_size), name = text_of(bytes + name_size, name_size);
    const bool is_note = name.size >= 4 && memcmp(name.bytes, "note", 4) == 0;
    char quoted[2][256];
    (void)snprintf(what, sizeof what, "%s %s of %s", is_note ? "note" : "characteristic",
                   kan_quote(name, quoted[0]),
                   kan_slice_is(of, "_dta") ? "the file" : kan_quote(of, quoted[1]));
    return kan_beside_add(w->beside, what,
                          text_of(bytes + 2 * name_size, (size_t)size - 2 * name_size));
}

/* ---- up to Stata 12 ------------------------------------------------------------------------- */

/* Bytes of what a version writes. */
typedef struct {
    unsigned name, format, label, file_label, field_length;
    bool has_time, has_fields, has_short_labels;
} old_sizes;

static old_sizes sizes_of(unsigned version) {
    return (old_sizes){.name = version >= 110 ? 33 : 9,
                       .format = version >= 114   ? 49
                                 : version >= 105 ? 12
                                                  : 7,
                       .label = version >= 108 ? 81 : 32,
                       .file_label = version >= 108 ? 81 : 32,
                       .field_length = version >= 110 ? 4 : 2,
                       .has_time = version >= 105,
                       .has_fields = version >= 105,
                       .has_short_labels = version < 108};
}

static unsigned old_width(unsigned version, unsigned char type) {
    if (version >= 111)
        return type == 251                  ? 1
               : type == 252                ? 2
               : type == 253 || type == 254 ? 4
               : type == 255                ? 8
                                            : type;
    switch (type) {
    case 'b':
        return 1;
    case 'i':
        return 2;
    case 'l':
    case 'f':
        return 4;
    case 'd':
        return 8;
    default:
        return type > 127 ? type - 127u : 0;
    }
}

static kan_status walk_fields(walking *w, const old_sizes *sizes) {
    while (!w->is_broken) {
        const uint64_t type = take_number(w, 1), size = take_number(w, sizes->field_length);
        if (type == 0 && size == 0)
            return KAN_OK;
        KAN_TRY(add_characteristic(w, size, sizes->name));
    }
    return KAN_OK;
}

static void walk_old_labels(walking *w, const old_sizes *sizes) {
    while (!w->is_broken && w->at < w->stream->size) {
        const uint64_t size = take_number(w, 4);
        skip(w, sizes->name + 3);
        skip(w, size);
    }
}

static kan_status walk_old(walking *w, bool *is_whole) {
    const unsigned version = (unsigned)take_number(w, 1);
    const old_sizes sizes = sizes_of(version);
    uint64_t row = 0;
    w->is_swapped = take_number(w, 1) == 1;
    skip(w, 2);
    const uint64_t n_columns = take_number(w, 2), n_rows = take_number(w, 4);
    const char *label = take(w, sizes.file_label);
    if (label)
        KAN_TRY(add_label(w, label, sizes.file_label));
    skip(w, sizes.has_time ? 18 : 0);
    const char *types = take(w, n_columns);
    for (uint64_t i = 0; types && i < n_columns; i++)
        row += old_width(version, (unsigned char)types[i]);
    skip(w, n_columns * (2 * sizes.name + sizes.format + sizes.label) + 2 * (n_columns + 1));
    if (sizes.has_fields)
        KAN_TRY(walk_fields(w, &sizes));
    skip(w, n_rows * row);
    if (!sizes.has_short_labels)
        walk_old_labels(w, &sizes);
    *is_whole = !w->is_broken;
    return KAN_OK;
}

/* ---- from Stata 13 on ----------------------------------------------------------------------- */

static kan_status walk_characteristics(walking *w, size_t name_size) {
    while (is_next(w, "<ch>")) {
        (void)take_tag(w, "<ch>");
        KAN_TRY(add_characteristic(w, take_number(w, 4), name_size));
        (void)take_tag(w, "</ch>");
    }
    return KAN_OK;
}

/* The map says where sections begin; the ninth of its 14 places is that of characteristics. */
static kan_status walk_tags(walking *w, unsigned version, bool *is_whole) {
    enum { PLACES = 14, OF_CHARACTERISTICS = 8 };
    static const char ending[] = "</stata_dta>";
    uint64_t place = 0;
    (void)take_tag(w, "<byteorder>");
    w->is_swapped = is_next(w, "MSF");
    skip(w, 3);
    (void)take_tag(w, "</byteorder><K>");
    skip(w, version >= 119 ? 4 : 2);
    (void)take_tag(w, "</K><N>");
    skip(w, version >= 118 ? 8 : 4);
    (void)take_tag(w, "</N><label>");
    const uint64_t label_size = take_number(w, version >= 118 ? 2 : 1);
    const char *label = take(w, label_size);
    if (label)
        KAN_TRY(add_label(w, label, (size_t)label_size));
    (void)take_tag(w, "</label><timestamp>");
    skip(w, take_number(w, 1));
    (void)take_tag(w, "</timestamp></header><map>");
    for (int i = 0; i < PLACES; i++) {
        const uint64_t number = take_number(w, 8);
        place = i == OF_CHARACTERISTICS ? number : place;
    }
    (void)take_tag(w, "</map>");
    w->is_broken |= place < w->at || place > w->stream->size;
    w->at = w->is_broken ? w->at : place;
    (void)take_tag(w, "<characteristics>");
    KAN_TRY(walk_characteristics(w, version >= 118 ? 129 : 33));
    (void)take_tag(w, "</characteristics>");
    const size_t size = sizeof ending - 1;
    w->is_broken |= w->stream->size - w->at < size;
    w->at = w->is_broken ? w->at : w->stream->size - size;
    *is_whole = take_tag(w, ending) && !w->is_broken;
    return KAN_OK;
}

kan_status kan_stat_dta_walk(kan_run *run, const kan_stream *stream, kan_beside *beside,
                             bool *is_whole) {
    static const char head[] = "<stata_dta><header><release>";
    walking w = {.run = run, .stream = stream, .beside = beside};
    kan_status status;
    *is_whole = false;
    if (is_next(&w, head)) {
        skip(&w, sizeof head - 1);
        const char *digits = take(&w, 3);
        const unsigned version =
            digits
                ? (unsigned)((digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0'))
                : 0;
        (void)take_tag(&w, "</release>");
        status = walk_tags(&w, version, is_whole);
    } else {
        status = walk_old(&w, is_whole);
    }
    kan_window_free(&w.window, run);
    return w.status != KAN_OK ? w.status : status;
}
