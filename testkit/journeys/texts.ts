/** A text that a client must cut. */
export const longText = `My exam is tomorrow and I am scared. ${'😰"é\n'.repeat(2000)}`;

/** The reading at this index has an invalid heart rate. */
const invalidAt = 250;
const requestMax = 1000;

/**
 * Returns readings that fill two requests, each with its own heart rate, and what is expected of them. Backfilled ones do
 * not use up the limit of their session.
 */
export function fillTwoRequests(count: number, now: string, { texts, ...reading }: Readonly<Record<string, unknown>>) {
  const readings = Array.from({ length: count }, (_, index) => ({
    ...reading,
    ...(texts as object),
    timestamp: new Date(Date.parse(now) - 1_200_000 + index * 1000).toISOString(),
    heart_rate: index === invalidAt ? 700 : 40 + index / 10,
    backfill: true,
  }));
  return {
    readings,
    /** Those of the second request. */
    rest: readings.slice(requestMax),
    lines: readings.map((_, index) => index + 1),
    statuses: readings.map((_, index) => (index === invalidAt ? 422 : 200)),
    rates: readings.map((it) => it.heart_rate).filter((_, index) => index !== invalidAt),
  };
}
