"""What other parts may react to.

`evaluation_done` is sent inside the transaction that makes an evaluation `done`, with `evaluation`: what a receiver writes
becomes visible together with the verdict, and an exception in a receiver undoes both.
`housekeeping` is sent about once a minute by the one process that sweeps, outside of any transaction.
"""

from __future__ import annotations

from django.dispatch import Signal

evaluation_done = Signal()
housekeeping = Signal()
