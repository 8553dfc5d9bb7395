// value xl(3.0) = 0.049345578427524094 +- 1.0e-05
// value yl(3.0) = 0.4969894602300081 +- 1.0e-05
// value xr(3.0) = 1.0417425248854262 +- 1.0e-05
// value yr(3.0) = 0.3739110272653658 +- 1.0e-05
// value ul(3.0) = -0.07705836840359208 +- 1.0e-05
// value vl(3.0) = 0.007446866592068417 +- 1.0e-05
// value ur(3.0) = 0.017556815753541736 +- 1.0e-05
// value vr(3.0) = 0.7703410437796011 +- 1.0e-05
model CarAxis "IVP Test Set: the axis of a car on a bumpy road, index 3"
  parameter Real eps = 0.01, M = 10, L = 1, L0 = 0.5, r = 0.1, w = 10, g = 1;
  parameter Real k = M * eps ^ 2 / 2;
  Real xl(start = 0), yl(start = 0.5, fixed = true), xr(start = 1), yr(start = 0.5);
  Real ul(start = -0.5), vl(start = 0), ur(start = -0.5, fixed = true), vr(start = 0);
  Real lam1(nominal = 1e-2), lam2(nominal = 1e-2);
  Real yb = r * sin(w * time);
  Real xb = sqrt(L ^ 2 - yb ^ 2);
  Real Ll = sqrt(xl ^ 2 + yl ^ 2);
  Real Lr = sqrt((xr - xb) ^ 2 + (yr - yb) ^ 2);
equation
  der(xl) = ul;
  der(yl) = vl;
  der(xr) = ur;
  der(yr) = vr;
  k * der(ul) = (L0 - Ll) * xl / Ll + lam1 * xb + 2 * lam2 * (xl - xr);
  k * der(vl) = (L0 - Ll) * yl / Ll + lam1 * yb + 2 * lam2 * (yl - yr) - k * g;
  k * der(ur) = (L0 - Lr) * (xr - xb) / Lr - 2 * lam2 * (xl - xr);
  k * der(vr) = (L0 - Lr) * (yr - yb) / Lr - 2 * lam2 * (yl - yr) - k * g;
  0 = xl * xb + yl * yb;
  0 = (xl - xr) ^ 2 + (yl - yr) ^ 2 - L ^ 2;
  annotation(experiment(StopTime = 3, Tolerance = 1e-9));
end CarAxis;
