/* One level for all codes. Whoever is left out at a level is left out at every lower one, so that the
 * levels are looked at from the top down, until too many are left out. What a level costs may rise and
 * fall on the way, so that all of them are looked at. */
#include "search/codes/codes_inside.h"

#include <string.h>

typedef struct {
    kan_run *run;
    const kan_codes_question *question;
    kan_codes_answer *answer;
    kan_codes_counter *counter;
    uint8_t *is_left; /* at the level above */
    uint32_t *left;
} searcher;

static kan_u128 cost_at(const searcher *s, unsigned level) {
    const kan_codes_people *people = &s->question->people;
    const kan_codes_tree *tree = &s->question->tree;
    kan_u128 cost = 0;
    for (uint32_t p = 0; p < people->n; p++)
        for (uint64_t i = people->start[p]; i < people->start[p + 1]; i++)
            cost += s->is_left[p] ? tree->suppressed : tree->prices[level][people->leaves[i]];
    return cost;
}

static void take(const searcher *s, unsigned level, kan_u128 cost, uint64_t n_left) {
    kan_codes_answer *answer = s->answer;
    if (answer->is_found && cost > answer->cost)
        return;
    answer->is_found = true;
    answer->cost = cost;
    answer->n_left = n_left;
    memset(answer->levels, (int)level, s->question->tree.n_leaves);
    memcpy(answer->is_left, s->is_left, s->question->people.n);
}

/* The answers of the levels, from the top down. */
static kan_status walk(searcher *s) {
    const kan_codes_question *q = s->question;
    uint64_t n_left = 0;
    for (unsigned level = q->tree.height + 1; level-- > 0;) {
        const bool is_top = level == q->tree.height;
        const kan_codes_shown shown = {.items = q->tree.groups[level], .is_new = true};
        /* at the top all are wanted, for the message where there are too many */
        const uint64_t most = is_top ? q->people.n : q->limit - n_left;
        uint64_t n_added;
        kan_report_search(s->run, "levels", q->tree.height - level, q->tree.height + 1, false, 0,
                          0);
        KAN_TRY(kan_codes_leave(s->counter, &shown, most, s->is_left, s->left, &n_added));
        if (kan_codes_is_broken(s->counter))
            return kan_check_cancel(s->run);
        s->answer->n_checked++;
        n_left += n_added;
        if (is_top)
            s->answer->n_left = n_left;
        if (n_left > q->limit || n_left == q->people.n)
            return KAN_OK;
        take(s, level, cost_at(s, level), n_left);
    }
    return KAN_OK;
}

kan_status kan_codes_search_levels(kan_run *run, const kan_codes_question *question,
                                   kan_codes_answer *answer) {
    kan_status status;
    searcher s = {.run = run, .question = question, .answer = answer};
    const uint32_t n = question->people.n;
    uint32_t n_items = 1;
    for (unsigned level = 0; level <= question->tree.height; level++)
        for (uint32_t leaf = 0; leaf < question->tree.n_leaves; leaf++)
            if (question->tree.groups[level][leaf] >= n_items)
                n_items = question->tree.groups[level][leaf] + 1;
    KAN_TRY_DONE(kan_alloc_zero(run, n, 1, &s.is_left));
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *s.left, &s.left));
    KAN_TRY_DONE(kan_codes_counter_create(run, question, n_items, &s.counter));
    KAN_TRY_DONE(walk(&s));
    answer->is_proven = answer->is_found;
    answer->bound = answer->cost;
done:
    kan_codes_counter_destroy(s.counter);
    kan_free(run, s.is_left);
    kan_free(run, s.left);
    return status;
}
