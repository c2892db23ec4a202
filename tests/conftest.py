"""What holds for all tests."""

from __future__ import annotations

import signal

# A shell starts what runs in the background with Ctrl-C ignored, and children inherit that: tests that
# send it must not depend on how the tests themselves were started.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
