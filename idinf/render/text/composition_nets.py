"""Runs of transformers as protocols, and the table of depth, as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence

from idinf.composition.depth import DepthRow
from idinf.composition.reduction import Reduction, find_head_dimension
from idinf.json_text import dump_json
from idinf.numbers import align, format_amount
from idinf.render.text.communication import SHOWN
from idinf.words import SOS

#: What JSON objects are called.
RUN_FORMAT, DEPTH_FORMAT = "idinf-composition-run/1", "idinf-composition-depth/1"


def render_run(run: Reduction, name: str) -> str:
    """One run: the numbers B is made of, a line for each message, the check and the answer."""
    protocol, net = run.protocol, run.protocol.transformer
    form, dimension = protocol.form, find_head_dimension(net)
    rows = [("epoch", "from", "to", "bits", "2B m_i", "message")]
    for m in run.transcript.messages:
        shown = m.bits if len(m.bits) <= SHOWN else f"{m.bits[:SHOWN]}…"
        rows.append((str(m.epoch), str(m.sender), str(m.receiver), str(len(m.bits)), str(m.room), shown))
    equal = "equal those of" if run.equal else "DIFFER from"
    facts = [
        ("net", f"{name}: {format_amount(net.depth, 'layer')}, H = {net.num_heads}, d = {dimension}"),
        *((f"player {player}", text) for player, text in _list_tokens(run).items()),
        (
            "p",
            f"{form.bits}, the bits of the largest number met: sign {form.sign}, numerator "
            f"{form.numerator}, denominator {form.denominator}",
        ),
        ("B", f"H d p = {protocol.bits}; a message to player i has at most 2B m_i bits"),
    ]
    after = [
        ("total", format_amount(run.transcript.total_bits, "bit")),
        ("check", f"all {run.compared} activations {equal} the whole forward pass"),
        ("answer", _describe_answer(run)),
        ("note", "p is that of this prompt: other prompts may have larger numbers"),
    ]
    return "\n".join([*align(facts), "", *align(rows, ">>>>>"), "", *align(after)]) + "\n"


def format_run(run: Reduction, name: str) -> str:
    """An ``idinf-composition-run/1`` object."""
    protocol, net, form = run.protocol, run.protocol.transformer, run.protocol.form
    return dump_json(
        {
            "format": RUN_FORMAT,
            "net": name,
            "epochs": protocol.epochs,
            "H": net.num_heads,
            "d": find_head_dimension(net),
            "p": {
                "bits": form.bits,
                "sign": form.sign,
                "numerator": form.numerator,
                "denominator": form.denominator,
            },
            "B": protocol.bits,
            "players": [
                {"player": player, "tokens": text.split()} for player, text in _list_tokens(run).items()
            ],
            "messages": [
                {"epoch": m.epoch, "from": m.sender, "to": m.receiver, "bits": m.bits, "at_most": m.room}
                for m in run.transcript.messages
            ],
            "total_bits": run.transcript.total_bits,
            "compared": run.compared,
            "equal": run.equal,
            "answer": _describe_answer(run),
        }
    )


def render_depth(rows: Sequence[DepthRow]) -> str:
    """A row for each m, and what follows."""
    table: list[tuple[str, ...]] = [("m", "least B, 1 epoch", "B, 1 layer", "B, 2 layers", "inputs", "right")]
    for row in rows:
        right = "all, both" if row.right else f"{row.one_layer_right} and {row.two_layers_right}"
        bits = (row.m, row.least_bits, row.one_layer_bits, row.two_layers_bits, row.inputs)
        table.append((*map(str, bits), right))
    lines = [*align(table, ">>>>>"), ""]
    fewer = [str(row.m) for row in rows if row.two_layers_bits < row.least_bits]
    if fewer:
        lines += [
            f"with two layers B is below what any protocol of one epoch needs, for m = {', '.join(fewer)}"
        ]
    lines += ["the nets are two that solve it, not the smallest; Theorem 1.1 says nothing at these sizes"]
    return "\n".join(lines) + "\n"


def format_depth(rows: Sequence[DepthRow]) -> str:
    """An ``idinf-composition-depth/1`` object."""
    return dump_json(
        {
            "format": DEPTH_FORMAT,
            "rows": [
                {
                    "m": row.m,
                    "least_b_one_epoch": row.least_bits,
                    "b_one_layer": row.one_layer_bits,
                    "b_two_layers": row.two_layers_bits,
                    "inputs": row.inputs,
                    "right_one_layer": row.one_layer_right,
                    "right_two_layers": row.two_layers_right,
                }
                for row in rows
            ],
        }
    )


def _list_tokens(run: Reduction) -> dict[int, str]:
    symbols = (SOS, *run.protocol.transformer.alphabet.symbols)
    inputs = run.protocol.places.inputs(run.word)
    return {player: " ".join(symbols[token] for token in tokens) for player, tokens in inputs.items()}


def _describe_answer(run: Reduction) -> str:
    output, answer = run.protocol.transformer.output, run.transcript.answer
    if output is None:
        return "accept" if answer else "reject"
    return " ".join(s for place, s in enumerate(output.symbols) if answer >> place & 1) or "-"
