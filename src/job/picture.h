/* The picture of a partition that `--picture` asks for. */
#ifndef KANON_JOB_PICTURE_H
#define KANON_JOB_PICTURE_H

#include "job/solution.h"

/* Whether the job asks for a picture that it could not get: KAN_BAD_INPUT says why. To be called
 * before the search. */
KAN_MUST_USE kan_status kan_picture_is_possible(const kan_setup *setup);

/* Draws the picture that the job asks for and gives it its name: to be called when the release has
 * been verified, and is about to get its own. Does nothing when none is asked for. */
KAN_MUST_USE kan_status kan_picture_write(const kan_setup *setup, const kan_solution *solution);

/* Takes it back when the release could not be named after all. */
void kan_picture_withdraw(const kan_setup *setup);

#endif
