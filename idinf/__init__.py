"""idinf: an exact simulator of the idealized inference procedure for length generalization."""

__version__ = "0.1.0"
