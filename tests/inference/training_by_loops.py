"""What follows for another training length from all pairs (R, fail), by a loop over them."""

__all__ = ["check_stages"]


def check_stages(stages, rows, complete, counts_sos, tolerance=None):
    """Compare training stages with pairs (R, fail), where None is no fail; which verdicts there are."""
    verdicts = set()
    for stage in stages:
        width = 1 / (stage.n + counts_sos) if tolerance is None else tolerance
        known = [r for r, fail in rows if r <= complete + 1e-9 and (fail is None or fail > stage.trained)]
        if not known:
            assert (stage.r_star, stage.good) == (None, None)
            continue
        end = min(known) + width
        high = min(end, complete) + 1e-9
        inside = [f for r, f in rows if r <= high and (f is None or f > stage.trained)]
        bad = any(f is not None and f <= stage.n for f in inside)
        good = False if bad else True if end <= complete + 1e-9 else None
        assert (stage.r_star, stage.good) == (round(min(known), 9), good)
        if stage.all_fail_by is not None:
            assert None not in inside
            assert stage.all_fail_by == max(inside)
        verdicts.add(good)
    return verdicts
