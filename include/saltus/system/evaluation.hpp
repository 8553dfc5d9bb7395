// Reports the result of one evaluation of a system.
#pragma once

#include <cstdint>

namespace saltus {

/// An evaluation either wrote finite numbers everywhere, or names the row that it could not
/// evaluate.
///
/// A system that returns ok() promises finite values: engines do not check again. Out of domain
/// means that another point may work (a logarithm met a negative number); engines respond with a
/// smaller step. Failed means that no point will work (a callback threw); engines stop and report
/// it.
class [[nodiscard]] Evaluation {
 public:
  enum class Status : std::uint8_t { ok, out_of_domain, failed };

  static constexpr Evaluation ok() { return {Status::ok, 0}; }
  static constexpr Evaluation out_of_domain(std::uint32_t row) {
    return {Status::out_of_domain, row};
  }
  static constexpr Evaluation failed(std::uint32_t row) { return {Status::failed, row}; }

  constexpr explicit operator bool() const { return status_ == Status::ok; }
  constexpr Status status() const { return status_; }
  /// Returns the equation concerned; has no meaning after ok().
  constexpr std::uint32_t row() const { return row_; }

 private:
  constexpr Evaluation(Status status, std::uint32_t row) : status_(status), row_(row) {}
  Status status_;
  std::uint32_t row_;
};

}  // namespace saltus
