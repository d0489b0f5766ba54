import manifest from '../../package.json' with { type: 'json' };
import type { Closable } from './start.js';

const serviceName = 'realtime-state-service';

/**
 * Exports traces (OTLP over HTTP) if the standard OTEL_ variables configure an exporter. Otherwise loads nothing and
 * returns undefined. The exporter reads endpoint, headers and timeouts from the variables. The provider reads the
 * sampler.
 */
export async function startTracing(env: Readonly<Record<string, string | undefined>>): Promise<Closable | undefined> {
  if (!isWanted(env)) return undefined;
  const { BatchSpanProcessor, NodeTracerProvider, OTLPTraceExporter, resources } = await loadSdk();
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

/** Loads the SDK, which is an optional peer dependency. Rejects with the command that installs it. */
async function loadSdk() {
  try {
    const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] = await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
    return { BatchSpanProcessor, NodeTracerProvider, OTLPTraceExporter, resources };
  } catch (cause) {
    const packages = Object.entries(manifest.peerDependencies).map(([name, version]) => `${name}@${version}`);
    throw new Error(`tracing is configured, but its packages are missing: npm install ${packages.join(' ')}`, {
      cause,
    });
  }
}

function isWanted(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['OTEL_SDK_DISABLED'] === 'true') return false;
  const exporter = env['OTEL_TRACES_EXPORTER'];
  if (exporter !== undefined && exporter !== '') return exporter === 'otlp';
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
}
