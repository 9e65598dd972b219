/* Decompression with zlib and libzstd, piece by piece into a spool. What was read of a mapped file
 * leaves resident memory every few MiB when there is a budget. One thread: 300 MB/s for gzip, 700
 * MB/s for zstd are usual. */
#include "io/streams/unpack.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "core/spill.h"

typedef struct {
    kan_run *run;
    const char *name;
    kan_slice packed;
    bool is_mapped;
    size_t dropped; /* packed bytes that need not stay resident */
    kan_spool *out;
} unpacking;

enum { DROP_BYTES = 4 << 20 };

kan_packed kan_unpack_find(kan_slice first_bytes) {
    if (first_bytes.size >= 2 && memcmp(first_bytes.bytes, "\x1f\x8b", 2) == 0)
        return KAN_PACKED_GZIP;
    if (first_bytes.size >= 4 && memcmp(first_bytes.bytes, "\x28\xb5\x2f\xfd", 4) == 0)
        return KAN_PACKED_ZSTD;
    return KAN_PACKED_NOT;
}

/* Room for more output; `at` packed bytes are behind us. */
static kan_status make_room(unpacking *job, size_t at, char **bytes, size_t *room) {
    KAN_TRY(kan_check_cancel(job->run));
    kan_report_units(job->run, "read", "bytes", at, job->packed.size);
    if (job->is_mapped && at - job->dropped >= DROP_BYTES) {
        kan_spill_drop(job->run, job->packed.bytes + job->dropped, at - job->dropped);
        job->dropped = at;
    }
    return kan_spool_room(job->out, bytes, room);
}

static kan_status fail_truncated(const unpacking *job) {
    return kan_fail(job->run, KAN_BAD_INPUT,
                    "%s: the compressed file ends too early; is the copy complete?", job->name);
}

static kan_status fail_corrupt(const unpacking *job, const char *detail) {
    return kan_fail(job->run, KAN_BAD_INPUT,
                    "%s: the compressed file is corrupt (%s); make it again, or unpack it yourself",
                    job->name, detail);
}

static bool all_zero(kan_slice bytes) {
    for (size_t i = 0; i < bytes.size; i++)
        if (bytes.bytes[i])
            return false;
    return true;
}

/* Hands zlib the next part of the input: its counters have 32 bits. */
static void feed(z_stream *zlib, kan_slice packed, size_t *given) {
    if (zlib->avail_in > 0)
        return;
    size_t part = packed.size - *given < (1u << 30) ? packed.size - *given : (1u << 30);
    zlib->next_in = (Bytef *)(uintptr_t)(packed.bytes + *given);
    zlib->avail_in = (uInt)part;
    *given += part;
}

static kan_status gunzip(unpacking *job, z_stream *zlib) {
    size_t given = 0, at = 0, room;
    char *bytes;
    for (;;) {
        KAN_TRY(make_room(job, at, &bytes, &room));
        feed(zlib, job->packed, &given);
        uInt offered = room < (1u << 30) ? (uInt)room : (1u << 30);
        zlib->next_out = (Bytef *)bytes;
        zlib->avail_out = offered;
        int result = inflate(zlib, Z_NO_FLUSH);
        kan_spool_add(job->out, offered - zlib->avail_out);
        at = given - zlib->avail_in;
        if (result == Z_STREAM_END) {
            kan_slice rest = {job->packed.bytes + at, job->packed.size - at};
            if (all_zero(rest)) /* the padding of a tape or disk block */
                return KAN_OK;
            if (kan_unpack_find(rest) != KAN_PACKED_GZIP)
                return fail_corrupt(job, "there are bytes after its end");
            if (inflateReset(zlib) != Z_OK)
                return fail_corrupt(job, "a further member cannot be read");
        } else if (result == Z_MEM_ERROR) {
            return kan_fail(job->run, KAN_FAILED, "out of memory while unpacking %s", job->name);
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            return fail_corrupt(job, zlib->msg ? zlib->msg : "not readable");
        } else if (at == job->packed.size && zlib->avail_out > 0) {
            return fail_truncated(job);
        }
    }
}

static kan_status unpack_gzip(unpacking *job) {
    z_stream zlib = {0};
    if (inflateInit2(&zlib, 15 + 16) != Z_OK)
        return kan_fail(job->run, KAN_FAILED, "out of memory while unpacking %s", job->name);
    kan_status status = gunzip(job, &zlib);
    (void)inflateEnd(&zlib);
    return status;
}

static kan_status unpack_frames(unpacking *job, ZSTD_DCtx *zstd) {
    ZSTD_inBuffer in = {job->packed.bytes, job->packed.size, 0};
    for (;;) {
        size_t room;
        char *bytes;
        KAN_TRY(make_room(job, in.pos, &bytes, &room));
        ZSTD_outBuffer out = {bytes, room, 0};
        size_t wanted = ZSTD_decompressStream(zstd, &out, &in);
        if (ZSTD_isError(wanted))
            return fail_corrupt(job, ZSTD_getErrorName(wanted));
        kan_spool_add(job->out, out.pos);
        if (in.pos == in.size && wanted == 0)
            return KAN_OK;
        if (in.pos == in.size && out.pos < out.size)
            return fail_truncated(job);
    }
}

static kan_status unpack_zstd(unpacking *job) {
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    if (!zstd)
        return kan_fail(job->run, KAN_FAILED, "out of memory while unpacking %s", job->name);
    kan_status status = unpack_frames(job, zstd);
    (void)ZSTD_freeDCtx(zstd);
    return status;
}

static size_t gunzip_head(kan_slice packed, char *out, size_t most) {
    z_stream zlib = {.next_in = (Bytef *)(uintptr_t)packed.bytes,
                     .avail_in = (uInt)packed.size,
                     .next_out = (Bytef *)out,
                     .avail_out = (uInt)most};
    if (inflateInit2(&zlib, 15 + 16) != Z_OK)
        return 0;
    int result;
    do {
        result = inflate(&zlib, Z_NO_FLUSH);
        if (result == Z_STREAM_END && zlib.avail_out > 0) /* another member may follow */
            result = inflateReset(&zlib);
    } while (result == Z_OK && zlib.avail_in > 0 && zlib.avail_out > 0);
    (void)inflateEnd(&zlib);
    return most - zlib.avail_out;
}

static size_t unzstd_head(kan_slice packed, char *out, size_t most) {
    ZSTD_inBuffer in = {packed.bytes, packed.size, 0};
    ZSTD_outBuffer to = {out, most, 0};
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    size_t before, wanted = 0;
    if (!zstd)
        return 0;
    do {
        before = in.pos + to.pos;
        wanted = ZSTD_decompressStream(zstd, &to, &in);
    } while (!ZSTD_isError(wanted) && to.pos < to.size && in.pos + to.pos > before);
    (void)ZSTD_freeDCtx(zstd);
    return to.pos;
}

size_t kan_unpack_head(kan_packed kind, kan_slice packed, char *out, size_t most) {
    return kind == KAN_PACKED_GZIP ? gunzip_head(packed, out, most)
                                   : unzstd_head(packed, out, most);
}

kan_status kan_unpack(const char *name, kan_packed kind, kan_slice packed, bool is_mapped,
                      kan_spool *out) {
    unpacking job = {
        .run = out->run, .name = name, .packed = packed, .is_mapped = is_mapped, .out = out};
    KAN_TRY(kind == KAN_PACKED_GZIP ? unpack_gzip(&job) : unpack_zstd(&job));
    return kan_spool_end(out);
}
