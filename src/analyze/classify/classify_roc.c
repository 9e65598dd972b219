/* The area under the ROC curve, by ranks. */
#include <math.h>
#include <stdlib.h>

#include "analyze/classify/classify.h"
#include "core/memory.h"

typedef struct {
    double score;
    uint64_t of, others; /* units of the class, and of the others */
} scored;

static int compare_scores(const void *a, const void *b) {
    const scored *x = a, *y = b;
    return (x->score > y->score) - (x->score < y->score);
}

/* Units are whole numbers, and equal scores are added up before anything else is, so that the order
 * within them does not matter. */
kan_status kan_roc_area(kan_run *run, const double *scores, const uint64_t *units,
                        const uint8_t *is_of_class, uint64_t n, bool *has_area, double *area) {
    scored *rows;
    uint64_t n_scored = 0, others_below = 0, all = 0, all_others = 0;
    double sum = 0;
    KAN_TRY(kan_alloc(run, n, sizeof *rows, &rows));
    for (uint64_t row = 0; row < n; row++) {
        if (isnan(scores[row]))
            continue;
        const bool is_of = is_of_class[row];
        rows[n_scored++] = (scored){scores[row], is_of ? units[row] : 0, is_of ? 0 : units[row]};
    }
    qsort(rows, n_scored, sizeof *rows, compare_scores);
    for (uint64_t first = 0, end; first < n_scored; first = end) {
        uint64_t of = 0, others = 0;
        for (end = first; end < n_scored && rows[end].score == rows[first].score; end++) {
            of += rows[end].of;
            others += rows[end].others;
        }
        sum += (double)of * ((double)others_below + (double)others / 2);
        others_below += others;
        all += of;
        all_others += others;
    }
    kan_free(run, rows);
    *has_area = all > 0 && all_others > 0;
    *area = *has_area ? sum / ((double)all * (double)all_others) : 0;
    return KAN_OK;
}
