"""The strategies of the tests of transformers."""

from tests.nets.conftest import dense_transformers, networks

__all__ = ["dense_transformers", "networks"]
