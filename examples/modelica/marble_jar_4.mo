// value energy(0.151) = 0.037278 +- 3.7e-07
// instant 0.09030472819714618 +- 1e-06
// instant 0.10046069834857121 +- 1e-06
// instant 0.10107944837325032 +- 1e-06
// instant 0.10799848374316309 +- 1e-06
// instant 0.10886344019828414 +- 1e-06
// instant 0.11282221667088958 +- 1e-06
// instant 0.11866714221465868 +- 1e-06
// instant 0.11903532486452265 +- 1e-06
// instant 0.12460655886315351 +- 1e-06
// instant 0.12946633829004078 +- 1e-06
// instant 0.133101292169788 +- 1e-06
// instant 0.13454153226506455 +- 1e-06
// instant 0.135950847711117 +- 1e-06
// instant 0.13885345132302726 +- 1e-06
// instant 0.14315067788860564 +- 1e-06
// instant 0.14328105554861914 +- 1e-06
// instant 0.14586325010618975 +- 1e-06
// instant 0.14839095867106278 +- 1e-06
// instant 0.14995041278193083 +- 1e-06
// instant 0.15037452592578 +- 1e-06
model MarbleJar "Marbles in a jar: springs at their contacts, no friction; chaotic"
  constant Integer n = 4 "marbles";
  parameter Real r(unit = "m") = 0.01, m(unit = "kg") = 0.01, k(unit = "N/m") = 1000, g = 9.81, Rc(unit = "m") = 0.03;
  Real p[n, 3](start = {{0.002, 0.001, 0.05}, {-0.003, 0.002, 0.08}, {0.001, -0.004, 0.11}, {-0.002, -0.001, 0.14}}, each fixed = true, each nominal = 0.01);
  Real v[n, 3](each start = 0, each fixed = true);
  Real distance[n, n] "between marbles";
  Real push[n, n] "of one marble on another, per distance";
  Real floor_push[n], wall_push[n];
  Real energy(unit = "J") = sum(m * g * p[i, 3] + 0.5 * m * (v[i, 1] ^ 2 + v[i, 2] ^ 2 + v[i, 3] ^ 2) + stored[i] for i in 1:n);
  Real stored[n](each unit = "J") "in the springs of a marble, and half of those between marbles";
  Real radius[n] = {sqrt(p[i, 1] ^ 2 + p[i, 2] ^ 2) for i in 1:n};
equation
  der(p) = v;
  for i in 1:n loop
    for j in 1:n loop
      distance[i, j] = if i == j then 1 else sqrt((p[i, 1] - p[j, 1]) ^ 2 + (p[i, 2] - p[j, 2]) ^ 2 + (p[i, 3] - p[j, 3]) ^ 2);
      push[i, j] = if distance[i, j] < 2 * r then k * (2 * r - distance[i, j]) / distance[i, j] else 0;
    end for;
    floor_push[i] = if p[i, 3] < r then k * (r - p[i, 3]) else 0;
    wall_push[i] = if radius[i] > Rc - r then k * (radius[i] - Rc + r) / radius[i] else 0;
    stored[i] = 0.5 * floor_push[i] ^ 2 / k + 0.5 * (wall_push[i] * radius[i]) ^ 2 / k + 0.25 * sum((push[i, j] * distance[i, j]) ^ 2 for j in 1:n) / k;
    m * der(v[i, 1]) = sum(push[i, j] * (p[i, 1] - p[j, 1]) for j in 1:n) - wall_push[i] * p[i, 1];
    m * der(v[i, 2]) = sum(push[i, j] * (p[i, 2] - p[j, 2]) for j in 1:n) - wall_push[i] * p[i, 2];
    m * der(v[i, 3]) = sum(push[i, j] * (p[i, 3] - p[j, 3]) for j in 1:n) + floor_push[i] - m * g;
  end for;
  annotation(experiment(StopTime = 0.151, Tolerance = 1e-10));
end MarbleJar;
