"""Where the command begins: Ctrl-C while Python still loads modules ends it at once, without a traceback."""

from __future__ import annotations

import signal


def main() -> None:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ioadr.app.cli import main

    main()
