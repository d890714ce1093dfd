#include <zlib.h>

// A macro with sizeof, which Swift does not import.
static inline int bs_deflateInit2(z_stream *stream, int level, int windowBits) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, 9, Z_DEFAULT_STRATEGY);
}
static inline int bs_inflateInit2(z_stream *stream, int windowBits) { return inflateInit2(stream, windowBits); }
