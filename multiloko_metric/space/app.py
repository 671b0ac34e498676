"""Starts the page of the Space: ``python space/app.py``.

The modules of the folder above import each other as a package, whatever the folder is called that they lie in: on the
Hub it is nobody's package. Beside them lie the packages with which the page reads files.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib import import_module
from pathlib import Path

PACKAGE = "multiloko_metric"


def load_package(folder: Path) -> None:
    """Make ``folder`` the package ``multiloko_metric``, and what packages it holds ones that can be imported."""
    found = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if found is None or found.loader is None:
        raise ImportError(f"{folder} cannot be loaded as a package")
    package = importlib.util.module_from_spec(found)
    sys.modules[PACKAGE] = package
    found.loader.exec_module(package)
    # Behind all others: the metric's modules have names that libraries may have too. In a checkout, which is no Space,
    # the other packages lie one folder up.
    sys.path += [str(folder), str(folder.parent)]


if __name__ == "__main__":
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    load_package(Path(__file__).resolve().parents[1])
    import_module(f"{PACKAGE}.space.page").launch()
