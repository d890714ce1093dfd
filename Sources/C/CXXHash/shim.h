// On x86-64 the library has its functions for each kind of processor, and finds out which this one is; the results are the same.
#if defined(__x86_64__)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

// Functions, because the header above puts macros before them, which Swift does not see.
static inline XXH128_hash_t bs_xxh3_128(const void *bytes, size_t count, XXH64_hash_t seed) {
    return XXH3_128bits_withSeed(bytes, count, seed);
}

static inline XXH64_hash_t bs_xxh3_64(const void *bytes, size_t count) { return XXH3_64bits(bytes, count); }
