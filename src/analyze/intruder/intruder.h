/* The door of analyze/intruder: what somebody finds out who has a release and something else.
 *
 * register.h: a list of people, matched by what released rows show of them, with labels read as analyze/cover
 * reads them; join.h and cross.h: releases of the same people, put together
 * by their rows, and by what they show of people in a list. May touch core, data, analyze/cover and analyze/tuples. */
#ifndef KANON_ANALYZE_INTRUDER_INTRUDER_H
#define KANON_ANALYZE_INTRUDER_INTRUDER_H

#include "analyze/intruder/cross.h"
#include "analyze/intruder/join.h"
#include "analyze/intruder/register.h"

#endif
