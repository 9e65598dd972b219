/* Areas of few people: the list that ships, and reading another. */
#include <stdio.h>

#include "analyze/rules/rules.h"
#include "core/signs.h"

void kan_zip_areas_shipped(kan_zip_areas *out) {
    static const unsigned short areas[] = {36,  59,  63,  102, 203, 556, 692, 790, 821,
                                           823, 830, 831, 878, 879, 884, 890, 893};
    *out = (kan_zip_areas){.census = "2000"};
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
        out->is_small[areas[i]] = true;
}

static kan_slice trim(kan_slice line) {
    const char *comment = memchr(line.bytes, '#', line.size);
    if (comment)
        line.size = (size_t)(comment - line.bytes);
    while (line.size > 0 && (kan_is_blank(line.bytes[0]) || line.bytes[0] == '\r'))
        line = (kan_slice){line.bytes + 1, line.size - 1};
    while (line.size > 0 &&
           (kan_is_blank(line.bytes[line.size - 1]) || line.bytes[line.size - 1] == '\r'))
        line.size--;
    return line;
}

static bool read_area(kan_slice line, unsigned *area) {
    if (line.size != 3)
        return false;
    *area = 0;
    for (size_t i = 0; i < 3; i++) {
        if (!kan_is_digit(line.bytes[i]))
            return false;
        *area = 10 * *area + (unsigned)(line.bytes[i] - '0');
    }
    return true;
}

kan_status kan_zip_areas_read(kan_run *run, const char *path, kan_slice text, kan_zip_areas *out) {
    static const char head[] = "census:";
    kan_zip_areas areas = {0};
    size_t line_number = 0, n = 0;
    char quoted[256];
    for (size_t at = 0; at < text.size; line_number++) {
        const char *end = memchr(text.bytes + at, '\n', text.size - at);
        const size_t size = end ? (size_t)(end - text.bytes) - at : text.size - at;
        const kan_slice line = trim((kan_slice){text.bytes + at, size});
        unsigned area;
        at += size + 1;
        if (line.size == 0)
            continue;
        if (kan_slice_begins(line, kan_slice_of(head))) {
            const kan_slice census =
                trim((kan_slice){line.bytes + sizeof head - 1, line.size - (sizeof head - 1)});
            if (census.size == 0 || census.size >= sizeof areas.census ||
                memchr(census.bytes, '\0', census.size) || areas.census[0])
                return kan_fail(run, KAN_BAD_INPUT,
                                "%s:%zu: write once of which census the list is, such as `census: "
                                "2020`",
                                path, line_number + 1);
            memcpy(areas.census, census.bytes, census.size);
            continue;
        }
        if (!read_area(line, &area))
            return kan_fail(run, KAN_BAD_INPUT,
                            "%s:%zu: %s is not the first three digits of a ZIP code; write three "
                            "digits on each line, such as 036",
                            path, line_number + 1, kan_quote(line, quoted));
        areas.is_small[area] = true;
        n++;
    }
    if (!areas.census[0] || n == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: %s; a list has a line `census: YEAR`, and three digits on each other "
                        "line",
                        path, areas.census[0] ? "no area is listed" : "the census is not named");
    *out = areas;
    return KAN_OK;
}
