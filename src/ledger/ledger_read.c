/* Bytes become releases and people. The sum tells whether they are those that were written; that
 * the numbers fit together is checked all the same, so that no file leads beyond its own end. */
#include "core/secret.h"
#include "ledger/ledger_inside.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are used where they lie");

typedef struct {
    kan_run *run;
    const char *name;
    const uint8_t *at, *end, *begin;
    bool is_bad; /* it ended before what it announced, or says what cannot be */
} reader;

static kan_status fail_nonsense(kan_run *run, const char *name) {
    return kan_fail(run, KAN_BAD_INPUT,
                    "%s: the ledger contradicts itself, though its sum is right: it was written by "
                    "another program, or by another version of kanon; take its last copy",
                    name);
}

static const uint8_t *take(reader *r, uint64_t size) {
    const uint8_t *at = r->at;
    if (r->is_bad || size > (uint64_t)(r->end - r->at)) {
        r->is_bad = true;
        return NULL;
    }
    r->at += size;
    return at;
}

static uint64_t take_number(reader *r, unsigned size) {
    const uint8_t *at = take(r, size);
    uint64_t number = 0;
    for (unsigned i = 0; at && i < size; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

static kan_slice take_slice(reader *r) {
    const uint64_t size = take_number(r, 4);
    const uint8_t *at = take(r, size);
    return at ? (kan_slice){(const char *)at, (size_t)size} : (kan_slice){"", 0};
}

static kan_status take_text(reader *r, kan_arena *arena, const char **out) {
    const kan_slice text = take_slice(r);
    if (text.size > 0 && memchr(text.bytes, 0, text.size))
        r->is_bad = true;
    return kan_arena_copy(arena, text.bytes, text.size, out);
}

/* ---- facts ---------------------------------------------------------------------------------- */

static kan_status take_shown(reader *r, kan_arena *arena, uint32_t n_tuples,
                             kan_ledger_shown *out) {
    kan_slice *texts;
    KAN_TRY(take_text(r, arena, &out->column));
    out->n_texts = (uint32_t)take_number(r, 4);
    /* each text has four bytes at least, so this is bounded by the file */
    if (r->is_bad || out->n_texts > (uint64_t)(r->end - r->at) / 4) {
        r->is_bad = true;
        return KAN_OK;
    }
    KAN_TRY(kan_arena_alloc(arena, out->n_texts, sizeof *texts, &texts));
    for (uint32_t i = 0; i < out->n_texts; i++)
        texts[i] = take_slice(r);
    out->texts = texts;
    (void)take(r, -(size_t)(r->at - r->begin) & 3);
    out->codes = (const uint32_t *)(const void *)take(r, 4 * (uint64_t)n_tuples);
    for (uint32_t i = 0; !r->is_bad && i < n_tuples; i++)
        r->is_bad |= out->codes[i] >= out->n_texts;
    return KAN_OK;
}

static kan_status take_release(reader *r, kan_arena *arena, kan_ledger_release *out) {
    kan_ledger_shown *shown;
    out->number = (uint32_t)take_number(r, 4);
    out->is_pending = take_number(r, 4) != 0;
    out->when = (int64_t)take_number(r, 8);
    out->k = take_number(r, 8);
    out->n_rows = take_number(r, 8);
    out->n_people = take_number(r, 8);
    out->n_groups = (uint32_t)take_number(r, 4);
    KAN_TRY(take_text(r, arena, &out->name));
    KAN_TRY(take_text(r, arena, &out->place));
    KAN_TRY(take_text(r, arena, &out->content));
    KAN_TRY(take_text(r, arena, &out->job));
    KAN_TRY(take_text(r, arena, &out->settings));
    out->n_tuples = (uint32_t)take_number(r, 4);
    out->n_shown = (uint32_t)take_number(r, 4);
    if (r->is_bad || out->n_shown > KAN_LEDGER_MOST_COLUMNS) {
        r->is_bad = true;
        return KAN_OK;
    }
    KAN_TRY(kan_arena_alloc(arena, out->n_shown, sizeof *shown, &shown));
    out->shown = shown;
    for (uint32_t i = 0; i < out->n_shown && !r->is_bad; i++)
        KAN_TRY(take_shown(r, arena, out->n_tuples, &shown[i]));
    return KAN_OK;
}

static kan_status take_facts(reader *r, kan_ledger_content *out) {
    KAN_TRY(take_text(r, &out->arena, &out->column));
    if (out->n_releases > KAN_LEDGER_MOST_RELEASES) {
        r->is_bad = true;
        return KAN_OK;
    }
    KAN_TRY(kan_arena_alloc(&out->arena, out->n_releases, sizeof *out->releases, &out->releases));
    for (size_t i = 0; i < out->n_releases && !r->is_bad; i++) {
        KAN_TRY(take_release(r, &out->arena, &out->releases[i]));
        const uint32_t before = i > 0 ? out->releases[i - 1].number : 0;
        r->is_bad |=
            out->releases[i].number <= before || out->releases[i].number >= out->next_number;
    }
    return KAN_OK;
}

/* ---- people --------------------------------------------------------------------------------- */

static bool people_fit(const kan_ledger_content *c) {
    if (c->n_people > 0 && c->n_releases == 0)
        return false;
    for (uint64_t i = 1; i < c->n_people; i++)
        if (kan_ledger_compare(&c->marks[i - 1], &c->marks[i]) >= 0)
            return false;
    for (uint64_t i = 0; i < c->n_people; i++) {
        uint32_t any = 0;
        for (size_t r = 0; r < c->n_releases; r++)
            any |= c->groups[r * c->n_people + i];
        if (any == 0)
            return false;
    }
    for (size_t r = 0; r < c->n_releases; r++) {
        const uint32_t *groups = c->groups + r * c->n_people;
        uint64_t n = 0;
        uint32_t most = 0;
        for (uint64_t i = 0; i < c->n_people; i++) {
            n += groups[i] != 0;
            most = groups[i] > most ? groups[i] : most;
        }
        if (n != c->releases[r].n_people || most > c->releases[r].n_groups)
            return false;
    }
    return true;
}

static kan_status take_all(reader *r, kan_ledger_content *out) {
    (void)take(r, 40); /* the magic, the check and the size */
    out->n_people = take_number(r, 8);
    out->n_releases = (size_t)take_number(r, 4);
    out->next_number = (uint32_t)take_number(r, 4);
    const uint64_t facts = take_number(r, 8);
    const uint8_t *at = take(r, facts);
    if (r->is_bad || facts % 16 != 0 || out->n_people > UINT32_MAX - 1 || out->next_number == 0)
        return fail_nonsense(r->run, r->name);
    reader inner = {r->run, r->name, at, r->at, r->begin, false};
    KAN_TRY(take_facts(&inner, out));
    if (inner.is_bad || inner.end - inner.at >= 16)
        return fail_nonsense(r->run, r->name);
    out->marks = (const kan_ledger_mark *)(const void *)take(r, 16 * out->n_people);
    out->groups = (const uint32_t *)(const void *)take(r, 4 * out->n_people * out->n_releases);
    if (r->is_bad || r->at != r->end || !people_fit(out))
        return fail_nonsense(r->run, r->name);
    return KAN_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool is_same(const uint8_t *a, const uint8_t *b, size_t size) {
    unsigned differs = 0;
    for (size_t i = 0; i < size; i++)
        differs |= (unsigned)(a[i] ^ b[i]);
    return differs == 0;
}

static kan_status fail_short(kan_run *run, const char *name, uint64_t has, uint64_t wants) {
    return kan_fail(run, KAN_BAD_INPUT,
                    "%s: the ledger is cut short: it has %llu of %llu bytes; take its last copy. "
                    "Without it no later release can be kept apart from the earlier ones",
                    name, (unsigned long long)has, (unsigned long long)wants);
}

/* Its first bytes say what it is and how long; `size` becomes that of what the sum is about and of
 * the sum. */
static kan_status check_head(kan_run *run, const kan_ledger_keys *keys, const char *name,
                             const uint8_t *bytes, size_t *size) {
    static const char magic[] = KAN_LEDGER_MAGIC;
    uint64_t wants = 0;
    if (*size < sizeof magic ? memcmp(bytes, magic, *size) != 0
                             : memcmp(bytes, magic, sizeof magic) != 0)
        return *size >= 13 && memcmp(bytes, magic, 13) == 0
                   ? kan_fail(run, KAN_BAD_INPUT,
                              "%s: this ledger was written by a later version of kanon; use that",
                              name)
                   : kan_fail(run, KAN_BAD_INPUT,
                              "%s: this is not a ledger of kanon; name another file", name);
    if (*size < KAN_LEDGER_LEAST)
        return fail_short(run, name, *size, KAN_LEDGER_LEAST);
    if (!is_same(bytes + 16, keys->check, sizeof keys->check))
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: this ledger was made with another key; name that one with --key",
                        name);
    memcpy(&wants, bytes + 32, sizeof wants);
    if (*size < wants)
        return fail_short(run, name, *size, wants);
    if (wants < KAN_LEDGER_LEAST || *size - wants > KAN_LEDGER_SUM)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: the ledger was changed: it has %llu bytes where it says %llu; take "
                        "its last copy",
                        name, (unsigned long long)*size, (unsigned long long)wants);
    *size = (size_t)wants;
    return KAN_OK;
}

static kan_status parse(kan_run *run, const kan_ledger_keys *keys, const char *name, size_t all,
                        kan_ledger_content *out) {
    uint8_t sum[KAN_LEDGER_SUM], seal[KAN_LEDGER_SUM];
    size_t size = all;
    KAN_TRY(check_head(run, keys, name, out->bytes, &size));
    const uint8_t *stands = out->bytes + size - KAN_LEDGER_SUM;
    KAN_TRY(kan_ledger_sum(run, keys, out->bytes, size - KAN_LEDGER_SUM, sum));
    if (!is_same(sum, stands, sizeof sum))
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: the ledger was changed after it was written: its sum is another; take "
                        "its last copy",
                        name);
    /* A seal that is not whole was being written: the release is looked for. */
    kan_ledger_seal(keys, sum, seal);
    out->is_sealed = all - size == sizeof seal && is_same(seal, out->bytes + size, sizeof seal);
    out->size = size;
    reader r = {run, name, out->bytes, stands, out->bytes, false};
    return take_all(&r, out);
}

kan_status kan_ledger_parse(kan_run *run, const kan_ledger_keys *keys, const char *name,
                            uint8_t *bytes, size_t size, kan_ledger_content *out) {
    *out = (kan_ledger_content){.run = run, .bytes = bytes, .column = "", .next_number = 1};
    kan_arena_init(&out->arena, run);
    KAN_TRY(parse(run, keys, name, size, out));
    if (out->is_sealed && out->n_releases > 0)
        out->releases[out->n_releases - 1].is_pending = false;
    return KAN_OK;
}

void kan_ledger_content_destroy(kan_ledger_content *content) {
    if (!content->run)
        return;
    kan_free(content->run, content->bytes);
    kan_arena_destroy(&content->arena);
    *content = (kan_ledger_content){0};
}
