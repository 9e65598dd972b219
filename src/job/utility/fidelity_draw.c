/* The picture that --picture asks for: what report/fidelity_picture.h draws, from what was measured. */
#include <stdio.h>

#include "core/wording.h"
#include "io/streams/streams.h"
#include "job/tell/tell.h"
#include "job/utility/utility_inside.h"
#include "report/fidelity_picture.h"

/* Of a column: its shares, and its classes by name. */
typedef struct {
    double before[KAN_MOST_CLASSES], after[KAN_MOST_CLASSES];
    kan_text names[KAN_MOST_CLASSES];
    kan_slice classes[KAN_MOST_CLASSES];
    size_t n;
    char caption[160];
} drawn_column;

typedef struct {
    const kan_fidelity_walk *w;
    drawn_column *columns;
    kan_fidelity_panel *panels;
} drawing;

static void caption_column(const kan_column_fidelity *column, char *room, size_t size) {
    char exact[KAN_PERCENT_BYTES], coarser[KAN_PERCENT_BYTES], hidden[KAN_PERCENT_BYTES];
    char moved[KAN_PERCENT_BYTES];
    if (column->exact == 1 && column->even.variation == 0)
        snprintf(room, size, "as it was");
    else
        snprintf(room, size, "%s exact, %s coarser, %s hidden; %s of the rows moved",
                 kan_percent_text(100 * column->exact, KAN_PERCENT_TIGHT, exact),
                 kan_percent_text(100 * column->coarser, KAN_PERCENT_TIGHT, coarser),
                 kan_percent_text(100 * column->hidden, KAN_PERCENT_TIGHT, hidden),
                 kan_percent_text(100 * column->even.variation, KAN_PERCENT_TIGHT, moved));
}

static kan_status take_column(const drawing *d, size_t c) {
    const kan_fidelity_walk *w = d->w;
    drawn_column *column = &d->columns[c];
    column->n = kan_fidelity_class_shares(w->fidelity, c, column->before, column->after);
    for (size_t i = 0; i < column->n; i++)
        kan_text_init(&column->names[i], w->run);
    for (size_t i = 0; i < column->n; i++) {
        kan_text *name = &column->names[i];
        kan_fidelity_add_class(w->fidelity, c, i, name);
        KAN_TRY(kan_text_status(name));
        column->classes[i] =
            name->size > 0 ? (kan_slice){name->bytes, name->size} : kan_slice_of("(empty)");
    }
    caption_column(&w->of_columns[c], column->caption, sizeof column->caption);
    d->panels[c] = (kan_fidelity_panel){.name = w->columns[c].original->name,
                                        .caption = column->caption,
                                        .n = column->n,
                                        .classes = column->classes,
                                        .before = column->before,
                                        .after = column->after};
    return KAN_OK;
}

static kan_status draw(drawing *d, kan_text *to) {
    const kan_fidelity_walk *w = d->w;
    const kan_propensity *found = &w->propensity;
    char caption[512];
    KAN_TRY(kan_alloc_zero(w->run, w->n, sizeof *d->columns, &d->columns));
    KAN_TRY(kan_alloc(w->run, w->n, sizeof *d->panels, &d->panels));
    for (size_t c = 0; c < w->n; c++)
        KAN_TRY(take_column(d, c));
    kan_fidelity_propensity_words(w, caption, sizeof caption);
    const kan_fidelity_sketch sketch = {
        .release = w->release.name,
        .original = w->original.name,
        .n_columns = w->n,
        .columns = d->panels,
        .n_steps = found->absent == KAN_ABSENT_NOT ? KAN_PROPENSITY_BINS : 0,
        .before = found->original,
        .after = found->released,
        .least = found->least,
        .greatest = found->greatest,
        .share = found->released_share,
        .caption = caption};
    return kan_fidelity_sketch_print(&sketch, to);
}

kan_status kan_fidelity_picture(const kan_fidelity_walk *w, kan_text *to) {
    drawing d = {.w = w};
    const kan_status status = draw(&d, to);
    for (size_t c = 0; d.columns && c < w->n; c++)
        for (size_t i = 0; i < d.columns[c].n; i++)
            kan_text_destroy(&d.columns[c].names[i]);
    kan_free(w->run, d.columns);
    kan_free(w->run, d.panels);
    return status;
}

kan_status kan_fidelity_draw(const kan_fidelity_walk *w) {
    const kan_options *options = &w->job->options;
    const char *path = kan_options_find(options, "picture");
    kan_text text;
    if (!path)
        return KAN_OK;
    kan_text_init(&text, w->run);
    kan_status status = kan_fidelity_picture(w, &text);
    if (status == KAN_OK)
        status = kan_target_put(w->run, path, kan_options_switch(options, "force"),
                                KAN_TARGET_PRIVATE, text.bytes, text.size);
    kan_text_destroy(&text);
    return status;
}
