// Small blocks of memory that were given back are kept for the next who asks, by each thread for itself.
//
// A run makes some two thousand small vectors and lets them go. The C library keeps seven blocks of a size at hand and
// spends two hundred instructions on each further one, a tenth of a short run. Linked into the programs of the project,
// never into the library: what new does in somebody else's program is not ours to say.
//
// Every block comes from malloc and may end in free, at any time and in any other part of the process. So it does not
// matter whether a block that libstdc++ made arrives here, or one of these is let go over there.
#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

// A sanitizer wants to see every block.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

// As the C library rounds: a block has room for 24, 40, 56, ... bytes.
constexpr std::size_t step = 16, least_room = 24, n_sizes = 64;
constexpr std::size_t largest = least_room + (n_sizes - 1) * step;
// Of each size: 4 MB, if all were in use.
constexpr std::size_t most_bytes = 1 << 16;

struct Block {
  Block* next;
};

struct KeptBlocks {
  Block* first[n_sizes];
  std::size_t count[n_sizes];
  bool rounds_as_here;  // malloc does, whoever provides it, or up to more

  bool keep(void* block, std::size_t which);
};

constexpr std::size_t number_of(std::size_t size) {
  return size <= least_room ? 0 : (size - least_room + step - 1) / step;
}

constexpr std::size_t room_of(std::size_t which) { return least_room + which * step; }

bool malloc_rounds_as_here() {
  bool as_here = true;
  for (const std::size_t size : {std::size_t{1}, least_room, least_room + 1, least_room + step,
                                 least_room + step + 1, largest - 1, largest}) {
    void* block = std::malloc(size);
    as_here = as_here && malloc_usable_size(block) >= room_of(number_of(size));
    std::free(block);
  }
  return as_here;
}

/// False if there are enough of that size.
bool KeptBlocks::keep(void* block, std::size_t which) {
  if (count[which] * room_of(which) >= most_bytes) return false;
  first[which] = ::new (block) Block{first[which]};
  ++count[which];
  return true;
}

// Eight bytes of those that the loader reserves for libraries that come late: found without a call, which saves a third of
// the instructions.
[[gnu::tls_model("initial-exec")]] thread_local constinit KeptBlocks* kept = nullptr;
thread_local constinit bool has_ended = false;

struct EndOfThread {
  ~EndOfThread() {
    has_ended = true;
    for (Block* block : kept->first) {
      while (block != nullptr) std::free(std::exchange(block, block->next));
    }
    std::free(kept);
    kept = nullptr;
  }
};

void begin_thread() {
  if (has_ended) return;
  kept = static_cast<KeptBlocks*>(std::calloc(1, sizeof(KeptBlocks)));
  if (kept == nullptr) return;
  kept->rounds_as_here = malloc_rounds_as_here();
  static thread_local EndOfThread end;
  static_cast<void>(end);
}

void* from_malloc(std::size_t size) {
  for (;;) {
    if (void* block = std::malloc(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t size) {
  if (size > largest) return from_malloc(size);
  const std::size_t which = number_of(size);
  if (kept != nullptr) {
    if (Block* block = kept->first[which]) {
      kept->first[which] = block->next;
      --kept->count[which];
      return block;
    }
  } else {
    begin_thread();
  }
  return from_malloc(room_of(which));
}

void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  // Of a size between two it is kept as the smaller one.
  const std::size_t room = malloc_usable_size(block);
  if (kept == nullptr || room < least_room || room >= largest + step ||
      !kept->keep(block, (room - least_room) / step))
    std::free(block);
}

/// The usual case, without a look at the block.
void operator delete(void* block, std::size_t size) noexcept {
  KeptBlocks* const here = kept;
  if (here == nullptr || !here->rounds_as_here || size > largest || block == nullptr)
    operator delete(block);
  else if (!here->keep(block, number_of(size)))
    std::free(block);
}

#endif
