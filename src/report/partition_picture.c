/* Pictures of partitions: see partition_picture.h.
 *
 * Spans of cells are put on a raster of half pixels; cells whose spans are the same are one shape.
 * A group is then a pair of shapes, and equal pairs are one figure. Figures are drawn large ones
 * first, so that none hides another, each as one path: a group whose values are not neighbours has
 * several rectangles, which share an outline. n log n for n groups. */
#include "report/partition_picture.h"

#include <math.h>
#include <stdlib.h>

#include "report/partition_axis.h"
#include "report/svg.h"

enum {
    WIDTH = 900,
    HEIGHT = 700,
    TOP = 52,
    RIGHT = 746,
    LEGEND = 766,
    CAPTION_Y = 648,
    CAPTION_COLUMNS = 128,
    LABEL_MOST = 22, /* characters of a category */
    LABEL_ROOM = 13, /* pixels from one to the next */
    SHADES = 5,
    MOST_TURNS = 110, /* figures of several rectangles, ten of each look */
    MOST_RECTANGLES = 20000
};

/* A part of an axis, on the raster. */
typedef struct {
    unsigned from, to;
} stretch;

/* What cells look like on one axis. */
typedef struct {
    const stretch *stretches;
    size_t n;
    unsigned length; /* of all together */
    uint32_t cell;
} shape;

typedef struct {
    const kan_picture_column *column;
    kan_partition_axis axis;
    double start, length; /* pixels; y grows downwards, so its length is negative */
    stretch *stretches;
    shape *shapes; /* by cell, then sorted and without repetition */
    size_t n_shapes;
    uint32_t *shape_of; /* by cell */
} side;

/* Groups that look the same. */
typedef struct {
    uint32_t x, y; /* shapes */
    uint64_t n_rows;
    double area;
} figure;

typedef struct {
    kan_run *run;
    const kan_partition_picture *picture;
    side sides[2];
    int left, bottom;
    unsigned grain;                          /* half pixels of the raster */
    size_t n_figures, n_rectangles, n_apart; /* n_apart: figures of several rectangles */
    figure *figures;
    uint64_t least_rows, most_rows; /* of figures */
    double opacity[SHADES];
} drawing;

/* ---- the raster ----------------------------------------------------------------------------- */

static unsigned on_raster(const drawing *d, const side *s, double at) {
    const double grains = fabs(s->length) * 2 / d->grain;
    return (unsigned)nearbyint(fmin(fmax(at, 0), 1) * grains) * d->grain;
}

/* The stretches of a cell, ascending; what is thinner than a pixel becomes as thick, and what
 * touches is joined. */
static size_t put_on_raster(const drawing *d, const side *s, uint32_t cell, stretch *out) {
    size_t n = 0;
    const unsigned all = (unsigned)(fabs(s->length) * 2), least = d->grain > 2 ? d->grain : 2;
    for (size_t i = s->axis.first_span[cell]; i < s->axis.first_span[cell + 1]; i++) {
        stretch here = {on_raster(d, s, s->axis.spans[i].from),
                        on_raster(d, s, s->axis.spans[i].to)};
        if (here.to < here.from + least)
            here.to = here.from + least;
        if (here.to > all)
            here = (stretch){here.from < all - least ? here.from : all - least, all};
        if (n > 0 && here.from <= out[n - 1].to)
            out[n - 1].to = here.to > out[n - 1].to ? here.to : out[n - 1].to;
        else
            out[n++] = here;
    }
    return n;
}

static int compare_looks(const shape *a, const shape *b) {
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        const stretch *p = &a->stretches[i], *q = &b->stretches[i];
        if (p->from != q->from)
            return p->from < q->from ? -1 : 1;
        if (p->to != q->to)
            return p->to < q->to ? -1 : 1;
    }
    return (a->n > b->n) - (a->n < b->n);
}

static int compare_shapes(const void *a, const void *b) {
    const shape *p = a, *q = b;
    const int order = compare_looks(p, q);
    return order ? order : (p->cell > q->cell) - (p->cell < q->cell);
}

static void find_shapes(const drawing *d, side *s) {
    const uint32_t n_cells = s->column->cells->n;
    stretch *room = s->stretches;
    size_t n = 0;
    for (uint32_t cell = 0; cell < n_cells; cell++) {
        shape *here = &s->shapes[n];
        *here = (shape){.stretches = room, .cell = cell};
        here->n = put_on_raster(d, s, cell, room);
        for (size_t i = 0; i < here->n; i++)
            here->length += room[i].to - room[i].from;
        room += here->n;
        n += here->n > 0;
    }
    qsort(s->shapes, n, sizeof *s->shapes, compare_shapes);
    s->n_shapes = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || compare_looks(&s->shapes[s->n_shapes - 1], &s->shapes[i]) != 0)
            s->shapes[s->n_shapes++] = s->shapes[i];
        /* The place of the cell is kept apart: shapes move up. */
        s->shape_of[s->shapes[i].cell] = (uint32_t)(s->n_shapes - 1);
    }
}

/* ---- figures -------------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b) {
    const figure *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

static int compare_areas(const void *a, const void *b) {
    const figure *p = a, *q = b;
    if (p->area != q->area)
        return p->area > q->area ? -1 : 1;
    return compare_places(a, b);
}

static void find_figures(drawing *d) {
    const kan_partition_picture *picture = d->picture;
    figure *figures = d->figures;
    size_t n = 0;
    for (int i = 0; i < 2; i++)
        find_shapes(d, &d->sides[i]);
    for (size_t g = 0; g < picture->n_groups; g++)
        figures[g] = (figure){.x = d->sides[0].shape_of[picture->columns[0].cell_of[g]],
                              .y = d->sides[1].shape_of[picture->columns[1].cell_of[g]],
                              .n_rows = picture->n_rows[g]};
    qsort(figures, picture->n_groups, sizeof *figures, compare_places);
    d->n_rectangles = 0;
    for (size_t g = 0; g < picture->n_groups; g++) {
        if (n > 0 && compare_places(&figures[n - 1], &figures[g]) == 0) {
            figures[n - 1].n_rows += figures[g].n_rows;
            continue;
        }
        const shape *x = &d->sides[0].shapes[figures[g].x], *y = &d->sides[1].shapes[figures[g].y];
        figures[n] = figures[g];
        figures[n++].area = (double)x->length * (double)y->length;
        d->n_rectangles += x->n * y->n;
    }
    d->n_figures = n;
}

static bool is_apart(const drawing *d, const figure *f) {
    return d->sides[0].shapes[f->x].n > 1 || d->sides[1].shapes[f->y].n > 1;
}

/* Coarser and coarser until there are few enough. */
static void arrange(drawing *d) {
    double area = 0;
    for (d->grain = 1;; d->grain *= 2) {
        find_figures(d);
        if (d->n_rectangles <= MOST_RECTANGLES || d->grain >= 32)
            break;
    }
    qsort(d->figures, d->n_figures, sizeof *d->figures, compare_areas);
    d->least_rows = UINT64_MAX;
    d->most_rows = d->n_apart = 0;
    for (size_t i = 0; i < d->n_figures; i++) {
        area += d->figures[i].area;
        d->n_apart += is_apart(d, &d->figures[i]);
        d->least_rows = d->figures[i].n_rows < d->least_rows ? d->figures[i].n_rows : d->least_rows;
        d->most_rows = d->figures[i].n_rows > d->most_rows ? d->figures[i].n_rows : d->most_rows;
    }
    /* Where many lie above each other each is the fainter. */
    const double depth = fmax(1, area / (4 * fabs(d->sides[0].length) * fabs(d->sides[1].length)));
    for (unsigned i = 0; i < SHADES; i++)
        d->opacity[i] = fmax(0.02, (0.12 + 0.16 * i) / pow(depth, 0.75));
}

/* Shades are even steps of the logarithm. */
static uint64_t shade_from(const drawing *d, unsigned shade) {
    const double least = (double)d->least_rows, most = (double)d->most_rows + 1;
    return shade == 0 ? d->least_rows
                      : (uint64_t)ceil(least * pow(most / least, (double)shade / SHADES));
}

static unsigned shade_of(const drawing *d, uint64_t n_rows) {
    unsigned shade = 0;
    while (shade + 1 < SHADES && n_rows >= shade_from(d, shade + 1))
        shade++;
    return shade;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void add_half_pixels(kan_text *to, char command, unsigned halves) {
    char digits[24];
    size_t n = sizeof digits;
    if (halves % 2 == 1) {
        digits[--n] = '5';
        digits[--n] = '.';
    }
    halves /= 2;
    do {
        digits[--n] = (char)('0' + halves % 10);
        halves /= 10;
    } while (halves > 0);
    kan_text_add(to, &command, 1);
    kan_text_add(to, digits + n, sizeof digits - n);
}

static void add_figure(const drawing *d, const figure *f, size_t look, kan_text *to) {
    const shape *x = &d->sides[0].shapes[f->x], *y = &d->sides[1].shapes[f->y];
    kan_text_print(to, "<path class=\"g s%zu d%zu o%u\" d=\"", look, look, shade_of(d, f->n_rows));
    for (size_t i = 0; i < x->n; i++)
        for (size_t j = 0; j < y->n; j++) {
            const stretch *across = &x->stretches[i], *up = &y->stretches[j];
            add_half_pixels(to, 'M', 2 * (unsigned)d->left + across->from);
            add_half_pixels(to, ' ', 2 * (unsigned)d->bottom - up->to);
            add_half_pixels(to, 'h', across->to - across->from);
            add_half_pixels(to, 'v', up->to - up->from);
            add_half_pixels(to, 'H', 2 * (unsigned)d->left + across->from);
            kan_svg_raw(to, "z");
        }
    kan_svg_raw(to, "\"/>\n");
}

/* Figures in one piece have the first look, the others the rest in turn, unless they are so many
 * that looks would tell nothing. */
static void add_figures(const drawing *d, kan_text *to) {
    size_t turn = 0;
    for (size_t i = 0; i < d->n_figures && !to->failed; i++) {
        const figure *f = &d->figures[i];
        const bool has_turn = d->n_apart <= MOST_TURNS && is_apart(d, f);
        add_figure(d, f, has_turn ? 1 + turn % (KAN_SVG_LOOKS - 1) : 0, to);
        turn += has_turn;
    }
}

static void add_label(const side *s, bool is_x, double at, kan_slice label, const drawing *d,
                      kan_text *to) {
    const bool is_turned = is_x && !s->axis.is_scale;
    if (is_x)
        kan_text_print(to, "<path class=\"axis\" d=\"M%.1f %dv5\"/>", at, d->bottom);
    else
        kan_text_print(to, "<path class=\"axis\" d=\"M%d %.1fh-5\"/>", d->left, at);
    if (is_turned)
        kan_text_print(to,
                       "<text class=\"tick\" transform=\"translate(%.1f %d) rotate(-40)\" "
                       "text-anchor=\"end\">",
                       at + 4, d->bottom + 15);
    else if (is_x)
        kan_text_print(to, "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", at,
                       d->bottom + 20);
    else
        kan_text_print(to, "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                       d->left - 9, at + 4.5);
    kan_svg_cut_element(to, "", label, LABEL_MOST, "</text>\n");
}

/* Labels where they fit: the next is left out when the one before it is too near. */
static void add_axis(const drawing *d, bool is_x, kan_text *to) {
    const side *s = &d->sides[is_x ? 0 : 1];
    double room_from = -1;
    for (size_t i = 0; i < s->axis.n_ticks; i++) {
        const kan_axis_tick *tick = &s->axis.ticks[i];
        const double at = s->start + tick->at * s->length, along = tick->at * fabs(s->length);
        const double room =
            is_x && s->axis.is_scale
                ? 8 * (double)kan_text_columns(tick->label.bytes, tick->label.size) + 6
                : LABEL_ROOM;
        if (along < room_from)
            continue;
        add_label(s, is_x, at, tick->label, d, to);
        room_from = along + room;
    }
    if (is_x)
        kan_text_print(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
                       s->start + s->length / 2, CAPTION_Y - 24);
    else
        kan_text_print(to,
                       "<text transform=\"translate(20 %.1f) rotate(-90)\" "
                       "text-anchor=\"middle\">",
                       s->start + s->length / 2);
    kan_svg_cut_element(to, "", kan_slice_of(s->column->name), 60, "</text>\n");
}

static void add_legend(const drawing *d, kan_text *to) {
    char from[32], upto[32];
    int y = TOP + 12;
    kan_text_print(to, "<text x=\"%d\" y=\"%d\">rows</text>\n", LEGEND, y);
    for (unsigned i = 0; i < SHADES; i++) {
        const uint64_t first = shade_from(d, i);
        const uint64_t last = i + 1 < SHADES ? shade_from(d, i + 1) - 1 : d->most_rows;
        if (first > last || (i > 0 && first > d->most_rows))
            continue;
        y += 28;
        /* Over itself as often as shades need to be seen apart here, too. */
        kan_text_print(to,
                       "<rect class=\"g s0 d0\" fill-opacity=\"%.2f\" x=\"%d\" y=\"%d\" "
                       "width=\"26\" height=\"18\"/>",
                       0.12 + 0.16 * i, LEGEND, y - 14);
        kan_text_print(to, "<text class=\"tick\" x=\"%d\" y=\"%d\">%s", LEGEND + 34, y,
                       kan_count_text(first, from));
        if (last > first)
            kan_text_print(to, "\u2013%s", kan_count_text(last, upto));
        kan_svg_raw(to, "</text>\n");
    }
    if (d->n_apart == 0 || d->n_apart > MOST_TURNS)
        return;
    static const char *const lines[] = {"dashed, in colour:", "rectangles that look",
                                        "alike are one group"};
    y += 20;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        kan_text_print(to, "<text class=\"tick\" x=\"%d\" y=\"%d\">%s</text>\n", LEGEND, y += 17,
                       lines[i]);
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool has_nameless(const kan_partition_axis *axis) {
    return !axis->is_scale && axis->n_ticks < axis->n_steps;
}

static void write_caption(const drawing *d, kan_text *to) {
    char rows[32], groups[32], figures[32], least[32];
    const kan_partition_picture *picture = d->picture;
    uint64_t n_rows = 0, smallest = UINT64_MAX;
    for (size_t g = 0; g < picture->n_groups; g++) {
        n_rows += picture->n_rows[g];
        smallest = picture->n_rows[g] < smallest ? picture->n_rows[g] : smallest;
    }
    kan_text_print(to, "%s %s in %s group%s of at least %s %s; ", kan_count_text(n_rows, rows),
                   kan_plural(n_rows, "row", "rows"), kan_count_text(picture->n_groups, groups),
                   picture->n_groups == 1 ? "" : "s", kan_count_text(smallest, least),
                   kan_plural(smallest, "row", "rows"));
    kan_text_print(to, "%s different figure%s %s drawn, large ones first. ",
                   kan_count_text(d->n_figures, figures), d->n_figures == 1 ? "" : "s",
                   d->n_figures == 1 ? "is" : "are");
    if (d->grain > 1)
        kan_text_print(to, "Those that are nearer than %u pixels count as the same. ",
                       d->grain / 2);
    if (d->n_apart > MOST_TURNS)
        kan_text_print(to, "%s of them are several rectangles each. ",
                       kan_count_text(d->n_apart, figures));
    if (picture->n_quasi > 2)
        kan_text_print(to,
                       "Groups differ in %u more column%s, so figures overlap, and groups that "
                       "show the same here are one. ",
                       picture->n_quasi - 2, picture->n_quasi == 3 ? "" : "s");
    if (has_nameless(&d->sides[0].axis) || has_nameless(&d->sides[1].axis))
        kan_svg_raw(to, "A step without a name stands for values that the release does not name. ");
    kan_svg_raw(to,
                "The stronger the shade, the more rows. Bounds are those that the release shows.");
}

static void write_description(const drawing *d, kan_text *to) {
    kan_text_print(to,
                   "Rectangles: what the groups of a release show of %s, across, and of %s, "
                   "upwards. ",
                   d->picture->columns[0].name, d->picture->columns[1].name);
    write_caption(d, to);
}

static void write_title(const drawing *d, kan_text *to) {
    kan_text_print(to, "The partition by %s and %s", d->picture->columns[0].name,
                   d->picture->columns[1].name);
}

static void write_rules(const drawing *d, kan_text *to) {
    kan_text_print(to, ".g{fill:currentColor;stroke-width:%s}\n", d->n_figures > 600 ? ".3" : ".8");
    for (unsigned i = 0; i < SHADES; i++)
        kan_text_print(to, ".o%u{fill-opacity:%.3f}", i, d->opacity[i]);
    kan_svg_raw(to, "\n");
}

static kan_status write_all(const drawing *d, kan_text *words, kan_text *to) {
    void (*const write[])(const drawing *, kan_text *) = {write_title, write_description,
                                                          write_caption, write_rules};
    for (int i = 0; i < 4; i++) {
        write[i](d, &words[i]);
        KAN_TRY(kan_text_status(&words[i]));
    }
    const kan_svg_page page = {.title = words[0].bytes,
                               .description = words[1].bytes,
                               .width = WIDTH,
                               .height = HEIGHT,
                               .rules = words[3].bytes,
                               .dark_rules = "",
                               .print_rules = ".g{stroke:#000;color:#000}"};
    kan_svg_begin(to, &page);
    add_figures(d, to);
    kan_text_print(to, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", d->left, TOP, d->bottom,
                   RIGHT);
    add_axis(d, true, to);
    add_axis(d, false, to);
    add_legend(d, to);
    kan_svg_caption(to, words[2].bytes, CAPTION_COLUMNS, 24, CAPTION_Y, HEIGHT);
    kan_svg_end(to);
    return kan_text_status(to);
}

/* ---- the picture ---------------------------------------------------------------------------- */

static kan_status make_side(drawing *d, int which) {
    side *s = &d->sides[which];
    const uint32_t n_cells = s->column->cells->n;
    KAN_TRY(kan_partition_axis_make(d->run, s->column->domain, s->column->cells, s->column->names,
                                    &s->axis));
    KAN_TRY(kan_alloc(d->run, s->axis.first_span[n_cells], sizeof *s->stretches, &s->stretches));
    KAN_TRY(kan_alloc(d->run, n_cells, sizeof *s->shapes, &s->shapes));
    return kan_alloc_zero(d->run, n_cells, sizeof *s->shape_of, &s->shape_of);
}

static void lay_out(drawing *d) {
    d->left = d->sides[1].axis.is_scale ? 96 : 190;
    d->bottom = d->sides[0].axis.is_scale ? CAPTION_Y - 64 : CAPTION_Y - 150;
    d->sides[0].start = d->left;
    d->sides[0].length = RIGHT - d->left;
    d->sides[1].start = d->bottom;
    d->sides[1].length = TOP - d->bottom;
}

kan_status kan_partition_picture_print(kan_run *run, const kan_partition_picture *picture,
                                       kan_text *out) {
    kan_status status;
    drawing d = {.run = run, .picture = picture};
    kan_text words[4];
    for (int i = 0; i < 4; i++)
        kan_text_init(&words[i], run);
    for (int i = 0; i < 2; i++) {
        d.sides[i].column = &picture->columns[i];
        KAN_TRY_DONE(make_side(&d, i));
    }
    KAN_TRY_DONE(kan_alloc(run, picture->n_groups, sizeof *d.figures, &d.figures));
    lay_out(&d);
    arrange(&d);
    KAN_TRY_DONE(write_all(&d, words, out));
done:
    for (int i = 0; i < 2; i++) {
        kan_partition_axis_destroy(&d.sides[i].axis);
        kan_free(run, d.sides[i].stretches);
        kan_free(run, d.sides[i].shapes);
        kan_free(run, d.sides[i].shape_of);
    }
    for (int i = 0; i < 4; i++)
        kan_text_destroy(&words[i]);
    kan_free(run, d.figures);
    return status;
}
