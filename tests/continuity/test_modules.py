"""Modules of PyTorch as predictors, beside the module called by hand; skipped without torch."""

from __future__ import annotations

import itertools

import pytest

import idinf

torch = pytest.importorskip("torch")
nn = torch.nn


class Causal(nn.Module):
    """A small decoder with learned positions and dropout, as users have them; logits at every position."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.embed, self.place = nn.Embedding(size, 8), nn.Embedding(64, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.5, batch_first=True)
        self.layers, self.out = (
            nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
            nn.Linear(8, size),
        )

    def forward(self, codes):
        n = codes.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(n)
        return self.out(self.layers(self.embed(codes) + self.place(torch.arange(n)), mask=mask))


class Last(nn.Module):
    """An LSTM that gives the logits of the last position alone."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.embed, self.lstm, self.out = (
            nn.Embedding(size, 4),
            nn.LSTM(4, 6, batch_first=True),
            nn.Linear(6, size),
        )

    def forward(self, codes):
        return self.out(self.lstm(self.embed(codes))[0][:, -1])


class Compact(nn.Module):
    """A compact net of one layer in double precision, from its exact numbers."""

    def __init__(self, net) -> None:
        super().__init__()
        self.net = net

    def forward(self, codes):
        def numbers(rows):
            return torch.tensor([[float(entry) for entry in row] for row in rows], dtype=torch.double)

        (layer,) = self.net.layers
        stream = numbers(self.net.embedding)[codes[0]]
        y = mixed = stream[-1]
        for head in layer.heads:
            logits = (stream @ numbers(head.K).T) @ (numbers(head.Q) @ y)
            mixed = mixed + torch.softmax(logits, 0) @ (stream @ numbers(head.V).T)
        units = torch.relu(numbers(layer.mlp.A) @ mixed + numbers([layer.mlp.b])[0])
        return (numbers(self.net.unembedding) @ (mixed + numbers(layer.mlp.B) @ units))[None]


@pytest.mark.parametrize("kind", [Causal, Last])
def test_a_module_is_asked_in_eval_mode_at_its_last_position(kind) -> None:
    torch.manual_seed(1)
    module = kind(3)
    rule = idinf.predictor(module, alphabet="abc")
    for prompt in ("a", "abc", "ccba"):
        found = [float(part.low) for part in rule.predict(rule.encode(prompt))]
        assert module.training
        module.eval()
        with torch.no_grad():
            logits = module(torch.tensor([["abc".index(symbol) for symbol in prompt]]))
        module.train()
        by_hand = torch.softmax((logits[0, -1] if logits.dim() == 3 else logits[0]).double(), 0)
        assert found == pytest.approx(by_hand.tolist(), abs=1e-12)
        assert all(parameter.grad is None for parameter in module.parameters())


def test_a_module_is_measured_from_below_and_never_proved() -> None:
    torch.manual_seed(2)
    module = Causal(2)
    rows = idinf.modulus(module, n=4, differences=2)
    assert {(row.method, row.gap.high) for row in rows} == {("bounds", 1)}
    gap, pair = idinf.measure(module, n=4, differences=2)
    assert gap == float(rows[-1].gap.low)
    rule = idinf.predictor(module)
    answers = [rule.predict(rule.encode("".join(word))) for word in itertools.product("01", repeat=4)]
    largest = max(abs(float(a[0].low - b[0].low)) for a, b in itertools.combinations(answers, 2))
    assert 0 < gap <= largest
    assert pair[0][-1] == pair[1][-1]
    learned = idinf.learnability(module, "(01)", up_to=12)
    assert (learned.learned, learned.up_to) == (None, 12)
    assert idinf.contrast("tomita-1", module, lengths=(1, 4))[0].bound == 1
    with pytest.raises(idinf.SpecError, match="no modulus of continuity is proved"):
        idinf.isolation(module, "(0)", assume="1/2")


@pytest.mark.parametrize("seed", range(6))
def test_a_compact_net_as_a_module_stays_below_its_modulus(seed: int) -> None:
    net = idinf.draw_compact_net(seed)
    for n, k in ((5, 1), (9, 3)):
        (*_, exact) = idinf.modulus(net, n=n, differences=k)
        measured, _ = idinf.measure(Compact(net), n=n, differences=k)
        assert measured <= float(exact.gap.high) + 1e-12
        there, beside = (Compact(net)(torch.tensor([[int(s) for s in word]])) for word in exact.pair)
        gap = (torch.softmax(there[0], 0) - torch.softmax(beside[0], 0)).abs().max().item()
        assert gap == pytest.approx(float(exact.gap.low), abs=1e-12)


def test_wrong_logits_are_refused() -> None:
    with pytest.raises(idinf.ArgumentError, match="the Embedding gives no distribution") as caught:
        idinf.predictor(nn.Embedding(2, 5)).predict((0,))
    assert len(str(caught.value)) < 300
