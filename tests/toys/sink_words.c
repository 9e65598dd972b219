/* A toy sink: releases as a file of words, which the toy source reads. A value with a blank in it
 * cannot be held. It may lie, so that the verification has something to find. */
#include <string.h>

#include "io/sink.h"

static const kan_option_spec options[] = {{.name = "words-lie",
                                           .summary = "writes other words",
                                           .type = KAN_OPTION_SWITCH,
                                           .traits = KAN_TRAIT_SHOWN}};

static bool takes(const char *path) {
    const size_t size = strlen(path);
    return size > 6 && strcmp(path + size - 6, ".words") == 0;
}

static kan_status check(kan_run *run, const kan_sink_sketch *sketch) {
    for (size_t i = 0; i < sketch->n_columns; i++)
        if (strchr(sketch->columns[i], ' '))
            return kan_fail(run, KAN_BAD_INPUT, "%s: a name has a blank; rename the column",
                            sketch->target);
    return KAN_OK;
}

typedef struct {
    kan_run *run;
    const kan_sink_plan *plan;
    kan_text text;
} writing;

static kan_status add_word(writing *w, size_t column, kan_slice word) {
    if (word.size == 0 || memchr(word.bytes, ' ', word.size))
        return kan_fail(w->run, KAN_BAD_INPUT, "a value is not a word; change it");
    kan_text_add(&w->text, word.bytes, word.size);
    kan_text_add(&w->text, column + 1 == w->plan->release->n_columns ? "\n" : " ", 1);
    return KAN_OK;
}

static kan_status add_row(void *context, uint64_t row) {
    writing *w = context;
    const bool lies = w->plan->given && kan_options_switch(w->plan->given, "words-lie");
    for (size_t i = 0; i < w->plan->release->n_columns; i++) {
        const kan_slice value = kan_sink_value(w->plan->release, &w->plan->columns[i], row);
        KAN_TRY(add_word(w, i, lies && row == 3 ? kan_slice_of("other") : value));
    }
    return KAN_OK;
}

static kan_status write_words(kan_run *run, const kan_sink_plan *plan, kan_target *target,
                              kan_source_options *readback, kan_formulas *formulas) {
    writing w = {.run = run, .plan = plan};
    kan_status status = KAN_OK;
    (void)readback;
    (void)formulas;
    kan_text_init(&w.text, run);
    for (size_t i = 0; i < plan->release->n_columns && status == KAN_OK; i++)
        status = add_word(&w, i, kan_slice_of(plan->release->columns[i].name));
    if (status == KAN_OK)
        status = kan_sink_each_row(run, plan->release, add_row, &w);
    if (status == KAN_OK)
        status = kan_text_status(&w.text);
    if (status == KAN_OK)
        status = kan_target_write(target, w.text.bytes, w.text.size);
    kan_text_destroy(&w.text);
    return status;
}

extern const kan_source_kind kan_source_words;

const kan_sink_kind kan_sink_words = {
    .kind = {.name = "words",
             .summary = "values that are words between blanks",
             .options = options,
             .n_options = sizeof options / sizeof *options},
    .files = {{"words", "Words between blanks"}},
    .takes = takes,
    .reader = &kan_source_words,
    .is_typed = true,
    .check = check,
    .write = write_words,
};
