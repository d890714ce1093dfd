#include <gumbo.h>
#include <setjmp.h>
#include <stdlib.h>

// Parsing with a limit to memory. Twenty kilobytes of formatting elements that are never closed make gumbo allocate
// hundreds of megabytes, and gumbo does not check what its allocator returns; so the allocator jumps out instead. It
// jumps over frames of gumbo only, none of Swift. Everything comes from chunks that are freed together.

typedef struct CGumboChunk {
  struct CGumboChunk *next;
  size_t used, size;
} CGumboChunk;

typedef struct {
  CGumboChunk *chunks;
  size_t left;
  jmp_buf exhausted;
} CGumboArena;

static inline void *cgumbo_allocate(void *context, size_t size) {
  CGumboArena *arena = (CGumboArena *)context;
  size = (size + 15) & ~(size_t)15;
  CGumboChunk *chunk = arena->chunks;
  if (chunk == NULL || chunk->size - chunk->used < size) {
    size_t room = chunk == NULL ? 16384 : chunk->size < (1 << 20) ? 2 * chunk->size : chunk->size;
    if (room < size) room = size;
    if (arena->left < room) longjmp(arena->exhausted, 1);
    chunk = (CGumboChunk *)malloc(((sizeof(CGumboChunk) + 15) & ~(size_t)15) + room);
    if (chunk == NULL) longjmp(arena->exhausted, 1);
    arena->left -= room;
    chunk->next = arena->chunks;
    chunk->used = 0;
    chunk->size = room;
    arena->chunks = chunk;
  }
  char *start = (char *)chunk + ((sizeof(CGumboChunk) + 15) & ~(size_t)15) + chunk->used;
  chunk->used += size;
  return start;
}

static inline void cgumbo_deallocate(void *context, void *pointer) {
  (void)context;
  (void)pointer;
}

/// Frees a tree; its arena need not have one.
static inline void cgumbo_free(CGumboArena *arena) {
  CGumboChunk *chunk = arena->chunks;
  while (chunk != NULL) {
    CGumboChunk *next = chunk->next;
    free(chunk);
    chunk = next;
  }
  free(arena);
}

/// Parses the content of a div with at most `budget` bytes of memory; the root, or NULL if they do not suffice.
/// `*arena` is to be freed in both cases.
static inline GumboNode *cgumbo_parse(CGumboArena **arena, const char *text, size_t length, size_t budget) {
  CGumboArena *made = (CGumboArena *)malloc(sizeof(CGumboArena));
  if (made == NULL) abort();
  made->chunks = NULL;
  made->left = budget;
  *arena = made;
  if (setjmp(made->exhausted) != 0) return NULL;
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = cgumbo_allocate;
  options.deallocator = cgumbo_deallocate;
  options.userdata = made;
  options.max_errors = 0;
  options.fragment_context = GUMBO_TAG_DIV;
  return gumbo_parse_with_options(&options, text, length)->root;
}
