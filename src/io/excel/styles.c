/* A style of a cell names a number format by its number. Numbers below 164 are built in, and mean
 * the same everywhere or, of some, a date or a time of the country; others are spelled out. */
#include "io/excel/styles.h"

#include <stdlib.h>
#include <strings.h>

/* ---- formats -------------------------------------------------------------------------------- */

typedef struct {
    bool has_day, has_clock, is_elapsed, is_minute_next;
    const char *month; /* an m that may be minutes */
} format_parts;

/* Whether [h], [mm], [ss] and such stand there. */
static bool is_elapsed(const char *at, size_t size) {
    if (size == 0)
        return false;
    for (size_t i = 0; i < size; i++)
        if (!strchr("hHmMsS", at[i]) || !at[i])
            return false;
    return true;
}

/* Behind what at[0] begins that is shown as it stands, or steers how the rest is shown. */
static const char *skip_literal(const char *at, format_parts *parts) {
    const char *end;
    switch (*at) {
    case '"':
        end = strchr(at + 1, '"');
        return end ? end + 1 : at + strlen(at);
    case '[':
        end = strchr(at, ']');
        if (!end)
            return at + strlen(at);
        parts->is_elapsed |= is_elapsed(at + 1, (size_t)(end - at - 1));
        return end + 1;
    case '\\':
    case '_':
    case '*':
        return at[1] ? at + 2 : at + 1;
    case 'a':
    case 'A':
        end = strncasecmp(at, "AM/PM", 5) == 0 ? at + 5
              : strncasecmp(at, "A/P", 3) == 0 ? at + 3
                                               : NULL;
        parts->has_clock |= end != NULL;
        return end;
    default:
        return NULL;
    }
}

/* m is minutes behind hours and before seconds, else a month. */
static void take_letter(char letter, format_parts *parts) {
    switch (letter) {
    case 'm':
        if (parts->is_minute_next)
            parts->has_clock = true;
        else
            parts->month = "m";
        parts->is_minute_next = false;
        break;
    case 'h':
        parts->has_clock = parts->is_minute_next = true;
        break;
    case 's':
        parts->has_clock = true;
        parts->month = NULL;
        parts->is_minute_next = false;
        break;
    case 'y':
    case 'd':
        parts->has_day = true;
        parts->has_day |= parts->month != NULL;
        parts->month = NULL;
        parts->is_minute_next = false;
        break;
    default:
        break;
    }
}

kan_number_style kan_style_of_format(const char *format) {
    format_parts parts = {0};
    char last = 0;
    if (strncasecmp(format, "General", 7) == 0)
        return KAN_STYLE_NUMBER;
    for (const char *at = format; *at && *at != ';';) {
        const char *next = skip_literal(at, &parts);
        const char letter = (char)(*at | 0x20);
        if (!next && letter != last)
            take_letter(letter, &parts);
        last = next ? 0 : letter;
        at = next ? next : at + 1;
    }
    parts.has_day |= parts.month != NULL;
    return parts.is_elapsed                   ? KAN_STYLE_ELAPSED
           : parts.has_day && parts.has_clock ? KAN_STYLE_TIMESTAMP
           : parts.has_day                    ? KAN_STYLE_DATE
           : parts.has_clock                  ? KAN_STYLE_TIME
                                              : KAN_STYLE_NUMBER;
}

static kan_number_style built_in(unsigned id) {
    if (id >= 14 && id <= 17)
        return KAN_STYLE_DATE;
    if ((id >= 18 && id <= 21) || id == 45 || id == 47)
        return KAN_STYLE_TIME;
    if (id == 22)
        return KAN_STYLE_TIMESTAMP;
    if (id == 46)
        return KAN_STYLE_ELAPSED;
    /* of East Asia and Thailand */
    if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58) || (id >= 71 && id <= 81))
        return KAN_STYLE_MOMENT;
    return KAN_STYLE_NUMBER;
}

/* ---- the part ------------------------------------------------------------------------------- */

typedef struct {
    kan_run *run;
    const char *file;
    struct spelled {
        unsigned id;
        kan_number_style style;
    } * spelled;
    size_t n_spelled, spelled_capacity;
    bool is_in_cells;
    kan_styles *out;
    size_t capacity;
} reading;

static unsigned number_of(const char *text) {
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

static kan_status take_format(reading *r, const char *const *attributes) {
    const char *code = kan_xml_attribute(attributes, "formatCode");
    KAN_TRY(kan_reserve(r->run, r->n_spelled + 1, sizeof *r->spelled, &r->spelled_capacity,
                        &r->spelled));
    r->spelled[r->n_spelled++] =
        (struct spelled){number_of(kan_xml_attribute(attributes, "numFmtId")),
                         kan_style_of_format(code ? code : "")};
    return KAN_OK;
}

static kan_number_style style_of(const reading *r, unsigned id) {
    for (size_t i = 0; i < r->n_spelled; i++)
        if (r->spelled[i].id == id)
            return r->spelled[i].style;
    return built_in(id);
}

static kan_status begin_style(void *context, const char *name, const char *const *attributes) {
    reading *r = context;
    enum { MOST_FORMATS = 1 << 12, MOST_STYLES = 1 << 16 }; /* more than programs allow */
    if (r->n_spelled > MOST_FORMATS || r->out->n > MOST_STYLES)
        return kan_fail(r->run, KAN_BAD_INPUT,
                        "%s: the workbook has more formats than a workbook can have; open it in a "
                        "spreadsheet program and save it again",
                        r->file);
    if (strcmp(name, "numFmt") == 0)
        return take_format(r, attributes);
    if (strcmp(name, "cellXfs") == 0)
        r->is_in_cells = true;
    if (!r->is_in_cells || strcmp(name, "xf") != 0)
        return KAN_OK;
    KAN_TRY(kan_reserve(r->run, r->out->n + 1, 1, &r->capacity, &r->out->of_cell));
    r->out->of_cell[r->out->n++] =
        (char)style_of(r, number_of(kan_xml_attribute(attributes, "numFmtId")));
    return KAN_OK;
}

static kan_status end_style(void *context, const char *name) {
    reading *r = context;
    if (strcmp(name, "cellXfs") == 0)
        r->is_in_cells = false;
    return KAN_OK;
}

kan_status kan_styles_read(kan_package *package, const char *part, kan_styles *out) {
    static const kan_xml_handlers handlers = {.begin = begin_style, .end = end_style};
    kan_styles styles = {.n = 0};
    reading r = {.run = package->run, .file = package->stream.name, .out = &styles};
    const kan_status status = kan_package_walk(package, part, &handlers, &r);
    kan_free(package->run, r.spelled);
    if (status == KAN_OK)
        *out = styles;
    else
        kan_styles_destroy(&styles, package->run);
    return status;
}

void kan_styles_destroy(kan_styles *styles, kan_run *run) {
    kan_free(run, styles->of_cell);
    *styles = (kan_styles){.n = 0};
}
