// Loaded before the C library (LD_PRELOAD): makes the n-th system call that changes something fail, or ends the
// process there. Calls are counted when they concern a path below FAULT_ROOT.
//
//   FAULT_ROOT=path   calls on other paths are left alone
//   FAULT_AT=n        the call that fails, from 1; 0 is none
//   FAULT_ERROR=e     the error number; 0 kills the process (SIGKILL) before the call
//   FAULT_LASTING=1   all calls from the n-th on fail
//   FAULT_SHORT=1     a write that fails writes half of its bytes first, as a full disk does
//   FAULT_OPENS=1     counts every open, not only those that write
//   FAULT_LOG=path    gets a line "name path" for each counted call
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long count;
static long at, error, lasting, half, opens;
static const char *root;
static int log_fd = -1;

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static long (*real_syscall)(long, ...);
static int (*real_open)(const char *, int, ...), (*real_openat)(int, const char *, int, ...);

// Other libraries may start, and open files, before this one does.
static void find(void) {
    if (real_openat) return;
    real_syscall = dlsym(RTLD_NEXT, "syscall");
    real_open = dlsym(RTLD_NEXT, "open");
    real_openat = dlsym(RTLD_NEXT, "openat");
}

__attribute__((constructor)) static void start(void) {
    find();
    at = number("FAULT_AT");
    error = number("FAULT_ERROR");
    lasting = number("FAULT_LASTING");
    half = number("FAULT_SHORT");
    opens = number("FAULT_OPENS");
    root = getenv("FAULT_ROOT");
    const char *log = getenv("FAULT_LOG");
    if (log) log_fd = real_open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
}

// The path of a descriptor, or of a name in a folder.
static void resolve(int fd, const char *name, char *out) {
    out[0] = 0;
    if (name && name[0] == '/') { snprintf(out, PATH_MAX, "%s", name); return; }
    char link[64];
    if (fd == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long n = readlink(link, out, PATH_MAX - 1);
    out[n < 0 ? 0 : n] = 0;
    if (name) {
        size_t length = strlen(out);
        snprintf(out + length, PATH_MAX - length, "/%s", name);
    }
}

// Whether this call is to fail; errno is set then.
static int fails(const char *call, int fd, const char *name) {
    char path[PATH_MAX];
    int saved = errno;
    resolve(fd, name, path);
    errno = saved;
    if (!root || strncmp(path, root, strlen(root)) != 0) return 0;
    long n = ++count;
    if (log_fd >= 0) {
        char line[PATH_MAX + 32];
        int length = snprintf(line, sizeof line, "%s %s\n", call, path);
        if (real_syscall(SYS_write, log_fd, line, length) < 0) {}
        errno = saved;
    }
    if (at == 0 || n < at || (n > at && !lasting)) return 0;
    if (error == 0) {
        real_syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    errno = (int)error;
    return 1;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name)
#define WRITES(flags) (opens || ((flags) & (O_WRONLY | O_RDWR | O_CREAT)))
#define MODE(flags) mode_t mode = 0; if ((flags) & O_CREAT) { va_list l; va_start(l, flags); mode = va_arg(l, mode_t); va_end(l); }

int open(const char *path, int flags, ...) {
    MODE(flags)
    find();
    if (WRITES(flags) && fails("open", AT_FDCWD, path)) return -1;
    return real_open(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE(flags)
    find();
    if (WRITES(flags) && fails("open", AT_FDCWD, path)) return -1;
    return real_open(path, flags, mode);
}
int openat(int fd, const char *path, int flags, ...) {
    MODE(flags)
    find();
    if (WRITES(flags) && fails("open", fd, path)) return -1;
    return real_openat(fd, path, flags, mode);
}
int openat64(int fd, const char *path, int flags, ...) {
    MODE(flags)
    find();
    if (WRITES(flags) && fails("open", fd, path)) return -1;
    return real_openat(fd, path, flags, mode);
}
// openat2 has no function of its own; it opens folders, and files to read.
long syscall(long call, ...) {
    long a[6];
    va_list list;
    va_start(list, call);
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    find();
    if (call == 437 && opens && fails("open", (int)a[0], (const char *)a[1])) return -1;
    return real_syscall(call, a[0], a[1], a[2], a[3], a[4], a[5]);
}
ssize_t write(int fd, const void *bytes, size_t n) {
    REAL(write);
    if (fails("write", fd, NULL)) {
        if (half && n > 1) return real(fd, bytes, n / 2);
        return -1;
    }
    return real(fd, bytes, n);
}
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset) {
    REAL(pwrite);
    return fails("write", fd, NULL) ? -1 : real(fd, bytes, n, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t offset) {
    REAL(pwrite64);
    return fails("write", fd, NULL) ? -1 : real(fd, bytes, n, offset);
}
int close(int fd) {
    REAL(close);
    if (fails("close", fd, NULL)) {
        int saved = errno;
        real(fd);
        errno = saved;
        return -1;
    }
    return real(fd);
}
int ftruncate(int fd, off_t n) { REAL(ftruncate); return fails("truncate", fd, NULL) ? -1 : real(fd, n); }
int ftruncate64(int fd, off64_t n) { REAL(ftruncate64); return fails("truncate", fd, NULL) ? -1 : real(fd, n); }
int fsync(int fd) { REAL(fsync); return fails("sync", fd, NULL) ? -1 : real(fd); }
int fdatasync(int fd) { REAL(fdatasync); return fails("sync", fd, NULL) ? -1 : real(fd); }
int syncfs(int fd) { REAL(syncfs); return fails("syncfs", fd, NULL) ? -1 : real(fd); }
int fchmod(int fd, mode_t m) { REAL(fchmod); return fails("chmod", fd, NULL) ? -1 : real(fd, m); }
int unlink(const char *p) { REAL(unlink); return fails("unlink", AT_FDCWD, p) ? -1 : real(p); }
int unlinkat(int fd, const char *p, int f) { REAL(unlinkat); return fails("unlink", fd, p) ? -1 : real(fd, p, f); }
int mkdir(const char *p, mode_t m) { REAL(mkdir); return fails("mkdir", AT_FDCWD, p) ? -1 : real(p, m); }
int mkdirat(int fd, const char *p, mode_t m) { REAL(mkdirat); return fails("mkdir", fd, p) ? -1 : real(fd, p, m); }
int linkat(int a, const char *p, int b, const char *q, int f) {
    REAL(linkat);
    return fails("link", b, q) ? -1 : real(a, p, b, q, f);
}
int rename(const char *p, const char *q) { REAL(rename); return fails("rename", AT_FDCWD, q) ? -1 : real(p, q); }
int renameat(int a, const char *p, int b, const char *q) {
    REAL(renameat);
    return fails("rename", b, q) ? -1 : real(a, p, b, q);
}
int renameat2(int a, const char *p, int b, const char *q, unsigned f) {
    REAL(renameat2);
    return fails("rename", b, q) ? -1 : real(a, p, b, q, f);
}
