/* A ledger from open to close: what is pending is looked for, a release is added in two steps, and
 * one that nobody has is taken out. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/ledger_inside.h"

/* ---- pending releases ----------------------------------------------------------------------- */

/* Whether a file with these bytes stands at the place. One that cannot be read is as none. */
static kan_status find_release(kan_run *run, const kan_ledger_release *release, bool *is_there) {
    struct stat info;
    char content[KAN_HASH_TEXT];
    uint64_t n_bytes;
    *is_there = false;
    if (!*release->place || stat(release->place, &info) != 0 || !S_ISREG(info.st_mode) ||
        access(release->place, R_OK) != 0)
        return KAN_OK;
    KAN_TRY(kan_hash_file(run, release->place, content, &n_bytes));
    *is_there = strcmp(content, release->content) == 0;
    return KAN_OK;
}

static void tell_pending(const kan_ledger *ledger, const kan_ledger_release *release) {
    if (ledger->use == KAN_LEDGER_CHANGE)
        return;
    if (kan_ledger_file_is_locked(ledger)) {
        kan_note(ledger->run, "%s: another run of kanon is making release %u (%s) right now",
                 ledger->name, (unsigned)release->number, release->name);
        return;
    }
    kan_note(ledger->run,
             "%s: release %u (%s) was about to get its name, and is not there: it counts as if "
             "somebody had it; if nobody ever did, remove it with: kanon ledger forget %s "
             "--which %u --key FILE",
             ledger->name, (unsigned)release->number, release->name, ledger->name,
             (unsigned)release->number);
}

/* The last one can be settled in the file; earlier ones are when it is written again. */
static kan_status settle(kan_ledger *ledger) {
    kan_ledger_content *c = &ledger->content;
    for (size_t i = 0; i < c->n_releases; i++) {
        kan_ledger_release *release = &c->releases[i];
        bool is_there;
        if (!release->is_pending)
            continue;
        KAN_TRY(find_release(ledger->run, release, &is_there));
        if (!is_there) {
            tell_pending(ledger, release);
            continue;
        }
        release->is_pending = false;
        if (i + 1 == c->n_releases && ledger->use != KAN_LEDGER_READ)
            c->is_sealed =
                kan_ledger_file_seal(ledger, c->size, c->bytes + c->size - KAN_LEDGER_SUM) == 0;
    }
    return KAN_OK;
}

/* ---- open and close ------------------------------------------------------------------------- */

static kan_status read_content(kan_ledger *ledger) {
    uint8_t *bytes;
    size_t size;
    KAN_TRY(kan_ledger_file_open(ledger, &bytes, &size));
    KAN_TRY(
        kan_ledger_parse(ledger->run, &ledger->keys, ledger->name, bytes, size, &ledger->content));
    ledger->column = ledger->content.column;
    return settle(ledger);
}

kan_status kan_ledger_open(kan_run *run, const char *path, const char *key_path, kan_ledger_use use,
                           kan_ledger **out) {
    kan_ledger *ledger;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *ledger, &ledger));
    ledger->run = run;
    ledger->use = use;
    ledger->file = -1;
    ledger->column = "";
    kan_arena_init(&ledger->arena, run);
    KAN_TRY_DONE(kan_arena_copy(&ledger->arena, path, strlen(path), &ledger->name));
    KAN_TRY_DONE(kan_ledger_read_key(run, key_path, &ledger->keys));
    KAN_TRY_DONE(read_content(ledger));
    *out = ledger;
done:
    if (status != KAN_OK)
        kan_ledger_close(ledger);
    return status;
}

/* Made by this run, and nothing came of it. The lock is still ours. */
static void remove_empty(const kan_ledger *ledger) {
    struct stat ours, named;
    if (ledger->is_made && ledger->file >= 0 && ledger->content.n_releases == 0 &&
        !ledger->is_staged && fstat(ledger->file, &ours) == 0 && stat(ledger->name, &named) == 0 &&
        ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
        (void)unlink(ledger->name);
}

void kan_ledger_close(kan_ledger *ledger) {
    if (!ledger)
        return;
    kan_run *run = ledger->run;
    remove_empty(ledger);
    kan_ledger_file_close(ledger);
    kan_ledger_content_destroy(&ledger->content);
    kan_arena_destroy(&ledger->arena);
    explicit_bzero(&ledger->keys, sizeof ledger->keys);
    kan_free(run, ledger);
}

const char *kan_ledger_name(const kan_ledger *ledger) {
    return ledger->name;
}

const char *kan_ledger_column(const kan_ledger *ledger) {
    return ledger->column;
}

kan_status kan_ledger_bind(kan_ledger *ledger, const char *column) {
    char was[256], is[256];
    if (ledger->content.n_releases > 0 && strcmp(ledger->column, column) != 0)
        return kan_fail(ledger->run, KAN_BAD_INPUT,
                        "%s: the releases in this ledger name people by the column %s, and this "
                        "one by %s; if both hold the same values, give the column its old name, "
                        "else this table needs a ledger of its own",
                        ledger->name, kan_quote(kan_slice_of(ledger->column), was),
                        kan_quote(kan_slice_of(column), is));
    return kan_arena_copy(&ledger->arena, column, strlen(column), &ledger->column);
}

const kan_ledger_mark *kan_ledger_marks(const kan_ledger *ledger) {
    return ledger->content.marks;
}

const uint32_t *kan_ledger_groups(const kan_ledger *ledger, size_t release) {
    KAN_ASSERT(release < ledger->content.n_releases);
    return ledger->content.groups + release * ledger->content.n_people;
}

uint64_t kan_ledger_n_people(const kan_ledger *ledger) {
    return ledger->content.n_people;
}

size_t kan_ledger_n_releases(const kan_ledger *ledger) {
    return ledger->content.n_releases;
}

const kan_ledger_release *kan_ledger_release_at(const kan_ledger *ledger, size_t index) {
    return &ledger->content.releases[index];
}

/* ---- a new release -------------------------------------------------------------------------- */

/* The file becomes what it is changed to; what it is now is kept for commit. After a failure the
 * file may have been replaced all the same. */
static kan_status write_change(kan_ledger *ledger, const kan_ledger_change *change,
                               bool *is_replaced) {
    uint8_t *bytes;
    size_t size;
    *is_replaced = false;
    KAN_TRY(kan_ledger_make_bytes(ledger->run, &ledger->keys, change, &bytes, &size));
    const kan_status status = kan_ledger_file_replace(ledger, bytes, size, false, is_replaced);
    memcpy(ledger->staged_sum, bytes + size - KAN_LEDGER_SUM, KAN_LEDGER_SUM);
    ledger->staged_size = size;
    kan_free(ledger->run, bytes);
    return status;
}

kan_status kan_ledger_stage(kan_ledger *ledger, const kan_ledger_release *facts,
                            const kan_ledger_mark *marks, const uint32_t *groups, size_t n) {
    const kan_ledger_change change = {.from = &ledger->content,
                                      .column = ledger->column,
                                      .added = facts,
                                      .marks = marks,
                                      .group_of = groups,
                                      .n = n,
                                      .left_out = SIZE_MAX};
    KAN_ASSERT(ledger->use == KAN_LEDGER_WRITE && !ledger->is_staged);
    if (ledger->content.n_releases == KAN_LEDGER_MOST_RELEASES)
        return kan_fail(ledger->run, KAN_BAD_INPUT,
                        "%s: a ledger has room for %d releases, and these are there; begin "
                        "another with people whom nobody can follow from these",
                        ledger->name, KAN_LEDGER_MOST_RELEASES);
    const kan_status status = write_change(ledger, &change, &ledger->is_staged);
    if (status != KAN_OK && ledger->is_staged)
        kan_ledger_abandon(ledger);
    return status;
}

void kan_ledger_commit(kan_ledger *ledger) {
    KAN_ASSERT(ledger->is_staged);
    const int error = kan_ledger_file_seal(ledger, ledger->staged_size, ledger->staged_sum);
    if (error)
        kan_note(ledger->run,
                 "%s: the release has its name, and the ledger could not be told so: %s; leave the "
                 "release where it is until kanon ledger check has found it there",
                 ledger->name, strerror(error));
}

void kan_ledger_abandon(kan_ledger *ledger) {
    kan_run *run = ledger->run;
    const kan_ledger_content *c = &ledger->content;
    bool is_restored;
    kan_text why;
    KAN_ASSERT(ledger->is_staged);
    kan_text_init(&why, run);
    kan_text_print(&why, "%s", kan_run_error(run));
    /* byte by byte what was read; nothing here is broken off by a cancelled run */
    (void)!kan_ledger_file_replace(ledger, c->bytes, c->size, c->is_sealed, &is_restored);
    ledger->is_staged = !is_restored;
    if (!is_restored)
        kan_note(run,
                 "%s: the release that could not be named stays in the ledger (%s); remove it "
                 "with: kanon ledger forget %s --which %u --key FILE",
                 ledger->name, kan_run_error(run), ledger->name, (unsigned)c->next_number);
    if (why.bytes && !why.failed)
        (void)kan_fail(run, KAN_FAILED, "%s", why.bytes);
    kan_text_destroy(&why);
}

kan_status kan_ledger_forget(kan_ledger *ledger, size_t index) {
    const kan_ledger_content *c = &ledger->content;
    const kan_ledger_change change = {
        .from = c, .column = c->n_releases > 1 ? c->column : "", .left_out = index};
    bool is_there, is_replaced;
    KAN_ASSERT(ledger->use != KAN_LEDGER_READ && index < c->n_releases);
    KAN_TRY(find_release(ledger->run, &c->releases[index], &is_there));
    if (is_there)
        return kan_fail(ledger->run, KAN_BAD_INPUT,
                        "%s: release %u still stands at %s; a release that anybody may have had "
                        "stays in the ledger. If nobody ever had it, delete that file first",
                        ledger->name, (unsigned)c->releases[index].number,
                        c->releases[index].place);
    return write_change(ledger, &change, &is_replaced);
}
