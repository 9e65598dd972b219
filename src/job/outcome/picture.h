/* The picture of a partition that `--picture` asks for. */
#ifndef KANON_JOB_OUTCOME_PICTURE_H
#define KANON_JOB_OUTCOME_PICTURE_H

#include "job/released/released.h"

/* Whether the job asks for a picture that it could not get: KAN_BAD_INPUT says why. To be called
 * before the search. */
KAN_MUST_USE kan_status kan_picture_is_possible(const kan_setup *setup);

/* Draws the picture that the job asks for and gives it its name: to be called when the release has
 * been verified, and is about to get its own. Does nothing when none is asked for. */
KAN_MUST_USE kan_status kan_picture_write(const kan_setup *setup, const kan_released *released);

/* The same picture as a text, for a report: of the columns that the job names, or else the two with
 * the most values, whether a picture was asked for or not. *is_drawn is false, and nothing was
 * added, where there are no regions, fewer than two columns, or means in place of ranges. */
KAN_MUST_USE kan_status kan_picture_draw(const kan_released *released, kan_text *text,
                                         unsigned *columns, bool *is_drawn);

#endif
