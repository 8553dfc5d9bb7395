"""The wheel: pip wheel --no-build-isolation --no-deps ./python

Options of CMake can be given in the environment, SKBUILD_CONFIGURE_OPTIONS="-DSALTUS_DEVELOPER=ON".
"""

import pathlib
import re
import sys

from skbuild import setup

here = pathlib.Path(__file__).resolve().parent
# One place for the version: the project's.
version = re.search(r"project\(saltus VERSION (\S+)", (here.parent / "CMakeLists.txt").read_text()).group(1)

setup(
    name="saltus",
    version=version,
    description="Simulation of differential-algebraic systems that switch",
    license="BSD-3-Clause",
    python_requires=">=3.9",
    install_requires=["numpy"],
    extras_require={"all": ["matplotlib", "pandas", "xarray", "tqdm"]},
    packages=["saltus"],
    package_data={"saltus": ["py.typed", "*.pyi"]},
    cmake_source_dir="..",
    cmake_args=[
        "-DSALTUS_PYTHON=ON",
        "-DSALTUS_INSTALL=OFF",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG",
        f"-DPython3_EXECUTABLE={sys.executable}",
    ],
    zip_safe=False,
)
