/* The attack of somebody who has a list of people (--register), as job/found tells it. */
#include "job/attack/attack_inside.h"
#include "job/settings/settings.h"

typedef struct {
    kan_attack_truth truth;
    kan_found_truth told;
    kan_found *found;
} state;

static kan_status take_truth(kan_attack_walk *w, state *s) {
    const kan_role_list *sensitive = &w->roles.named[KAN_ROLE_SENSITIVE];
    size_t *columns;
    KAN_TRY(kan_attack_find_truth(w, &s->truth));
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_sensitive, sizeof *columns, &columns));
    for (size_t i = 0; i < w->n_sensitive; i++)
        columns[i] = sensitive->columns[i].at[w->role_table[KAN_ATTACK_ORIGINAL]];
    s->told = (kan_found_truth){.original = w->sides[KAN_ATTACK_ORIGINAL].table,
                                .sensitive = columns,
                                .original_of = s->truth.original_of,
                                .row_of = s->truth.row_of,
                                .why = s->truth.why,
                                .is_granted = s->truth.is_granted};
    return KAN_OK;
}

static kan_status measure(kan_attack_walk *w, void *of) {
    state *s = of;
    const kan_options *options = &w->job->options;
    const kan_verify_side *release = &w->sides[KAN_ATTACK_RELEASE];
    const kan_verify_side *people = &w->sides[KAN_ATTACK_REGISTER];
    kan_found_question question = {
        .run = w->run,
        .arena = &w->job->arena,
        .release = release->table,
        .people = people->table,
        .shown = &release->shown,
        .people_name = people->input.name,
        .people_path = people->input.is_file ? kan_options_find(options, "register") : NULL,
        .quasi = w->quasi[KAN_ATTACK_RELEASE],
        .n_all_quasi = w->n_quasi,
        .sensitive = w->sensitive,
        .n_sensitive = w->n_sensitive,
        .profile = kan_found_profile_named(kan_options_find(options, "as")),
        .k = w->k,
        .n_sample = kan_options_count(options, "sample", 0),
        .seed = kan_options_count(options, "seed", 1),
        .wants_nearest = kan_options_switch(options, "nearest")};
    KAN_TRY(kan_attack_find_known(w, &question));
    if (w->has[KAN_ATTACK_ORIGINAL]) {
        KAN_TRY(take_truth(w, s));
        question.truth = &s->told;
    }
    return kan_found_list(&question, &s->found);
}

static json_t *json(const kan_attack_walk *w, const void *of) {
    const state *s = of;
    (void)w;
    return kan_found_json(s->found);
}

static void tell(const kan_attack_walk *w, const void *of, kan_found_words *words) {
    const state *s = of;
    (void)w;
    kan_found_tell(s->found, words);
}

static void close(kan_attack_walk *w, void *of) {
    state *s = of;
    (void)w;
    kan_found_destroy(s->found);
    if (s->truth.run)
        kan_attack_truth_destroy(&s->truth);
}

const kan_attack_kind kan_attack_register = {.setting = "register",
                                             .key = "register",
                                             .size = sizeof(state),
                                             .measure = measure,
                                             .json = json,
                                             .tell = tell,
                                             .close = close};
