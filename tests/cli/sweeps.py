"""What the tests of sweeps share: a model whose runs take a fraction of a millisecond, and jobs of ranks."""

from pathlib import Path

from program import PROGRAM

MPI = Path(PROGRAM).with_name("saltus-mpi")

MODEL = """model Ball "thrown; bounces on the ground"
  parameter Real e = 0.8 "what is left of the speed";
  parameter Real lost = 1 - e;
  parameter Real c = 0 "drag; negative values are refused";
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81 - c * v;
  when h < 0 then
    reinit(v, -(1 - lost) * pre(v));
  end when;
  when time > 0.1 then
    assert(c >= 0, "no drag is negative");
  end when;
  annotation(experiment(StopTime = 1, Tolerance = 1e-7));
end Ball;
"""


def on_ranks(n: int) -> list[str]:
    """The command that starts saltus-mpi on this machine alone: no remote shell is looked for."""
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "plm", "isolated", "-n", str(n), str(MPI)]
