import { hostname } from 'node:os';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { type Registry } from 'prom-client';
import { buildOf } from './build.js';
import { copyLines } from './logger.js';
import { openLogs } from './otlp-logs.js';
import { openMetrics } from './otlp-metrics.js';
import { openTracing } from './otlp-tracing.js';
import { type Telemetry } from './telemetry-settings.js';
import { type Tracing } from './tracing.js';

/**
 * Sends traces, and metrics and log lines if they are asked for, to a collector by OTLP over HTTP. This module is
 * imported only if a collector is named: it loads OpenTelemetry's SDK.
 * @returns the traces; their `close` sends all that waits
 */
export function openTelemetry(
  { app, registry }: { readonly app: string; readonly registry: Registry },
  telemetry: Telemetry,
): Tracing {
  const resource = resourceOf(app);
  const tracing = openTracing(resource, telemetry);
  const others: { close(): Promise<void> }[] = [];
  if (telemetry.metrics) others.push(openMetrics({ resource, registry }, telemetry));
  if (telemetry.logs) {
    const logs = openLogs(resource, telemetry);
    copyLines(logs.copy);
    others.push(logs);
  }
  return {
    ...tracing,
    close: async () => {
      copyLines(undefined);
      await Promise.all([tracing, ...others].map((part) => part.close()));
    },
  };
}

function resourceOf(app: string): Resource {
  return resourceFromAttributes({
    'service.name': `pesapost-${app}`,
    'service.version': buildOf(),
    'service.namespace': 'pesapost',
    'service.instance.id': `${hostname()}:${process.pid}`,
    'host.name': hostname(),
    'process.pid': process.pid,
  });
}
