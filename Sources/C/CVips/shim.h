// libvips' operations take their options as variable arguments, which Swift cannot call: one function each for what
// the picture worker does. All give 0, or -1 with the reason in vips_error_buffer().
//
// libvips' own headers are not included: they bring GLib's, whose pkg-config file has a flag (-pthread) that SwiftPM warns of in
// every build. What is declared here has been as it is since libvips 8.6 (2017), and a VipsImage is only pointed to.

typedef struct _VipsImage VipsImage;
enum {
    BS_ACCESS_SEQUENTIAL = 1,
    BS_FORMAT_UCHAR = 0,
    BS_HEIF_AV1 = 4,
    BS_INTENT_RELATIVE = 1,
    BS_INTERPRETATION_CMYK = 15,
    BS_INTERPRETATION_SRGB = 22,
    BS_SIZE_FORCE = 3,
};

extern int vips_init(const char *program);
extern const char *vips_error_buffer(void);
extern void vips_error_clear(void);
extern void vips_concurrency_set(int threads);
extern void vips_cache_set_max(int operations);
extern void vips_cache_set_max_mem(unsigned long bytes);
extern void vips_block_untrusted_set(int isBlocked);
extern void vips_operation_block_set(const char *name, int isBlocked);
extern VipsImage *vips_image_new_from_buffer(const void *bytes, unsigned long count, const char *options, ...);
extern VipsImage *vips_image_new_from_memory_copy(
    const void *bytes, unsigned long count, int width, int height, int bands, int format);
extern int vips_copy(VipsImage *in, VipsImage **out, ...);
extern void *vips_image_write_to_memory(VipsImage *image, unsigned long *count);
extern int vips_image_get_width(const VipsImage *image);
extern int vips_image_get_height(const VipsImage *image);
extern int vips_image_get_bands(const VipsImage *image);
extern unsigned long vips_image_get_typeof(const VipsImage *image, const char *name);
extern int vips_image_get_interpretation(const VipsImage *image);
extern int vips_image_get_orientation_swap(VipsImage *image);
extern int vips_thumbnail_buffer(void *bytes, unsigned long count, VipsImage **out, int width, ...);
extern int vips_thumbnail_image(VipsImage *in, VipsImage **out, int width, ...);
extern int vips_colourspace(VipsImage *in, VipsImage **out, int space, ...);
extern int vips_cast(VipsImage *in, VipsImage **out, int format, ...);
extern int vips_extract_band(VipsImage *in, VipsImage **out, int band, ...);
extern int vips_min(VipsImage *in, double *out, ...);
extern int vips_webpsave_buffer(VipsImage *in, void **bytes, unsigned long *count, ...);
extern int vips_jpegsave_buffer(VipsImage *in, void **bytes, unsigned long *count, ...);
extern int vips_pngsave_buffer(VipsImage *in, void **bytes, unsigned long *count, ...);
extern int vips_heifsave_buffer(VipsImage *in, void **bytes, unsigned long *count, ...);
extern void g_object_unref(void *object);
extern void g_free(void *memory);
// malloc.h
extern int mallopt(int parameter, int value);
enum { BS_M_ARENA_MAX = -8 };

static inline int bs_vips_start(const char *program) {
    // One arena: each further one reserves 64 MB of the address space that the limit counts.
    mallopt(BS_M_ARENA_MAX, 1);
    if (vips_init(program)) return -1;
    // One process for each job slot: threads inside would only compete. No picture comes twice: nothing is cached.
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    vips_cache_set_max_mem(0);
    vips_block_untrusted_set(1);
    // Only the five decoders that are needed, whatever else this libvips brings or its maker trusts.
    vips_operation_block_set("VipsForeignLoad", 1);
    vips_operation_block_set("VipsForeignLoadJpeg", 0);
    vips_operation_block_set("VipsForeignLoadPng", 0);
    vips_operation_block_set("VipsForeignLoadNsgif", 0);
    vips_operation_block_set("VipsForeignLoadWebp", 0);
    vips_operation_block_set("VipsForeignLoadHeif", 0);
    return 0;
}

static inline void bs_vips_allow_svg(int isAllowed) {
    vips_operation_block_set("VipsForeignLoadSvg", isAllowed ? 0 : 1);
}

// Reads the header only.
static inline int bs_vips_open(const void *bytes, unsigned long count, VipsImage **out) {
    *out = vips_image_new_from_buffer(bytes, count, "", "access", BS_ACCESS_SEQUENTIAL, (void *)0);
    return *out ? 0 : -1;
}

static inline int bs_vips_is_turned(VipsImage *image) { return vips_image_get_orientation_swap(image); }

static inline int bs_vips_replace(VipsImage **image, VipsImage *with) {
    g_object_unref(*image);
    *image = with;
    return 0;
}

// Whether its colours are of another space than sRGB: it has a profile, or is CMYK, which has one of libvips' if none of its own.
static inline int bs_vips_needs_profile(VipsImage *image) {
    return vips_image_get_typeof(image, "icc-profile-data") != 0
        || vips_image_get_interpretation(image) == BS_INTERPRETATION_CMYK;
}

// Upright, in sRGB, 8 bits a channel, of exactly that size, without profile, in memory. The first frame of an animation.
static inline int bs_vips_decode(
    const void *bytes, unsigned long count, int width, int height, int needsProfile, VipsImage **out) {
    VipsImage *image, *next;
    // As an option of the loader: libvips 8.14 forgets "fail_on" on the way from a buffer.
    const char *failOn = "[fail-on=error]";
    // Without a profile, going through one takes twice as long and changes nothing.
    int code = needsProfile
        ? vips_thumbnail_buffer(
            (void *)bytes, count, &image, width, "height", height, "size", BS_SIZE_FORCE, "option_string", failOn,
            "export_profile", "sRGB", "intent", BS_INTENT_RELATIVE, (void *)0)
        : vips_thumbnail_buffer(
            (void *)bytes, count, &image, width, "height", height, "size", BS_SIZE_FORCE, "option_string", failOn,
            (void *)0);
    if (code) return -1;
    if (vips_colourspace(image, &next, BS_INTERPRETATION_SRGB, (void *)0)) goto failed;
    bs_vips_replace(&image, next);
    if (vips_cast(image, &next, BS_FORMAT_UCHAR, (void *)0)) goto failed;
    bs_vips_replace(&image, next);
    // Two channels of transparency or worse: only the first counts.
    if (vips_image_get_bands(image) > 4) {
        if (vips_extract_band(image, &next, 0, "n", 4, (void *)0)) goto failed;
        bs_vips_replace(&image, next);
    }
    // From here on there are only pixels: no profile, no place, no camera, no words, whatever a format's saver would keep.
    unsigned long size;
    void *pixels = vips_image_write_to_memory(image, &size);
    if (!pixels) goto failed;
    int bands = vips_image_get_bands(image);
    VipsImage *bare = vips_image_new_from_memory_copy(pixels, size, width, height, bands, BS_FORMAT_UCHAR);
    g_free(pixels);
    if (!bare) goto failed;
    bs_vips_replace(&image, bare);
    if (vips_copy(image, out, "interpretation", BS_INTERPRETATION_SRGB, (void *)0)) goto failed;
    g_object_unref(image);
    return 0;
failed:
    g_object_unref(image);
    return -1;
}

static inline int bs_vips_resize(VipsImage *image, int width, int height, VipsImage **out) {
    return vips_thumbnail_image(image, out, width, "height", height, "size", BS_SIZE_FORCE, "no_rotate", 1, (void *)0);
}

static inline int bs_vips_channels(VipsImage *image) { return vips_image_get_bands(image); }

// The lowest value of the fourth channel.
static inline int bs_vips_least_alpha(VipsImage *image, double *least) {
    VipsImage *alpha;
    if (vips_extract_band(image, &alpha, 3, (void *)0)) return -1;
    int code = vips_min(alpha, least, (void *)0);
    g_object_unref(alpha);
    return code;
}

static inline int bs_vips_drop_alpha(VipsImage *image, VipsImage **out) {
    return vips_extract_band(image, out, 0, "n", 3, (void *)0);
}

static inline void *bs_vips_pixels(VipsImage *image, unsigned long *count) { return vips_image_write_to_memory(image, count); }

static inline int bs_vips_webp(VipsImage *image, int quality, int effort, void **bytes, unsigned long *count) {
    return vips_webpsave_buffer(
        image, bytes, count, "Q", quality, "alpha_q", 90, "effort", effort, "smart_subsample", 0, "strip", 1, (void *)0);
}

static inline int bs_vips_jpeg(VipsImage *image, int quality, void **bytes, unsigned long *count) {
    return vips_jpegsave_buffer(
        image, bytes, count, "Q", quality, "optimize_coding", 1, "interlace", 1, "strip", 1, (void *)0);
}

static inline int bs_vips_png(VipsImage *image, void **bytes, unsigned long *count) {
    return vips_pngsave_buffer(image, bytes, count, "compression", 7, "palette", 1, "effort", 5, "strip", 1, (void *)0);
}

static inline int bs_vips_avif(VipsImage *image, int quality, void **bytes, unsigned long *count) {
    return vips_heifsave_buffer(
        image, bytes, count, "Q", quality, "compression", BS_HEIF_AV1, "effort", 3, "strip", 1, (void *)0);
}

static inline void bs_vips_release(VipsImage *image) { g_object_unref(image); }
static inline void bs_vips_free(void *bytes) { g_free(bytes); }
