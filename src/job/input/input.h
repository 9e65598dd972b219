/* The door of job/input: where tables and hierarchies that settings name come in.
 *
 * Every command gets its tables and hierarchies here, so no room above knows where they are kept or
 * how they are written. May touch core, data, io and job/settings. */
#ifndef KANON_JOB_INPUT_INPUT_H
#define KANON_JOB_INPUT_INPUT_H

#include "job/input/hierarchy_input.h"
#include "job/input/mean_column.h"
#include "job/input/roles.h"
#include "job/input/spelling_advice.h"
#include "job/input/spelling_input.h"
#include "job/input/table_input.h"
#include "job/input/table_output.h"
#include "job/input/treatment_input.h"
#include "job/input/weight_input.h"
#include "job/input/whose.h"

#endif
