"""An evaluator of limit-transformer/1 written from docs/formats.md alone, step by step; nothing of idinf."""

# ruff: noqa: B905

from fractions import Fraction


def dot(xs, ys):
    return sum((Fraction(x) * y for x, y in zip(xs, ys, strict=True)), Fraction(0))


def round_to_grid(x, p):
    return Fraction(round(x * 2**p), 2**p)  # of a Fraction: half to even


def weight(N, a, p):
    k, r = int(a * 2**p), 2**p
    power, m, high = Fraction(N) ** k, 0, N ** (abs(k) + 1) * r  # N^a = power^(1/r)
    while high - m > 1:  # m is the largest integer with (m / 2^p)^r <= power
        middle = (m + high) // 2
        m, high = (middle, high) if Fraction(middle, 2**p) ** r <= power else (m, middle)
    middle = Fraction(2 * m + 1, 2 ** (p + 1)) ** r
    return Fraction(m + (power > middle or (power == middle and m % 2)), 2**p)


def evaluate(net, word):
    """Whether a word, a list of symbols, is accepted, or what is named at its positions."""
    p, x = net["precision"], ["$", *word]
    N, positions = len(x), net.get("positions") or [[0] * len(net["embedding"]["$"])]
    places = [positions[i % len(positions)] for i in range(N)]
    ys = [[Fraction(e) + Fraction(q) for e, q in zip(net["embedding"][s], r)] for s, r in zip(x, places)]
    for layer in net["layers"]:
        Ys = [list(y) for y in ys]
        for head in layer["heads"]:
            K, Q, V, phi = head["K"], head["Q"], head["V"], head.get("phi", [])
            for i in range(N):
                query = [dot(row, ys[i]) for row in Q]
                ws = []
                for j in range(i + 1):
                    bias = Fraction(phi[i - j]) if i - j < len(phi) else 0
                    a = round_to_grid(dot([dot(row, ys[j]) for row in K], query) + bias, p)
                    ws.append(weight(N, a, p))
                for j, w in enumerate(ws):
                    if sum(ws):
                        Ys[i] = [Y + w / sum(ws) * dot(row, ys[j]) for Y, row in zip(Ys[i], V)]
        mlp = layer["mlp"]
        for i, Y in enumerate(Ys):
            z = [dot(row, Y) + Fraction(b) for row, b in zip(mlp["A"], mlp["b"])]
            u = [int(v > 0) if kind == "heaviside" else max(v, 0) for v, kind in zip(z, mlp["activation"])]
            ys[i] = [a + dot(row, u) for a, row in zip(Y, mlp["B"])]
    outputs = [[dot(row, y) for row in net["unembedding"]] for y in ys]
    if "accept" in net:
        return outputs[-1][net["accept"]["row"]] > Fraction(net["accept"]["threshold"])
    out = net["output"]
    values = [[o[row] for row in out["rows"]] for o in outputs]
    if out["kind"] == "symbol":
        return [[out["symbols"][v.index(max(v))]] for v in values]
    above = Fraction(out.get("threshold", 0))
    return [[s for s, v in zip(out["symbols"], vs) if v > above] for vs in values]
