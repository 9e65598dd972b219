/* Every search, by name. */
#ifndef KANON_TESTS_SEARCHES_H
#define KANON_TESTS_SEARCHES_H

#include "search/boxes/boxes.h"
#include "search/cells/cells.h"
#include "search/cuts/cuts.h"
#include "search/incognito/incognito.h"
#include "search/k_optimize/k_optimize.h"
#include "search/levels/levels.h"
#include "search/local/local.h"
#include "search/maps/maps.h"
#include "search/microaggregate/microaggregate.h"
#include "search/regions/regions.h"
#include "search/set_enum/set_enum.h"

#endif
