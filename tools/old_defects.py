#!/usr/bin/python3
"""Does the generator of random hybrid models find defects again that are mended by now?

usage: tools/old_defects.py [-n MODELS] [-s FIRST_SEED] [-j JOBS]

Builds the library of commit 4c5698c below build/ (a quarter of an hour the first time), the generator and judge of this
tree with it, runs the models, and prints by which seeds D1, D2, D3, D4, D5 and D7 are found. The status is 0 if all are.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

COMMIT = "4c5698c"
ROOT = pathlib.Path(__file__).resolve().parent.parent

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>

#include "problems/random_hybrid_study.hpp"
#include "trust/workers.hpp"

int main(int, char** argv) {
  using namespace saltus::problems;
  const auto look = [](std::uint64_t seed) {
    const RandomHybrid h = random_hybrid(seed);
    const HybridJudgement judged = judge_hybrid(h);
    bool of_implicit = false;
    for (const auto& c : h.clauses)
      of_implicit = of_implicit || c.when.first.at.what == RandomHybrid::Read::implicit;
    const bool counted = judged.verdict == HybridVerdict::disagrees && !judged.by_a_rule;
    return std::string(judged.verdict == HybridVerdict::hangs ? "hangs " : "") +
           (counted && of_implicit && h.balls.empty() ? "twice " : "") + judged.why;
  };
  const auto pieces = saltus::bench::run_pieces(std::strtoull(argv[1], nullptr, 10),
                                                std::strtoull(argv[2], nullptr, 10), 60, look);
  for (const auto& [seed, said] : pieces.said) std::printf("%llu %s\n", (unsigned long long)seed, said.c_str());
  for (const auto& [seed, how] : pieces.died) std::printf("%llu died %s\n", (unsigned long long)seed, how.c_str());
}
"""

# The headers of the generator are those of this tree, all others those of the old one.
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(old_defects CXX)
add_subdirectory("{tree}" saltus EXCLUDE_FROM_ALL)
add_executable(old_defects main.cpp "{root}/benchmarks/trust/workers.cpp")
target_include_directories(old_defects PRIVATE generator "{root}/benchmarks")
target_compile_features(old_defects PRIVATE cxx_std_20)
target_link_libraries(old_defects PRIVATE saltus)
"""

# What a verdict on the old commit says, first match first.
SIGNS = {
    "D1": r"died Segmentation fault",  # an event at the end of a run that slides
    "D2": r"twice .* events instead of",  # a clause on an implicit unknown
    "D3": r"\(by 'n\d > .*switch without end",  # a clause that writes what is there
    "D4": r"clocks do not meet",
    "D5": r"at t = 0\.0\d* clause\d has been overlooked",  # a start on a threshold
    "D7": r"hangs ",
}


def build(jobs: int) -> pathlib.Path:
    place = ROOT / "build" / f"old-{COMMIT}"
    tree = place / "tree"
    if not tree.exists():
        subprocess.run(["git", "-C", ROOT, "worktree", "prune"], check=True)
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", tree, COMMIT], check=True)
    tree = tree.resolve()
    generator = place / "generator" / "problems"
    generator.mkdir(parents=True, exist_ok=True)
    for header in (ROOT / "tests" / "problems").glob("random_hybrid*.hpp"):
        (generator / header.name).write_text(header.read_text())
    (place / "main.cpp").write_text(PROGRAM)
    (place / "CMakeLists.txt").write_text(PROJECT.format(tree=tree, root=ROOT))
    made = place / "made"
    subprocess.run(["cmake", "-S", place, "-B", made, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG"], check=True)
    subprocess.run(["cmake", "--build", made, "-j", str(jobs), "--target", "old_defects"], check=True)
    return made / "old_defects"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=600, help="models")
    parser.add_argument("-s", type=int, default=20270000, help="first seed")
    parser.add_argument("-j", type=int, default=1, help="jobs of the build")
    given = parser.parse_args()
    program = build(given.j)
    said = subprocess.run([program, str(given.s), str(given.n)], check=True, capture_output=True, text=True).stdout
    found = collections.defaultdict(list)
    for line in said.splitlines():
        seed, _, words = line.partition(" ")
        for defect, sign in SIGNS.items():
            if re.search(sign, words):
                found[defect].append(seed)
                break
    for defect in SIGNS:
        seeds = found[defect]
        print(f"{defect}: {len(seeds)} of {given.n} models" + (f", the first ones {', '.join(seeds[:5])}" if seeds else ""))
    return 0 if all(found[defect] for defect in SIGNS) else 1


if __name__ == "__main__":
    sys.exit(main())
