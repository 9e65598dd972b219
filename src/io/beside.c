#include "io/beside.h"

void kan_beside_init(kan_beside *beside, kan_run *run) {
    *beside = (kan_beside){.run = run};
    kan_arena_init(&beside->arena, run);
}

void kan_beside_destroy(kan_beside *beside) {
    kan_free(beside->run, beside->texts);
    kan_arena_destroy(&beside->arena);
}

kan_status kan_beside_add(kan_beside *beside, const char *what, kan_slice text) {
    const kan_beside_text *last = beside->n > 0 ? &beside->texts[beside->n - 1] : NULL;
    const char *copy, *kept = last && strcmp(last->what, what) == 0 ? last->what : NULL;
    if (!kept)
        KAN_TRY(kan_arena_copy(&beside->arena, what, strlen(what), &kept));
    KAN_TRY(kan_arena_copy(&beside->arena, text.bytes, text.size, &copy));
    KAN_TRY(kan_reserve(beside->run, beside->n + 1, sizeof *beside->texts, &beside->capacity,
                        &beside->texts));
    beside->texts[beside->n++] = (kan_beside_text){kept, {copy, text.size}};
    return KAN_OK;
}
