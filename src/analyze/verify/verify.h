/* The door of analyze/verify: counting a release again.
 *
 * Groups, what they tell of sensitive values, whether released values cover original ones, means,
 * rows that show nothing: all counted and read from the released values, with grouping and
 * definitions of its own, apart from what searched and what wrote. The privacy models' own
 * definitions are in analyze/models. May touch core, data and io. */
#ifndef KANON_ANALYZE_VERIFY_VERIFY_H
#define KANON_ANALYZE_VERIFY_VERIFY_H

#include "analyze/verify/blank.h"
#include "analyze/verify/claim.h"
#include "analyze/verify/read_interval.h"
#include "analyze/verify/recount_groups.h"
#include "analyze/verify/recount_model.h"
#include "analyze/verify/relation.h"
#include "analyze/verify/treated.h"
#include "analyze/verify/tuples.h"
#include "analyze/verify/verify_release.h"
#include "analyze/verify/whole_people.h"

#endif
