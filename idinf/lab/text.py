"""Communication between parties as text, CSV and JSON: tables of targets, and single runs of protocols."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from math import floor

from idinf.base.json_text import dump_json
from idinf.base.numbers import align, format_amount
from idinf.base.words import SOS
from idinf.lab.communication.protocol import Exchange, list_unbounded_heads, prove_bound
from idinf.lab.communication.study import LowerRow, Study, UpperRow
from idinf.lab.composition.reduction import Reduction, find_head_dimension
from idinf.nets.limit_transformer import LimitTransformer

#: Bits of a message that are shown; the rest is only counted.
SHOWN = 64

#: Text on log2 of the behaviours, by kind of growth.
PROVED = {
    "constant": "bounded",
    "logarithmic": "at most logarithmic in n",
    "linear": "linear in n",
    "unknown": "of unknown growth",
}

#: Text of a check.
_EQUAL = {True: "equal those of", False: "DIFFER from"}

#: Columns of the CSV.
COLUMNS = ("target", "n", "split", "bits", "words", "all_words", "at_most", "behaviours", "log2_behaviours")


def format_bound(fields: int, rest: int) -> str:
    """The bound F · ⌈log₂(m + 2)⌉ + D.

    >>> format_bound(1, 2), format_bound(0, 0)
    ('1·⌈log2(m + 2)⌉ + 2', '0')
    """
    return f"{fields}·⌈log2(m + 2)⌉ + {rest}" if fields else str(rest)


def render_text(studies: Sequence[Study]) -> str:
    """One block of lines for each target: its table, and the proved growth."""
    blocks = []
    for study in studies:
        header = ["n", *(["m", "bits", "at most", "words"] if study.upper else [])]
        header += ["behaviours", "log2", "log2/log2(n)"] if study.lower else []
        table = [header]
        for n, upper, lower in study.rows():
            own = _upper_cells(upper) if study.upper else []
            table.append([str(n), *own, *(_lower_cells(lower) if study.lower else [])])
        lines = align(table, ">" * len(header))
        blocks.append(
            "\n".join(
                [f"{study.subject.name}: {study.subject.about}", "", *lines, "", *_sentences(study), ""]
            )
        )
    return "\n".join(blocks)


def _upper_cells(row: UpperRow | None) -> list[str]:
    if row is None:
        return ["", "", "", ""]
    words = f"all {row.words}" if row.all_words else str(row.words)
    return [str(row.split), str(row.bits), "?" if row.bound is None else str(row.bound), words]


def _lower_cells(row: LowerRow | None) -> list[str]:
    if row is None:
        return ["", "", ""]
    ratio = "" if row.ratio is None else round_down(row.ratio)
    shown = str(row.rows) if row.rows < 10**9 else f"2^{round_down(row.bits)}"
    return [shown, f"{row.bits:.3f}", ratio]


def _sentences(study: Study) -> list[str]:
    lines = []
    if study.upper:
        total = sum(row.words for row in study.upper)
        lines.append(f"protocol    Bob's activations equal the whole forward pass on all {total} words run")
        if study.bound is not None:
            lines.append(f"bits        at most {format_bound(*study.bound)} for every word, proved")
        lines.extend(_open_heads(study.unbounded))
    if study.growth is not None:
        lines.append(f"behaviours  log2 of them is {PROVED[study.growth.kind]}: {study.growth.reason}")
    if study.refuted and not study.is_refuted_by_two:
        lines.append(f"too few     C·log2(n) bits at some n shown, for every C < {round_down(study.refuted)}")
    if study.growth is not None and study.growth.kind == "linear":
        lines.append("too few     C·log2(n) bits at some n, for every C: no Limit Transformer with periodic")
        lines.append("            positions and local φ expresses it (Corollary 13)")
    return lines + [f"note        {note}" for note in study.notes]


def _open_heads(heads: Sequence[tuple[int, int, str]]) -> list[str]:
    return [
        f"bits        no bound is proved: {what} of layer {layer}, head {head} are averages or ReLU values, "
        "or too many"
        for layer, head, what in heads[:1]
    ]


def _shown(bits: str) -> str:
    return bits if len(bits) <= SHOWN else f"{bits[:SHOWN]}…"


def round_down(number: float) -> str:
    """Three decimals, never above the number: a bound that is refuted below it stays refuted.

    >>> round_down(0.9996), round_down(2.0)
    ('0.999', '2.000')
    """
    shown = f"{number:.3f}"
    return f"{number - 0.001:.3f}" if float(shown) > number else shown


def exchange_text(run: Exchange, transformer: LimitTransformer) -> str:
    """One run of the protocol on a transformer, a line for each message."""
    alphabet = transformer.alphabet
    mine, theirs = alphabet.decode(run.word[: run.split]), alphabet.decode(run.word[run.split :])
    lines = [f"Alice   $ {mine}".rstrip(), f"Bob     {theirs or 'nothing'}"]
    for number, message in enumerate(run.messages, start=1):
        lines.append(f"layer {number}  {len(message)} bits  {_shown(message)}".rstrip())
    lines.append(f"total    {run.bits} bits")
    proved = prove_bound(transformer)
    if proved is not None:
        most = proved[0] * (run.split + 1).bit_length() + proved[1]
        lines[-1] += f", at most {format_bound(*proved)} = {most}"
    lines += [
        line.replace("bits        ", "bits     ") for line in _open_heads(list_unbounded_heads(transformer))
    ]
    lines.append(f"check    Bob's {run.compared} numbers {_EQUAL[run.equal]} the whole forward pass")
    if run.accepted is not None:
        lines.append(f"verdict  {'accept' if run.accepted else 'reject'}")
    return "\n".join(lines) + "\n"


def format_csv(studies: Sequence[Study]) -> str:
    """One row for each target and n; cells without a measurement are empty."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for study in studies:
        for n, upper, lower in study.rows():
            row: dict[str, object] = {"target": study.subject.name, "n": n}
            if upper is not None:
                row |= _upper_object(upper) | {"all_words": "yes" if upper.all_words else "no"}
            if lower is not None:
                row |= {"behaviours": lower.rows, "log2_behaviours": f"{lower.bits:.6f}"}
            writer.writerow(row)
    return buffer.getvalue()


def format_json(studies: Sequence[Study]) -> str:
    """An ``idinf-communication/1`` object."""
    return dump_json({"format": "idinf-communication/1", "targets": [*map(_object, studies)]})


def _object(study: Study) -> dict[str, object]:
    return {
        "name": study.subject.name,
        "about": study.subject.about,
        "protocol": [_upper_object(row) for row in study.upper],
        "bound": None if study.bound is None else {"fields": study.bound[0], "rest": study.bound[1]},
        "unbounded_heads": [
            {"layer": layer, "head": head, "because_of": what} for layer, head, what in study.unbounded
        ],
        "behaviours": [
            {"n": row.n, "behaviours": row.rows, "log2": round(row.bits, 9)} for row in study.lower
        ],
        "growth": None if study.growth is None else study.growth.kind,
        "growth_reason": None if study.growth is None else study.growth.reason,
        "refuted_c_below": None if study.refuted is None else floor(study.refuted * 10**9) / 10**9,
        "notes": list(study.notes),
    }


def _upper_object(row: UpperRow) -> dict[str, object]:
    content = asdict(row)
    return content | {"at_most": content.pop("bound")}


#: Format of the JSON object.
RUN_FORMAT = "idinf-composition-run/1"


def render_run(run: Reduction, name: str) -> str:
    """One run: the numbers B is made of, a line for each message, the check and the answer."""
    protocol, net = run.protocol, run.protocol.transformer
    form, dimension = protocol.form, find_head_dimension(net)
    rows: list[tuple[str, ...]] = [("epoch", "from", "to", "bits", "2B m_i", "message")]
    for m in run.transcript.messages:
        numbers = (m.epoch, m.sender, m.receiver, len(m.bits), m.room)
        rows.append((*map(str, numbers), _shown(m.bits)))
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
        ("check", f"all {run.compared} activations {_EQUAL[run.equal]} the whole forward pass"),
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
            "p": {"bits": form.bits, **asdict(form)},
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
