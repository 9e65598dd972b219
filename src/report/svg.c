/* What pictures share. Styles are plain rules without variables, which the simpler viewers do not
 * know. */
#include "report/svg.h"

#include <math.h>
#include <stdio.h>

enum { TITLE_X = 24, TITLE_Y = 30 };

const char *const kan_svg_dashes[KAN_SVG_LOOKS] = {"none", "7 4",      "2 3",       "10 3 2 3",
                                                   "14 5", "5 2 1 2",  "1 5 1 1 1", "12 3 2 3 2 3",
                                                   "4 1",  "16 3 4 3", "2 2 8 2",   "3 6"};

/* Dark enough on white, light enough on black. */
static const char *const inks[KAN_SVG_LOOKS] = {"#1f4e9c", "#b3430e", "#1d6b3a", "#7a2a83",
                                                "#8a6200", "#0b6e78", "#a3214e", "#4a4a4a",
                                                "#5a3fc0", "#6b4a2f", "#35720a", "#8c1d1d"};
static const char *const lights[KAN_SVG_LOOKS] = {"#8fb8ff", "#ffa873", "#7fd79b", "#dfa0e8",
                                                  "#f0cc6a", "#74d6e0", "#ff9dbd", "#cfcfcf",
                                                  "#c0b0ff", "#d9b48f", "#b5e07f", "#ff9a9a"};

/* ---- text ----------------------------------------------------------------------------------- */

void kan_svg_raw(kan_text *to, const char *text) {
    kan_text_add(to, text, strlen(text));
}

/* Control characters of both sets, what turns the direction of text, and the two that are not
 * characters: the rest of UTF-8 is XML, and is what it seems to be. */
static bool is_forbidden(const char *bytes, size_t size) {
    const unsigned char *at = (const unsigned char *)bytes;
    if (size == 1 && (*at == '\t' || *at == '\n' || *at == '\r'))
        return false;
    return kan_utf8_steers(bytes, size) ||
           (size == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe);
}

void kan_svg_escape(kan_text *to, const char *bytes, size_t size) {
    for (size_t i = 0; i < size;) {
        const size_t length = kan_utf8_length(bytes + i, size - i);
        const char *meaning = bytes[i] == '&'   ? "&amp;"
                              : bytes[i] == '<' ? "&lt;"
                              : bytes[i] == '>' ? "&gt;"
                              : bytes[i] == '"' ? "&quot;"
                                                : NULL;
        if (meaning)
            kan_svg_raw(to, meaning);
        else if (length == 0 || is_forbidden(bytes + i, length))
            kan_text_add(to, "?", 1);
        else
            kan_text_add(to, bytes + i, length);
        i += length > 0 ? length : 1;
    }
}

void kan_svg_element(kan_text *to, const char *start, const char *text, const char *end) {
    kan_svg_raw(to, start);
    kan_svg_escape(to, text, strlen(text));
    kan_svg_raw(to, end);
}

void kan_svg_cut_element(kan_text *to, const char *start, kan_slice text, size_t most,
                         const char *end) {
    size_t n = 0, size = 0, fits = 0; /* fits: bytes that leave room for the ellipsis */
    while (size < text.size && n <= most) {
        const size_t length = kan_utf8_length(text.bytes + size, text.size - size);
        size += length > 0 ? length : 1;
        n++;
        if (n + 1 <= most)
            fits = size;
    }
    const bool is_long = n > most;
    kan_svg_raw(to, start);
    kan_svg_escape(to, text.bytes, is_long ? fits : text.size);
    kan_svg_raw(to, is_long ? "\u2026" : "");
    kan_svg_raw(to, end);
}

void kan_svg_number(kan_text *to, double value) {
    char plain[40];
    bool is_whole = fabs(value) < 1e9 && fabs(value - nearbyint(value)) < 1e-9 * fabs(value);
    if (!is_whole || fabs(value) < 1000) {
        kan_text_print(to, "%.6g", value);
        return;
    }
    snprintf(plain, sizeof plain, "%.0f", value);
    size_t size = strlen(plain);
    for (size_t i = 0; i < size; i++) {
        kan_text_add(to, plain + i, 1);
        if ((size - 1 - i) % 3 == 0 && i + 1 < size && plain[i] != '-')
            kan_text_add(to, ",", 1);
    }
}

void kan_svg_caption(kan_text *to, const char *caption, size_t columns, int x, int y, int most_y) {
    for (; *caption && y < most_y; y += 17) {
        size_t size = strlen(caption);
        if (size > columns) {
            for (size = columns; size > 0 && caption[size] != ' '; size--)
                continue;
            if (size == 0) /* one very long word */
                size = strcspn(caption, " ");
        }
        kan_text_print(to, "<text class=\"caption\" x=\"%d\" y=\"%d\">", x, y);
        kan_svg_escape(to, caption, size);
        kan_svg_raw(to, "</text>\n");
        caption += size;
        caption += strspn(caption, " ");
    }
}

double kan_svg_step(double length) {
    KAN_ASSERT(length > 0);
    const double raw = length / 6, power = pow(10, floor(log10(raw)));
    return raw <= power       ? power
           : raw <= 2 * power ? 2 * power
           : raw <= 5 * power ? 5 * power
                              : 10 * power;
}

/* ---- the page ------------------------------------------------------------------------------- */

static void add_colours(kan_text *to, const char *const *colours) {
    for (size_t s = 0; s < KAN_SVG_LOOKS; s++)
        kan_text_print(to, ".s%zu{stroke:%s;color:%s}", s, colours[s], colours[s]);
    kan_svg_raw(to, "\n");
}

static void add_style(kan_text *to, const kan_svg_page *page) {
    kan_svg_raw(to, "<style>\n"
                    "text{font-family:system-ui,sans-serif;font-size:14px;fill:#1a1a1a}\n"
                    ".title{font-size:17px;font-weight:600}.tick{font-size:13px}"
                    ".caption{font-size:13px}\n"
                    ".paper{fill:#fff}.axis{stroke:#1a1a1a;fill:none}.grid{stroke:#d8d8d8}\n");
    kan_svg_raw(to, page->rules);
    for (size_t s = 0; s < KAN_SVG_LOOKS; s++)
        kan_text_print(to, ".d%zu{stroke-dasharray:%s}", s, kan_svg_dashes[s]);
    kan_svg_raw(to, "\n");
    add_colours(to, inks);
    kan_svg_raw(to, "@media screen and (prefers-color-scheme:dark){\n"
                    "text{fill:#ececec}.paper{fill:#16181c}.axis{stroke:#ececec}"
                    ".grid{stroke:#3a3d44}\n");
    kan_svg_raw(to, page->dark_rules);
    add_colours(to, lights);
    kan_svg_raw(to, "}\n@media print{");
    kan_svg_raw(to, page->print_rules);
    kan_svg_raw(to, "}\n</style>\n");
}

void kan_svg_begin(kan_text *to, const kan_svg_page *page) {
    kan_text_print(to,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
                   "aria-labelledby=\"title description\">\n",
                   page->width, page->height);
    kan_svg_element(to, "<title id=\"title\">", page->title, "</title>\n");
    kan_svg_element(to, "<desc id=\"description\">", page->description, "</desc>\n");
    add_style(to, page);
    kan_text_print(to, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", page->width,
                   page->height);
    kan_text_print(to, "<text class=\"title\" x=\"%d\" y=\"%d\">", TITLE_X, TITLE_Y);
    kan_svg_element(to, "", page->title, "</text>\n");
}

void kan_svg_end(kan_text *to) {
    kan_svg_raw(to, "</svg>\n");
}
