/* Rules that all dialects have, for the tables of dialect_NAME.c. */
#ifndef KANON_ENGINE_SQL_DIALECT_RULES_H
#define KANON_ENGINE_SQL_DIALECT_RULES_H

#include "engine/sql/dialect.h"

/* Rows can be grouped by the column itself, and only groups become text. */
#define RULE_RAW(type_, text_, field_)                                                             \
    {                                                                                              \
        type_, {                                                                                   \
            .text = text_, .field = field_, .groups_raw = true                                     \
        }                                                                                          \
    }
/* The same of whole numbers. */
#define RULE_WHOLE(type_, text_)                                                                   \
    {                                                                                              \
        type_, {                                                                                   \
            .text = text_, .field = KAN_FIELD_NUMBER, .groups_raw = true, .is_whole = true         \
        }                                                                                          \
    }
/* No text is made of it: it can only pass through, and be compared. */
#define RULE_NONE(type_, compared_)                                                                \
    {                                                                                              \
        type_, {                                                                                   \
            .text = NULL, .compared = compared_                                                    \
        }                                                                                          \
    }

#endif
