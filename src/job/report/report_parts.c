/* What all parts of a report need: checked JSON, short labels, how few people may be told of. */
#include <string.h>

#include "job/report/report_data.h"

enum { LABEL_BYTES = 150, LEAST_MERGED = 2 };

uint64_t kan_report_merge_below(const kan_report_source *source) {
    const uint64_t least = kan_setup_least_told(source->outcome->setup);
    if (source->tells_all && !source->outcome->released.is_all)
        return 0;
    return least > LEAST_MERGED ? least : LEAST_MERGED;
}

kan_status kan_report_json(kan_run *run, json_t *made, json_t **out) {
    if (!made)
        return kan_fail(run, KAN_FAILED, "out of memory while the report was made");
    *out = made;
    return KAN_OK;
}

json_t *kan_report_label(kan_slice label) {
    static const char ellipsis[] = "\xe2\x80\xa6";
    char room[LABEL_BYTES + sizeof ellipsis];
    size_t size = 0;
    if (label.size <= LABEL_BYTES)
        return kan_json_slice(label);
    while (size < LABEL_BYTES) {
        const size_t n = kan_utf8_length(label.bytes + size, label.size - size);
        if (size + (n ? n : 1) > LABEL_BYTES)
            break;
        size += n ? n : 1;
    }
    memcpy(room, label.bytes, size);
    memcpy(room + size, ellipsis, sizeof ellipsis - 1);
    return kan_json_slice((kan_slice){room, size + sizeof ellipsis - 1});
}
