"""Symbolic steps followed on words: at every position just one step whose guard holds of the counters."""

from collections.abc import Iterator

from idinf.proofs.check.target_steps import iter_paths
from idinf.spec.reader import parse_spec
from tests.targets.random_programs import random_program
from tests.translate.compilation.random_hypotheses import random_hypothesis

__all__ = ["WordComparison", "follow", "random_hypothesis", "random_program", "spec_of"]


def spec_of(*lines):
    """A spec over ab."""
    return parse_spec("\n".join(['name = "x"', 'alphabet = "ab"', *lines]))


class WordComparison:
    """A side with its own steps, remembered by control and symbol."""

    def __init__(self, side, symbols):
        self.side, self.symbols = side, symbols
        self.known = {}

    def steps(self, control, symbol):
        """All (guard, result) of one symbol."""
        if (control, symbol) not in self.known:
            size = self.symbols + len(self.side.names)

            def run(asked):
                return self.side.step(control, symbol, self.symbols, size, asked)

            self.known[control, symbol] = [(tuple(asked.guard), result) for asked, result in iter_paths(run)]
        return self.known[control, symbol]

    def run(self, word) -> Iterator[tuple[tuple[int, ...], tuple[bool, ...]]]:
        """Own counters and answers at positions 0..n of a word; one step is taken at each, no more."""
        control, counters, answers = self.side.start()
        parikh = [0] * self.symbols
        yield counters, answers
        for symbol in word:
            point = (*parikh, *counters)
            taken = [
                result
                for guard, result in self.steps(control, symbol)
                if all(inequality.holds(point) for inequality in guard)
            ]
            assert len(taken) == 1, (word, symbol, taken)
            [(control, grown, answers)] = taken
            parikh[symbol] += 1
            counters = tuple(c + g for c, g in zip(counters, grown, strict=True))
            yield counters, answers


def follow(joint, word, known):
    """Place, counters and whether the two sides agree at every position of a word, by guards alone."""
    place, counters, said = joint.start
    yield place, counters, said.agree
    for symbol in word:
        if place not in known:
            known[place] = list(joint.steps(place))
        own = [step for step in known[place] if step.symbol == symbol]
        [step] = [step for step in own if all(inequality.holds(counters) for inequality in step.guard)]
        assert set(step.growth) <= {0, 1}
        counters = tuple(c + g for c, g in zip(counters, step.growth, strict=True))
        place = step.to
        yield place, counters, step.said.agree
