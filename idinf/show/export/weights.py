"""The numbers of a hypothesis as a safetensors file, which the exported `torch.nn.Module` loads."""

from __future__ import annotations

import numpy as np

from idinf.errors import MissingPackageError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.show.export.arrays import VECTORS, list_arrays, to_float


def check_safetensors() -> None:
    """Raise MissingPackageError if safetensors is not installed."""
    try:
        import safetensors.numpy  # noqa: F401
    except ImportError:
        raise MissingPackageError(
            "weights need safetensors, which is not installed; expected the extra 'torch'; "
            "pip install 'idinf[torch]'"
        ) from None


def dump_weights(net: LimitTransformer) -> bytes:
    """Write the parameters as float64 tensors by the names of the module; the same ones are the same bytes.

    Raises
    ------
    MissingPackageError
        If safetensors is not installed.
    HypothesisFormatError
        If float64 cannot hold a number.
    """
    check_safetensors()
    from safetensors.numpy import save

    tensors = {}
    for name, rows in list_arrays(net).items():
        values = np.array([[to_float(entry) for entry in row] for row in rows], dtype=np.float64)
        values = values.reshape(len(rows), len(rows[0]) if rows else net.width)
        tensors[name] = values[0] if name.rpartition(".")[2] in VECTORS else values
    return bytes(save(tensors))
