// Member definitions of the evaluators, instantiated once per algebra. Private to expr.
#pragma once

#include <saltus/expr/evaluator.hpp>

#include "machine.hpp"

namespace saltus {

template <class Algebra, class T>
BasicEvaluator<Algebra, T>::BasicEvaluator(std::shared_ptr<const Program> program, int order)
    : machine_(std::make_unique<detail::Machine<Algebra>>(std::move(program), order)) {}
template <class Algebra, class T>
void BasicEvaluator<Algebra, T>::check_lock(SwitchId which) const {
  if (which >= machine_->locks().size())
    throw ModelError("a program with " + std::to_string(machine_->locks().size()) +
                     " switches has no switch " + std::to_string(which));
}
template <class Algebra, class T>
BasicEvaluator<Algebra, T>::~BasicEvaluator() = default;
template <class Algebra, class T>
BasicEvaluator<Algebra, T>::BasicEvaluator(BasicEvaluator&&) noexcept = default;
template <class Algebra, class T>
BasicEvaluator<Algebra, T>& BasicEvaluator<Algebra, T>::operator=(BasicEvaluator&&) noexcept =
    default;

template <class Algebra, class T>
const Program& BasicEvaluator<Algebra, T>::program() const {
  return *machine_->program();
}
template <class Algebra, class T>
std::span<const std::uint8_t> BasicEvaluator<Algebra, T>::locks() const {
  return machine_->locks();
}
template <class Algebra, class T>
void BasicEvaluator<Algebra, T>::set_lock(SwitchId which, std::uint8_t value) {
  check_lock(which);
  machine_->set_lock(which, Algebra::Truth::from_lock(value));
}
template <class Algebra, class T>
void BasicEvaluator<Algebra, T>::set_locks(std::span<const std::uint8_t> values) {
  if (values.size() != machine_->locks().size())
    throw ModelError("a program with " + std::to_string(machine_->locks().size()) +
                     " switches was given " + std::to_string(values.size()) + " locks");
  for (SwitchId s = 0; s < values.size(); ++s)
    machine_->set_lock(s, Algebra::Truth::from_lock(values[s]));
}
template <class Algebra, class T>
void BasicEvaluator<Algebra, T>::run() {
  machine_->run();
}
template <class Algebra, class T>
void BasicEvaluator<Algebra, T>::set_lock_mask(SwitchId which,
                                               std::uint8_t mask) requires std::same_as<T, Batch> {
  check_lock(which);
  machine_->set_lock(which, mask);
}
template <class Algebra, class T>
bool BasicEvaluator<Algebra, T>::all_decided() const {
  return machine_->all_decided();
}

template <class T>
Evaluator<T>::Evaluator(std::shared_ptr<const Program> program)
    : BasicEvaluator<detail::ScalarAlgebra<T>, T>(std::move(program), 0) {}
template <class T>
std::span<T> Evaluator<T>::input(std::size_t segment) {
  return this->machine_->input(segment);
}
template <class T>
void Evaluator<T>::bind(std::size_t segment, std::span<const T> values) {
  if (this->machine_->rebind(segment, values)) return;
  this->machine_->check_segment(segment);
  const std::size_t size = this->program().segment_size(segment);
  if (!values.empty() && values.size() != size)
    throw ModelError("argument " + std::to_string(segment) + " has " + std::to_string(size) +
                     " values, " + std::to_string(values.size()) + " were bound");
  this->machine_->bind(segment, values.empty() ? nullptr : values.data());
}
template <class T>
std::span<const T> Evaluator<T>::outputs() const {
  return this->machine_->outputs();
}
template <class T>
std::span<const T> Evaluator<T>::run_with(std::size_t segment, std::span<const T> values) {
  if (!this->machine_->rebind(segment, values)) bind(segment, values);
  this->machine_->run();
  return this->machine_->outputs();
}

template <class T>
TaylorEvaluator<T>::TaylorEvaluator(std::shared_ptr<const Program> program, int order)
    : BasicEvaluator<detail::TaylorAlgebra<T>, T>(std::move(program), order), order_(order) {
  SALTUS_ASSERT(order >= 0);
}
template <class T>
std::span<T> TaylorEvaluator<T>::input(std::size_t segment, std::size_t i) {
  const auto width = static_cast<std::size_t>(order_) + 1;
  const std::span<T> all = this->machine_->input(segment);
  if ((i + 1) * width > all.size())
    throw ModelError("argument " + std::to_string(segment) + " has " +
                     std::to_string(all.size() / width) + " values, number " + std::to_string(i) +
                     " was asked for");
  return all.subspan(i * width, width);
}
template <class T>
std::span<const T> TaylorEvaluator<T>::output(std::size_t i) const {
  const auto width = static_cast<std::size_t>(order_) + 1;
  return this->machine_->outputs().subspan(i * width, width);
}

}  // namespace saltus
