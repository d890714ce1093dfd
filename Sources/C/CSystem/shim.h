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
// malloc.h has types of its own that would clash with Glibc's. -1 is M_TRIM_THRESHOLD, -3 M_MMAP_THRESHOLD, -8 M_ARENA_MAX.
extern int mallopt(int parameter, int value);
extern int malloc_trim(unsigned long pad);

static inline void bs_limit_arenas(int count) { mallopt(-8, count); }
static inline void bs_return_blocks(int size) {
    mallopt(-3, size);
    // Setting the one stops the other from following it: 128 kB would be given back and asked for again all the time.
    mallopt(-1, 2 * size);
}
static inline void bs_trim_memory(void) { malloc_trim(0); }

// A filter for system calls, which the kernel runs for as long as the thread or process lives (seccomp(2), linux/filter.h).
#include <sys/syscall.h>

struct bs_filter_step { unsigned short code; unsigned char yes, no; unsigned value; };
struct bs_filter { unsigned short count; const struct bs_filter_step *steps; };
extern int prctl(int option, ...);

extern int vfork(void);
extern int getpid(void);
extern int getppid(void);
extern int dup2(int from, int to);
extern int fcntl(int descriptor, int command, ...);
extern int execvpe(const char *file, char *const words[], char *const variables[]);
extern int waitpid(int id, int *status, int options);
extern void _exit(int status) __attribute__((noreturn));
extern int *__errno_location(void);
extern void (*signal(int number, void (*handler)(int)))(int);

// posix_spawnp with one thing that it has no word for: the program gets SIGTERM (15) when the thread that started it ends, and so when
// we are killed. SIGPIPE (13) and SIGXFSZ (25), which we ignore, do to it what they do; `kept` stay open. Gives an error, or 0.
static inline int bs_spawn_bound(int *id, const char *file, char *const words[], char *const variables[], const int ends[3], const int *kept, int count) {
    int parent = getpid();
    volatile int code = 0;
    int child = vfork();
    if (child < 0) return *__errno_location();
    if (child == 0) {
        prctl(1, 15, 0, 0, 0);
        // We may have ended before that was said.
        if (getppid() != parent) _exit(127);
        signal(13, 0);
        signal(25, 0);
        int isReady = 1;
        for (int i = 0; i < 3; i++) isReady = isReady && dup2(ends[i], i) == i;
        // 2 is F_SETFD: no mark that closes it.
        for (int i = 0; i < count; i++) isReady = isReady && fcntl(kept[i], 2, 0) == 0;
        if (isReady) execvpe(file, words, variables);
        code = *__errno_location();
        _exit(127);
    }
    *id = child;
    if (code) waitpid(child, 0, 0);
    return code;
}

#if defined(__x86_64__)
#define BS_ARCHITECTURE 0xC000003Eu
#elif defined(__aarch64__)
#define BS_ARCHITECTURE 0xC00000B7u
#endif

// From here on: no socket, no other program, no process, no file opened for writing, made, renamed or removed, no look into
// other processes. Threads, memory, reading, and reading and writing what is open go on.
//
// What is forbidden fails with EPERM (1) as on a system where one may not: libraries go on without their caches. Gives -1 where the
// kernel does not filter or the processor is none that we know.
static inline int bs_confine(int wholeProcess) {
#ifdef BS_ARCHITECTURE
    enum { LOAD = 0x20, EQUAL = 0x15, AT_LEAST = 0x35, ANY_BIT = 0x45, GIVE = 0x06 };
    enum { FAIL = 0x50000 | 1, NO_SUCH_CALL = 0x50000 | 38 };
    const unsigned ALLOW = 0x7FFF0000u;
    // struct seccomp_data: number, architecture, instruction pointer, arguments of 64 bits, low half first.
    enum { NUMBER = 0, ARCHITECTURE = 4, ARGUMENTS = 16 };
    // O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, the same on both processors; O_TMPFILE needs one of the first two.
    const unsigned WRITES = 01 | 02 | 0100 | 01000;
    const unsigned CLONE_THREAD_BIT = 0x10000;
#define BS_STOP(name) { EQUAL, 0, 1, name }, { GIVE, 0, 0, FAIL },
#define BS_STOP_OPEN(name, argument) \
    { EQUAL, 0, 4, name }, { LOAD, 0, 0, ARGUMENTS + 8 * argument }, { ANY_BIT, 0, 1, WRITES }, { GIVE, 0, 0, FAIL }, { GIVE, 0, 0, ALLOW },
    const struct bs_filter_step steps[] = {
        { LOAD, 0, 0, ARCHITECTURE }, { EQUAL, 1, 0, BS_ARCHITECTURE }, { GIVE, 0, 0, FAIL },
        { LOAD, 0, 0, NUMBER },
        BS_STOP_OPEN(SYS_openat, 2)
        { EQUAL, 0, 4, SYS_clone }, { LOAD, 0, 0, ARGUMENTS }, { ANY_BIT, 1, 0, CLONE_THREAD_BIT }, { GIVE, 0, 0, FAIL }, { GIVE, 0, 0, ALLOW },
        // Their flags are in memory, where a filter cannot look; glibc then takes the older calls.
        { EQUAL, 0, 1, 435 /* clone3 */ }, { GIVE, 0, 0, NO_SUCH_CALL },
        { EQUAL, 0, 1, 437 /* openat2 */ }, { GIVE, 0, 0, NO_SUCH_CALL },
#ifdef __x86_64__
        // The 32-bit numbers of the same processor.
        { AT_LEAST, 0, 1, 0x40000000 }, { GIVE, 0, 0, FAIL },
        BS_STOP_OPEN(SYS_open, 1)
        BS_STOP(SYS_creat) BS_STOP(SYS_fork) BS_STOP(SYS_vfork) BS_STOP(SYS_unlink) BS_STOP(SYS_rename) BS_STOP(SYS_mkdir)
        BS_STOP(SYS_rmdir) BS_STOP(SYS_link) BS_STOP(SYS_symlink) BS_STOP(SYS_mknod) BS_STOP(SYS_chmod) BS_STOP(SYS_chown)
        BS_STOP(SYS_lchown) BS_STOP(SYS_utime) BS_STOP(SYS_utimes) BS_STOP(SYS_futimesat)
#endif
        BS_STOP(SYS_socket) BS_STOP(SYS_socketpair) BS_STOP(SYS_connect) BS_STOP(SYS_bind) BS_STOP(425 /* io_uring_setup */)
        BS_STOP(SYS_execve) BS_STOP(SYS_execveat) BS_STOP(SYS_ptrace) BS_STOP(SYS_process_vm_readv)
        BS_STOP(SYS_process_vm_writev) BS_STOP(SYS_kill) BS_STOP(424 /* pidfd_send_signal */) BS_STOP(434 /* pidfd_open */)
        BS_STOP(SYS_unlinkat) BS_STOP(SYS_renameat) BS_STOP(SYS_renameat2) BS_STOP(SYS_mkdirat) BS_STOP(SYS_linkat)
        BS_STOP(SYS_symlinkat) BS_STOP(SYS_mknodat) BS_STOP(SYS_truncate) BS_STOP(SYS_ftruncate) BS_STOP(SYS_fallocate)
        BS_STOP(SYS_fchmod) BS_STOP(SYS_fchmodat) BS_STOP(452 /* fchmodat2 */) BS_STOP(SYS_fchown) BS_STOP(SYS_fchownat)
        BS_STOP(SYS_utimensat) BS_STOP(SYS_setxattr) BS_STOP(SYS_lsetxattr) BS_STOP(SYS_fsetxattr) BS_STOP(SYS_mount)
        BS_STOP(SYS_umount2) BS_STOP(SYS_chroot) BS_STOP(SYS_unshare) BS_STOP(SYS_setns) BS_STOP(SYS_bpf)
        BS_STOP(SYS_perf_event_open) BS_STOP(SYS_userfaultfd) BS_STOP(SYS_add_key) BS_STOP(SYS_keyctl)
        { GIVE, 0, 0, ALLOW },
    };
#undef BS_STOP
#undef BS_STOP_OPEN
    const struct bs_filter filter = { sizeof steps / sizeof *steps, steps };
    // 38 is PR_SET_NO_NEW_PRIVS, without which only root may filter; 1 SECCOMP_SET_MODE_FILTER, with 1 for all threads.
    if (prctl(38, 1, 0, 0, 0)) return -1;
    return syscall(SYS_seccomp, 1, wholeProcess ? 1 : 0, &filter) ? -1 : 0;
#else
    return -1;
#endif
}
