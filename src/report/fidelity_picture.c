/* A panel for each column, in two rows of panels side by side, the next one where there is more room; at
 * the bottom the guesses. Each class has a pair of bars: before, outlined, and after, filled. */
#include "report/fidelity_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/wording.h"

enum {
    WIDTH = 960,
    MARGIN = 24,
    GAP = 32,
    PANEL = (WIDTH - 2 * MARGIN - GAP) / 2,
    TOP = 92,
    HEAD = 46,
    LINE = 21,
    FOOT = 26,
    LABEL = 150,
    FIGURES = 108,
    BARS = PANEL - LABEL - FIGURES,
    GUESSES = 210,
    LETTERS = 20 /* of a label */
};

static const char rules[] =
    ".name{font-weight:600}.figure{font-size:12px}.label{font-size:13px}\n"
    ".before{fill:none;stroke:#1a1a1a}.after{fill:#1f4e9c}.share{stroke:#b3430e;stroke-width:2}\n";
static const char dark_rules[] =
    ".before{stroke:#ececec}.after{fill:#8fb8ff}.share{stroke:#ffa873}";
static const char print_rules[] = ".after{fill:#555}";

static int height_of(const kan_fidelity_panel *panel) {
    return HEAD + (int)panel->n * LINE + FOOT;
}

/* Where each column stands: the next panel goes where less is. */
static int find_bottom(const kan_fidelity_sketch *picture, int *x, int *y) {
    int bottom[2] = {TOP, TOP};
    for (size_t c = 0; c < picture->n_columns; c++) {
        const int side = bottom[1] < bottom[0];
        if (x) {
            x[0] = MARGIN + side * (PANEL + GAP);
            y[0] = bottom[side];
            x++;
            y++;
        }
        bottom[side] += height_of(&picture->columns[c]);
    }
    return bottom[0] > bottom[1] ? bottom[0] : bottom[1];
}

/* ---- columns -------------------------------------------------------------------------------- */

static void add_share(double share, kan_text *to) {
    char room[KAN_PERCENT_BYTES];
    kan_svg_element(to, "", kan_percent_text(100 * share, KAN_PERCENT_TIGHT, room), "");
}

static void add_class(const kan_fidelity_panel *panel, size_t i, double most, int x, int y,
                      kan_text *to) {
    const double scale = most > 0 ? BARS / most : 0;
    char start[128];
    snprintf(start, sizeof start, "<text class=\"label\" text-anchor=\"end\" x=\"%d\" y=\"%d\">",
             x + LABEL - 8, y + 13);
    kan_svg_cut_element(to, start, panel->classes[i], LETTERS, "</text>");
    kan_text_print(to,
                   "<rect class=\"before\" x=\"%d.5\" y=\"%d.5\" width=\"%.1f\" height=\"6\"/>"
                   "<rect class=\"after\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"7\"/>",
                   x + LABEL, y + 2, panel->before[i] * scale, x + LABEL, y + 9,
                   panel->after[i] * scale);
    kan_text_print(to, "<text class=\"figure\" x=\"%d\" y=\"%d\">", x + LABEL + BARS + 8, y + 13);
    add_share(panel->before[i], to);
    kan_svg_raw(to, " \u2192 ");
    add_share(panel->after[i], to);
    kan_svg_raw(to, "</text>\n");
}

static void add_panel(const kan_fidelity_panel *panel, int x, int y, kan_text *to) {
    double most = 0;
    char start[96];
    for (size_t i = 0; i < panel->n; i++)
        most = fmax(most, fmax(panel->before[i], panel->after[i]));
    snprintf(start, sizeof start, "<text class=\"name\" x=\"%d\" y=\"%d\">", x, y + 16);
    kan_svg_cut_element(to, start, kan_slice_of(panel->name), 50, "</text>\n");
    snprintf(start, sizeof start, "<text class=\"caption\" x=\"%d\" y=\"%d\">", x, y + 35);
    kan_svg_element(to, start, panel->caption, "</text>\n");
    for (size_t i = 0; i < panel->n; i++)
        add_class(panel, i, most, x, y + HEAD + (int)i * LINE, to);
    kan_text_print(to, "<path class=\"axis\" d=\"M%d %dV%d\"/>\n", x + LABEL, y + HEAD,
                   y + HEAD + (int)panel->n * LINE);
}

/* ---- guesses -------------------------------------------------------------------------------- */

static double across(const kan_fidelity_sketch *picture, double guess) {
    return MARGIN +
           (WIDTH - 2 * MARGIN) * (guess - picture->least) / (picture->greatest - picture->least);
}

static void add_ticks(const kan_fidelity_sketch *picture, int bottom, kan_text *to) {
    const double step = kan_svg_step(picture->greatest - picture->least);
    for (double i = ceil(picture->least / step); i * step <= picture->greatest; i++) {
        const double x = across(picture, i * step);
        kan_text_print(
            to,
            "<path class=\"axis\" d=\"M%.1f %dv5\"/>"
            "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%.6g</text>\n",
            x, bottom, x, bottom + 20, i == 0 ? 0 : i * step);
    }
}

static void add_steps(const kan_fidelity_sketch *picture, int top, kan_text *to) {
    const int bottom = top + GUESSES - 82;
    const double width = (WIDTH - 2.0 * MARGIN) / (double)picture->n_steps;
    double most = 0;
    for (size_t i = 0; i < picture->n_steps; i++)
        most = fmax(most, fmax(picture->before[i], picture->after[i]));
    const double scale = most > 0 ? (bottom - top) / most : 0;
    for (size_t i = 0; i < picture->n_steps; i++) {
        const double x = MARGIN + (double)i * width;
        const double before = picture->before[i] * scale, after = picture->after[i] * scale;
        kan_text_print(to,
                       "<rect class=\"before\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                       "height=\"%.1f\"/><rect class=\"after\" x=\"%.1f\" y=\"%.1f\" "
                       "width=\"%.1f\" height=\"%.1f\"/>\n",
                       x + 1, bottom - before, width / 2 - 1.5, before, x + width / 2,
                       bottom - after, width / 2 - 1, after);
    }
    kan_text_print(to, "<path class=\"axis\" d=\"M%d %dH%d\"/>\n", MARGIN, bottom, WIDTH - MARGIN);
    const double at = across(picture, picture->share);
    kan_text_print(to,
                   "<path class=\"share\" d=\"M%.1f %dV%d\"/>"
                   "<text class=\"figure\" text-anchor=\"%s\" x=\"%.1f\" y=\"%d\">knowing "
                   "nothing</text>\n",
                   at, top - 4, bottom, at > WIDTH / 2.0 ? "end" : "start",
                   at > WIDTH / 2.0 ? at - 6 : at + 6, top + 6);
    add_ticks(picture, bottom, to);
}

static void add_guesses(const kan_fidelity_sketch *picture, int y, kan_text *to) {
    kan_text_print(to,
                   "<text class=\"name\" x=\"%d\" y=\"%d\">Both tables together: how likely a "
                   "model takes a row for a released one</text>\n",
                   MARGIN, y + 16);
    kan_svg_caption(to, picture->caption, 130, MARGIN, y + 35, y + 60);
    if (picture->n_steps > 0 && picture->greatest > picture->least)
        add_steps(picture, y + 74, to);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void add_legend(kan_text *to) {
    kan_text_print(to,
                   "<rect class=\"before\" x=\"%d.5\" y=\"56.5\" width=\"30\" height=\"8\"/>"
                   "<text class=\"caption\" x=\"%d\" y=\"66\">before: the original</text>"
                   "<rect class=\"after\" x=\"%d\" y=\"56\" width=\"31\" height=\"9\"/>"
                   "<text class=\"caption\" x=\"%d\" y=\"66\">after: the release, coarser values "
                   "spread evenly over what they cover</text>\n",
                   MARGIN, MARGIN + 40, MARGIN + 210, MARGIN + 250);
}

static kan_status draw(const kan_fidelity_sketch *picture, const kan_svg_page *page, int *x,
                       kan_text *to) {
    int *y = x + picture->n_columns;
    const int bottom = find_bottom(picture, x, y);
    kan_svg_begin(to, page);
    add_legend(to);
    for (size_t c = 0; c < picture->n_columns; c++)
        add_panel(&picture->columns[c], x[c], y[c], to);
    add_guesses(picture, bottom, to);
    kan_svg_end(to);
    return kan_text_status(to);
}

/* Of a path. */
static const char *last_part(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash && slash[1] ? slash + 1 : name;
}

kan_status kan_fidelity_sketch_print(const kan_fidelity_sketch *picture, kan_text *to) {
    const bool has_steps = picture->n_steps > 0 && picture->greatest > picture->least;
    char title[256], description[768];
    int *places;
    snprintf(title, sizeof title,
             "What %.60s still says of %.60s. Private: for those who may see it",
             last_part(picture->release), last_part(picture->original));
    snprintf(
        description, sizeof description,
        "Of each of %zu columns the shares of rows by class, before and after, as pairs of bars "
        "with their figures; then the distribution of the guesses of a model which rows were "
        "released.",
        picture->n_columns);
    const kan_svg_page page = {.title = title,
                               .description = description,
                               .width = WIDTH,
                               .height = find_bottom(picture, NULL, NULL) +
                                         (has_steps ? GUESSES + 30 : 70),
                               .rules = rules,
                               .dark_rules = dark_rules,
                               .print_rules = print_rules};
    KAN_TRY(kan_alloc(to->run, 2 * picture->n_columns, sizeof *places, &places));
    const kan_status status = draw(picture, &page, places, to);
    kan_free(to->run, places);
    return status;
}
