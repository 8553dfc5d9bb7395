// Writes analyses and linearisations as JSON (RFC 8259); docs/reference/json.md describes the
// fields.
#pragma once

#include <iosfwd>
#include <string>

#include <saltus/simulate/analyze.hpp>
#include <saltus/simulate/linearize.hpp>

namespace saltus {

/// Writes everything except the signature matrix. Returns false if the stream failed.
bool write_json(const ModelAnalysis& analysis, std::ostream& out);
std::string to_json(const ModelAnalysis& analysis);

/// Writes matrices as arrays of rows. Returns false if the stream failed.
bool write_json(const Linearization& linearization, std::ostream& out);
std::string to_json(const Linearization& linearization);

}  // namespace saltus
