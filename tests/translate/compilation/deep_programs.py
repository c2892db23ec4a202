"""Random C-RASP programs over ab that use every construct, nested up to three counts deep."""

import random

RELATIONS = ("==", "!=", "<=", "<", ">=", ">")
WINDOWS = ("j = i-1", "j = i-2", "j = i-3", "j = i-4", "j >= i-1", "j >= i-2", "j > i-2", "j = i")


def deep_program(seed):
    """Text of a program; the same for the same seed."""
    rng = random.Random(seed)
    lines, named = [], {"boolean": [], "count": []}
    for number in range(rng.randint(0, 3)):
        kind = rng.choice(["boolean", "count"])
        write = boolean if kind == "boolean" else count
        lines.append(f"x{number} = {write(rng, rng.randint(1, 2), named)}")
        named[kind].append(f"x{number}")
    lines.append(f"accept = {boolean(rng, 3, named)}")
    return "\n".join(lines)


def boolean(rng, depth, named):
    """A Boolean in brackets, with at most so many nested counts."""
    if named["boolean"] and rng.random() < 0.2:
        return rng.choice(named["boolean"])
    kind = rng.random()
    if depth == 0 or kind < 0.15:
        period = rng.randint(1, 3)
        leaves = ['"a"', '"b"', '"a"', '"b"', f"(i mod {period} == {rng.randrange(period)})", "true", "false"]
        return rng.choice(leaves)
    if kind < 0.6:
        return f"({count(rng, depth, named)} {rng.choice(RELATIONS)} {count(rng, depth, named)})"
    if kind < 0.7:
        return f"(!{boolean(rng, depth, named)})"
    operator = rng.choice(["&&", "||"])
    return f"({boolean(rng, depth, named)} {operator} {boolean(rng, rng.randint(0, depth), named)})"


def count(rng, depth, named):
    """A count in brackets, with at most so many nested counts."""
    if named["count"] and rng.random() < 0.2:
        return rng.choice(named["count"])
    kind = rng.random()
    if depth == 0 or kind < 0.15:
        return str(rng.randint(0, 3))
    if kind < 0.45:
        return f"(# {boolean(rng, depth - 1, named)})"
    if kind < 0.6:
        return f"(#[{rng.choice(WINDOWS)}] {boolean(rng, depth - 1, named)})"
    one, other = (count(rng, rng.randint(depth - 1, depth), named) for _ in range(2))
    if kind < 0.7:
        return f"({one} {rng.choice('+-')} {other})"
    if kind < 0.78:
        return f"({rng.choice(['', '-'])}{rng.randint(0, 3)} * {one})"
    if kind < 0.9:
        return f"({one} if {boolean(rng, depth - 1, named)} else {other})"
    return f"{rng.choice(['min', 'max'])}({one}, {other})"
