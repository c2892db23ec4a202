"""Training: what torch computes beside what numpy does, gradients, repeatability, what is refused."""

import numpy as np
import pytest

import idinf
from idinf.errors import ArgumentError
from idinf.spec.catalogue import load
from idinf.spec.spec import Answer
from idinf.targets.machine import read_word
from idinf.trained import training
from idinf.trained.decoder import WEIGHTS, Decoder, Shape, read_decoder
from idinf.trained.task import BOS, SEP, YES, AnswerReader, Task
from idinf.trained.training import NONE, RIGHT, TrainingSettings, check_folder, train_task

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def on_one_core():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def make(width, heads, layers, **more):
    """A network with random weights, and the same as a decoder."""
    shape = Shape(7, 20, width, heads, layers, 4 * width)
    rng = np.random.default_rng(width + layers)
    settings = TrainingSettings(width=width, heads=heads, layers=layers, **more)
    network = training.Network(torch, shape, settings, rng)
    with torch.no_grad():
        for name, weights in network.weights.items():
            if name != "wpe.weight" or settings.positions != NONE:
                weights.add_(torch.from_numpy(rng.normal(0, 0.5, weights.shape)))
    return network, Decoder(shape, network.to_tensors(), {}).astype(np.float64)


@pytest.mark.parametrize("size", [(16, 1, 1), (16, 2, 2), (8, 4, 3), (1, 1, 1)])
@pytest.mark.parametrize("positions", ["learned", "none"])
def test_logits_are_those_of_the_decoder(size, positions):
    network, model = make(*size, positions=positions)
    tokens = np.random.default_rng(5).integers(7, size=(9, 9))
    places = np.tile(np.arange(4, 13), (9, 1))
    found = network.forward(torch.from_numpy(tokens), torch.from_numpy(places), trains=False)
    expected = model.logits(tokens, 4)
    assert np.abs(found.detach().numpy() - expected).max() < 1e-5 * max(1, np.abs(expected).max())


@pytest.mark.parametrize(("name", "answer"), [("tomita-1", Answer.SET), ("majority", Answer.ACCEPT)])
def test_a_short_training_ends_with_all_right(name, answer, tmp_path):
    task = Task.of(load(name), answer)
    steps = []
    settings = TrainingSettings(max_length=8, learning_rate=0.01, check_every=100, steps=3000)
    found = train_task(task, name, settings, progress=steps.append)
    assert (found.accuracy, found.reason, found.steps) == (1.0, RIGHT, steps[-1].step)
    found.save(tmp_path)
    model = read_decoder(tmp_path)
    assert model.shape.positions == 24 + task.extra
    speech = AnswerReader.of(model, task)
    told = model.config["idinf"]
    assert (told["target"], told["training"]["stopped"]) == (name, RIGHT)
    word = (1, 1, 0, 1, 1)[: 5 if answer is Answer.ACCEPT else 2]
    tokens = [speech.tokens.number(BOS), *speech.tokens.encode(task.alphabet, word).tolist()]
    if answer is Answer.ACCEPT:
        tokens.append(speech.tokens.number(SEP))
        assert model.logits(np.array([tokens]))[0, -1].argmax() == speech.tokens.number(YES)
    said, _ = speech.read(model.logits(np.array([tokens]))[0])
    assert said[-1].tolist() == task.labels(read_word(task.target, word))[0].tolist()


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    task = Task.of(load("majority"), None)
    written = []
    for folder, seed in (("a", 3), ("b", 3), ("c", 4)):
        settings = TrainingSettings(max_length=6, steps=30, dropout=0.1, seed=seed)
        train_task(task, "majority", settings).save(tmp_path / folder)
        written.append((tmp_path / folder / WEIGHTS).read_bytes())
    assert written[0] == written[1] != written[2]


def test_what_cannot_be_trained_is_refused(tmp_path):
    task = Task.of(load("majority"), None)
    with pytest.raises(ArgumentError, match="learning_rate"):
        train_task(task, "majority", TrainingSettings(max_length=4, learning_rate=1e30, steps=300))
    with pytest.raises(ArgumentError, match=r"layer = 3; .* did you mean 'layers'"):
        idinf.train("majority", layer=3)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(OSError, match="has files and no model"):
        check_folder(tmp_path)
    with pytest.raises(OSError, match="cannot be made"):
        check_folder(tmp_path / "notes.txt")
    check_folder(tmp_path / "new" / "one")
