/* The lattice of a small full-domain search: nodes in rows by height, the lowest levels at the bottom,
 * the highest at the top, and a line where one column goes up by one level.
 *
 * Shapes tell nodes apart: an open circle fails, a full one keeps the promise, a square is minimal,
 * a diamond is the chosen one. */
#include "core/memory.h"
#include "data/hierarchies/hierarchies.h"
#include "data/table.h"
#include "report/chart.h"

enum { WIDTH = 760, ROW = 46, TOP = 26, LEFT = 60, MOST_EDGES = 1200, LABELLED_PER_ROW = 9 };

typedef struct {
    const json_t *node;
    unsigned height, place; /* in its row */
    double x, y;
} spot;

typedef struct {
    kan_page *page;
    size_t n, n_attributes;
    spot *spots;
    unsigned first, n_heights; /* the least height, and one more than the greatest */
    unsigned *row;             /* nodes of each height */
} picture;

static int level(const spot *s, size_t a) {
    return (int)json_integer_value(json_array_get(json_object_get(s->node, "levels"), a));
}

static bool is_on(const spot *s, const char *key) {
    return json_is_true(json_object_get(s->node, key));
}

static void place_spots(picture *p) {
    for (size_t i = 0; i < p->n; i++) {
        spot *s = &p->spots[i];
        const unsigned n = p->row[s->height];
        s->x = LEFT + (WIDTH - LEFT - 20.0) * (s->place + 0.5) / n;
        s->y = TOP + (double)(p->n_heights - 1 - s->height) * ROW;
    }
}

/* Whether b stands right above a. */
static bool is_next(const picture *p, const spot *a, const spot *b) {
    unsigned n_more = 0;
    for (size_t i = 0; i < p->n_attributes; i++) {
        const int step = level(b, i) - level(a, i);
        if (step < 0 || step > 1)
            return false;
        n_more += (unsigned)step;
    }
    return n_more == 1;
}

static void add_edges(picture *p) {
    size_t n = 0;
    kan_page_raw(p->page, "<path class=\"edge\" d=\"");
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = i + 1; j < p->n && n < MOST_EDGES; j++)
            if (p->spots[j].height == p->spots[i].height + 1 &&
                is_next(p, &p->spots[i], &p->spots[j])) {
                kan_page_print(p->page, "M%.1f %.1fL%.1f %.1f", p->spots[i].x, p->spots[i].y,
                               p->spots[j].x, p->spots[j].y);
                n++;
            }
    kan_page_raw(p->page, "\"/>\n");
}

/* How a combination is drawn. */
typedef enum { CHOSEN, MINIMAL, PASSES, FAILS, N_LOOKS } look;

static look look_of(const spot *s) {
    return is_on(s, "chosen")    ? CHOSEN
           : is_on(s, "minimal") ? MINIMAL
           : is_on(s, "passes")  ? PASSES
                                 : FAILS;
}

static void add_name(picture *p, const spot *s) {
    for (size_t a = 0; a < p->n_attributes; a++)
        kan_page_print(p->page, "%s%d", a > 0 ? "," : "", level(s, a));
}

static void add_spot(picture *p, const spot *s) {
    kan_page_raw(p->page, "<g><title>");
    add_name(p, s);
    static const char *const words[N_LOOKS] = {"the chosen one", "keeps the promise, minimal",
                                               "keeps the promise", "does not keep the promise"};
    const look l = look_of(s);
    kan_page_print(p->page, ": %s</title>", words[l]);
    if (l == CHOSEN)
        kan_page_print(p->page, "<path class=\"chosen\" d=\"M%.1f %.1fl9 9l-9 9l-9 -9z\"/>", s->x,
                       s->y - 9);
    else if (l == MINIMAL)
        kan_page_print(p->page,
                       "<rect class=\"least\" x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\"/>",
                       s->x - 5.5, s->y - 5.5);
    else
        kan_page_print(p->page, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>",
                       l == PASSES ? "passes" : "fails", s->x, s->y);
    kan_page_raw(p->page, "</g>\n");
    if (p->row[s->height] <= LABELLED_PER_ROW && p->n_attributes <= 6) {
        kan_page_print(p->page, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\">", s->x + 12, s->y + 4);
        add_name(p, s);
        kan_page_raw(p->page, "</text>\n");
    }
}

static void draw(picture *p) {
    const double height = TOP * 2 + (double)(p->n_heights - 1 - p->first) * ROW;
    kan_page_print(
        p->page,
        "<div class=\"picture wide\" tabindex=\"0\" role=\"group\" aria-label=\"Picture, "
        "may be scrolled\"><svg viewBox=\"0 0 %d %.0f\" role=\"img\" "
        "aria-label=\"All combinations of levels, in rows by their sum. The table "
        "below has their numbers.\">\n",
        WIDTH, height);
    for (unsigned h = p->first; h < p->n_heights; h++)
        kan_page_print(p->page, "<text class=\"soft\" x=\"4\" y=\"%.1f\">%s%u</text>\n",
                       TOP + (double)(p->n_heights - 1 - h) * ROW + 4,
                       h + 1 == p->n_heights ? "height " : "", h);
    add_edges(p);
    for (size_t i = 0; i < p->n; i++)
        add_spot(p, &p->spots[i]);
    kan_page_raw(p->page, "</svg></div>\n");
}

/* Of what is drawn. */
static void add_signs(const picture *p) {
    static const char *const signs[N_LOOKS][2] = {
        [CHOSEN] = {"<path class=\"chosen\" d=\"M16 -1l8 8l-8 8l-8 -8z\"/>", "the chosen one"},
        [MINIMAL] = {"<rect class=\"least\" x=\"10\" y=\"1\" width=\"11\" height=\"11\"/>",
                     "minimal"},
        [PASSES] = {"<circle class=\"passes\" cx=\"16\" cy=\"7\" r=\"6\"/>", "keeps the promise"},
        [FAILS] = {"<circle class=\"fails\" cx=\"16\" cy=\"7\" r=\"6\"/>",
                   "does not keep the promise"},
    };
    bool is_drawn[N_LOOKS] = {false};
    for (size_t i = 0; i < p->n; i++)
        is_drawn[look_of(&p->spots[i])] = true;
    kan_page_raw(p->page, "<p class=\"legend\">");
    for (look l = CHOSEN; l < N_LOOKS; l++)
        if (is_drawn[l])
            kan_page_print(
                p->page, "<span><svg viewBox=\"0 0 32 14\" aria-hidden=\"true\">%s</svg>%s</span>",
                signs[l][0], signs[l][1]);
    kan_page_raw(p->page, "</p>\n");
}

static kan_status fill(picture *p, const json_t *nodes) {
    kan_run *run = p->page->to->run;
    KAN_TRY(kan_alloc_zero(run, p->n, sizeof *p->spots, &p->spots));
    for (size_t i = 0; i < p->n; i++) {
        spot *s = &p->spots[i];
        s->node = json_array_get(nodes, i);
        for (size_t a = 0; a < p->n_attributes; a++) {
            const int l = level(s, a);
            s->height += l > 0 && l < KAN_HEIGHT_MOST ? (unsigned)l : 0;
        }
        p->first = i == 0 || s->height < p->first ? s->height : p->first;
        p->n_heights = s->height + 1 > p->n_heights ? s->height + 1 : p->n_heights;
    }
    KAN_TRY(kan_alloc_zero(run, p->n_heights, sizeof *p->row, &p->row));
    for (size_t i = 0; i < p->n; i++)
        p->spots[i].place = p->row[p->spots[i].height]++;
    place_spots(p);
    return KAN_OK;
}

kan_status kan_chart_lattice(kan_page *page) {
    enum { MOST_NODES = 300 };
    const json_t *nodes = kan_page_find(page, "report.lattice.nodes");
    picture p = {.page = page,
                 .n = json_array_size(nodes),
                 .n_attributes = kan_page_size(page, "quasi_identifiers")};
    if (p.n == 0 || p.n > MOST_NODES || p.n_attributes > KAN_MAX_ATTRIBUTES)
        return KAN_OK;
    const kan_status status = fill(&p, nodes);
    if (status == KAN_OK) {
        add_signs(&p);
        draw(&p);
    }
    kan_free(page->to->run, p.spots);
    kan_free(page->to->run, p.row);
    return status;
}
