"""Constants of the contract."""

# Generated from openapi.yaml by `npm run generate`. Edit that file instead.

BODY_MAX_BYTES = 4096
STREAM_HEARTBEAT_SECONDS = 15
STREAM_RETRY_MS = 1000
