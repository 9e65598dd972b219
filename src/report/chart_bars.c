/* Bars, as wide as the cell that they stand in. They are hidden from screen readers, which find the
 * numbers in the next cell. */
#include "report/chart.h"

static double percent(double part, double most) {
    const double share = most > 0 ? 100 * part / most : 0;
    return share < 0 ? 0 : share > 100 ? 100 : share;
}

/* What is not nothing can be seen. */
static double width(double part, double most) {
    const double share = percent(part, most);
    return part > 0 && share < 0.6 ? 0.6 : share;
}

void kan_chart_pair(kan_page *page, double before, double released, double most) {
    const bool has_before = before >= 0;
    kan_page_print(page,
                   "<svg class=\"bar%s\" viewBox=\"0 0 100 %d\" preserveAspectRatio=\"none\" "
                   "aria-hidden=\"true\">",
                   has_before ? "" : " thin", has_before ? 16 : 8);
    if (has_before && before > 0)
        kan_page_print(page, "<rect class=\"o\" y=\"1\" width=\"%.2f\" height=\"5\"/>",
                       width(before, most));
    kan_page_print(page, "<rect class=\"f\" y=\"%d\" width=\"%.2f\" height=\"7\"/></svg>",
                   has_before ? 9 : 0, width(released, most));
}

void kan_chart_legend(kan_page *page, const char *before, const char *released) {
    kan_page_raw(page, "<p class=\"legend\">");
    if (before)
        kan_page_print(page,
                       "<span><svg viewBox=\"0 0 32 12\" aria-hidden=\"true\"><rect class=\"o\" "
                       "x=\"1\" y=\"2\" width=\"30\" height=\"8\"/></svg>%s</span>",
                       before);
    if (released)
        kan_page_print(page,
                       "<span><svg viewBox=\"0 0 32 12\" aria-hidden=\"true\"><rect class=\"f\" "
                       "x=\"1\" y=\"1\" width=\"30\" height=\"10\"/></svg>%s</span>",
                       released);
    kan_page_raw(page, "</p>\n");
}

void kan_chart_meter(kan_page *page, double share, double limit, bool is_before) {
    kan_page_raw(page, "<svg class=\"bar thin\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
                       "aria-hidden=\"true\"><rect class=\"t\" width=\"100\" height=\"8\"/>");
    kan_page_print(page, "<rect class=\"%s\" width=\"%.2f\" height=\"8\"/>", is_before ? "o" : "f",
                   width(share, 1));
    if (limit >= 0)
        kan_page_print(page, "<path class=\"limit\" d=\"M%.2f -2V10\"/>", percent(limit, 1));
    kan_page_raw(page, "</svg>");
}

void kan_chart_middle(kan_page *page, double whole, double part, double most) {
    const double all = width(whole, most), some = part > 0 ? width(part, most) : 0;
    kan_page_print(page,
                   "<svg class=\"bar thin\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
                   "aria-hidden=\"true\"><rect class=\"o\" x=\"%.2f\" width=\"%.2f\" "
                   "height=\"8\"/><rect class=\"f\" x=\"%.2f\" width=\"%.2f\" height=\"8\"/></svg>",
                   50 - all / 2, all, 50 - some / 2, some);
}

/* ---- pictures ------------------------------------------------------------------------------- */

/* Base64, four characters for three bytes. */
static void add_encoded(kan_text *to, const char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char room[4 * 256];
    size_t n = 0;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t word = (uint32_t)(unsigned char)bytes[i] << 16 |
                              (left > 1 ? (uint32_t)(unsigned char)bytes[i + 1] << 8 : 0) |
                              (left > 2 ? (uint32_t)(unsigned char)bytes[i + 2] : 0);
        room[n++] = digits[word >> 18 & 63];
        room[n++] = digits[word >> 12 & 63];
        room[n++] = left > 1 ? digits[word >> 6 & 63] : '=';
        room[n++] = left > 2 ? digits[word & 63] : '=';
        if (n == sizeof room) {
            kan_text_add(to, room, n);
            n = 0;
        }
    }
    kan_text_add(to, room, n);
}

void kan_chart_image(kan_page *page, const json_t *svg, const char *words) {
    kan_page_raw(page, "<div class=\"picture wide\" tabindex=\"0\" role=\"group\" "
                       "aria-label=\"Picture, may be scrolled\"><img alt=\"");
    kan_page_text(page, words, strlen(words), 400);
    kan_page_raw(page, "\" src=\"data:image/svg+xml;base64,");
    add_encoded(page->to, json_string_value(svg), json_string_length(svg));
    kan_page_raw(page, "\"></div>\n");
}
