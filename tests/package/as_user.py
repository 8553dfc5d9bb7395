#!/usr/bin/python3
"""Installs Saltus, or builds and runs a small program against it the way a user would."""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def call(*command, **keywords) -> str:
    print("+", *command, flush=True)
    result = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **keywords)
    print(result.stdout, flush=True)
    if result.returncode != 0:
        sys.exit(f"status {result.returncode}")
    return result.stdout


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def run_program(program: Path, version: str, **keywords) -> None:
    output = call(program, **keywords).strip()
    if output != f"saltus {version}":
        sys.exit(f"expected 'saltus {version}', got '{output}'")


def cmake_project(source: Path, arguments, options: list[str]) -> None:
    build = fresh(arguments.folder / source.name)
    call("cmake", "-G", "Ninja", "-S", source, "-B", build,
         f"-DCMAKE_CXX_COMPILER={arguments.compiler}", *options)
    call("cmake", "--build", build)
    run_program(build / "consumer", arguments.version)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("way", choices=["install", "find_package", "pkgconfig", "add_subdirectory"])
    parser.add_argument("--compiler")
    parser.add_argument("--version")
    parser.add_argument("--libdir")
    for name in ("--folder", "--build", "--prefix", "--source"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--cmake", nargs=argparse.REMAINDER, default=[])
    arguments = parser.parse_args()

    if arguments.way == "install":
        fresh(arguments.prefix)
        call("cmake", "--install", arguments.build, "--prefix", arguments.prefix)
    elif arguments.way == "find_package":
        cmake_project(HERE / "find_package", arguments,
                      [f"-DCMAKE_PREFIX_PATH={arguments.prefix}",
                       f"-DWANTED_VERSION={arguments.version}"])
    elif arguments.way == "add_subdirectory":
        cmake_project(HERE / "add_subdirectory", arguments,
                      [f"-DSALTUS_SOURCE={arguments.source}", *arguments.cmake])
    else:
        folder = fresh(arguments.folder / "pkgconfig")
        path = arguments.prefix / arguments.libdir / "pkgconfig"
        # --define-prefix would hide a file that cannot be moved.
        flags = call("pkg-config", "--dont-define-prefix", "--cflags", "--libs", "--static",
                     f"saltus = {arguments.version}",
                     env={**os.environ, "PKG_CONFIG_PATH": str(path)}).split()
        call(arguments.compiler, "-std=c++20", HERE / "consumer.cpp", "-o", folder / "consumer",
             *flags)
        run_program(folder / "consumer", arguments.version)


if __name__ == "__main__":
    main()
