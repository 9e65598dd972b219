/* A header, then records up to one of type 999; the rows are behind it. All sizes are held against what is
 * left of the file. */
#include "io/stat/stat_sav.h"

#include <ctype.h>

enum {
    HEADER = 176,
    LAYOUT_AT = 64,
    LABEL_AT = 109,
    LABEL = 64,
    LINE = 80, /* of a note */
    OF_VARIABLE = 2,
    OF_LABELS = 3,
    OF_NOTES = 6,
    OF_EXTENSION = 7,
    END = 999
};

typedef struct {
    const kan_stream *stream;
    kan_window window;
    kan_beside *out;
    uint64_t at;
    bool is_swapped, is_broken;
    kan_status status; /* of looking at the file */
} walking;

static const char *take(walking *w, uint64_t size) {
    if (!w->is_broken && size <= w->stream->size - w->at)
        w->status = kan_window_take(&w->window, w->stream, (size_t)w->at, (size_t)(w->at + size));
    else
        w->is_broken = true;
    w->is_broken |= w->status != KAN_OK;
    if (w->is_broken)
        return NULL;
    w->at += size;
    return w->window.bytes;
}

static uint32_t take_number(walking *w) {
    const unsigned char *b = (const unsigned char *)take(w, 4);
    if (!b)
        return 0;
    return w->is_swapped ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                         : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static void skip(walking *w, uint64_t size) {
    if (w->is_broken || size > w->stream->size - w->at)
        w->is_broken = true;
    else
        w->at += size;
}

static kan_status add(walking *w, const char *what, const char *bytes, size_t size) {
    while (size > 0 && (isspace((unsigned char)bytes[size - 1]) || bytes[size - 1] == '\0'))
        size--;
    return size > 0 ? kan_beside_add(w->out, what, (kan_slice){bytes, size}) : KAN_OK;
}

/* ---- records -------------------------------------------------------------------------------- */

static void walk_variable(walking *w) {
    skip(w, 4);
    const bool has_label = take_number(w) == 1;
    const int32_t n_missing = (int32_t)take_number(w);
    skip(w, 16);
    if (has_label)
        skip(w, ((uint64_t)take_number(w) + 3) / 4 * 4);
    skip(w, (uint64_t)(n_missing < 0 ? -(int64_t)n_missing : n_missing) * 8);
}

/* A value and its label, in pieces of eight bytes; then the columns, in a record of their own. */
static void walk_labels(walking *w) {
    const uint32_t n = take_number(w);
    for (uint32_t i = 0; i < n && !w->is_broken; i++) {
        skip(w, 8);
        const char *size = take(w, 1);
        if (size)
            skip(w, ((uint64_t)(unsigned char)*size + 8) / 8 * 8 - 1);
    }
    skip(w, 4);
    skip(w, (uint64_t)take_number(w) * 4);
}

static kan_status walk_notes(walking *w) {
    const uint32_t n = take_number(w);
    for (uint32_t i = 0; i < n && !w->is_broken; i++) {
        const char *line = take(w, LINE);
        if (line)
            KAN_TRY(add(w, "notes", line, LINE));
    }
    return KAN_OK;
}

/* SPSS gives every column a role, and says it so: NAME:$@Role('0'\n), with / between columns. A role is
 * one digit: anything longer is a text of somebody. */
static bool has_roles_alone(const char *bytes, size_t size) {
    static const char role[] = "$@Role('", end[] = "'\n)";
    const size_t n_role = sizeof role - 1, n_end = sizeof end - 1;
    size_t n_roles = 0, n_attributes = 0;
    for (size_t i = 0; i < size; i++) {
        n_attributes += bytes[i] == '(';
        n_roles += size - i >= n_role + 1 + n_end && memcmp(bytes + i, role, n_role) == 0 &&
                   isdigit((unsigned char)bytes[i + n_role]) &&
                   memcmp(bytes + i + n_role + 1, end, n_end) == 0;
    }
    return n_roles > 0 && n_roles == n_attributes;
}

static const char *name_of(uint32_t subtype) {
    switch (subtype) {
    case 5:
        return "sets of columns";
    case 7:
    case 19:
        return "multiple-response sets";
    case 10:
        return "a text about the product";
    case 17:
        return "attributes of the file";
    case 18:
        return "attributes of columns";
    default:
        return "a record that is not known";
    }
}

/* Numbers of the machine, widths, long names, long texts, rows, encoding: these are read, or say nothing. */
static bool is_known(uint32_t subtype) {
    static const uint32_t known[] = {3, 4, 11, 13, 14, 16, 20, 21, 22};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == subtype)
            return true;
    return false;
}

static kan_status walk_extension(walking *w) {
    const uint32_t subtype = take_number(w);
    const uint64_t each = take_number(w), size = each * take_number(w);
    if (is_known(subtype)) {
        skip(w, size);
        return KAN_OK;
    }
    const char *bytes = take(w, size);
    if (!bytes || (subtype == 18 && has_roles_alone(bytes, (size_t)size)))
        return KAN_OK;
    return add(w, name_of(subtype), bytes, (size_t)size);
}

static kan_status walk(walking *w) {
    const char *header = take(w, HEADER);
    if (header) {
        w->is_swapped = header[LAYOUT_AT] == 0;
        KAN_TRY(add(w, "the label of the file", header + LABEL_AT, LABEL));
    }
    while (!w->is_broken) {
        switch (take_number(w)) {
        case OF_VARIABLE:
            walk_variable(w);
            break;
        case OF_LABELS:
            walk_labels(w);
            break;
        case OF_NOTES:
            KAN_TRY(walk_notes(w));
            break;
        case OF_EXTENSION:
            KAN_TRY(walk_extension(w));
            break;
        case END:
            return KAN_OK;
        default:
            w->is_broken = true;
        }
    }
    return kan_beside_add(w->out, "records that are not understood", (kan_slice){"", 0});
}

kan_status kan_stat_sav_walk(kan_run *run, const kan_stream *stream, kan_beside *out) {
    walking w = {.stream = stream, .out = out};
    const kan_status status = walk(&w);
    kan_window_free(&w.window, run);
    return w.status != KAN_OK ? w.status : status;
}
