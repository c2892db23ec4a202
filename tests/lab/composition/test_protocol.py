"""Protocols on all instances of small sizes; those that read or say what they may not are caught."""

import pytest

from idinf.errors import CompositionError
from idinf.lab.composition.protocol import ship, simulate
from idinf.lab.composition.task import SequentialComposition, Sizes
from tests.asked_for import few

TWO = Sizes(2, (2,))


class Relay:
    """A protocol for L = 2 by hand; ``reads`` is what player 2 looks at for its message to -1 of an epoch."""

    name, epochs, bits = "relay", 2, 1

    def __init__(self, epoch=1, reads=None, says="", concludes=lambda view: 0):
        self.epoch, self.reads, self.says, self.concludes = epoch, reads, says, concludes

    def message(self, epoch, sender, receiver, view):
        if (epoch, sender, receiver) == (self.epoch, 2, -1):
            if self.reads is not None:
                self.reads(view)
            return self.says
        return ""

    def answer(self, view):
        return self.concludes(view)


TASK = SequentialComposition(TWO, 1, ((1, 0), (3, 2, 1, 0)), (1,))


@pytest.mark.parametrize(
    "sizes",
    [TWO, Sizes(2, (1,)), Sizes(1, (3,)), Sizes(3), Sizes(3, (1,)), Sizes(2, (1, 1)), Sizes(1, (2, 1))],
)
def test_reveal_is_right_on_all_instances(sizes: Sizes) -> None:
    protocol = ship("reveal", sizes)
    step = max(1, sizes.count() // few(1000, 5000))
    for place, task in enumerate(sizes.instances()):
        if place % step == 0:
            assert simulate(protocol, task.inputs()).answer == task.solve()


def test_bits_are_counted_against_the_room_of_the_receiver() -> None:
    transcript = simulate(ship("reveal", TWO), TASK.inputs())
    said = {(m.epoch, m.sender, m.receiver): (len(m.bits), m.room) for m in transcript.messages if m.bits}
    # z_1 has 2 values of one bit, z_0 one bit, the answer two; B = 1, player -1 has one token
    assert said == {(1, 1, -1): (2, 2), (1, 0, -1): (1, 2), (2, 2, -1): (2, 2)}
    assert transcript.total_bits == 5
    assert len(transcript.messages) == 2 * 6


@pytest.mark.parametrize(("name", "b"), [("reveal", 1), ("silent", 0)])
def test_b_is_the_least_in_which_the_messages_fit(name: str, b: int) -> None:
    assert ship(name, TWO).bits == b


@pytest.mark.parametrize(
    ("reads", "epoch", "said"),
    [
        (lambda view: view.tokens(0), 1, "it reads the input of player 0"),
        (lambda view: view.tokens(1), 2, "it reads the input of player 1"),
        (lambda view: view.message(1, 1, 0), 2, "it reads message 1 -> 0 of epoch 1"),
        (lambda view: view.message(1, 1, -1), 1, "it reads message 1 -> -1 of epoch 1"),
        (lambda view: view.message(2, 1, -1), 2, "it reads message 1 -> -1 of epoch 2"),
        (lambda view: view.message(1, -1, 2), 2, "it reads message -1 -> 2 of epoch 1"),
    ],
)
def test_a_cheating_protocol_is_caught(reads, epoch: int, said: str) -> None:
    with pytest.raises(CompositionError) as refusal:
        simulate(Relay(epoch, reads), TASK.inputs())
    assert str(refusal.value).startswith(f"epoch {epoch}, message 2 -> -1: {said}; expected ")


def test_what_a_sender_saw_of_its_receiver_is_forgotten() -> None:
    """In epoch 1 player 2 sees w; in epoch 2 it sees w with -1 alone, not when it writes to 0."""

    class Nosy(Relay):
        def message(self, epoch, sender, receiver, view):
            if (epoch, sender) == (1, 2):
                view.tokens(receiver)
            if (epoch, sender, receiver) == (2, 2, 0):
                view.tokens(-1)
            return ""

    with pytest.raises(CompositionError, match="epoch 2, message 2 -> 0: it reads the input of player -1"):
        simulate(Nosy(), TASK.inputs())


@pytest.mark.parametrize(
    ("says", "said"),
    [
        ("111", "has 3 bits; expected at most"),
        *((each, "a text of 0 and 1") for each in ("2", None, 5, ["0"])),
    ],
)
def test_long_messages_and_no_bits_are_refused(says: str, said: str) -> None:
    with pytest.raises(CompositionError, match=said):
        simulate(Relay(says=says), TASK.inputs())
