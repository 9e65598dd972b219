/* The door of group/freqsets: the space of a problem, frequency sets over it and the kernels that
 * make them, and what can be told of groups without making a set.
 *
 * May touch core and data. */
#ifndef KANON_GROUP_FREQSETS_FREQSETS_H
#define KANON_GROUP_FREQSETS_FREQSETS_H

#include "group/freqsets/chain.h"
#include "group/freqsets/divide.h"
#include "group/freqsets/row_keys.h"
#include "group/freqsets/sizes.h"
#include "group/freqsets/tuple_groups.h"

#endif
