#include "ida_by_hand.hpp"

#include <cstring>

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "fast_vectors.hpp"

namespace saltus::bench {

struct IdaByHand::Objects {
  explicit Objects(const HandModel& m) : model(m) {}
  const HandModel& model;
  SUNContext context = nullptr;
  N_Vector y = nullptr, ydot = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
  void* ida = nullptr;
};

namespace {

int hand_residual(double t, N_Vector y, N_Vector ydot, N_Vector f, void* user) {
  static_cast<const HandModel*>(user)->residual(t, NV_DATA_S(y), NV_DATA_S(ydot), NV_DATA_S(f));
  return 0;
}

int hand_sparse(double, double cj, N_Vector y, N_Vector, N_Vector, SUNMatrix j, void* user,
                N_Vector, N_Vector, N_Vector) {
  const auto& m = *static_cast<const HandModel*>(user);
  // IDA has cleared the indices too.
  for (std::size_t k = 0; k < m.pattern.column_start.size(); ++k) {
    SM_INDEXPTRS_S(j)[k] = m.pattern.column_start[k];
  }
  for (std::size_t s = 0; s < m.pattern.row.size(); ++s) SM_INDEXVALS_S(j)[s] = m.pattern.row[s];
  m.jacobian(NV_DATA_S(y), SM_DATA_S(j));
  for (const index_t s : m.diagonal) SM_DATA_S(j)[s] += cj;
  return 0;
}

}  // namespace

IdaByHand::IdaByHand(const HandModel& m, double newton_coefficient, bool fast_vectors)
    : o_(std::make_unique<Objects>(m)) {
  Objects& o = *o_;
  const auto n = static_cast<sunindextype>(m.y0.size());
  SUNContext_Create(nullptr, &o.context);
  o.y = N_VNew_Serial(n, o.context);
  N_VEnableFusedOps_Serial(o.y, SUNTRUE);  // off unless asked for
  if (fast_vectors) use_fast_operations(o.y);
  o.ydot = N_VClone(o.y);
  o.ida = IDACreate(o.context);
  IDAInit(o.ida, hand_residual, 0.0, o.y, o.ydot);
  IDASStolerances(o.ida, m.rtol, m.atol);
  IDASetUserData(o.ida, const_cast<HandModel*>(&m));
  o.matrix = SUNSparseMatrix(n, n, m.pattern.nnz(), CSC_MAT, o.context);
  o.solver = SUNLinSol_KLU(o.y, o.matrix, o.context);
  IDASetLinearSolver(o.ida, o.solver, o.matrix);
  IDASetJacFn(o.ida, hand_sparse);
  IDASetNonlinConvCoef(o.ida, newton_coefficient);
}

IdaByHand::~IdaByHand() {
  IDAFree(&o_->ida);
  SUNLinSolFree(o_->solver);
  SUNMatDestroy(o_->matrix);
  N_VDestroy(o_->y);
  N_VDestroy(o_->ydot);
  SUNContext_Free(&o_->context);
}

long IdaByHand::run() {
  Objects& o = *o_;
  const HandModel& m = o.model;
  std::memcpy(NV_DATA_S(o.y), m.y0.data(), m.y0.size() * sizeof(double));
  std::memcpy(NV_DATA_S(o.ydot), m.ydot0.data(), m.y0.size() * sizeof(double));
  IDAReInit(o.ida, 0.0, o.y, o.ydot);
  IDASetStopTime(o.ida, m.t_end);
  double t = 0.0;
  while (t < m.t_end) {
    if (IDASolve(o.ida, m.t_end, &t, o.y, o.ydot, IDA_ONE_STEP) < 0) return -1;
  }
  long n_steps = 0;
  IDAGetNumSteps(o.ida, &n_steps);
  return n_steps;
}

double IdaByHand::end_value(int i) const { return NV_Ith_S(o_->y, i); }

long IdaByHand::n_residuals() const {
  long n = 0;
  IDAGetNumResEvals(o_->ida, &n);
  return n;
}

}  // namespace saltus::bench
