/* Cells, and which codes a label covers. */
#include <stdlib.h>

#include "analyze/codes/codes_inside.h"

static kan_slice trim(kan_slice text) {
    while (text.size > 0 && text.bytes[0] == ' ')
        text = (kan_slice){text.bytes + 1, text.size - 1};
    while (text.size > 0 && text.bytes[text.size - 1] == ' ')
        text.size--;
    return text;
}

bool kan_code_sets_next(kan_slice *rest, char separator, kan_slice *code) {
    while (rest->size > 0) {
        const char *sign = memchr(rest->bytes, separator, rest->size);
        const size_t size = sign ? (size_t)(sign - rest->bytes) : rest->size;
        *code = trim((kan_slice){rest->bytes, size});
        const size_t taken = size + (sign != NULL);
        *rest = (kan_slice){rest->bytes + taken, rest->size - taken};
        if (code->size > 0)
            return true;
    }
    return false;
}

static int compare(const void *a, const void *b) {
    const kan_label_cover *x = a, *y = b;
    const int order = kan_slice_compare(x->label, y->label);
    return order != 0 ? order : (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

kan_status kan_label_covers_make(kan_run *run, const kan_hierarchy *hierarchy,
                                 kan_label_covers *out) {
    size_t n = 0, kept = 0;
    *out = (kan_label_covers){.run = run};
    KAN_TRY(kan_alloc(run, (size_t)hierarchy->n_codes * (hierarchy->height + 1), sizeof *out->all,
                      &out->all));
    for (unsigned level = 0; level <= hierarchy->height; level++)
        for (uint32_t leaf = 0; leaf < hierarchy->n_codes; leaf++) {
            const kan_level *l = &hierarchy->levels[level];
            out->all[n++] = (kan_label_cover){l->label[l->from_leaf[leaf]], leaf};
        }
    qsort(out->all, n, sizeof *out->all, compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare(&out->all[i - 1], &out->all[i]) != 0)
            out->all[kept++] = out->all[i];
    out->n = kept;
    return KAN_OK;
}

void kan_label_covers_destroy(kan_label_covers *covers) {
    kan_free(covers->run, covers->all);
    covers->all = NULL;
}

void kan_label_covers_find(const kan_label_covers *covers, kan_slice label, size_t *from,
                           size_t *to) {
    size_t low = 0, high = covers->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (kan_slice_compare(covers->all[middle].label, label) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *from = *to = low;
    while (*to < covers->n && kan_slice_equal(covers->all[*to].label, label))
        ++*to;
}

bool kan_label_covers_has(const kan_label_covers *covers, kan_slice label, uint32_t leaf) {
    const kan_label_cover wanted = {label, leaf};
    return bsearch(&wanted, covers->all, covers->n, sizeof wanted, compare) != NULL;
}
