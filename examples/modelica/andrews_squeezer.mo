// value beta(0.03) = 15.810771195153707 +- 1.6e-04
// value theta(0.03) = -15.756371058411839 +- 1.6e-04
// value gamma(0.03) = 0.0408222401196458 +- 1.0e-05
// value phi(0.03) = -0.5347301163420796 +- 1.0e-05
// value delta(0.03) = 0.524409965879954 +- 1.0e-05
// value omega(0.03) = 0.5347301163420796 +- 1.0e-05
// value epsilon(0.03) = 1.048080741041938 +- 1.0e-05
// value v_beta(0.03) = 1139.9203022591062 +- 1.1e-02
model AndrewsSqueezer "IVP Test Set: seven bodies in a plane, three closed loops, index 3"
  constant Real m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705, m6 = 0.00706, m7 = 0.05498;
  constant Real i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5;
  constant Real xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
  constant Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092;
  constant Real ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02;
  constant Real ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449;
  constant Real zf = 0.02, zt = 0.04, fa = 0.01421;
  parameter Real stiffness(unit = "N/m") = 4530, spring_length(unit = "m") = 0.07785, moment(unit = "N.m") = 0.033;
  constant Real a = e - ea, b = zf - fa;
  Real beta(start = -0.06171389001427645), theta(start = 0, fixed = true);
  Real gamma(start = 0.45527981916307036), phi(start = 0.22266839016588588), delta(start = 0.48736497954384256);
  Real omega(start = -0.22266839016588588), epsilon(start = 1.2305474445498211);
  Real v_beta(start = 0), v_theta(start = 0, fixed = true), v_gamma, v_phi, v_delta, v_omega, v_epsilon;
  Real w_beta, w_theta, w_gamma, w_phi, w_delta, w_omega, w_epsilon "accelerations";
  Real lambda1(start = 100), lambda2, lambda3, lambda4, lambda5, lambda6 "reactions of the loops";
  // The mass matrix.
  Real m11 = m1 * ra ^ 2 + m2 * (rr ^ 2 + da ^ 2 - 2 * da * rr * cos(theta)) + i1 + i2;
  Real m21 = m2 * (da ^ 2 - da * rr * cos(theta)) + i2;
  constant Real m22 = m2 * da ^ 2 + i2, m33 = m3 * (sa ^ 2 + sb ^ 2) + i3, m44 = m4 * a ^ 2 + i4, m66 = m6 * b ^ 2 + i6;
  Real m54 = m4 * (a ^ 2 + zt * a * sin(phi)) + i4;
  Real m55 = m4 * (zt ^ 2 + 2 * zt * a * sin(phi) + a ^ 2) + m5 * (ta ^ 2 + tb ^ 2) + i4 + i5;
  Real m76 = m6 * (b ^ 2 - u * b * sin(omega)) + i6;
  Real m77 = m6 * (b ^ 2 - 2 * u * b * sin(omega) + u ^ 2) + m7 * (ua ^ 2 + ub ^ 2) + i6 + i7;
  // The spring.
  Real dx = sd * cos(gamma) + sc * sin(gamma) + xb - xc, dy = sd * sin(gamma) - sc * cos(gamma) + yb - yc;
  Real long = sqrt(dx ^ 2 + dy ^ 2);
  Real fx = -stiffness * (long - spring_length) / long * dx, fy = -stiffness * (long - spring_length) / long * dy;
  // What the reactions do.
  Real lx = lambda1 + lambda3 + lambda5, ly = lambda2 + lambda4 + lambda6;
  Real crank = d * (sin(beta + theta) * lx - cos(beta + theta) * ly);
  Real bar = -e * (cos(phi + delta) * lambda3 + sin(phi + delta) * lambda4);
  Real link = zf * (sin(omega + epsilon) * lambda5 - cos(omega + epsilon) * lambda6);
  // Where the crank ends.
  Real x = rr * cos(beta) - d * cos(beta + theta), y = rr * sin(beta) - d * sin(beta + theta);
equation
  der(beta) = v_beta;
  der(theta) = v_theta;
  der(gamma) = v_gamma;
  der(phi) = v_phi;
  der(delta) = v_delta;
  der(omega) = v_omega;
  der(epsilon) = v_epsilon;
  der(v_beta) = w_beta;
  der(v_theta) = w_theta;
  der(v_gamma) = w_gamma;
  der(v_phi) = w_phi;
  der(v_delta) = w_delta;
  der(v_omega) = w_omega;
  der(v_epsilon) = w_epsilon;
  m11 * w_beta + m21 * w_theta = moment - m2 * da * rr * v_theta * (v_theta + 2 * v_beta) * sin(theta) - rr * (cos(beta) * ly - sin(beta) * lx) - crank;
  m21 * w_beta + m22 * w_theta = m2 * da * rr * v_beta ^ 2 * sin(theta) - crank;
  m33 * w_gamma = fx * (sc * cos(gamma) - sd * sin(gamma)) + fy * (sd * cos(gamma) + sc * sin(gamma)) + ss * (cos(gamma) * lambda1 + sin(gamma) * lambda2);
  m44 * w_phi + m54 * w_delta = m4 * zt * a * v_delta ^ 2 * cos(phi) - bar;
  m54 * w_phi + m55 * w_delta = -m4 * zt * a * v_phi * (v_phi + 2 * v_delta) * cos(phi) - bar - zt * (sin(delta) * lambda3 - cos(delta) * lambda4);
  m66 * w_omega + m76 * w_epsilon = -m6 * u * b * v_epsilon ^ 2 * cos(omega) - link;
  m76 * w_omega + m77 * w_epsilon = m6 * u * b * v_omega * (v_omega + 2 * v_epsilon) * cos(omega) - link + u * (cos(epsilon) * lambda5 + sin(epsilon) * lambda6);
  x - ss * sin(gamma) = xb;
  y + ss * cos(gamma) = yb;
  x - e * sin(phi + delta) - zt * cos(delta) = xa;
  y + e * cos(phi + delta) - zt * sin(delta) = ya;
  x - zf * cos(omega + epsilon) - u * sin(epsilon) = xa;
  y - zf * sin(omega + epsilon) + u * cos(epsilon) = ya;
  annotation(experiment(StopTime = 0.03, Tolerance = 1e-9));
end AndrewsSqueezer;
