/* Which search and which recoding model settings ask for, and what of a release follows from that.
 * Either may be named, and the other follows: kinds are asked what they do, so that it does not
 * matter by which of the two somebody named them. */
#ifndef KANON_JOB_SETTINGS_SEARCH_CHOICE_H
#define KANON_JOB_SETTINGS_SEARCH_CHOICE_H

#include "search/search.h"

/* What --summary says of numbers in a release by regions. */
typedef enum kan_summary_form {
    KAN_SUMMARY_RANGE,
    KAN_SUMMARY_MEAN,
    KAN_SUMMARY_BOTH,
    KAN_SUMMARY_MEDIAN
} kan_summary_form;

/* Whether a number takes the place of a range. */
static inline bool kan_summary_is_number(kan_summary_form form) {
    return form == KAN_SUMMARY_MEAN || form == KAN_SUMMARY_MEDIAN;
}

/* The search that makes a model where none was named; NULL: no search can. */
const kan_search_kind *kan_choice_search_for(const kan_recoding_kind *model,
                                             const kan_options *options);

/* In place of a search that leaves out what a promise lets it infer: the first that makes the model,
 * finds the best, and infers nothing. The search itself where there is none. */
const kan_search_kind *kan_choice_sound(const kan_search_kind *search,
                                        const kan_recoding_kind *model);

/* The search and the model that `algorithm` and `recoding` name, or that follow from the other
 * one. NULL where neither is said, a name is unknown, or nothing was searched (`levels`, `apply`).
 */
const kan_search_kind *kan_choice_search(const kan_options *options);
const kan_recoding_kind *kan_choice_model(const kan_options *options);

/* What `summary` and `modes` say of a release. A search that has no such option made none,
 * whatever a job file says of it beside; where no search is known they are believed. */
kan_summary_form kan_choice_summary(const kan_options *options);
bool kan_choice_modes(const kan_options *options);
/* The form that a text names: mean, median, both; else range, also for NULL. */
kan_summary_form kan_summary_of(const char *text);

#endif
