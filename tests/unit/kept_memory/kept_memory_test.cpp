// The memory of the programs: blocks are used again, whoever made them and whoever lets them go.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <malloc.h>

#include <gtest/gtest.h>

namespace {

void* fresh(std::size_t size) { return ::operator new(size); }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(KeptMemory, TheNextOfThatSizeGetsTheSameBlock) {
  for (const std::size_t size : {1U, 24U, 25U, 40U, 41U, 500U, 1000U}) {
    void* first = fresh(size);
    ::operator delete(first, size);
    void* second = fresh(size);
    EXPECT_EQ(first, second) << size;
    // Control: while it is in use nobody else gets it.
    void* third = fresh(size);
    EXPECT_NE(second, third) << size;
    ::operator delete(second, size);
    ::operator delete(third, size);
  }
}

TEST(KeptMemory, WhatIsKeptHasAnEnd) {
  // Ten times what may be kept of a size: the rest goes back, and mallinfo2 sees it.
  constexpr std::size_t size = 1000, n = 640;
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < n; ++i) blocks.push_back(fresh(size));
  const std::size_t in_use = mallinfo2().uordblks;
  for (void* block : blocks) ::operator delete(block, size);
  EXPECT_LT(mallinfo2().uordblks, in_use - (n - 100) * size);
}
#endif

TEST(KeptMemory, BlocksHaveRoomForWhatWasAskedFor) {
  for (std::size_t size = 0; size < 3000; size += 7) {
    std::vector<unsigned char*> blocks;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 5; ++i) {
        auto* block = static_cast<unsigned char*>(fresh(size));
        ASSERT_GE(malloc_usable_size(block), size);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0U);
        std::memset(block, i, size);
        blocks.push_back(block);
      }
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (size > 0) {
          EXPECT_EQ(blocks[i][size - 1], i);
        }
        ::operator delete(blocks[i], size);
      }
      blocks.clear();
    }
  }
}

TEST(KeptMemory, MayBeLetGoBySomebodyElse) {
  // As libstdc++ does, which has a new and a delete of its own. The compiler must not see it: it would warn.
  void (*volatile let_go)(void*) = std::free;
  void* (*volatile make)(std::size_t) = std::malloc;
  for (int i = 0; i < 100; ++i) {
    let_go(fresh(100));
    ::operator delete(make(100));
  }
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "grows inside the library ";
  EXPECT_EQ(text.size(), 125000U);
}

TEST(KeptMemory, MayBeLetGoByAnotherThread) {
  std::vector<std::vector<int>> made;
  std::thread maker([&] {
    for (int i = 0; i < 1000; ++i) made.emplace_back(10, i);
  });
  maker.join();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(made[static_cast<std::size_t>(i)], std::vector(10, i));
  std::thread([&] { made.clear(); }).join();
}

TEST(KeptMemory, WhatCannotBeGivenIsRefused) {
  const std::size_t far_too_much = SIZE_MAX / 2;
  EXPECT_THROW(::operator delete(fresh(far_too_much)), std::bad_alloc);
  ::operator delete(nullptr);
}

}  // namespace
