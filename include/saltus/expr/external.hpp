// Opaque functions inside an expression: a user's C function, a table, an FMU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <saltus/numerics/interval.hpp>

namespace saltus {

/// A function R^n_in -> R^n_out that is opaque to the graph.
///
/// The definition is shared between threads and must be const-safe. All memory that a call writes
/// to lives in an Instance; every workspace owns one.
///
/// Abilities beyond plain evaluation are optional. A missing ability is reported by name when a
/// program that needs it is built; it is never approximated.
class ExternalFunction {
 public:
  class Instance {
   public:
    virtual ~Instance() = default;

    /// Returns false for a domain error; the outputs are then undefined.
    virtual bool evaluate(std::span<const double> in, std::span<double> out) = 0;

    /// Computes an enclosure of the range over a box. Only called if `encloses()`.
    virtual bool enclose(std::span<const Interval> in, std::span<Interval> out);
  };

  ExternalFunction(std::string name, std::size_t n_in, std::size_t n_out)
      : name_(std::move(name)), n_in_(n_in), n_out_(n_out) {}
  virtual ~ExternalFunction() = default;
  ExternalFunction(const ExternalFunction&) = delete;
  ExternalFunction& operator=(const ExternalFunction&) = delete;

  const std::string& name() const { return name_; }
  std::size_t n_in() const { return n_in_; }
  std::size_t n_out() const { return n_out_; }

  virtual std::unique_ptr<Instance> instantiate() const = 0;

  /// Returns the Jacobian as a function of the same arguments with n_out * n_in outputs, row by
  /// row; null if there is none.
  virtual std::shared_ptr<const ExternalFunction> jacobian() const { return nullptr; }

  /// Returns whether instances implement `enclose`.
  virtual bool encloses() const { return false; }

 private:
  std::string name_;
  std::size_t n_in_;
  std::size_t n_out_;
};

}  // namespace saltus
