/* --knowing-method: what of the release somebody undoes who knows the job (job/downcode). */
#include "job/attack/attack_inside.h"
#include "job/downcode/downcode.h"

typedef struct {
    kan_downcode *found;
} state;

static kan_status measure(kan_attack_walk *w, void *own) {
    state *s = own;
    KAN_TRY(kan_downcode_open(w->job, &s->found));
    return kan_downcode_measure(s->found);
}

static json_t *json(const kan_attack_walk *w, const void *own) {
    const state *s = own;
    (void)w;
    return kan_downcode_json(s->found);
}

static void tell(const kan_attack_walk *w, const void *own, kan_found_words *words) {
    const state *s = own;
    (void)w;
    kan_downcode_tell(s->found, words);
}

static void close(kan_attack_walk *w, void *own) {
    state *s = own;
    (void)w;
    kan_downcode_close(s->found);
}

const kan_attack_kind kan_attack_method = {.setting = "knowing-method",
                                           .key = "knowing_method",
                                           .size = sizeof(state),
                                           .check = kan_downcode_check,
                                           .measure = measure,
                                           .json = json,
                                           .tell = tell,
                                           .close = close};
