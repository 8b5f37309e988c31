import { type Context, ROOT_CONTEXT, SeverityNumber, trace } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { type Resource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { exporterOf, exportTimeoutMs, type Telemetry } from './telemetry-settings.js';

const severities: Readonly<Record<string, SeverityNumber>> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

/** A line of the log, as `createLogger` writes it. */
interface Line {
  readonly level: string;
  readonly time: string;
  readonly msg?: string;
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly [member: string]: unknown;
}

/** Sends copies of log lines. They are redacted already: what stdout does not get, no collector gets. */
export function openLogs(
  resource: Resource,
  telemetry: Telemetry,
): { readonly copy: (line: string) => void; close(): Promise<void> } {
  const exporter = new OTLPLogExporter(exporterOf(telemetry, 'logs'));
  const provider = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ exporter, exportTimeoutMillis: exportTimeoutMs })],
  });
  const logger = provider.getLogger('pesapost');
  return {
    copy: (text) => {
      const { level, time, msg, trace_id, span_id, app, pid, build, ...members } = JSON.parse(
        text,
      ) as Line;
      logger.emit({
        timestamp: Date.parse(time),
        severityNumber: severities[level] ?? SeverityNumber.UNSPECIFIED,
        severityText: level,
        body: msg ?? '',
        attributes: flatOf(members),
        context: contextOf(trace_id, span_id),
      });
    },
    close: () => provider.shutdown(),
  };
}

/** Deeper members are JSON texts. */
function flatOf(
  members: Readonly<Record<string, unknown>>,
): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? value
        : JSON.stringify(value),
    ]),
  );
}

function contextOf(traceId: string | undefined, spanId: string | undefined): Context {
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: 1 });
}
