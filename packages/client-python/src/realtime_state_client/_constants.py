"""Constants of the contract."""

# Generated from openapi.yaml by `npm run generate`. Edit that file instead.

BATCH_LINES_MAX = 1000
BATCH_MAX_BYTES = 1048576
BODY_MAX_BYTES = 4096
RR_INTERVALS_MAX = 64
RR_INTERVAL_MAX_MS = 2500
RR_INTERVAL_MIN_MS = 250
STREAM_HEARTBEAT_SECONDS = 15
STREAM_RETRY_MS = 1000
