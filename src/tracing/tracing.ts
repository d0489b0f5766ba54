import type { Closable } from '../lifecycle/closing.js';

const serviceName = 'realtime-state-service';

/**
 * Exports traces (OTLP over HTTP) if the standard OTEL_ variables configure it. Otherwise loads nothing and returns
 * undefined. The exporter reads endpoint, headers and timeouts from the variables, and the provider reads the sampler.
 */
export async function startTracing(env: Readonly<Record<string, string | undefined>>): Promise<Closable | undefined> {
  if (!isWanted(env)) return undefined;
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const named = resources.resourceFromAttributes({ 'service.name': serviceName });
  const resource = resources
    .defaultResource()
    .merge(named)
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return { close: () => provider.shutdown() };
}

function isWanted(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['OTEL_SDK_DISABLED'] === 'true') return false;
  const exporter = env['OTEL_TRACES_EXPORTER'];
  if (exporter !== undefined && exporter !== '') return exporter === 'otlp';
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}
