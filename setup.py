"""Builds the C part with CMake, as the rest of kanon: `pip install .` in a clone."""

import os
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

here = os.path.dirname(os.path.abspath(__file__))


def version():
    with open(os.path.join(here, "include", "kanon.h"), encoding="utf-8") as header:
        return re.search(r'KANON_VERSION "([^"]*)"', header.read()).group(1)


class Build(build_ext):
    def build_extension(self, extension):
        build = os.path.abspath(os.path.join(self.build_temp, "cmake"))
        target = os.path.abspath(self.get_ext_fullpath(extension.name))
        subprocess.run(
            ["cmake", "-S", here, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DKANON_TESTS=OFF",
             "-DPython3_EXECUTABLE=" + sys.executable, "-DKANON_PYTHON=ON",
             *shlex.split(os.environ.get("CMAKE_ARGS", ""))],
            check=True,
        )  # fmt: skip
        subprocess.run(
            ["cmake", "--build", build, "--target", "kanon_python_package", "-j", str(os.cpu_count() or 1)],
            check=True,
        )
        os.makedirs(os.path.dirname(target), exist_ok=True)
        for file in ("_kanon.abi3.so", "__init__.pyi"):  # the types are made by the build, too
            shutil.copy(os.path.join(build, "python", "kanon", file), os.path.join(os.path.dirname(target), file))


setup(
    version=version(),
    ext_modules=[Extension("kanon._kanon", sources=["python/module.c", "python/streams.c"], py_limited_api=True)],
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
