/* Compression with zlib and libzstd, one thread, through one buffer of 256 KiB. The levels are
 * those that write fastest for their size: a release is usually written once and read once. */
#include "io/streams/pack.h"
#include "core/signs.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { ROOM = 1 << 18, GZIP_LEVEL = 6, ZSTD_LEVEL = 3 };

struct kan_packer {
    kan_run *run;
    kan_packed_fn fn;
    void *context;
    bool is_gzip;
    z_stream zlib;
    ZSTD_CCtx *zstd;
    char room[ROOM];
};

kan_status kan_packer_create(kan_run *run, const char *name, kan_packed_fn fn, void *context,
                             kan_packer **out) {
    kan_packer *packer;
    const char *behind = name + (*name != '\0'); /* a name has more than its ending */
    bool is_gzip = kan_ends_with(behind, ".gz");
    if (!is_gzip && !kan_ends_with(behind, ".zst")) {
        *out = NULL;
        return KAN_OK;
    }
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *packer, &packer));
    packer->run = run;
    packer->fn = fn;
    packer->context = context;
    bool is_ready;
    if (is_gzip)
        is_ready = deflateInit2(&packer->zlib, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8,
                                Z_DEFAULT_STRATEGY) == Z_OK;
    else
        is_ready = (packer->zstd = ZSTD_createCCtx()) &&
                   !ZSTD_isError(
                       ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
                   !ZSTD_isError(ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_checksumFlag, 1));
    packer->is_gzip = is_gzip && is_ready;
    if (!is_ready) {
        kan_packer_destroy(packer);
        return kan_fail(run, KAN_FAILED, "out of memory: the compressor could not be started");
    }
    *out = packer;
    return KAN_OK;
}

static kan_status run_gzip(kan_packer *packer, const char *bytes, size_t size, bool is_last) {
    do {
        /* zlib counts in 32 bits. */
        uInt part = size < (1u << 30) ? (uInt)size : (1u << 30);
        bool ends = is_last && part == size;
        packer->zlib.next_in = (Bytef *)(uintptr_t)bytes;
        packer->zlib.avail_in = part;
        do {
            packer->zlib.next_out = (Bytef *)packer->room;
            packer->zlib.avail_out = ROOM;
            int result = deflate(&packer->zlib, ends ? Z_FINISH : Z_NO_FLUSH);
            if (result == Z_STREAM_ERROR)
                return kan_fail(packer->run, KAN_FAILED, "the gzip compressor failed");
            if (packer->zlib.avail_out < ROOM)
                KAN_TRY(packer->fn(packer->context, packer->room, ROOM - packer->zlib.avail_out));
        } while (packer->zlib.avail_out == 0);
        bytes += part;
        size -= part;
    } while (size > 0);
    return KAN_OK;
}

static kan_status run_zstd(kan_packer *packer, const char *bytes, size_t size, bool is_last) {
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {packer->room, ROOM, 0};
        left =
            ZSTD_compressStream2(packer->zstd, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return kan_fail(packer->run, KAN_FAILED, "the zstd compressor failed: %s",
                            ZSTD_getErrorName(left));
        if (out.pos > 0)
            KAN_TRY(packer->fn(packer->context, packer->room, out.pos));
    } while (is_last ? left > 0 : in.pos < in.size);
    return KAN_OK;
}

kan_status kan_packer_add(kan_packer *packer, const char *bytes, size_t size) {
    return packer->is_gzip ? run_gzip(packer, bytes, size, false)
                           : run_zstd(packer, bytes, size, false);
}

kan_status kan_packer_finish(kan_packer *packer) {
    return packer->is_gzip ? run_gzip(packer, "", 0, true) : run_zstd(packer, "", 0, true);
}

void kan_packer_destroy(kan_packer *packer) {
    if (!packer)
        return;
    if (packer->is_gzip)
        (void)deflateEnd(&packer->zlib);
    (void)ZSTD_freeCCtx(packer->zstd);
    kan_free(packer->run, packer);
}
