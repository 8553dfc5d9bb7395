#pragma once

// Precompiled for all test targets. A test still includes what it uses: the precompiled
// header saves time and carries no meaning.
#include <gtest/gtest.h>
#include <saltus/saltus.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
