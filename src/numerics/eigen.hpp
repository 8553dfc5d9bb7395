// The door to Eigen: dense matrices and their decompositions.
//
// Sources include this header instead of Eigen's own. The decompositions of matrices of doubles are
// compiled once, in eigen.cpp; when each source compiled its own, Eigen took a third of the time of a
// whole build.
#pragma once

#include <eigen3/Eigen/Dense>

extern template class Eigen::PartialPivLU<Eigen::MatrixXd>;
extern template class Eigen::FullPivLU<Eigen::MatrixXd>;
extern template class Eigen::HouseholderQR<Eigen::MatrixXd>;
extern template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
extern template class Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>;
extern template class Eigen::JacobiSVD<Eigen::MatrixXd>;
extern template class Eigen::JacobiSVD<Eigen::MatrixXcd>;
