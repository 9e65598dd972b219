/* The table of recounts as an array. Nothing else may stand here: see models.h. */
#include "analyze/models/models.h"

KAN_RECOUNT_KINDS(KAN_RECOUNT_DECLARE)

static const kan_recount_kind *const kinds[] = {KAN_RECOUNT_KINDS(KAN_RECOUNT_ENTRY)};

const struct kan_recount_table kan_recount_table = {sizeof kinds / sizeof *kinds, kinds};
