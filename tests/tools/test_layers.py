"""check_layers.py accepts a good tree and refuses each kind of bad include."""

import unittest

from tree import TreeTest

TABLE = """
[parts.core]
includes = []
[parts.numerics]
includes = ["core"]
[parts.expr]
includes = ["core", "numerics"]
[programs]
folders = ["examples"]
[foreign.quadmath]
headers = ["quadmath.h"]
home = ["src/numerics/quad"]
"""


class Layers(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("layers.toml", TABLE)
        self.write("include/saltus/saltus.hpp", "#include <saltus/core.hpp>\n")
        self.write("include/saltus/core.hpp", "#include <saltus/core/error.hpp>\n#include <string>\n")
        self.write("include/saltus/core/error.hpp", "#pragma once\n")
        self.write("include/saltus/numerics/norm.hpp", "#include <saltus/core/error.hpp>\n")
        self.write("src/numerics/private.hpp", '#include "saltus/numerics/norm.hpp"\n')
        self.write("src/numerics/norm.cpp", '#include "private.hpp"\n#include "numerics/private.hpp"\n')
        self.write("src/numerics/quad/quad.cpp", "#include <quadmath.h>\n")
        self.write("src/expr/graph.cpp", "#include <saltus/numerics/norm.hpp>\n#include <cmath>\n")
        self.write("examples/one.cpp", "#include <saltus/saltus.hpp>\n#include <iostream>\n")

    def assert_refused(self, *words):
        result = self.tool("check_layers.py", self.root)
        self.assertEqual(result.returncode, 1, "accepted")
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 1, result.stdout)
        for word in words:
            self.assertIn(word, lines[0])

    def test_good_tree_is_accepted(self):
        result = self.tool("check_layers.py", self.root)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_unlisted_edge_in_source(self):
        self.write("src/numerics/bad.cpp", "\n#include <saltus/expr/graph.hpp>\n")
        self.assert_refused("src/numerics/bad.cpp:2", "unlisted edge numerics -> expr")

    def test_unlisted_edge_in_public_header(self):
        self.write("include/saltus/core/bad.hpp", "#include <saltus/numerics.hpp>\n")
        self.assert_refused("include/saltus/core/bad.hpp:1", "unlisted edge core -> numerics")

    def test_unlisted_edge_in_private_header_of_subfolder(self):
        self.write("src/numerics/quad/bad.hpp", "#  include\t<saltus/expr.hpp>\n")
        self.assert_refused("unlisted edge numerics -> expr")

    def test_modules_in_a_circle(self):
        self.write("python/saltus/one.py", "from .two import f\n")
        self.write("python/saltus/two.py", "def f():\n    from . import one\n")
        self.assert_refused("modules in a circle", "one -> two -> one")

    def test_names_for_types_make_no_circle(self):
        self.write("python/saltus/one.py", "from .two import f\n")
        self.write("python/saltus/two.py", "if TYPE_CHECKING:\n    from .one import g\n")
        self.assertEqual(self.tool("check_layers.py", self.root).returncode, 0)

    def test_cycle_in_table(self):
        self.write("layers.toml", TABLE.replace("includes = []", 'includes = ["expr"]'))
        self.assert_refused("cycle", "core -> expr", "-> core")

    def test_unknown_part_in_table(self):
        self.write("layers.toml", TABLE.replace("includes = []", 'includes = ["cor"]'))
        self.assert_refused("unknown part cor")

    def test_foreign_header_outside_its_home(self):
        self.write("src/numerics/bad.cpp", "#include <quadmath.h>\n")
        self.assert_refused("foreign header <quadmath.h> outside its home src/numerics/quad")

    def test_folder_that_only_begins_like_the_home(self):
        self.write("src/numerics/quadrature/bad.cpp", "#include <quadmath.h>\n")
        self.assert_refused("outside its home")

    def test_foreign_header_not_listed(self):
        self.write("src/expr/bad.cpp", "#include <Eigen/Dense>\n")
        self.assert_refused("foreign header <Eigen/Dense> is not listed")

    def test_foreign_library_with_a_door(self):
        self.write("layers.toml", TABLE + '\n[foreign.eigen]\nheaders = ["eigen3/*"]\n'
                   'home = ["src/numerics", "src/expr"]\ndoor = "src/numerics/eigen.hpp"\n')
        self.write("src/numerics/eigen.hpp", "#include <eigen3/Eigen/Dense>\n")
        self.write("src/expr/good.cpp", '#include "numerics/eigen.hpp"\n')
        self.assertEqual(self.tool("check_layers.py", self.root).returncode, 0)
        self.write("src/core/bad.cpp", '#include "numerics/eigen.hpp"\n')
        self.assert_refused("private header numerics/eigen.hpp of part numerics")

    def test_foreign_library_beside_its_door(self):
        self.write("layers.toml", TABLE + '\n[foreign.eigen]\nheaders = ["eigen3/*"]\n'
                   'home = ["src/numerics", "src/expr"]\ndoor = "src/numerics/eigen.hpp"\n')
        self.write("src/expr/bad.cpp", "#include <eigen3/Eigen/LU>\n")
        self.assert_refused("foreign header <eigen3/Eigen/LU> is included through src/numerics/eigen.hpp only")

    def test_private_header_of_another_part_by_source_path(self):
        self.write("src/expr/bad.cpp", '#include "numerics/private.hpp"\n')
        self.assert_refused("private header numerics/private.hpp of part numerics")

    def test_private_header_of_another_part_by_relative_path(self):
        self.write("src/expr/bad.cpp", '#include "../numerics/private.hpp"\n')
        self.assert_refused("of part numerics")

    def test_private_header_of_another_part_in_angle_brackets(self):
        self.write("src/expr/bad.cpp", "#include <numerics/private.hpp>\n")
        self.assert_refused("of part numerics")

    def test_public_header_including_a_private_one(self):
        self.write("include/saltus/numerics/bad.hpp", '#include "numerics/private.hpp"\n')
        self.assert_refused("public header includes the private header numerics/private.hpp")

    def test_public_header_including_a_foreign_one(self):
        self.write("include/saltus/numerics/bad.hpp", "#include <quadmath.h>\n")
        self.assert_refused("public header includes quadmath.h")

    def test_public_header_including_a_neighbour_by_bare_name(self):
        self.write("include/saltus/core/bad.hpp", '#include "error.hpp"\n')
        self.assert_refused("public header includes error.hpp")

    def test_library_including_the_umbrella(self):
        self.write("src/expr/bad.cpp", "#include <saltus/saltus.hpp>\n")
        self.assert_refused("umbrella")

    def test_umbrella_including_more_than_facades(self):
        self.write("include/saltus/saltus.hpp", "#include <saltus/core/error.hpp>\n")
        self.assert_refused("facades only")

    def test_folder_without_a_part(self):
        self.write("src/misc/bad.cpp", "#include <vector>\n")
        self.assert_refused("folder misc is no part")

    def test_program_including_a_private_header(self):
        self.write("examples/bad.cpp", '#include "../src/numerics/private.hpp"\n')
        self.assert_refused("examples/bad.cpp:1", "lies outside examples")

    def test_order_of_folders_inside_a_part(self):
        inside = '[inside.numerics]\norder = ["low", "high"]\nabove = ["top*"]\n'
        self.write("layers.toml", TABLE.replace("[programs]", inside + "[programs]"))
        for folder in ("low", "high"):
            self.write(f"src/numerics/{folder}/part.hpp", "#pragma once\n")
        self.write("src/numerics/high/good.cpp", '#include "numerics/low/part.hpp"\n')
        self.write("src/numerics/top.cpp", '#include "numerics/high/part.hpp"\n')
        self.write("src/numerics/quad/quad.cpp", "")
        self.assertEqual(self.tool("check_layers.py", self.root).stdout, "")
        self.write("src/numerics/low/bad.cpp", '\n#include "numerics/high/part.hpp"\n')
        self.assert_refused("src/numerics/low/bad.cpp:2", "part.hpp stands above it in [inside.numerics]")
        self.write("src/numerics/low/bad.cpp", "")
        self.write("src/numerics/beside.cpp", '#include "numerics/low/part.hpp"\n')
        self.assert_refused("src/numerics/beside.cpp:1", "part.hpp stands above it")
        self.write("src/numerics/beside.cpp", "")
        self.write("src/numerics/new/part.cpp", '#include "numerics/low/part.hpp"\n')
        self.assert_refused("its folder is not in the order of [inside.numerics]")

    def test_computed_include(self):
        self.write("src/expr/bad.cpp", "#include HEADER\n")
        self.assert_refused("computed include HEADER")

    def test_include_in_comment_does_not_count(self):
        self.write("src/expr/good.cpp", "/*\n#include <Eigen/Dense>\n*/\n// #include <klu.h>\n")
        self.assertEqual(self.tool("check_layers.py", self.root).stdout, "")

    def test_comment_marks_inside_strings_hide_nothing(self):
        self.write("src/expr/bad.cpp", 'const char* a = "/*";\n#include <klu.h>\nchar b[] = "*/";\n')
        self.assert_refused("src/expr/bad.cpp:2", "klu.h")


if __name__ == "__main__":
    unittest.main()
