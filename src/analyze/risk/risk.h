/* The door of analyze/risk: how likely somebody is found in a table, raw or released.
 *
 * Sizes of groups, the people of several rows, the k-map against a population, estimates of how many are unique in it, what
 * groups tell of sensitive values, the risk of rows with sampling weights and of households, what columns that are kept single out, what numbers tell of those that they stand for, which rows match where
 * values are hidden, and the sets of columns that make a row unique. May touch core, data, io,
 * recode and analyze/verify. */
#ifndef KANON_ANALYZE_RISK_RISK_H
#define KANON_ANALYZE_RISK_RISK_H

#include "analyze/risk/kept.h"
#include "analyze/risk/matches.h"
#include "analyze/risk/near.h"
#include "analyze/risk/risk_confidence.h"
#include "analyze/risk/risk_groups.h"
#include "analyze/risk/risk_individual.h"
#include "analyze/risk/risk_people.h"
#include "analyze/risk/risk_sensitive.h"
#include "analyze/risk/risk_tuples.h"
#include "analyze/risk/suda.h"

#endif
