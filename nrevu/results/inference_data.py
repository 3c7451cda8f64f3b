"""The series of a cell in ArviZ's form, InferenceData. The only module that imports xarray.

In: a cell, its series, and what is known of its making. Out: an xarray DataTree whose groups
`posterior` and `sample_stats` hold arrays (chain, draw); as a NetCDF file it is what
`arviz.from_netcdf` reads.
"""

import datetime
import json
import sys
from typing import Any

import numpy as np

from nrevu.cells.cell import Cell
from nrevu.cells.series import Series, by_chain
from nrevu.core.contracts import part
from nrevu.errors import Mistake


def import_xarray():
    """Return xarray, or raise a Mistake that says how to install it and what writes NetCDF."""
    try:
        import h5netcdf  # noqa: F401
        import h5py  # noqa: F401
        import xarray
    except ImportError as error:
        command = f"{sys.executable} -m pip install 'nrevu[arviz]'"
        raise Mistake(f"a file for ArviZ needs {error.name}: {command}") from None
    return xarray


def inference_data(
    cell: Cell, series: Series, meta: dict[str, Any], draws: np.ndarray | None = None
):
    """Return a DataTree in ArviZ's form; chains are cut to the shortest.

    `draws` are the coordinates (groups, dim), if they were kept: the variable x.
    """
    columns = part(cell.distribution, "derive")(series.rows).T
    rejected = by_chain(series.rejected, series.lengths)
    posterior = {
        free_name(name): by_chain(values, series.lengths).astype(np.float64)
        for name, values in zip(part(cell.distribution, "means")(), columns, strict=True)
    }
    if draws is not None:
        posterior["x"] = by_chain(draws, series.lengths)
    sample_stats = {
        "rejected": rejected.astype(np.int64),  # updates rejected in each group
        "acceptance_rate": 1 - rejected / cell.schedule.group,
    }
    return tree({"posterior": posterior, "sample_stats": sample_stats}, attributes(meta))


def for_arviz(data):
    """Return a DataTree as the ArviZ that is installed has it."""
    try:
        import arviz
    except ImportError:
        command = f"{sys.executable} -m pip install 'nrevu[arviz]'"
        raise Mistake(f"this needs arviz: {command}") from None
    if not hasattr(arviz, "InferenceData"):
        return data
    return arviz.InferenceData(**{name: part.to_dataset() for name, part in data.children.items()})


def tree(groups: dict[str, dict[str, np.ndarray]], about: dict[str, str]):
    """Return the DataTree of arrays (chain, draw), by group and name."""
    xarray = import_xarray()
    made = {"/": xarray.Dataset(attrs=about)}
    for group, arrays in groups.items():
        dims = ("chain", "draw", "coordinate_index")
        variables = {name: (dims[: array.ndim], array) for name, array in arrays.items()}
        chains, draws = next(iter(arrays.values())).shape[:2]
        coords = {"chain": np.arange(chains), "draw": np.arange(draws)}
        made[group] = xarray.Dataset(variables, coords, about)
    return xarray.DataTree.from_dict(made)


def free_name(name: str) -> str:
    """Return the name of a quantity, changed where a dimension of the file has it already."""
    return f"{name}_" if name in ("chain", "draw") else name


def attributes(meta: dict[str, Any]) -> dict[str, str]:
    """Return what the file says of where its numbers come from; what is nested, as JSON."""
    return {
        "created_at": datetime.datetime.now(datetime.UTC).isoformat(),
        "inference_library": "nrevu",
        "inference_library_version": meta["provenance"]["nrevu"],
        "digest": meta["digest"],
        "name": meta["name"],
        "config": json.dumps(meta["config"]),
        "provenance": json.dumps(meta["provenance"]),
    }
