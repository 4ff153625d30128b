// Part of engine.c, which includes it after quickjs.c: how a snapshot's memory is laid
// out, so that an execution writes to few of its pages.

// Adds a small arena of free blocks. It claims one block more than it has, which counts as used, so
// that the arena is never given back.
static void add_nursery(JSRuntime* rt, int size_index, int blocks) {
  int block_size = arena_block_sizes[size_index];
  JSArena* arena = rt->mf.js_malloc(rt->malloc_state.opaque,
                                    sizeof(JSArena) + (size_t)blocks * (size_t)block_size);
  arena->block_size_idx = size_index;
  arena->n_blocks = blocks + 1;
  arena->n_used_blocks = 1;
  arena->first_free_block = 0;
  for (int i = 0; i < blocks; ++i) {
    JSMallocBlockHeader* block = arena_get_block(arena, i, block_size);
    block->u.free_next = i + 1 < blocks ? i + 1 : JS_ARENA_FREE_NIL;
    block->block_size_idx = size_index;
  }
  list_add(&arena->link, &rt->arena_state.arena_list[size_index]);
  list_add(&arena->free_link, &rt->arena_state.free_arena_list[size_index]);
}

// What is allocated here is never freed.
static void use_up_arenas(JSRuntime* rt) {
  for (int i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; ++i)
    while (!list_empty(&rt->arena_state.free_arena_list[i]))
      js_arena_malloc(rt, (size_t)arena_block_sizes[i] - sizeof(JSMallocBlockHeader));
}

static void use_up_heap_holes(void) {
  uint8_t* end = malloc(65536);
  for (size_t size = 32768; size >= 8; size = size > 1024 ? size / 2 : size - 8) {
    uint8_t* block;
    while ((block = malloc(size)) < end) memset(block, 0, size);  // zeros take no room in a file
    free(block);
  }
  free(end);
}

static void* moved(JSRuntime* rt, void* block, size_t size) {
  void* copy = js_malloc_rt(rt, size);
  memcpy(copy, block, size);
  js_free_rt(rt, block);
  return copy;
}

static JSShape* moved_shape(JSRuntime* rt, JSShape* old) {
  size_t hash_size = old->prop_hash_mask + 1;
  if (old->is_hashed) js_shape_hash_unlink(rt, old);
  list_del(&old->header.link);
  void* block = js_malloc_rt(rt, get_shape_size(hash_size, old->prop_size));
  memcpy(block, get_alloc_from_shape(old), get_shape_size(hash_size, old->prop_size));
  JSShape* shape = get_shape_from_alloc(block, hash_size);
  JS_REF_COUNT(shape) = JS_REF_COUNT(old);
  JS_GC_TYPE(shape) = JS_GC_TYPE(old);
  JS_GC_MARK(shape) = JS_GC_MARK(old);
  list_add_tail(&shape->header.link, &rt->gc_obj_list);
  if (shape->is_hashed) js_shape_hash_link(rt, shape);
  js_free_rt(rt, get_alloc_from_shape(old));
  return shape;
}

// A name or a shape that was made later comes first in its chain. Programs mostly use those of the
// language itself, which were made earlier. So these go to the front, and the chains become short:
// a lookup then reads no page of the rest.
static void sort_chains(JSRuntime* rt) {
  JS_ResizeAtomHash(rt, rt->atom_hash_size * 4);
  for (int i = 0; i < rt->atom_hash_size; ++i) {
    uint32_t sorted = 0;
    for (uint32_t next, atom = rt->atom_hash[i]; atom != 0; atom = next) {
      next = rt->atom_array[atom]->hash_next;
      uint32_t* place = &sorted;
      while (*place != 0 && *place < atom) place = &rt->atom_array[*place]->hash_next;
      rt->atom_array[atom]->hash_next = *place;
      *place = atom;
    }
    rt->atom_hash[i] = sorted;
  }
  for (int i = 0; i < rt->shape_hash_size; ++i) {
    JSShape* sorted = NULL;
    for (JSShape *next, *shape = rt->shape_hash[i]; shape; shape = next) {
      next = shape->shape_hash_next;
      JSShape** place = &sorted;
      while (*place && *place < shape) place = &(*place)->shape_hash_next;
      shape->shape_hash_next = *place;
      *place = shape;
    }
    rt->shape_hash[i] = sorted;
  }
}

// Every program looks into these tables. They grew while the globals were made, and so lie among
// memory that most programs never touch.
static void move_tables(JSContext* ctx) {
  JSRuntime* rt = ctx->rt;
  rt->atom_hash = moved(rt, rt->atom_hash, sizeof *rt->atom_hash * (size_t)rt->atom_hash_size);
  rt->atom_array = moved(rt, rt->atom_array, sizeof *rt->atom_array * (size_t)rt->atom_size);
  rt->shape_hash = moved(rt, rt->shape_hash, sizeof *rt->shape_hash * (size_t)rt->shape_hash_size);
  JSObject* global = JS_VALUE_GET_OBJ(ctx->global_obj);
  global->prop = moved(rt, global->prop, sizeof *global->prop * global->shape->prop_size);
  global->shape = moved_shape(rt, global->shape);
}

// The kernel maps pages in groups of sixteen, and each mapped page costs time when a slot is reset.
// So the next allocations begin at the start of a group.
static void align_heap(void) {
  enum { GROUP = 65536, STEP = 2048 };
  uintptr_t first = (uintptr_t)malloc(STEP);
  uint8_t* block;
  do {
    block = malloc(STEP);
  } while ((uintptr_t)block / GROUP == first / GROUP);
  free(block);
}

// The order matters. First all free blocks are used up, in the engine's arenas and in the heap, so
// that what follows comes from fresh pages and lies together. The tables then move there, sorted.
// The moves leave holes behind, which are used up again. At last each size gets its few free
// blocks.
void engine_pack(JSContext* ctx) {
  JSRuntime* rt = ctx->rt;
  use_up_arenas(rt);
  use_up_heap_holes();
  align_heap();
  sort_chains(rt);
  move_tables(ctx);
  use_up_heap_holes();
  for (int i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; ++i) {
    int size = arena_block_sizes[i];
    // Roughly what a small program takes of each size before it first asks for a new arena.
    add_nursery(rt, i, size == 24 ? 48 : size <= 64 ? 10 : size <= 128 ? 5 : size <= 256 ? 2 : 1);
  }
}
