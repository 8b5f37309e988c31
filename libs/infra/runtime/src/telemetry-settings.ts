import { z } from 'zod';

/** The collector of traces, and the share of requests that are recorded. */
export interface Telemetry {
  /** The base of OTLP over HTTP, without a trailing slash. */
  readonly endpoint: string;
  /** For the collector, such as its token. */
  readonly headers: Readonly<Record<string, string>>;
  /** From 0 to 1. */
  readonly sampleRatio: number;
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
