// System calls that Swift's Glibc module does not show. No system header is included here: its types would then
// belong to this module as well as to Glibc.

extern long syscall(long number, ...);
// Declared by glibc under _GNU_SOURCE only.
extern int renameat2(int from, const char *old, int to, const char *name, unsigned int flags);
extern int syncfs(int descriptor);
extern int pipe2(int *ends, int flags);

struct bs_open_how { unsigned long flags, mode, resolve; };

// openat2 (437 on every architecture) has no glibc wrapper; resolve 0x04 is RESOLVE_NO_SYMLINKS, 0x08 RESOLVE_BENEATH.
static inline int bs_openat2(int directory, const char *path, unsigned long flags, unsigned long mode) {
    struct bs_open_how how = { flags, mode, 0x04 | 0x08 };
    return (int)syscall(437, directory, path, &how, sizeof how);
}

// As above with RESOLVE_NO_XDEV (0x01): fails with EXDEV at the border of a mount, bind mounts included.
static inline int bs_openat2_same_mount(int directory, const char *path, unsigned long flags) {
    struct bs_open_how how = { flags, 0, 0x01 | 0x04 | 0x08 };
    return (int)syscall(437, directory, path, &how, sizeof how);
}

// Flag 1 is RENAME_NOREPLACE, 2 RENAME_EXCHANGE.
static inline int bs_renameat2(int from, const char *old, int to, const char *name, unsigned flags) {
    return renameat2(from, old, to, name, flags);
}

static inline int bs_syncfs(int descriptor) { return syncfs(descriptor); }

static inline int bs_pipe2(int *ends, int flags) { return pipe2(ends, flags); }
// malloc.h has types of its own that would clash with Glibc's. -8 is M_ARENA_MAX.
extern int mallopt(int parameter, int value);
extern int malloc_trim(unsigned long pad);

static inline void bs_limit_arenas(int count) { mallopt(-8, count); }
static inline void bs_trim_memory(void) { malloc_trim(0); }
