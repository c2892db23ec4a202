"""What is asked for: `make test` makes no slow case, and tries few examples of a property."""

__all__ = ["few"]

#: Whether slow tests are asked for; the conftest says so before anything is collected.
slow_too = True


def few(quick: int, otherwise: int) -> int:
    """How many examples to try: few, and many where slow tests are asked for."""
    return otherwise if slow_too else quick
