/* The door of analyze/verify: counting a release again.
 *
 * Groups, what they tell of sensitive values, means, rows that show nothing, and (analyze/cover)
 * whether released values cover original ones: all counted and read from the released values, with grouping and
 * definitions of its own, apart from what searched and what wrote. The privacy models' own
 * definitions are in analyze/models. May touch core, data and io. */
#ifndef KANON_ANALYZE_VERIFY_VERIFY_H
#define KANON_ANALYZE_VERIFY_VERIFY_H

#include "analyze/cover/cover.h"
#include "analyze/tuples/tuples.h"
#include "analyze/verify/blank.h"
#include "analyze/verify/claim.h"
#include "analyze/verify/individual.h"
#include "analyze/verify/recount_fits.h"
#include "analyze/verify/recount_model.h"
#include "analyze/verify/treated.h"
#include "analyze/verify/verify_release.h"

#endif
