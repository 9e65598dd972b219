/* Ranges by their bounds: see spans.h. */
#include "analyze/recodings/spans.h"

#include <stdlib.h>

typedef struct {
    kan_spans *spans;
    uint32_t code;
} reading;

static kan_status add_span(void *context, const kan_label_range *range) {
    const reading *r = context;
    kan_spans *s = r->spans;
    KAN_TRY(kan_reserve(s->run, s->n + 1, sizeof *s->spans, &s->capacity, &s->spans));
    s->spans[s->n++] = (kan_span){*range, r->code};
    return KAN_OK;
}

static kan_status ignore_codes(void *context, uint32_t first, uint32_t end) {
    (void)context, (void)first, (void)end;
    return KAN_OK;
}

static int compare_spans(const void *a, const void *b) {
    const kan_span *x = a, *y = b;
    if (x->range.lo != y->range.lo)
        return x->range.lo < y->range.lo ? -1 : 1;
    if (x->range.lo_is_open != y->range.lo_is_open)
        return x->range.lo_is_open ? 1 : -1;
    return x->code < y->code ? -1 : x->code > y->code;
}

/* What is a value or the name of a node is that alone, however it looks. */
static bool is_named(const kan_labels *l, uint32_t code) {
    return l->is_named[code] || kan_labels_is_star(l, code);
}

kan_status kan_spans_make(kan_run *run, const kan_labels *l, kan_spans *out) {
    kan_label_reader reader;
    reading r = {.spans = out};
    *out = (kan_spans){.run = run};
    kan_status status = kan_label_reader_init(&reader, run, l->relation.original);
    for (uint32_t code = 0; code < l->n && status == KAN_OK; code++) {
        r.code = code;
        if (l->first_row[code] && !is_named(l, code))
            status =
                kan_label_read_ranges(&reader, kan_dictionary_value(&l->column->dictionary, code),
                                      ignore_codes, add_span, &r);
    }
    kan_label_reader_destroy(&reader);
    if (status == KAN_OK && out->n > 0)
        qsort(out->spans, out->n, sizeof *out->spans, compare_spans);
    return status;
}

void kan_spans_destroy(kan_spans *spans) {
    kan_free(spans->run, spans->spans);
    *spans = (kan_spans){.run = spans->run};
}

unsigned kan_span_shares(const kan_span *a, const kan_span *b) {
    const kan_label_range *x = &a->range, *y = &b->range;
    const double lo = x->lo < y->lo ? y->lo : x->lo, hi = x->hi < y->hi ? x->hi : y->hi;
    const bool is_open = (x->lo == lo && x->lo_is_open) || (y->lo == lo && y->lo_is_open) ||
                         (x->hi == hi && x->hi_is_open) || (y->hi == hi && y->hi_is_open);
    if (lo < hi)
        return 2;
    return lo == hi && !is_open;
}
