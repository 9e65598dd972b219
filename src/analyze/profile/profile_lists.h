/* Lists that values are held against: common names of people, and places. */
#ifndef KANON_ANALYZE_PROFILE_PROFILE_LISTS_H
#define KANON_ANALYZE_PROFILE_PROFILE_LISTS_H

#include "core/text.h"

/* Whether the value is written as names of people are (Anna, "Müller, Hans", DUPONT Marie), and
 * whether a common first or last name stands in it. */
bool kan_profile_is_name_like(kan_slice value);
bool kan_profile_has_common_name(kan_slice value);

/* A state of the USA, Germany, Austria, Switzerland or Canada, or a country: by name or code. */
bool kan_profile_is_place(kan_slice value);

#endif
