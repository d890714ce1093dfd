/* floor-write: the physical floor of a static-site build: write a given set of files.
 *
 *   gcc -O2 -pthread -o floor-write floor-write.c
 *   find SITE -type f -printf '%s\t%P\n' | LC_ALL=C sort -t"$(printf '\t')" -k2 > list.tsv
 *   floor-write [--threads N] [--mode MODE] list.tsv OUTDIR
 *   floor-write --help
 *
 * Contents come from a memory buffer (an offset derived from the path, so every run writes the same
 * bytes to the same file); the only work is the file system's. Prints one line:
 *   mode threads files dirs bytes wall_s user_s sys_s
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
"usage: floor-write [--threads N] [--mode MODE] LIST OUTDIR\n"
"  LIST    lines of SIZE<tab>PATH, sorted by path (bytewise)\n"
"  MODE    fresh    mkdirat + openat(O_CREAT|O_EXCL) + write + close into a new tree (default)\n"
"          path     the same with whole paths and a mkdir -p per file, no directory fds\n"
"          empty    fresh, but no bytes: the metadata's share\n"
"          single   all bytes into one file: the data's share\n"
"          trunc    overwrite an existing tree with O_TRUNC\n"
"          over     overwrite in place, ftruncate only where the size differs\n"
"          rename   write a temporary beside each file and rename it over\n"
"          compare  read each existing file and compare; write where it differs\n"
"          stat     fstatat each file and compare its size only\n"
"  --threads N      1 to 16 (default 1); work is handed out in runs of 256 files\n";

struct entry { char *path; size_t size; uint32_t hash; };
static struct entry *list;
static size_t count, total;
static char *buf;
enum { BUF = 32 << 20, MAXDEPTH = 32 };
enum mode { FRESH, PATH, EMPTY, SINGLE, TRUNC, OVER, RENAME, COMPARE, STAT };
static const char *names[] = { "fresh", "path", "empty", "single", "trunc", "over", "rename", "compare", "stat", 0 };
static enum mode mode;
static int rootfd, nthreads = 1;
static const char *outdir;
static _Atomic size_t next_run, dirs, changed;

static void die(const char *what, const char *path) {
  fprintf(stderr, "floor-write: %s: %s: %s\n", what, path, strerror(errno));
  exit(1);
}

static const char *content(const struct entry *e, size_t *n) {      /* up to BUF bytes; larger files repeat it */
  size_t m = e->size < BUF ? e->size : BUF;
  *n = m;
  return buf + (m == BUF ? 0 : e->hash % (BUF - m));
}

static void put(int fd, const struct entry *e) {
  size_t n, left = e->size;
  const char *p = content(e, &n);
  while (left) {
    size_t k = left < n ? left : n;
    ssize_t w = write(fd, p, k);
    if (w < 0) die("write", e->path);
    left -= w;
    if ((size_t)w < k) { p += w; n -= w; } else p = content(e, &n);
  }
}

/* The folders on the current path, made as met. fd[d] is open only once something needs it. */
struct stack { char name[MAXDEPTH][256]; int fd[MAXDEPTH]; int depth; };

static void let_go(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static int dirfd_at(struct stack *s, int d) {
  if (d == 0) return rootfd;
  if (s->fd[d] < 0) {
    s->fd[d] = openat(dirfd_at(s, d - 1), s->name[d], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->fd[d] < 0) die("open", s->name[d]);
  }
  return s->fd[d];
}

/* Enters the folder of `path` (making it when `make`), and returns an fd and a name to open the file by:
 * the parent of its folder and "folder/file", so that a folder of one file is never opened itself. */
static int enter(struct stack *s, const char *path, int make, const char **rel) {
  const char *p = path, *start[MAXDEPTH];
  int d = 0, same = 1;
  for (;;) {
    const char *slash = strchr(p, '/');
    if (!slash) break;
    size_t n = slash - p;
    d++;
    start[d] = p;
    if (d >= MAXDEPTH || n > 255) die("path too deep", path);
    if (!(same && d <= s->depth && !strncmp(s->name[d], p, n) && !s->name[d][n])) {
      if (same) {
        for (int i = d; i <= s->depth; i++) let_go(&s->fd[i]);
        same = 0;
      }
      memcpy(s->name[d], p, n);
      s->name[d][n] = 0;
      s->fd[d] = -1;
      if (make) {
        if (!mkdirat(dirfd_at(s, d - 1), s->name[d], 0777)) dirs++;
        else if (errno != EEXIST) die("mkdir", path);
      }
    }
    p = slash + 1;
  }
  if (same) for (int i = d + 1; i <= s->depth; i++) let_go(&s->fd[i]);
  s->depth = d;
  if (d == 0) { *rel = path; return rootfd; }
  *rel = start[d];
  return dirfd_at(s, d - 1);
}

static void one(struct stack *s, const struct entry *e, char *scratch) {
  const char *rel;
  int fd, at;
  struct stat st;
  if (mode == PATH) {
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", outdir, e->path);
    for (char *p = full + strlen(outdir) + 1; (p = strchr(p, '/')); p++) {
      *p = 0;
      if (!mkdir(full, 0777)) dirs++; else if (errno != EEXIST) die("mkdir", full);
      *p = '/';
    }
    if ((fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0) die("open", full);
    put(fd, e);
    close(fd);
    return;
  }
  at = enter(s, e->path, mode == FRESH || mode == EMPTY, &rel);
  switch (mode) {
  case FRESH: case EMPTY:
    if ((fd = openat(at, rel, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0) die("create", e->path);
    if (mode == FRESH) put(fd, e);
    break;
  case TRUNC:
    if ((fd = openat(at, rel, O_WRONLY | O_TRUNC | O_CLOEXEC)) < 0) die("open", e->path);
    put(fd, e);
    break;
  case OVER:
    if ((fd = openat(at, rel, O_WRONLY | O_CLOEXEC)) < 0) die("open", e->path);
    put(fd, e);
    if (fstat(fd, &st)) die("stat", e->path);
    if ((size_t)st.st_size != e->size && ftruncate(fd, e->size)) die("ftruncate", e->path);
    break;
  case RENAME: {
    char tmp[600];
    snprintf(tmp, sizeof tmp, "%s.tmp", rel);
    if ((fd = openat(at, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0) die("create", e->path);
    put(fd, e);
    if (renameat(at, tmp, at, rel)) die("rename", e->path);
    break;
  }
  case COMPARE: {
    if ((fd = openat(at, rel, O_RDWR | O_CLOEXEC)) < 0) die("open", e->path);
    size_t n, done = 0;
    const char *want = content(e, &n);
    int same = 1;
    while (same) {                                                   /* one read more than needed finds the end */
      ssize_t r = read(fd, scratch, 1 << 20);
      if (r < 0) die("read", e->path);
      if (r == 0) break;
      for (ssize_t i = 0; i < r && same;) {
        size_t off = (done + i) % n, k = n - off < (size_t)(r - i) ? n - off : (size_t)(r - i);
        same = done + i + k <= e->size && !memcmp(scratch + i, want + off, k);
        i += k;
      }
      done += r;
    }
    if (!same || done != e->size) {
      changed++;
      if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET)) die("rewrite", e->path);
      put(fd, e);
    }
    break;
  }
  default:
    if (fstatat(at, rel, &st, AT_SYMLINK_NOFOLLOW)) die("stat", e->path);
    if ((size_t)st.st_size != e->size) changed++;
    return;
  }
  if (close(fd)) die("close", e->path);
}

static void *worker(void *unused) {
  struct stack *s = calloc(1, sizeof *s);
  char *scratch = malloc(1 << 20);
  for (int i = 0; i < MAXDEPTH; i++) s->fd[i] = -1;
  for (;;) {
    size_t i = atomic_fetch_add(&next_run, 256), end = i + 256 < count ? i + 256 : count;
    if (i >= count) break;
    for (; i < end; i++) one(s, &list[i], scratch);
  }
  return unused;
}


static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

int main(int argc, char **argv) {
  int a = 1;
  for (; a < argc && !strncmp(argv[a], "--", 2); a++) {
    if (!strcmp(argv[a], "--help")) { fputs(help, stdout); return 0; }
    if (!strcmp(argv[a], "--threads") && a + 1 < argc) nthreads = atoi(argv[++a]);
    else if (!strcmp(argv[a], "--mode") && a + 1 < argc) {
      for (a++, mode = 0; names[mode] && strcmp(names[mode], argv[a]); mode++) ;
      if (!names[mode]) { fputs(help, stderr); return 2; }
    } else { fputs(help, stderr); return 2; }
  }
  if (argc - a != 2 || nthreads < 1 || nthreads > 16) { fputs(help, stderr); return 2; }
  outdir = argv[a + 1];
  FILE *f = fopen(argv[a], "r");
  if (!f) die("open", argv[a]);
  char *line = 0;
  size_t cap = 0, room = 0;
  while (getline(&line, &cap, f) > 0) {
    char *tab = strchr(line, '\t');
    if (!tab) continue;
    line[strcspn(line, "\n")] = 0;
    if (count == room) list = realloc(list, (room = room ? room * 2 : 4096) * sizeof *list);
    struct entry *e = &list[count++];
    e->size = strtoull(line, 0, 10);
    e->path = strdup(tab + 1);
    e->hash = 2166136261u;
    for (char *p = e->path; *p; p++) e->hash = (e->hash ^ (unsigned char)*p) * 16777619u;
    total += e->size;
  }
  buf = malloc(BUF);
  uint64_t x = 88172645463325252ull;
  for (size_t i = 0; i < BUF; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; buf[i] = ' ' + x % 95; }
  if (mkdir(outdir, 0777) && errno != EEXIST) die("mkdir", outdir);
  if ((rootfd = open(outdir, O_RDONLY | O_DIRECTORY)) < 0) die("open", outdir);

  struct rusage r0, r1;
  struct timespec t0, t1;
  getrusage(RUSAGE_SELF, &r0);
  clock_gettime(CLOCK_MONOTONIC, &t0);
  if (mode == SINGLE) {
    int fd = openat(rootfd, "all", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) die("create", "all");
    for (size_t i = 0; i < count; i++) put(fd, &list[i]);
    close(fd);
  } else {
    pthread_t t[16];
    for (int i = 1; i < nthreads; i++) pthread_create(&t[i], 0, worker, 0);
    worker(0);
    for (int i = 1; i < nthreads; i++) pthread_join(t[i], 0);
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  getrusage(RUSAGE_SELF, &r1);
  printf("%s threads=%d files=%zu dirs=%zu bytes=%zu wall=%.3f user=%.3f sys=%.3f", names[mode], nthreads, count, (size_t)dirs, total,
         t1.tv_sec - t0.tv_sec + (t1.tv_nsec - t0.tv_nsec) / 1e9, seconds(r1.ru_utime) - seconds(r0.ru_utime), seconds(r1.ru_stime) - seconds(r0.ru_stime));
  if (mode == COMPARE || mode == STAT) printf(" changed=%zu", (size_t)changed);
  puts("");
  return 0;
}
