/* Columns of means, by their names. */
#include "job/input/mean_column.h"

#include <string.h>

#define SUFFIX "-mean"

void kan_mean_column_add_name(kan_text *text, const char *name) {
    kan_text_print(text, "%s" SUFFIX, name);
}

bool kan_mean_column_is_name(kan_slice name) {
    const size_t size = sizeof SUFFIX - 1;
    return name.size > size && memcmp(name.bytes + name.size - size, SUFFIX, size) == 0;
}

kan_status kan_mean_column_find(const kan_input *release, const kan_input *original,
                                const char *name, size_t *column, bool *is_there) {
    size_t unused;
    kan_text text;
    kan_text_init(&text, release->run);
    kan_mean_column_add_name(&text, name);
    const kan_status status = kan_text_status(&text);
    *is_there = status == KAN_OK && kan_input_find(release, kan_slice_of(text.bytes), column) &&
                !(original && kan_input_find(original, kan_slice_of(text.bytes), &unused));
    kan_text_destroy(&text);
    return status;
}
