// Copies and fills at the speed of the memory. Owns nothing.
//
// A store that bypasses the caches spares the read of the line that it overwrites: a third of the traffic of
// a copy, half of a fill's. It pays once the data is larger than the caches, where nobody will find it in
// them anyway.
#include "runtime/memory/nontemporal_copy.h"

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

#define LINE 64

static size_t to_line(const void *p)
{
    return (size_t)(-(uintptr_t)p & (LINE - 1));
}

// n: a multiple of 4 lines; dst on a line.
static void copy_lines_sse2(unsigned char *dst, const unsigned char *src, size_t n)
{
    for (size_t i = 0; i < n; i += LINE) {
        __m128i a = _mm_loadu_si128((const __m128i *)(src + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(src + i + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(src + i + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(src + i + 48));
        _mm_stream_si128((__m128i *)(dst + i), a);
        _mm_stream_si128((__m128i *)(dst + i + 16), b);
        _mm_stream_si128((__m128i *)(dst + i + 32), c);
        _mm_stream_si128((__m128i *)(dst + i + 48), d);
    }
}

__attribute__((target("avx"))) static void copy_lines_avx(unsigned char *dst, const unsigned char *src,
                                                          size_t n)
{
    for (size_t i = 0; i < n; i += 2 * LINE) {
        _mm_prefetch((const char *)(src + i + 16 * LINE), _MM_HINT_NTA);
        _mm_prefetch((const char *)(src + i + 17 * LINE), _MM_HINT_NTA);
        __m256i a = _mm256_loadu_si256((const __m256i *)(src + i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(src + i + 32));
        __m256i c = _mm256_loadu_si256((const __m256i *)(src + i + 64));
        __m256i d = _mm256_loadu_si256((const __m256i *)(src + i + 96));
        _mm256_stream_si256((__m256i *)(dst + i), a);
        _mm256_stream_si256((__m256i *)(dst + i + 32), b);
        _mm256_stream_si256((__m256i *)(dst + i + 64), c);
        _mm256_stream_si256((__m256i *)(dst + i + 96), d);
    }
    _mm256_zeroupper();
}

void weft_stream_copy(void *dst, const void *src, size_t n)
{
    unsigned char *d = dst;
    const unsigned char *s = src;
    size_t head = to_line(d);
    if (n < head + 4 * LINE) {
        memcpy(d, s, n);
        return;
    }
    memcpy(d, s, head);
    d += head, s += head, n -= head;
    size_t body = n & ~(size_t)(2 * LINE - 1);
    if (__builtin_cpu_supports("avx"))
        copy_lines_avx(d, s, body);
    else
        copy_lines_sse2(d, s, body);
    memcpy(d + body, s + body, n - body);
    _mm_sfence(); // streamed stores are weakly ordered: what publishes this move must come after them
}

// dst on a line; n: a multiple of 2 lines.
static void fill_lines_sse2(unsigned char *dst, const unsigned char *block, size_t n)
{
    __m128i v[WEFT_FILL_BLOCK / 16];
    memcpy(v, block, sizeof v);
    for (size_t i = 0; i < n; i += WEFT_FILL_BLOCK)
        for (size_t j = 0; j < WEFT_FILL_BLOCK / 16; j++)
            _mm_stream_si128((__m128i *)(dst + i + 16 * j), v[j]);
}

__attribute__((target("avx"))) static void fill_lines_avx(unsigned char *dst, const unsigned char *block,
                                                          size_t n)
{
    __m256i a, b, c, d;
    memcpy(&a, block, 32);
    memcpy(&b, block + 32, 32);
    memcpy(&c, block + 64, 32);
    memcpy(&d, block + 96, 32);
    for (size_t i = 0; i < n; i += WEFT_FILL_BLOCK) {
        _mm256_stream_si256((__m256i *)(dst + i), a);
        _mm256_stream_si256((__m256i *)(dst + i + 32), b);
        _mm256_stream_si256((__m256i *)(dst + i + 64), c);
        _mm256_stream_si256((__m256i *)(dst + i + 96), d);
    }
    _mm256_zeroupper();
}

static void stream_fill(unsigned char *dst, const unsigned char *block, size_t n)
{
    // Turn the block so that it begins on a line.
    size_t head = to_line(dst);
    unsigned char turned[WEFT_FILL_BLOCK];
    memcpy(turned, block + head, WEFT_FILL_BLOCK - head);
    memcpy(turned + WEFT_FILL_BLOCK - head, block, head);
    memcpy(dst, block, head);
    dst += head, n -= head;
    size_t body = n & ~(size_t)(WEFT_FILL_BLOCK - 1);
    if (__builtin_cpu_supports("avx"))
        fill_lines_avx(dst, turned, body);
    else
        fill_lines_sse2(dst, turned, body);
    memcpy(dst + body, turned, n - body);
    _mm_sfence(); // as above
}

#else

void weft_stream_copy(void *dst, const void *src, size_t n)
{
    memcpy(dst, src, n);
}

#endif

void weft_block_fill(void *dst, const unsigned char block[WEFT_FILL_BLOCK], size_t n, bool stream)
{
    unsigned char *d = dst;
#if defined(__x86_64__)
    if (stream && n >= 4 * WEFT_FILL_BLOCK) {
        stream_fill(d, block, n);
        return;
    }
#else
    (void)stream;
#endif
    for (; n >= WEFT_FILL_BLOCK; n -= WEFT_FILL_BLOCK, d += WEFT_FILL_BLOCK)
        memcpy(d, block, WEFT_FILL_BLOCK);
    memcpy(d, block, n);
}
