#include <saltus/core/observer.hpp>
#include <saltus/core/version.hpp>

#include <gtest/gtest.h>
#include <array>
#include <string_view>
#include <thread>
#include <vector>

namespace {

// Both are made at first use, here by several threads at once.
TEST(CoreThreads, FirstUseOfSharedObjects) {
  std::array<std::string_view, 8> versions;
  std::array<saltus::Observer*, 8> observers{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    threads.emplace_back([&versions, &observers, i] {
      versions[i] = saltus::library_version();
      observers[i] = &saltus::null_observer();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < versions.size(); ++i) {
    EXPECT_EQ(versions[i].data(), versions[0].data());
    EXPECT_EQ(observers[i], observers[0]);
  }
}

}  // namespace
