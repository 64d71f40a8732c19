/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hlrc/memory/diff_loops.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>

#if defined(__x86_64__)
#    include <immintrin.h>
#endif

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "bitmaps and numbers are sent as raw bytes");

DIFF_INLINE struct diff_tally diff_loops_tally_words(const uint64_t *mask, uint64_t lines)
{
    struct diff_tally tally = { 0, 0 };

    for (; lines != 0; lines &= lines - 1) {
        unsigned w = (unsigned)__builtin_ctzll(lines);
        uint64_t carry = w > 0 ? mask[w - 1] >> 63 : 0;
        tally.bytes += (unsigned)__builtin_popcountll(mask[w]);
        tally.runs += (unsigned)__builtin_popcountll(diff_run_begins(mask[w], carry));
    }
    return tally;
}

/* Copy the runs within one word to or from the packed bytes; return the number of bytes. */
DIFF_INLINE size_t diff_loops_pack_word(uint8_t *out, const uint8_t *page, uint64_t word)
{
    size_t done = 0;

    for (unsigned at = 0; at < 64 && word >> at != 0;) {
        at += (unsigned)__builtin_ctzll(word >> at);
        uint64_t rest = ~(word >> at);
        unsigned length = rest == 0 ? 64 : (unsigned)__builtin_ctzll(rest);
        diff_copy_run(out + done, page + at, length);
        done += length;
        at += length;
    }
    return done;
}

DIFF_INLINE size_t diff_loops_unpack_word(uint8_t *page, const uint8_t *in, uint64_t word)
{
    size_t done = 0;

    for (unsigned at = 0; at < 64 && word >> at != 0;) {
        at += (unsigned)__builtin_ctzll(word >> at);
        uint64_t rest = ~(word >> at);
        unsigned length = rest == 0 ? 64 : (unsigned)__builtin_ctzll(rest);
        diff_copy_run(page + at, in + done, length);
        done += length;
        at += length;
    }
    return done;
}

/* ---- Portable -------------------------------------------------------------------------------- */

static int diff_loops_portable_supported(void)
{
    return 1;
}

/* Bit i of the result: byte i of X is not zero. */
static inline uint64_t diff_loops_nonzero_bytes(uint64_t x)
{
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t high = (((x & low7) + low7) | x) & ~low7;

    /* No two of the partial products meet in one bit, so the multiplication moves bit 8 i to bit
     * 56 + i. */
    return (high >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* A vector that the compiler maps to the CPU's; a comparison yields 0 or -1 for each byte. */
typedef int8_t vector __attribute__((vector_size(16)));

DIFF_INLINE vector diff_loops_load_vector(const uint8_t *from)
{
    vector value;

    memcpy(&value, from, sizeof(value));
    return value;
}

DIFF_INLINE int diff_loops_differ64(const uint8_t *page, const uint8_t *twin)
{
    vector x = diff_loops_load_vector(page) ^ diff_loops_load_vector(twin);

    for (size_t i = 16; i < 64; i += 16)
        x |= diff_loops_load_vector(page + i) ^ diff_loops_load_vector(twin + i);

    uint64_t half[2];
    memcpy(half, &x, sizeof(half));
    return (half[0] | half[1]) != 0;
}

static uint64_t diff_loops_portable_scan(const uint8_t *page, const uint8_t *twin, uint64_t *mask)
{
    uint64_t any = 0;

    for (size_t w = 0; w < DIFF_WORDS; w++, page += 64, twin += 64) {
        uint64_t word = 0;
        if (diff_loops_differ64(page, twin))
            for (size_t i = 0; i < 8; i++)
                word |=
                    diff_loops_nonzero_bytes(diff_load64(page + 8 * i) ^ diff_load64(twin + 8 * i))
                    << 8 * i;
        mask[w] = word;
        any |= word;
    }
    return any;
}

static uint64_t diff_loops_portable_track(const uint8_t *page, uint8_t *twin, uint64_t *mask)
{
    uint8_t copy[DIFF_PAGE];
    memcpy(copy, page, DIFF_PAGE);
    uint64_t any = diff_loops_portable_scan(copy, twin, mask);
    memcpy(twin, copy, DIFF_PAGE);
    return any;
}

/* No byte is read twice. */
DIFF_INLINE bool diff_loops_any_differs(const uint8_t *page, const uint8_t *twin)
{
    for (size_t at = 0; at < DIFF_PAGE; at += 128)
        if (diff_loops_differ64(page + at, twin + at) |
            diff_loops_differ64(page + at + 64, twin + at + 64))
            return true;
    return false;
}

static bool diff_loops_portable_differs(const uint8_t *page, const uint8_t *twin)
{
    return diff_loops_any_differs(page, twin);
}

static struct diff_tally diff_loops_portable_tally(const uint64_t *mask, uint64_t lines)
{
    return diff_loops_tally_words(mask, lines);
}

static void diff_loops_portable_pack(uint8_t *out, const uint8_t *page, const uint64_t *mask)
{
    for (size_t w = 0; w < DIFF_WORDS; w++, page += 64)
        out += diff_loops_pack_word(out, page, mask[w]);
}

static void diff_loops_portable_unpack(uint8_t *page, const uint8_t *in, const uint64_t *mask)
{
    for (size_t w = 0; w < DIFF_WORDS; w++, page += 64)
        in += diff_loops_unpack_word(page, in, mask[w]);
}

DIFF_INLINE void diff_loops_merge_vectors(uint8_t *page, uint8_t *twin, const uint8_t *fetched)
{
    for (size_t i = 0; i < DIFF_PAGE; i += sizeof(vector)) {
        vector own = diff_loops_load_vector(page + i), base = diff_loops_load_vector(fetched + i);
        vector same = (vector)(own == diff_loops_load_vector(twin + i));
        own = (own & ~same) | (base & same);
        memcpy(page + i, &own, sizeof(own));
        memcpy(twin + i, &base, sizeof(base));
    }
}

static void diff_loops_portable_merge(uint8_t *page, uint8_t *twin, const uint8_t *fetched)
{
    diff_loops_merge_vectors(page, twin, fetched);
}

static const struct diff_loops portable = {
    .name = "portable",
    .supported = diff_loops_portable_supported,
    .scan = diff_loops_portable_scan,
    .track = diff_loops_portable_track,
    .differs = diff_loops_portable_differs,
    .tally = diff_loops_portable_tally,
    .pack = diff_loops_portable_pack,
    .unpack = diff_loops_portable_unpack,
    .merge = diff_loops_portable_merge,
};

/* ---- x86-64 ---------------------------------------------------------------------------------- */

#if defined(__x86_64__)

#    define AVX2 __attribute__((target("avx2,popcnt,bmi")))

static int diff_loops_avx2_supported(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("bmi");
}

AVX2 static inline uint32_t diff_loops_avx2_equal32(const uint8_t *page, const uint8_t *twin)
{
    __m256i same = _mm256_cmpeq_epi8(_mm256_loadu_si256((const void *)page),
                                     _mm256_loadu_si256((const void *)twin));

    return (uint32_t)_mm256_movemask_epi8(same);
}

AVX2 static uint64_t diff_loops_avx2_scan(const uint8_t *page, const uint8_t *twin, uint64_t *mask)
{
    uint64_t any = 0;

    for (size_t w = 0; w < DIFF_WORDS; w++, page += 64, twin += 64) {
        uint64_t same = diff_loops_avx2_equal32(page, twin) |
                        (uint64_t)diff_loops_avx2_equal32(page + 32, twin + 32) << 32;
        mask[w] = ~same;
        any |= ~same;
    }
    return any;
}

AVX2 static uint64_t diff_loops_avx2_track(const uint8_t *page, uint8_t *twin, uint64_t *mask)
{
    uint64_t any = 0;

    for (size_t w = 0; w < DIFF_WORDS; w++, page += 64, twin += 64) {
        uint8_t copy[64];
        __m256i low = _mm256_loadu_si256((const void *)page);
        __m256i high = _mm256_loadu_si256((const void *)(page + 32));
        __asm__("" : "+x"(low), "+x"(high)); /* these, without a second load */
        _mm256_storeu_si256((void *)copy, low);
        _mm256_storeu_si256((void *)(copy + 32), high);
        mask[w] = ~(diff_loops_avx2_equal32(copy, twin) |
                    (uint64_t)diff_loops_avx2_equal32(copy + 32, twin + 32) << 32);
        _mm256_storeu_si256((void *)twin, low);
        _mm256_storeu_si256((void *)(twin + 32), high);
        any |= mask[w];
    }
    return any;
}

AVX2 static bool diff_loops_avx2_differs(const uint8_t *page, const uint8_t *twin)
{
    return diff_loops_any_differs(page, twin);
}

AVX2 static struct diff_tally diff_loops_avx2_tally(const uint64_t *mask, uint64_t lines)
{
    return diff_loops_tally_words(mask, lines);
}

/*
 * For each set of bytes out of eight, the shuffle that moves them to the front. Filled before avx2
 * is chosen.
 */
static uint64_t avx2_front[256];

static void diff_loops_avx2_prepare(void)
{
    for (unsigned set = 0; set < 256; set++) {
        unsigned n = 0;
        avx2_front[set] = 0;
        for (unsigned byte = 0; byte < 8; byte++)
            if (set >> byte & 1)
                avx2_front[set] |= (uint64_t)byte << 8 * n++;
    }
}

/* Each store of 8 bytes stays within DIFF_PAGE: for 8 bytes of page done at most 8 were packed. */
AVX2 static void diff_loops_avx2_pack(uint8_t *out, const uint8_t *page, const uint64_t *mask)
{
    for (size_t w = 0; w < DIFF_WORDS; w++) {
        uint64_t word = mask[w];
        for (size_t i = 0; word != 0; i += 8, word >>= 8) {
            __m128i bytes = _mm_loadl_epi64((const void *)(page + 64 * w + i));
            __m128i front = _mm_loadl_epi64((const void *)&avx2_front[word & 255]);
            _mm_storel_epi64((void *)out, _mm_shuffle_epi8(bytes, front));
            out += __builtin_popcountll(word & 255);
        }
    }
}

AVX2 static void diff_loops_avx2_unpack(uint8_t *page, const uint8_t *in, const uint64_t *mask)
{
    for (size_t w = 0; w < DIFF_WORDS; w++, page += 64)
        in += diff_loops_unpack_word(page, in, mask[w]);
}

AVX2 static void diff_loops_avx2_merge(uint8_t *page, uint8_t *twin, const uint8_t *fetched)
{
    diff_loops_merge_vectors(page, twin, fetched);
}

static const struct diff_loops avx2 = {
    .name = "avx2",
    .supported = diff_loops_avx2_supported,
    .scan = diff_loops_avx2_scan,
    .track = diff_loops_avx2_track,
    .differs = diff_loops_avx2_differs,
    .tally = diff_loops_avx2_tally,
    .pack = diff_loops_avx2_pack,
    .unpack = diff_loops_avx2_unpack,
    .merge = diff_loops_avx2_merge,
};

#    define AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt,bmi")))

static int diff_loops_avx512_supported(void)
{
    return diff_loops_avx2_supported() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2");
}

AVX512 static uint64_t diff_loops_avx512_scan(const uint8_t *page, const uint8_t *twin,
                                              uint64_t *mask)
{
    uint64_t any = 0;

    for (size_t w = 0; w < DIFF_WORDS; w++) {
        __m512i own = _mm512_loadu_si512(page + 64 * w), old = _mm512_loadu_si512(twin + 64 * w);
        mask[w] = _mm512_cmpneq_epi8_mask(own, old);
        any |= mask[w];
    }
    return any;
}

AVX512 static uint64_t diff_loops_avx512_track(const uint8_t *page, uint8_t *twin, uint64_t *mask)
{
    uint64_t any = 0;

    for (size_t w = 0; w < DIFF_WORDS; w++) {
        __m512i own = _mm512_loadu_si512(page + 64 * w), old = _mm512_loadu_si512(twin + 64 * w);
        __asm__("" : "+v"(own)); /* these, without a second load */
        mask[w] = _mm512_cmpneq_epi8_mask(own, old);
        if (mask[w])
            _mm512_storeu_si512(twin + 64 * w, own);
        any |= mask[w];
    }
    return any;
}

AVX512 static bool diff_loops_avx512_differs(const uint8_t *page, const uint8_t *twin)
{
    for (size_t at = 0; at < DIFF_PAGE; at += 64)
        if (_mm512_cmpneq_epi8_mask(_mm512_loadu_si512(page + at), _mm512_loadu_si512(twin + at)))
            return true;
    return false;
}

AVX512 static struct diff_tally diff_loops_avx512_tally(const uint64_t *mask, uint64_t lines)
{
    return diff_loops_tally_words(mask, lines);
}

/* The store of 64 bytes stays within DIFF_PAGE: for 64 bytes of page done at most 64 were
 * packed. */
AVX512 static void diff_loops_avx512_pack(uint8_t *out, const uint8_t *page, const uint64_t *mask)
{
    for (size_t w = 0; w < DIFF_WORDS; w++) {
        __m512i bytes = _mm512_loadu_si512(page + 64 * w);
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(mask[w], bytes));
        out += __builtin_popcountll(mask[w]);
    }
}

/* Bytes outside a mask are neither loaded nor stored [diff.exact-bytes]: the architecture promises
 * it. */
AVX512 static void diff_loops_avx512_unpack(uint8_t *page, const uint8_t *in, const uint64_t *mask)
{
    for (size_t w = 0; w < DIFF_WORDS; w++) {
        if (mask[w] == 0)
            continue;
        _mm512_mask_storeu_epi8(page + 64 * w, mask[w], _mm512_maskz_expandloadu_epi8(mask[w], in));
        in += __builtin_popcountll(mask[w]);
    }
}

AVX512 static void diff_loops_avx512_merge(uint8_t *page, uint8_t *twin, const uint8_t *fetched)
{
    for (size_t i = 0; i < DIFF_PAGE; i += 64) {
        __m512i own = _mm512_loadu_si512(page + i), old = _mm512_loadu_si512(twin + i);
        __m512i base = _mm512_loadu_si512(fetched + i);
        __mmask64 changed = _mm512_cmpneq_epi8_mask(own, old);
        _mm512_storeu_si512(page + i, _mm512_mask_blend_epi8(changed, base, own));
        _mm512_storeu_si512(twin + i, base);
    }
}

static const struct diff_loops avx512 = {
    .name = "avx512",
    .supported = diff_loops_avx512_supported,
    .scan = diff_loops_avx512_scan,
    .track = diff_loops_avx512_track,
    .differs = diff_loops_avx512_differs,
    .tally = diff_loops_avx512_tally,
    .pack = diff_loops_avx512_pack,
    .unpack = diff_loops_avx512_unpack,
    .merge = diff_loops_avx512_merge,
};

/* Best first. */
static const struct diff_loops *const choices[] = { &avx512, &avx2, &portable };

#else

static const struct diff_loops *const choices[] = { &portable };

#endif

/* ---- Which loops ----------------------------------------------------------------------------- */

const struct diff_loops *diff_loops = &portable;

int diff_use(const char *name)
{
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        if (name != NULL && strcmp(name, choices[i]->name) != 0)
            continue;
        if (choices[i]->supported()) {
            diff_loops = choices[i];
            return 0;
        }
        if (name != NULL)
            return -ENOTSUP;
    }
    return -ENOENT;
}

const char *diff_in_use(void)
{
    return diff_loops->name;
}

__attribute__((constructor)) static void diff_choose(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    diff_loops_avx2_prepare();
#endif
    (void)diff_use(NULL);
}
