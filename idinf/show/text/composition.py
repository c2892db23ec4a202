"""Runs of transformers as protocols, as text and JSON."""

from __future__ import annotations

from idinf.base.json_text import dump_json
from idinf.base.numbers import align, format_amount
from idinf.base.words import SOS
from idinf.lab.composition.reduction import Reduction, find_head_dimension
from idinf.show.text.communication import SHOWN

#: What the JSON object is called.
RUN_FORMAT = "idinf-composition-run/1"


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


def _list_tokens(run: Reduction) -> dict[int, str]:
    symbols = (SOS, *run.protocol.transformer.alphabet.symbols)
    inputs = run.protocol.places.inputs(run.word)
    return {player: " ".join(symbols[token] for token in tokens) for player, tokens in inputs.items()}


def _describe_answer(run: Reduction) -> str:
    output, answer = run.protocol.transformer.output, run.transcript.answer
    if output is None:
        return "accept" if answer else "reject"
    return " ".join(s for place, s in enumerate(output.symbols) if answer >> place & 1) or "-"
