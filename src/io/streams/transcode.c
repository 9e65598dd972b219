/* Conversion with iconv, one thread, through one buffer of 256 KiB. */
#include "io/streams/transcode.h"

#include <string.h>

enum { ROOM = 1 << 18 };

struct kan_transcoder {
    kan_run *run;
    kan_transcoded_fn fn;
    void *context;
    kan_converter converter;
    kan_slice mark; /* still to be written */
    uint64_t n_lost;
    char room[ROOM];
};

/* The exact name of an encoding that is written with a mark, and that mark. */
static const char *choose_order(const char *encoding, kan_slice *mark) {
    const char last = encoding[strlen(encoding) - 1];
    if (last == 'E' || last == 'e') /* of LE and BE */
        return encoding;
    if (kan_encoding_has_units(encoding, 2)) {
        *mark = (kan_slice){"\xff\xfe", 2};
        return "UTF-16LE";
    }
    if (kan_encoding_has_units(encoding, 4)) {
        *mark = (kan_slice){"\xff\xfe\0\0", 4};
        return "UTF-32LE";
    }
    return encoding;
}

kan_status kan_transcoder_create(kan_run *run, const char *encoding, kan_transcoded_fn fn,
                                 void *context, kan_transcoder **out) {
    kan_transcoder *transcoder;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *transcoder, &transcoder));
    transcoder->run = run;
    transcoder->fn = fn;
    transcoder->context = context;
    const char *exact = choose_order(encoding, &transcoder->mark);
    const kan_status status = kan_converter_open(run, "UTF-8", exact, &transcoder->converter);
    if (status == KAN_OK)
        *out = transcoder;
    else
        kan_free(run, transcoder);
    return status;
}

static kan_status hand_on(kan_transcoder *transcoder, size_t size) {
    if (transcoder->n_lost > 0)
        return KAN_OK;
    if (transcoder->mark.size > 0)
        KAN_TRY(transcoder->fn(transcoder->context, transcoder->mark.bytes, transcoder->mark.size));
    transcoder->mark.size = 0;
    return size > 0 ? transcoder->fn(transcoder->context, transcoder->room, size) : KAN_OK;
}

kan_status kan_transcoder_add(kan_transcoder *transcoder, const char *bytes, size_t size) {
    kan_slice in = {bytes, size};
    while (in.size > 0) {
        char *end = transcoder->room;
        size_t room = ROOM;
        const kan_converted how = kan_converter_take(&transcoder->converter, &in, &end, &room);
        KAN_TRY(hand_on(transcoder, (size_t)(end - transcoder->room)));
        if (how == KAN_CONVERTED_ALL || how == KAN_CONVERTED_ROOM)
            continue;
        transcoder->n_lost++;
        const size_t length = in.size > 0 ? kan_utf8_length(in.bytes, in.size) : 0;
        const size_t skipped = length > 0 ? length : in.size > 0;
        in = (kan_slice){in.bytes + skipped, in.size - skipped};
    }
    return KAN_OK;
}

kan_status kan_transcoder_finish(kan_transcoder *transcoder) {
    char *end = transcoder->room;
    size_t room = ROOM;
    (void)kan_converter_end(&transcoder->converter, &end, &room);
    return hand_on(transcoder, (size_t)(end - transcoder->room));
}

uint64_t kan_transcoder_n_lost(const kan_transcoder *transcoder) {
    return transcoder->n_lost;
}

void kan_transcoder_destroy(kan_transcoder *transcoder) {
    if (!transcoder)
        return;
    kan_converter_close(&transcoder->converter);
    kan_free(transcoder->run, transcoder);
}
