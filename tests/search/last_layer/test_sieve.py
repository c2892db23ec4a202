"""What is struck out over many layers at once is what each certificate strikes out of each pair."""

import numpy as np
import pytest

from idinf.search.last_layer import sieve
from idinf.search.last_layer.certificates import Certificate, all_words, coefficients
from idinf.search.last_layer.sieve import LayersBelow, Sieve
from idinf.search.short_words.features import unit_outputs
from idinf.space.corners import Corners
from idinf.space.structures import LayerShape, Structure
from idinf.space.units import Units
from tests.asked_for import few
from tests.search.random_features import drawn_inputs, drawn_pattern

#: Heads of the layer of the candidates and of the last one.
KINDS = [
    ((), ("uniform",)),
    (("uniform",), ()),
    (("uniform",), ("uniform",)),
    (("phi",), ("uniform",)),
    (("uniform",), ("uniform", "phi")),
    (("uniform",), ("uniform", "uniform", "phi")),
    (("uniform", "uniform", "phi"), ("uniform", "uniform", "phi")),
]


def drawn_below(rng, size, lower, deep):
    """Inputs of layers below the candidates: some agree on most rows, some on all."""
    first, _, _ = drawn_inputs(rng, size, 4, int(rng.integers(1, 3)), 0, deep)
    bits = [rng.random((lower, len(first.tree))) < 0.5]
    for _ in range(6):
        other = bits[int(rng.integers(len(bits)))].copy()
        flipped = rng.integers(0, other.shape[1], int(rng.integers(0, 3)))
        other[:, flipped] = ~other[:, flipped]
        bits.append(other)
    return first.size, [first.extend(each) for each in bits]


def two_layers(own, last, precision):
    return Structure((LayerShape(own, 1), LayerShape(last, 1)), precision)


def drawn_certificates(rng, words):
    for _ in range(4):
        chosen = np.sort(rng.choice(words, size=min(words, int(rng.integers(1, 6))), replace=False))
        yield Certificate(chosen, rng.integers(-9, 10, len(chosen)))


def fitting_by_hand(inputs, units, own, last, precision, certificates, corners):
    """(N, C, K): corners that certificates leave to each candidate over given inputs, on all words."""
    bits = unit_outputs(units, inputs.everywhere(own, precision))
    words = all_words(certificates)
    some = [inputs.extend(each[None]).top(last, precision, words) for each in bits]
    alpha, gamma, delta = coefficients(certificates, words, some)
    gains = 0.5**precision * np.array([float(certificate.gain) for certificate in certificates])
    norm_s = np.sqrt(np.maximum(corners.points[:, 2] ** 2 - len(last), 0.0))
    reached = alpha[..., None] * corners.points[:, 1] + gamma[..., None] * norm_s
    reached = reached + delta[..., None] * corners.points[:, 3]
    return reached >= gains[:, None]


def check_sieve(kinds, seed):
    rng = np.random.default_rng([seed, len(kinds[0]), len(kinds[1])])
    precision, lower = seed % 2, 1 + seed % 2
    deep = any(kind != "uniform" for kind in kinds[0] + kinds[1])
    size, inputs = drawn_below(rng, 2, lower, deep)
    own, last = (
        tuple(drawn_pattern(rng, inputs[0].size, precision, kind) for kind in part) for part in kinds
    )
    number, one = 30, 2**precision
    units = Units(
        precision,
        rng.integers(-2, 3, (number, len(own) * inputs[0].size)),
        np.full((number, len(own)), one),
        rng.integers(-2, 3, (number, inputs[0].size)),
        rng.integers(-1, 2, number),
    )
    # ‖V‖ and ‖s‖ so short that of some pairs a part of the corners is left.
    short = 10.0 ** (rng.uniform(-2.0, -0.3, (4, 2)) + (0.5, 0.0, -3.0, -4.5)[len(last)])
    terms = [(float(v), float(np.hypot(s, len(last) ** 0.5))) for v, s in short]
    points = [(1.0, *term, 0.01 * k) for k, term in enumerate(terms)]
    if seed % 3 == 1:  # or ‖V‖ alone decides
        points = [(1.0, 10.0 ** (-k / 6), len(last) ** 0.5, 1e-12 * k) for k in range(60)]
    corners = Corners.maximal(points)
    of_layers = corners.masks(np.array(points)[rng.integers(0, len(points), len(inputs))])
    below = LayersBelow(inputs, of_layers, size)
    count = len(inputs[0].words.labels)
    known = [list(drawn_certificates(rng, count)) for _ in range(2)]
    masks = corners.masks(np.array(points)[rng.integers(0, len(points), number)])
    sifting = Sieve(two_layers(own, last, precision), units, masks, corners, size)
    left, times = sifting.left(below, known)
    want = np.zeros_like(left)
    for place, each in enumerate(inputs):
        for certificates in known:
            fits = fitting_by_hand(each, units, own, last, precision, certificates, corners)
            masks = sieve.pack(fits.all(axis=1)) & of_layers[place] & sifting.masks
            want[place] |= masks != 0
            stage = sieve._Stage(sifting, below, certificates)
            of_class = np.full(number, stage.classes[place])
            found = stage.fitting(of_class, np.arange(number))
            assert np.array_equal(found, [sieve.pack(fits[:, c]) for c in range(len(certificates))])
    assert np.array_equal(left, want)
    assert [len(of_reading) for of_reading in times] == [4, 4]
    fitting = (of_layers[:, None] & sifting.masks) != 0
    return float(left.sum() / fitting.sum())


def check_several(kinds, number):
    shares = [check_sieve(kinds, seed) for seed in range(number)]
    assert any(0.0 < share < 1.0 for share in shares)


@pytest.mark.thinned(6)
@pytest.mark.parametrize("kinds", KINDS, ids=str)
def test_pairs_are_left_as_by_single_certificates(kinds, monkeypatch):
    monkeypatch.setattr(sieve, "PAIRS", 64)  # candidates come in parts
    monkeypatch.setattr(sieve, "STAGES", (1, 3))
    check_several(kinds, few(6, 20))


@pytest.mark.parametrize("kinds", [KINDS[2], KINDS[4]], ids=str)
def test_a_forgotten_prefix_is_noticed(kinds, monkeypatch):
    """A planted fault: the value at SOS does not count."""
    right = sieve._counted

    def wrong(tree, last, rows, ends):
        return right(tree, last, rows, ends) * (tree.lengths[rows] > 0)[:, None]

    monkeypatch.setattr(sieve, "_counted", wrong)
    with pytest.raises(AssertionError):
        check_several(kinds, 8)


@pytest.mark.parametrize("kinds", KINDS[5:], ids=str)
def test_a_head_that_is_not_cleared_is_noticed(kinds, monkeypatch):
    """A planted fault: the third head keeps its own denominator where a few rows are read."""
    right = sieve.cleared

    def wrong(weights, sums, size):
        scale, found = right(weights, sums, size)
        return scale, [*found[:2], *sums[2:]]

    monkeypatch.setattr(sieve, "cleared", wrong)
    with pytest.raises(AssertionError):
        check_several(kinds, 5)


def test_layers_that_differ_on_a_prefix_are_told_apart(monkeypatch):
    """A planted fault: classes forget all but one prefix."""
    right = LayersBelow.classes
    monkeypatch.setattr(LayersBelow, "classes", lambda self, rows: right(self, rows[:1]))
    with pytest.raises(AssertionError):
        check_several(KINDS[2], 6)


def test_costs_of_the_layers_below_count(monkeypatch):
    """A planted fault: the costs of the layers below are forgotten."""
    monkeypatch.setattr(
        LayersBelow, "__init__", with_masks(LayersBelow.__init__, lambda masks: np.full_like(masks, 255))
    )
    with pytest.raises(AssertionError):
        check_several(KINDS[2], 4)


def with_masks(right, change):
    def wrong(self, inputs, masks, size):
        right(self, inputs, masks, size)
        self.masks = change(masks)

    return wrong
