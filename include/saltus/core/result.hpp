// Result<T>: a value, or the Failure that explains why there is none.
#pragma once

#include <functional>
#include <saltus/core/error.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace saltus {

template <class T>
class Result;

namespace detail {

template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;

// Throws InternalError, with the message of the failure: asking it for a value is a bug.
[[noreturn]] void no_value(const Failure& failure);

}  // namespace detail

// A value, or the reason why there is none (third tier of error.hpp).
//
// Both convert implicitly: a function returns its value or `Failure{code, message}`. value(), * and
// -> throw InternalError if there is only a failure.
template <class T>
class [[nodiscard]] Result {
  static_assert(!std::is_same_v<std::remove_cv_t<T>, Failure>,
                "a Result<Failure> could not tell its two cases apart");
  static_assert(!std::is_reference_v<T>, "a Result owns its value");

 public:
  using value_type = T;

  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}            // NOLINT
  Result(Failure failure) : content_(std::in_place_index<1>, std::move(failure)) {}  // NOLINT

  bool has_value() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& value() & { return check(), *std::get_if<0>(&content_); }
  const T& value() const& { return check(), *std::get_if<0>(&content_); }
  T&& value() && { return check(), std::move(*std::get_if<0>(&content_)); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Failure& failure() const {
    SALTUS_ASSERT(!has_value());
    return *std::get_if<1>(&content_);
  }

  template <class U>
  T value_or(U&& fallback) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
  }
  template <class U>
  T value_or(U&& fallback) && {
    return has_value() ? std::move(*this).value() : static_cast<T>(std::forward<U>(fallback));
  }

  // Calls f with the value; f returns a Result of its own. A failure is passed on.
  template <class F>
  auto and_then(F&& f) const& {
    return chain(std::forward<F>(f), *this);
  }
  template <class F>
  auto and_then(F&& f) && {
    return chain(std::forward<F>(f), std::move(*this));
  }

  // As and_then, for an f that cannot fail.
  template <class F>
  auto map(F&& f) const& {
    return transform(std::forward<F>(f), *this);
  }
  template <class F>
  auto map(F&& f) && {
    return transform(std::forward<F>(f), std::move(*this));
  }

 private:
  void check() const {
    if (!has_value()) detail::no_value(*std::get_if<1>(&content_));
  }

  template <class F, class Self>
  static auto chain(F&& f, Self&& self) {
    using Next = std::invoke_result_t<F, decltype(std::forward<Self>(self).value())>;
    static_assert(detail::is_result<Next>, "and_then needs a function that returns a Result");
    if (!self.has_value()) return Next(self.failure());
    return std::invoke(std::forward<F>(f), std::forward<Self>(self).value());
  }

  template <class F, class Self>
  static auto transform(F&& f, Self&& self) {
    using U = std::invoke_result_t<F, decltype(std::forward<Self>(self).value())>;
    using Next = Result<std::remove_cvref_t<U>>;
    if (!self.has_value()) return Next(self.failure());
    if constexpr (std::is_void_v<U>) {
      std::invoke(std::forward<F>(f), std::forward<Self>(self).value());
      return Next();
    } else {
      return Next(std::invoke(std::forward<F>(f), std::forward<Self>(self).value()));
    }
  }

  std::variant<T, Failure> content_;
};

// Success without a value, or a failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Failure failure) : content_(std::move(failure)) {}  // NOLINT

  bool has_value() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  void value() const {
    if (!has_value()) detail::no_value(*std::get_if<1>(&content_));
  }
  const Failure& failure() const {
    SALTUS_ASSERT(!has_value());
    return *std::get_if<1>(&content_);
  }

  template <class F>
  auto and_then(F&& f) const {
    using Next = std::invoke_result_t<F>;
    static_assert(detail::is_result<Next>, "and_then needs a function that returns a Result");
    if (!has_value()) return Next(failure());
    return std::invoke(std::forward<F>(f));
  }

  template <class F>
  auto map(F&& f) const {
    using U = std::invoke_result_t<F>;
    using Next = Result<std::remove_cvref_t<U>>;
    if (!has_value()) return Next(failure());
    if constexpr (std::is_void_v<U>) {
      std::invoke(std::forward<F>(f));
      return Next();
    } else {
      return Next(std::invoke(std::forward<F>(f)));
    }
  }

 private:
  std::variant<std::monostate, Failure> content_;
};

}  // namespace saltus
