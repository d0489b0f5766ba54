// Generated from openapi.yaml by `npm run generate`. Edit that file instead.

/** Paths whose POST may be resent when its response is lost. */
export const resendable = /(?:\/v1\/ingest|\/v1\/ingest\/batch|\/v1\/tokens|\/v1\/devices|\/v1\/feedback|\/v1\/alerts)$/;
