// A problem in units in which the diagonal of W is between 1/2 and 2 (or 0), and without its joints.
#pragma once

#include "instant.hpp"

namespace saltus::detail {

/// Rows and columns of tangents without friction are 0.
ScaledResponse scaled(const InstantProblem& problem);

/// Contacts without joints: forces of these are p_J = -W_JJ^+ (f_J + W_JU p_U). `response.f` of joints is moved to what
/// they can balance (by rounding, or as far as they contradict each other by less than 1e-6).
struct WithoutJoints {
  std::vector<std::uint32_t> contacts, joints;
  ScaledResponse response;
  /// p_J = balance + answer p_U in the units of the response with joints.
  Matrix balance, answer;
};
Result<WithoutJoints> without_joints(const InstantProblem& problem, ScaledResponse& response);

/// Contacts `which` of a response.
ScaledResponse part_of(const ScaledResponse& response, std::span<const std::uint32_t> which);

/// Positions in `response` of contacts that act on each other.
std::vector<std::vector<std::uint32_t>> groups_of(const ScaledResponse& response);

}  // namespace saltus::detail
