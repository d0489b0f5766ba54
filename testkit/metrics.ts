/** Returns the value of a metric without labels. Undefined if the scrape omits it. */
export async function readMetric(metricsUrl: string | undefined, name: string): Promise<number | undefined> {
  const text = await (await fetch(metricsUrl ?? '')).text();
  const [, value] = new RegExp(`^state_service_${name} (\\S+)$`, 'm').exec(text) ?? [];
  return value === undefined ? undefined : Number(value);
}
