/* Looking recounts up, in whatever table is linked. */
#include "analyze/models/models.h"

#include <string.h>

size_t kan_recount_count(void) {
    return kan_recount_table.n;
}

const kan_recount_kind *kan_recount_at(size_t index) {
    return kan_recount_table.kinds[index];
}

const kan_recount_kind *kan_recount_find(const char *name) {
    for (size_t i = 0; i < kan_recount_table.n; i++)
        if (strcmp(kan_recount_table.kinds[i]->name, name) == 0)
            return kan_recount_table.kinds[i];
    return NULL;
}
