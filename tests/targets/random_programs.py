"""Random C-RASP programs for the tests of targets."""


def random_program(rng, symbols, operations=6):
    """Text of a program over some symbols: any operation may read any earlier one."""
    booleans = [f'"{symbol}"' for symbol in symbols]
    counts = [str(k) for k in range(4)]
    lines = []

    def some(names):
        """The later half is read more often, so that programs become deep."""
        half = len(names) // 2 if rng.random() < 0.5 else 0
        return names[int(rng.integers(half, len(names)))]

    for number in range(operations):
        kind = int(rng.integers(6))
        if kind == 0:
            near = str(rng.choice(["", "", "", "[j = i-1]", "[j = i-2]", "[j >= i-1]", "[j >= i]"]))
            text, names = f"#{near} {some(booleans)}", counts
        elif kind == 1:
            text, names = (
                f"({some(counts)} {rng.choice(['+', '-'])} {int(rng.integers(1, 4))} * {some(counts)})",
                counts,
            )
        elif kind == 2:
            extremum = f"{rng.choice(['min', 'max'])}({some(counts)}, {some(counts)})"
            text = (
                extremum
                if rng.random() < 0.5
                else f"({some(counts)} if {some(booleans)} else {some(counts)})"
            )
            names = counts
        elif kind == 3:
            text, names = f"!{some(booleans)}", booleans
        elif kind == 4:
            text, names = f"({some(booleans)} {rng.choice(['&&', '||'])} {some(booleans)})", booleans
        else:
            text, names = _comparison(rng, some(counts), some(counts), some(booleans)), booleans
        name = f"x{number}"
        lines.append(f"{name} = {text}")
        names.append(name)
    lines.append(f"accept = {_comparison(rng, f'# {some(booleans)}', some(counts), some(booleans))}")
    return "\n".join(lines)


def _comparison(rng, one, other, gate):
    relation = rng.choice(["<=", ">=", "==", "<", ">", "!="])
    text = f"{one} {relation} {other}"
    if rng.random() < 0.2:
        text = f"({text} && i mod {int(rng.integers(1, 4))} == 0)"
    return text if rng.random() < 0.6 else f"(({text}) {rng.choice(['&&', '||'])} {gate})"
