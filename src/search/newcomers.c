/* See newcomers.h. Each newcomer has one row, and so is in one group. */
#include "search/newcomers.h"

#include <string.h>

#include "group/pasts.h"

void kan_newcomers_destroy(kan_newcomers *newcomers) {
    kan_free(newcomers->problem->run, newcomers->met);
    kan_free(newcomers->problem->run, newcomers->pasts);
    kan_newcomers_init(newcomers, newcomers->problem);
}

static bool is_missing(const kan_pasts *pasts, uint32_t person, const uint8_t *is_gone) {
    return is_gone[person] && pasts->of_person[person] == KAN_NEWCOMERS;
}

static bool has_missing(const kan_pasts *pasts, const kan_head_count *heads, size_t g,
                        const uint8_t *is_gone) {
    for (size_t i = heads->start[g]; i < heads->start[g + 1]; i++)
        if (is_missing(pasts, kan_head_count_person(heads, i), is_gone))
            return true;
    return false;
}

/* The pasts of those who stay in a group; how many. */
static size_t list_pasts(kan_newcomers *n, const kan_head_count *heads, size_t g,
                         const uint8_t *is_gone) {
    const kan_pasts *pasts = n->problem->pasts;
    size_t n_pasts = 0;
    for (size_t i = heads->start[g]; i < heads->start[g + 1]; i++) {
        const uint32_t person = kan_head_count_person(heads, i);
        const uint32_t past = pasts->of_person[person];
        if (is_gone[person] || past == KAN_NEWCOMERS || n->met[past] == g + 1)
            continue;
        n->met[past] = g + 1;
        n->pasts[n_pasts++] = past;
    }
    return n_pasts;
}

static bool is_hidden(const kan_newcomers *n, size_t n_pasts, uint32_t person) {
    const kan_pasts *pasts = n->problem->pasts;
    size_t i = 0;
    while (i < n_pasts && !pasts->covers(pasts, n->pasts[i], person))
        i++;
    return i < n_pasts;
}

kan_status kan_newcomers_stay(kan_newcomers *newcomers, const kan_head_count *heads,
                              uint8_t *is_gone) {
    const kan_pasts *pasts = newcomers->problem->pasts;
    kan_run *run = newcomers->problem->run;
    newcomers->n_hidden = 0;
    if (!newcomers->met)
        KAN_TRY(kan_alloc(run, pasts->n, sizeof *newcomers->met, &newcomers->met));
    if (!newcomers->pasts)
        KAN_TRY(kan_alloc(run, pasts->n, sizeof *newcomers->pasts, &newcomers->pasts));
    memset(newcomers->met, 0, pasts->n * sizeof *newcomers->met);
    for (size_t g = 0; g < heads->n_groups; g++) {
        if (!has_missing(pasts, heads, g, is_gone))
            continue;
        KAN_TRY(kan_check_cancel(run));
        const size_t n_pasts = list_pasts(newcomers, heads, g, is_gone);
        for (size_t i = heads->start[g]; n_pasts > 0 && i < heads->start[g + 1]; i++) {
            const uint32_t person = kan_head_count_person(heads, i);
            if (!is_missing(pasts, person, is_gone) || !is_hidden(newcomers, n_pasts, person))
                continue;
            is_gone[person] = 0;
            newcomers->n_hidden++;
        }
    }
    return KAN_OK;
}
