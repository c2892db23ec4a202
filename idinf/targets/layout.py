"""What a counting machine has to remember of a word: the columns of its states."""

from __future__ import annotations

from dataclasses import dataclass

from idinf.targets import circuit as c


@dataclass(frozen=True, slots=True)
class Layout:
    """What each column of a state holds, in this order of columns; the label is the last column.

    Parameters
    ----------
    forms : tuple of Form
        Values of linear forms in the cumulative counts.
    caps : tuple of (int or None)
        One per form: where it saturates. Only forms that never decrease and are compared with constants
        alone have a cap, the largest constant: all values from there on compare alike for ever.
    histories : tuple of (int, int)
        Pairs (node, k): the node's last k truth values as bits, the latest lowest.
    moduli : tuple of int
        i mod m.
    """

    forms: tuple[c.Form, ...]
    caps: tuple[int | None, ...]
    histories: tuple[tuple[int, int], ...]
    moduli: tuple[int, ...]

    @property
    def num_columns(self) -> int:
        """Number of columns, the label included; at least 1."""
        return len(self.forms) + len(self.histories) + len(self.moduli) + 1


def layout_of(circuit: c.ProgramCircuit) -> Layout:
    """Collect what the nodes of a circuit compare, look back at, and count modulo."""
    caps: dict[c.Form, int | None] = {}
    reaches: dict[int, int] = {}
    moduli: dict[int, None] = {}
    for _, node in circuit.nodes:
        match node:
            case c.ThresholdTest(form, threshold):
                never_decreases = all(coefficient > 0 for coefficient, _ in form)
                cap = caps.get(form, 0)
                caps[form] = max(cap, threshold) if never_decreases and cap is not None else None
            case c.NonNegative(c.Linear(form=form)):
                caps |= {form: None} if form else {}
            case c.Choice(_, then, otherwise):
                caps |= {linear.form: None for linear in (then, otherwise) if linear.form}
            case c.Window(_, high, operand) if high > 0:
                reaches[operand] = max(high, reaches.get(operand, 0))
            case c.Residue(modulus, _):
                moduli[modulus] = None
    return Layout(tuple(caps), tuple(caps.values()), tuple(reaches.items()), tuple(moduli))
