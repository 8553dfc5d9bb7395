#!/usr/bin/python3
"""Builds the Python wheel, installs it into an empty virtual environment and runs the tests against it alone.

From a clean checkout of the last commit, or with --source from a tree as it is (its objects are in ccache then).
NumPy and what the tests compare with are Debian's: the environment sees the packages of the system, but this one.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]


def call(*command, **keywords):
    result = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **keywords)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout[-5000:]}\nstatus {result.returncode}")
    return result.stdout


def built(source, folder):
    """The wheel of a tree, or of a clean checkout of this one."""
    if source is None:
        source = folder / "checkout"
        call("git", "clone", "-q", "--no-hardlinks", root, source)
    source = source.resolve()
    environment = {**os.environ, "SKBUILD_CONFIGURE_OPTIONS": "-DSALTUS_DEVELOPER=ON"}
    # ccache knows an object by paths relative to where it is compiled: with the build as deep below the sources as
    # any other tree, all of the library is found that was ever compiled with these flags.
    environment |= {"CCACHE_BASEDIR": str(source), "CCACHE_NOHASHDIR": "1"}
    skbuild = source / "python/_skbuild"
    tree = Path(tempfile.mkdtemp(prefix="wheel.", dir=_made(source / "build")))
    platform = call(sys.executable, "-c", "from skbuild.constants import SKBUILD_DIR; print(SKBUILD_DIR())").strip()
    _made(source / "python" / platform)
    (source / "python" / platform / "cmake-build").symlink_to(tree)
    try:
        call(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", folder / "wheel",
             source / "python", env=environment)
    finally:
        shutil.rmtree(skbuild)
        shutil.rmtree(tree)
    (wheel,) = (folder / "wheel").glob("saltus-*.whl")
    return wheel


def _made(path):
    path.mkdir(parents=True, exist_ok=True)
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=Path)
    parser.add_argument("--wheel", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = given.wheel or built(given.source, folder)
        call(sys.executable, "-m", "venv", "--system-site-packages", folder / "environment")
        python = folder / "environment/bin/python"
        call(python, "-m", "pip", "install", "--no-deps", "--no-index", wheel)
        # Nothing of the tree is to be found but the tests themselves and the references they read.
        shutil.copytree(root / "tests/python", folder / "tests")
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment["SALTUS_SOURCE"] = str(root)
        place = call(python, "-c", "import saltus; print(saltus.__file__)", env=environment, cwd=folder).strip()
        if not place.startswith(str(folder / "environment")):
            sys.exit(f"saltus was found in {place}")
        tests = sorted((folder / "tests").glob("test_*.py"))
        for test in tests:
            call(python, "-B", test, env=environment, cwd=folder)
        print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, {len(tests)} files of tests pass")


if __name__ == "__main__":
    main()
