// The waist: what a smooth configuration offers to everything numeric.
//
// A System is F(t, x, x') = 0 with as many equations as unknowns. It is immutable and shared between
// threads; whoever evaluates it asks for a Workspace, one per thread. A compiled model, a user's own
// functions (function_system.hpp), an imported component, a reduced system and a sliding
// configuration all enter by this door, and nothing behind it knows which of them it has.
//
// Everything beyond residual and Jacobian is an *ability* (abilities.hpp), asked for by type:
//
//   if (auto* form = workspace.ability<ExplicitForm>()) form->derivative(t, x, xdot);
//
// What an ability needs and a system does not offer is refused by name, never imitated silently.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include <saltus/numerics/sparse.hpp>
#include <saltus/system/evaluation.hpp>
#include <saltus/system/variable_map.hpp>

namespace saltus {

/// Evaluates a system; not shared between threads. Evaluations allocate nothing.
class Workspace {
 public:
  virtual ~Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// f = F(t, x, x').
  virtual Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> f) = 0;

  /// Both parts on System::pattern(): an engine forms the combination it needs, real or complex.
  virtual Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> df_dx, std::span<double> df_dxdot) = 0;

  /// What the last failed evaluation said in its own words (the text of an exception); often empty.
  virtual std::string last_error() const { return {}; }

  /// Null if the system does not have it.
  template <class Ability>
  Ability* ability() {
    for (const Offer& offer : abilities_) {
      if (offer.hash == hash_of<Ability>() && offer.type == typeid(Ability))
        return static_cast<Ability*>(offer.object);
    }
    return nullptr;
  }

 protected:
  Workspace() = default;
  /// Called while constructing; the object lives as long as the workspace.
  template <class Ability>
  void offer(Ability& object) {
    abilities_.push_back({hash_of<Ability>(), typeid(Ability), &object});
  }

 private:
  /// Types are compared by their names, letter by letter: only where these are likely to be the same.
  struct Offer {
    std::size_t hash;
    std::type_index type;
    void* object;
  };
  template <class Ability>
  static std::size_t hash_of() {
    static const std::size_t hash = typeid(Ability).hash_code();
    return hash;
  }
  std::vector<Offer> abilities_;
};

/// Where a search for a consistent start begins.
struct StartValues {
  std::vector<double> x;
  std::vector<double> xdot;
  /// The user stated x[i] (a start value), as opposed to guessing it.
  std::vector<std::uint8_t> x_given;
};

class System {
 public:
  virtual ~System() = default;

  /// Number of unknowns.
  virtual std::uint32_t size() const = 0;
  /// Number of equations: the same, except for a system that has to be reduced before it can be
  /// integrated.
  virtual std::uint32_t n_equations() const { return size(); }
  /// Where dF/dx or dF/dx' may be nonzero: n_equations() rows, size() columns.
  virtual const CscPattern& pattern() const = 0;
  /// One flag per unknown: its derivative occurs in some equation.
  virtual std::span<const std::uint8_t> carries_derivative() const = 0;

  virtual std::string unknown_name(std::uint32_t unknown) const = 0;
  virtual std::string equation_name(std::uint32_t row) const = 0;
  /// A typical magnitude of an unknown: absolute tolerances scale with it.
  virtual double nominal(std::uint32_t unknown) const = 0;
  /// Whether an unknown is a constant by its equation, x' = 0: it has no error, and is left out where errors are
  /// averaged over unknowns.
  virtual bool is_constant(std::uint32_t /*unknown*/) const { return false; }
  /// Whether dF/dx and dF/dx' change at events only: between them F is affine in x and x', with coefficients that do
  /// not depend on time.
  virtual bool has_constant_jacobian() const { return false; }
  virtual StartValues start_values() const = 0;
  /// How the model's variables follow from what an engine integrates.
  virtual const VariableMap& variable_map() const = 0;

  virtual std::unique_ptr<Workspace> workspace() const = 0;
};

}  // namespace saltus
