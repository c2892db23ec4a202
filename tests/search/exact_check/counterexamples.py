"""The least word that one hypothesis gets wrong, of which no fail length is known yet."""

from idinf.base.words import Word
from idinf.search.exact_check.nets import NetBatch
from idinf.search.exact_check.reachability import DEFAULT_MAX_STATES, Frontier, fail_lengths
from idinf.search.exact_check.summaries import DEFAULT_SIZES, CheckSizes
from idinf.targets.machine import Target


def least_counterexample(
    target: Target,
    net: NetBatch,
    horizon: int,
    max_states: int = DEFAULT_MAX_STATES,
    *,
    sizes: CheckSizes = DEFAULT_SIZES,
) -> Word | None:
    """Find the length first, then the word; None if there is none up to a length."""
    fail = int(fail_lengths(target, net, horizon, max_states, sizes=sizes)[0])
    return None if fail < 0 else Frontier([net], target, max_states, sizes=sizes).least_word(fail)
