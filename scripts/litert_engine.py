# SPDX-License-Identifier: Apache-2.0
"""The real LiteRT, for scripts and tests: plain, without its delegate."""
import os
import pathlib
import subprocess
import sys
import venv

PACKAGE = "ai-edge-litert==2.3.0"


def ensure_package(folder=None):
    """Restarts the script in an environment that has the package.

    The one that runs, or `folder` (made if missing, from PyPI). Returns once
    the package can be imported; raises CalledProcessError if it cannot be
    installed.
    """
    try:
        import ai_edge_litert.interpreter  # noqa: F401
        import numpy  # noqa: F401
        return
    except ImportError:
        pass
    folder = pathlib.Path(folder or os.environ.get(
        "STOWPLAN_LITERT_VENV",
        pathlib.Path.home() / ".cache" / "stowplan" / "litert"))
    python = folder / "bin" / "python"
    if pathlib.Path(sys.prefix) == folder:
        raise SystemExit(f"{folder} has no {PACKAGE}; remove the folder")
    if not python.exists():
        venv.create(folder, with_pip=True)
    have = subprocess.run([python, "-c", "import ai_edge_litert, numpy"],
                          stderr=subprocess.DEVNULL, check=False)
    if have.returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGE,
                        "numpy"], check=True, stdout=sys.stderr)
    os.execv(python, [str(python), *sys.argv])


def open_model(path, preserve=False):
    """An interpreter without delegates, tensors allocated."""
    from ai_edge_litert import interpreter as litert
    engine = litert.Interpreter(
        model_path=str(path), num_threads=1,
        experimental_preserve_all_tensors=preserve,
        experimental_op_resolver_type=(
            litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES))
    engine.allocate_tensors()
    return engine


def addresses(engine, path):
    """[(tensor, address, bytes)] of what lies outside the mapped file.

    Left out: scalars, whose view is a copy; tensors without bytes or without
    a fixed size; numbers that kernels took and do not use.
    """
    mapped = mapped_ranges(path)
    rows = []
    for detail in engine.get_tensor_details():
        if detail["dtype"].__name__ in ("bytes_", "object_", "void"):
            continue
        if len(detail["shape"]) == 0 or 0 in detail["shape"]:
            continue
        try:
            view = engine.tensor(detail["index"])()
        except (ValueError, RuntimeError):
            continue
        address = view.__array_interface__["data"][0]
        if address == 0 or any(a <= address < b for a, b in mapped):
            continue
        rows.append((detail["index"], address, view.nbytes))
    return rows


def mapped_ranges(path):
    name = str(pathlib.Path(path).resolve())
    ranges = []
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            if line.rstrip().endswith(name):
                begin, end = line.split()[0].split("-")
                ranges.append((int(begin, 16), int(end, 16)))
    return ranges
