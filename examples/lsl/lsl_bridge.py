"""Sends beat intervals of a stream of the Lab Streaming Layer to the service.

pip install pylsl "$CHECKOUT/packages/client-python"
SERVICE_URL=http://127.0.0.1:8080 SERVICE_KEY=sk_… python lsl_bridge.py --session s1 --subject 3d9a70c1e84b2f56

The stream has the type RR (or that of --type), one channel, and a sample per beat: the interval in ms.
"""

import argparse
import time

from pylsl import StreamInlet, resolve_byprop
from realtime_state_client import StateClient, StateClientError, now

EVERY_S = 5.0
INTERVALS_MAX = 64
SHORTEST_MS, LONGEST_MS = 250, 2500


def read_intervals(inlet: StreamInlet) -> list[int]:
    """Returns the intervals of the next five seconds, without artifacts."""
    intervals: list[int] = []
    until = time.monotonic() + EVERY_S
    while (left := until - time.monotonic()) > 0:
        sample, _ = inlet.pull_sample(timeout=left)
        if sample and SHORTEST_MS <= sample[0] <= LONGEST_MS:
            intervals.append(round(sample[0]))
    return intervals[-INTERVALS_MAX:]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--session", required=True)
    options.add_argument("--subject", required=True, help="the person, hashed")
    options.add_argument("--type", default="RR")
    args = options.parse_args()
    streams = resolve_byprop("type", args.type, timeout=30)
    if not streams:
        raise SystemExit(f"no stream of the type {args.type}: start it, or set --type")
    inlet = StreamInlet(streams[0])
    with StateClient() as client:
        while True:
            intervals = read_intervals(inlet)
            if not intervals:
                continue
            try:
                reading = client.ingest(
                    {
                        "session_id": args.session,
                        "subject_id": args.subject,
                        "timestamp": now(),
                        "rr_intervals_ms": intervals,
                        "source_device": streams[0].name()[:64],
                    }
                )
                print(reading["state"], reading["stress_score"], reading["action_reason"])
            except StateClientError as error:
                print(f"not sent: {error}")


if __name__ == "__main__":
    main()
