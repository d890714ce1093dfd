// System calls that glibc 2.36 does not wrap, or wraps with variable arguments.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

struct bs_open_how { uint64_t flags, mode, resolve; };

// openat2 has no glibc wrapper; resolve 0x04 is RESOLVE_NO_SYMLINKS, 0x08 RESOLVE_BENEATH.
static inline int bs_openat2(int directory, const char *path, uint64_t flags, uint64_t mode) {
    struct bs_open_how how = { flags, mode, 0x04 | 0x08 };
    return (int)syscall(437 /* SYS_openat2 */, directory, path, &how, sizeof how);
}

// renameat2 is only declared under _GNU_SOURCE; flag 1 is RENAME_NOREPLACE, 2 RENAME_EXCHANGE.
static inline int bs_renameat2(int from, const char *old, int to, const char *name, unsigned flags) {
    return (int)syscall(SYS_renameat2, from, old, to, name, flags);
}

// syncfs is only declared under _GNU_SOURCE.
static inline int bs_syncfs(int descriptor) { return (int)syscall(SYS_syncfs, descriptor); }
