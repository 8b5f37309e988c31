import {
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type Resource } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { exporterOf, exportTimeoutMs, type Telemetry } from './telemetry-settings.js';
import {
  ownContext,
  sentContext,
  type Span,
  type SpanAttributes,
  type TraceContext,
  traceparentOf,
  type Tracing,
} from './tracing.js';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
  consumer: SpanKind.CONSUMER,
} as const;

const sampled = 1;

/** Records spans with OpenTelemetry's SDK. Spans that the collector does not take are dropped, and no request waits. */
export function openTracing(resource: Resource, telemetry: Telemetry): Tracing {
  const { sampleRatio } = telemetry;
  const exporter = new OTLPTraceExporter(exporterOf(telemetry, 'traces'));
  const provider = new TracerProvider({
    resource,
    // The draw is before the first span of a trace, and every span here belongs to a recorded one.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: exportTimeoutMs })],
  });
  const tracer = provider.getTracer('pesapost');
  const start = (
    name: string,
    kind: keyof typeof kinds,
    parent: TraceContext | undefined,
    since = performance.now(),
  ): Span => {
    const context = parent
      ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: sampled, isRemote: true })
      : ROOT_CONTEXT;
    const startTime = performance.timeOrigin + since;
    return spanFrom(tracer.startSpan(name, { kind: kinds[kind], startTime }, context));
  };
  return {
    begin: (name, sent) =>
      Math.random() < sampleRatio ? start(name, 'server', sentContext(sent)) : undefined,
    continue: (name, kind, parent, since) => {
      const context = parent === undefined ? undefined : ownContext(parent);
      return context && start(name, kind, context, since);
    },
    close: () => provider.shutdown(),
  };
}

function spanFrom(span: OtelSpan): Span {
  return {
    traceparent: traceparentOf(span.spanContext()),
    end: (attributes: SpanAttributes = {}, isError = false) => {
      for (const [name, value] of Object.entries(attributes))
        if (value !== undefined) span.setAttribute(name, value);
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(performance.timeOrigin + performance.now());
    },
  };
}
