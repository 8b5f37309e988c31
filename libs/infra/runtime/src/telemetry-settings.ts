import { z } from 'zod';

/** The collector, and the data that it gets. */
export interface Telemetry {
  /** The base of OTLP over HTTP, without a trailing slash. */
  readonly endpoint: string;
  /** For the collector, such as its token. */
  readonly headers: Readonly<Record<string, string>>;
  /** The share of requests whose traces are recorded, from 0 to 1. */
  readonly sampleRatio: number;
  /** True if metrics are sent as well, and how often. */
  readonly metrics: boolean;
  readonly metricIntervalMs: number;
  /** True if log lines are sent as well. */
  readonly logs: boolean;
}

/** A collector that hangs delays only its own data. */
export const exportTimeoutMs = 5000;

/** The options of an exporter of this kind of data. */
export function exporterOf(
  { endpoint, headers }: Telemetry,
  kind: 'traces' | 'metrics' | 'logs',
): { url: string; headers: Record<string, string>; timeoutMillis: number } {
  return { url: `${endpoint}/v1/${kind}`, headers: { ...headers }, timeoutMillis: exportTimeoutMs };
}

/** `name=value` pairs joined by commas, each percent-encoded, as OpenTelemetry writes them. They may contain secrets. */
export const headerPairs = z.string().transform((text, context) => {
  const pairs = text.split(',').map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/s.exec(pair));
  const headers: Record<string, string> = {};
  for (const pair of pairs) {
    const [, name = '', value = ''] = pair ?? [];
    if (name === '' || !isEncoded(value)) {
      context.addIssue('must be pairs such as name=value,name=value');
      return z.NEVER;
    }
    headers[name] = decodeURIComponent(value.trim());
  }
  return headers;
});

/** OpenTelemetry's names of exporters, as far as we have them. */
export const exporter = z.enum(['otlp', 'none'], 'must be otlp or none').prefault('none');

/** A share of requests. */
export const ratio = z.string().transform((text, context) => {
  const value = Number(text);
  if (/^[01](?:\.\d+)?$/.test(text) && value <= 1) return value;
  context.addIssue(`"${text}" must be a share from 0 to 1, such as 0.01`);
  return z.NEVER;
});

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
