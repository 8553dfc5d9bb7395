#!/usr/bin/python3
"""The reference problems as flat Modelica, run by the program: their events and end states.

    reference_problems.py --program PATH [--only NAME] [--measure]

One line for each problem, with the largest errors in tolerances (what the model asks for, 1e-7 to 1e-10):

- of a variable: |x - reference| / (tolerance (|reference| + nominal)), as the program weighs errors of a step;
- of an event: |t - reference| / (tolerance length of the run).

Allowed are FACTOR tolerances times the condition of the problem. The factor is for what steps add up to: errors are
controlled step by step. The condition is 1 where nothing else is said. Elsewhere it is measured (--measure): the
largest change of the same figures where a parameter changes by the tolerance, relatively, found by the program at a
hundredth of the tolerance. Events must be as many as in the reference, of the same kinds and in the same order.

Twins, with one parameter a little off, must be seen by the same comparison.
"""

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

N_PROBLEMS = 23  # reference problems there are
FACTOR = 50.0
# What is a cause; the rest are consequences (actions, relations that decide nothing where they change).
CAUSES = {"state", "scheduled", "structural", "enter_sliding", "exit_sliding"}
KINDS = {"crossing": {"state", "structural"}, "impact": {"state"}, "scheduled_switch": {"scheduled"},
         "enter_sliding": {"enter_sliding"}, "exit_sliding": {"exit_sliding"}}


@dataclass
class Problem:
    model: str  # in examples/modelica
    reference: str  # in tests/reference
    names: list = field(default_factory=list)  # of the text, in the order of the reference
    nominal: dict = field(default_factory=dict)  # where the text says another one than 1
    at: float | None = None  # an intermediate point of the reference instead of its end
    changed: str = ""  # a parameter of the twin, with a value that is a little wrong
    flags: tuple = ()  # of the program
    condition: float = 1.0
    by: str = ""  # the parameter it was measured with


def strings(prefix: str, first: int, last: int) -> list:
    return [f"{prefix}[{i}]" for i in range(first, last + 1)]


STRING = ["yb", "vb", *strings("u", 1, 99), *strings("v", 1, 99)]
STRING_NOMINAL = {"yb": 0.1, "vb": 0.1, "u": 1e-4, "v": 1e-3}
ANGLES = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"]

PROBLEMS = [
    Problem("belt_stick_slip", "belt_stickslip", ["x", "v"], changed="k=3.00001"),
    Problem("belt_stick_slip_thrown", "belt_stickslip_v1", ["x", "v"], changed="Fs=1.00001"),
    Problem("boost_converter", "boost_converter", ["iL", "vC"], changed="R=2.00001"),
    Problem("boost_converter_dcm", "boost_converter_dcm", ["iL", "vC"], changed="L=0.200001"),
    Problem("bouncing_ball", "bouncing_ball_zeno", ["h", "v"], at=10, changed="e=0.80001"),
    Problem("bouncing_balls", "bouncing_balls_100", changed="k=10000.1"),
    # Waves that nothing damps run to and fro for 6 s, the fastest for 18000 rad.
    Problem("bowed_string", "bowed_string", STRING, STRING_NOMINAL, changed="tension=55.001",
            flags=("--engine", "dop853"), condition=4e3, by="tension"),
    Problem("bowed_string_light", "bowed_string_FN1p8", STRING, STRING_NOMINAL, changed="FN=1.8001",
            flags=("--engine", "dop853"), condition=900.0, by="tension"),
    Problem("carver_circuit", "carver_circuit", ["x1", "x2"], changed="a5=13.641"),
    Problem("compound_pendulum", "compere_compound_pendulum", ["xg", "vx", "yg", "vy", "theta", "omega"],
            changed="g=9.8101"),
    Problem("marble_jar_2", "compere_marble_jar_N2", ["energy"], {"energy": 0.01},
            changed="r=0.0100001"),
    Problem("marble_jar_4", "compere_marble_jar_N4", ["energy"], {"energy": 0.01},
            changed="r=0.0100001"),
    Problem("rolling_spheres", "compere_rolling_spheres",
            ["alpha", "beta", "phi", "theta", "psi", "alphadot", "betadot", "phidot", "thetadot", "psidot",
             "lambda1", "lambda2"], changed="r=0.050001"),
    Problem("disode_p1_sliding", "disode_p1_sliding", ["y1", "y2"], changed="speed=0.200001"),
    Problem("disode_p2_pounding", "disode_p2_pounding", ["y", "v"], {"y": 0.01, "v": 0.1},
            changed="c=2.4701e6"),
    Problem("disode_p3_relay", "disode_p3_relay", ["y1", "y2", "y3"], changed="zeta=0.050001"),
    Problem("disode_p4_two_masses", "disode_p4_two_masses_friction", ["y1", "y2", "v1", "v2"],
            changed="k=1.00001"),
    Problem("dsl48se_small_hybrid", "dsl48se_small_hybrid", ["x"], changed="p=2.90001"),
    Problem("andrews_squeezer", "ivp_andrews_squeezer",
            [*ANGLES, *("v_" + a for a in ANGLES), *("w_" + a for a in ANGLES),
             *(f"lambda{k}" for k in range(1, 7))], changed="moment=0.0330001"),
    Problem("car_axis", "ivp_car_axis", ["xl", "yl", "xr", "yr", "ul", "vl", "ur", "vr", "lam1", "lam2"],
            {"lam1": 0.01, "lam2": 0.01}, changed="L0=0.500001"),
    Problem("transistor_amplifier", "transistor_amplifier", strings("y", 1, 8), changed="R=9000.1"),
    Problem("pendulum", "pendulum_index3", ["x", "y", "u", "v", "lambda"], changed="g=9.81001"),
    Problem("two_bodies_stick_slip", "twobody_stickslip", ["p1", "p2", "v1", "v2"], changed="mu=0.400001"),
]


@dataclass
class Expected:
    events: list  # (time, kinds)
    values: dict
    t_end: float


def numbers(values) -> list:
    return [float(v) for v in values]


def expected_of(p: Problem, folder: Path) -> Expected:
    r = json.loads((folder / f"{p.reference}.json").read_text())
    if p.reference == "bouncing_balls_100":
        # Two of the hundred balls are listed; the other ones fall in between.
        events = [(float(e["t"]), {"state"}) for e in r["events_ball0"]]
        values = dict(zip(["y[1]", "v[1]", "y[100]", "v[100]"],
                          numbers(r["final_state_ball0"] + r["final_state_ball99"])))
        return Expected(events, values, 3.5)
    events = [(float(e["t"]), KINDS[e["kind"]]) for e in r["events"]]
    t_end, state = float(r["t_span"][1]), r.get("final_state")
    if p.at is not None:
        t_end = p.at
        state = next(s["state"] for s in r["state_at"] if float(s["t"]) == p.at)
        events = [e for e in events if e[0] <= t_end]
    if state is None:  # chaotic: the first events, and what is conserved
        state, t_end = [r["energy"]], None
    values = dict(zip(p.names, numbers(state), strict=True))
    for name, value in r.get("final_algebraic", {}).items():
        values[name] = float(value)
    return Expected(events, values, t_end)


@dataclass
class Result:
    events: list
    values: dict
    tolerance: float
    t_end: float


def run(program: str, model: Path, *arguments) -> Result:
    done = subprocess.run([program, "run", str(model), "--json", *arguments], text=True, capture_output=True,
                          timeout=1200)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
    out = json.loads(done.stdout)
    options = {o["name"]: o["given"] for o in out["report"]["options"]}
    instants = []
    for e in out["events"]:
        if e["kind"] not in CAUSES or e["t"] == out["report"]["t_begin"]:
            continue
        if not instants or instants[-1][0] != e["t"]:
            instants.append((e["t"], set(), e["name"]))
        instants[-1][1].add(e["kind"])
    return Result(instants, out["final"], float(options["rtol"]), out["report"]["t_reached"])


class Disagreement(Exception):
    pass


def errors(p: Problem, want: Expected, got: Result, tolerance: float) -> tuple:
    """Of events and values, in tolerances."""
    events = got.events
    if p.reference == "bouncing_balls_100":
        if len(events) != 1200:
            raise Disagreement(f"{len(events)} events, not 1200")
        events = [e for e in events if e[2].startswith("y[1] ")]
    if want.t_end is not None and abs(got.t_end - want.t_end) > 1e-12 * want.t_end:
        raise Disagreement(f"ends at {got.t_end}, not {want.t_end}")
    if len(events) != len(want.events):
        raise Disagreement(f"{len(events)} events, not {len(want.events)}")
    worst_event = worst_value = 0.0
    for (t, kinds, name), (t_want, kinds_want) in zip(events, want.events):
        if not kinds & kinds_want:
            raise Disagreement(f"'{name}' at {t} is {'/'.join(sorted(kinds))}, not {'/'.join(sorted(kinds_want))}")
        worst_event = max(worst_event, abs(t - t_want) / (tolerance * got.t_end))
    for name, value in want.values.items():
        nominal = p.nominal.get(name, p.nominal.get(name.split("[")[0], 1.0))
        worst_value = max(worst_value, abs(got.values[name] - value) / (tolerance * (abs(value) + nominal)))
    return worst_event, worst_value


def measured_condition(program: str, p: Problem, root: Path) -> float:
    """How much larger a change of the result is than a relative change of a parameter."""
    model = root / "examples/modelica" / f"{p.model}.mo"
    tolerance = run(program, model, *p.flags).tolerance
    listed = subprocess.run([program, "list", str(model), "--json"], text=True, capture_output=True, check=True)
    value = {q["name"]: q["value"] for q in json.loads(listed.stdout)["parameters"]}[p.by]
    tight = (*p.flags, "--tolerance", repr(tolerance / 100))
    base = run(program, model, *tight)
    names = expected_of(p, root / "tests/reference").values
    as_it_is = Expected([e[:2] for e in base.events], {n: base.values[n] for n in names}, base.t_end)
    moved = run(program, model, *tight, "-p", f"{p.by}={value * (1 + tolerance)!r}")
    return max(errors(p, as_it_is, moved, tolerance))


@dataclass
class Verdict:
    ok: bool
    text: str


def judge(program: str, p: Problem, root: Path, *arguments) -> Verdict:
    model = root / "examples/modelica" / f"{p.model}.mo"
    begin = time.monotonic()
    try:
        want = expected_of(p, root / "tests/reference")
        got = run(program, model, *p.flags, *arguments)
        of_events, of_values = errors(p, want, got, got.tolerance)
    except (Disagreement, RuntimeError, KeyError) as e:
        return Verdict(False, f"{e}")
    allowed = FACTOR * p.condition
    ok = max(of_events, of_values) <= allowed
    return Verdict(ok, f"events {len(want.events):2} within {of_events:7.3g}, {len(want.values):3} values within "
                       f"{of_values:7.3g} tolerances of {got.tolerance:g}, allowed {allowed:.3g}; "
                       f"{time.monotonic() - begin:.1f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--only", help="one problem, by the name of its model")
    parser.add_argument("--measure", action="store_true", help="only measure conditions")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-twins", action="store_true", help="do not run the twins that must fail")
    arguments = parser.parse_args()
    problems = [p for p in PROBLEMS if arguments.only in (None, p.model)]
    if not problems:
        parser.error(f"there is no problem '{arguments.only}'")
    if arguments.measure:
        for p in problems:
            if p.by:
                print(f"{p.model}: condition {measured_condition(arguments.program, p, arguments.root):.3g}, by {p.by}")
        return 0
    n_right = n_seen = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        verdicts = pool.map(lambda p: judge(arguments.program, p, arguments.root), problems)
        for p, v in zip(problems, verdicts):
            n_right += v.ok
            print(f"{p.model:24} {'ok   ' if v.ok else 'WRONG'} {v.text}", flush=True)
        # The twins: with one parameter a little off the same comparison must disagree.
        twins = [] if arguments.no_twins else problems
        verdicts = pool.map(lambda p: judge(arguments.program, p, arguments.root, "-p", p.changed), twins)
        for p, v in zip(twins, verdicts):
            n_seen += not v.ok
            if v.ok:
                print(f"{p.model:24} NOT SEEN: {p.changed}: {v.text}", flush=True)
    if not arguments.no_twins:
        print(f"changed parameters: {n_seen} of {len(twins)} seen")
    print(f"{n_right} of {N_PROBLEMS if arguments.only is None else len(problems)}")
    return 0 if n_right == len(problems) and n_seen == len(twins) else 1


if __name__ == "__main__":
    sys.exit(main())
