#include <saltus/core/version.hpp>

#include <gtest/gtest.h>
#include <string>

namespace {

std::string header_version() {
  return std::to_string(saltus::version_major) + "." + std::to_string(saltus::version_minor) + "." +
         std::to_string(saltus::version_patch);
}

TEST(Version, HeaderAgreesWithCMake) { EXPECT_EQ(header_version(), SALTUS_CMAKE_VERSION); }

TEST(Version, LibraryAgreesWithHeader) { EXPECT_EQ(saltus::library_version(), header_version()); }

}  // namespace
