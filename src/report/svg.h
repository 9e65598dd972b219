/* Pictures as SVG: what all of ours share. A picture follows the reader's light or dark scheme, is
 * black on white on paper, carries its title and description for those who do not see it, and asks
 * nothing of the network.
 *
 * Everything is added to a text; a failed allocation sticks there, and its status tells. */
#ifndef KANON_REPORT_SVG_H
#define KANON_REPORT_SVG_H

#include "core/text.h"

/* Looks: a dash pattern and a colour each, as the classes d0 .. d11 and s0 .. s11. What is told
 * apart by its colour is told apart by its dashes as well. */
enum { KAN_SVG_LOOKS = 12 };
extern const char *const kan_svg_dashes[KAN_SVG_LOOKS];

typedef struct kan_svg_page {
    const char *title;
    const char *description; /* what it shows, in a sentence, for screen readers */
    int width, height;
    /* Rules of style besides the common ones (text, .title, .tick, .caption, .paper, .axis, .grid,
     * and the looks): always, on a dark screen, on paper. */
    const char *rules, *dark_rules, *print_rules;
} kan_svg_page;

/* Everything up to the title that is seen; what follows is drawn over the paper. */
void kan_svg_begin(kan_text *to, const kan_svg_page *page);
void kan_svg_end(kan_text *to);

/* As it is. */
void kan_svg_raw(kan_text *to, const char *text);
/* Characters that XML gives a meaning are escaped; those that it forbids, and bytes that are not
 * UTF-8, become a question mark. */
void kan_svg_escape(kan_text *to, const char *bytes, size_t size);
/* `start`, the text escaped, `end`. */
void kan_svg_element(kan_text *to, const char *start, const char *text, const char *end);
/* The same; a text of more than `most` characters is cut, and ends with an ellipsis. */
void kan_svg_cut_element(kan_text *to, const char *start, kan_slice text, size_t most,
                         const char *end);
/* 1500 as "1,500", 0.25 as "0.25", 1e9 as "1e+09". */
void kan_svg_number(kan_text *to, double value);
/* Broken at blanks into lines of the class `caption`, the first at y, none at `most_y` or below. */
void kan_svg_caption(kan_text *to, const char *caption, size_t columns, int x, int y, int most_y);

/* The step of round ticks, one, two or five times a power of ten, that makes six or so of them over
 * a length above 0. */
double kan_svg_step(double length);

#endif
