// Defines System, the interface between a smooth configuration and all numerical methods.
//
// A System is F(t, x, x') = 0 with as many equations as unknowns. It is immutable and shared
// between threads; each thread that evaluates it uses a Workspace of its own. Compiled models,
// functions of users (function_system.hpp), imported components, reduced systems and sliding
// configurations all implement this interface, and the methods do not know which of them they use.
//
// Everything beyond residual and Jacobian is an *ability* (abilities.hpp), requested by type:
//
//   if (auto* form = workspace.ability<ExplicitForm>()) form->derivative(t, x, xdot);
//
// If a method needs an ability that a system does not offer, it refuses by name and never imitates
// the ability silently.
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

/// Abilities by their types.
template <class... Abilities>
struct AbilityList {};

/// Evaluates a system; not shared between threads. Evaluations allocate nothing.
class Workspace {
 public:
  virtual ~Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Computes f = F(t, x, x').
  virtual Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> f) = 0;

  /// Computes both parts on System::pattern(); an engine forms the combination it needs, real or
  /// complex.
  virtual Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> df_dx, std::span<double> df_dxdot) = 0;

  /// Returns the message of the last failed evaluation (the text of an exception); often empty.
  virtual std::string last_error() const { return {}; }

  /// Returns the ability, or null if the system does not have it.
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
  /// Offers an ability; call it in the constructor. The object lives as long as the workspace.
  template <class Ability>
  void offer(Ability& object) {
    abilities_.push_back({hash_of<Ability>(), typeid(Ability), &object});
  }
  /// Offers those of these abilities that another workspace has, as they are (handing.hpp).
  template <class... Abilities>
  void hand_on(Workspace& base, AbilityList<Abilities...>) {
    (offer_if_any(base.ability<Abilities>()), ...);
  }

 private:
  /// Comparing types compares their names, letter by letter. The hash avoids this unless they are
  /// likely to be the same.
  struct Offer {
    std::size_t hash;
    std::type_index type;
    void* object;
  };
  template <class Ability>
  void offer_if_any(Ability* ability) {
    if (ability != nullptr) offer(*ability);
  }
  template <class Ability>
  static std::size_t hash_of() {
    static const std::size_t hash = typeid(Ability).hash_code();
    return hash;
  }
  std::vector<Offer> abilities_;
};

/// The initial values of a search for a consistent start.
struct StartValues {
  std::vector<double> x;
  std::vector<double> xdot;
  /// Whether the user stated x[i] (a start value) instead of guessing it.
  std::vector<std::uint8_t> x_given;
};

class System {
 public:
  virtual ~System() = default;

  /// Returns the number of unknowns.
  virtual std::uint32_t size() const = 0;
  /// Returns the number of equations: the same, except for a system that must be reduced before it
  /// can be integrated.
  virtual std::uint32_t n_equations() const { return size(); }
  /// Returns where dF/dx or dF/dx' may be nonzero: n_equations() rows, size() columns.
  virtual const CscPattern& pattern() const = 0;
  /// Returns one flag per unknown: its derivative occurs in some equation.
  virtual std::span<const std::uint8_t> carries_derivative() const = 0;

  virtual std::string unknown_name(std::uint32_t unknown) const = 0;
  virtual std::string equation_name(std::uint32_t row) const = 0;
  /// Returns a typical magnitude of an unknown; absolute tolerances scale with it.
  virtual double nominal(std::uint32_t unknown) const = 0;
  /// Returns whether an unknown is a constant by its equation, x' = 0. Such an unknown has no
  /// error, and averages of errors over unknowns omit it.
  virtual bool is_constant(std::uint32_t /*unknown*/) const { return false; }
  /// Returns whether dF/dx and dF/dx' change at events only: between them F is affine in x and x',
  /// with coefficients that do not depend on time.
  virtual bool has_constant_jacobian() const { return false; }
  virtual StartValues start_values() const = 0;
  /// Returns how the model's variables follow from the unknowns that an engine integrates.
  virtual const VariableMap& variable_map() const = 0;

  virtual std::unique_ptr<Workspace> workspace() const = 0;
};

}  // namespace saltus
