#include "hand_written.hpp"

namespace saltus::hand_written {

namespace {
template <class M>
void run(const M& m, const engine_models::Point& x, double* f) {
  m(x.t, x.p.data(), x.y.data(), x.yp.data(), f);
}
}  // namespace

void residual(const engine_models::Relay& m, const engine_models::Point& x, double* f) {
  run(m, x, f);
}
void residual(const engine_models::Ladder& m, const engine_models::Point& x, double* f) {
  run(m, x, f);
}
void residual(const engine_models::Diffusion& m, const engine_models::Point& x, double* f) {
  run(m, x, f);
}
void residual(const engine_models::Friction& m, const engine_models::Point& x, double* f) {
  run(m, x, f);
}

}  // namespace saltus::hand_written
