import { afterEach, describe, expect, it } from '@jest/globals';
import { emptyResource } from '@opentelemetry/resources';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { openTracing } from './otlp-tracing.js';
import { loadSettings, SettingsError } from './settings.js';
import { ownContext, sentContext, traceMembers, type Tracing } from './tracing.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const sent = `00-${traceId}-${spanId}-01`;

describe('a traceparent', () => {
  it.each([
    ['sampled', sent],
    ['not sampled', `00-${traceId}-${spanId}-00`],
    ['in the form of a later version', `01-${traceId}-${spanId}-01-more`],
  ])('is accepted from a caller if it is %s', (_, header) => {
    expect(sentContext(header)).toEqual({ traceId, spanId });
  });

  it.each([
    ['none', undefined],
    ['another form', 'trace-1'],
    ['capitals', sent.toUpperCase()],
    ['the version that W3C forbids', `ff-${traceId}-${spanId}-01`],
    ['no trace', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a trace of digits alone', `00-${'254712345678'.padStart(32, '0')}-${spanId}-01`],
    ['a span of digits alone', `00-${traceId}-0000254712345678-01`],
  ])('is ignored from a caller: %s', (_, header) => {
    expect(sentContext(header)).toBeUndefined();
  });

  it('is continued from an event only if its trace is recorded', () => {
    expect(ownContext(sent)).toEqual({ traceId, spanId });
    expect(ownContext(`00-${traceId}-${spanId}-00`)).toBeUndefined();
    expect(traceMembers(sent)).toEqual({ trace_id: traceId, span_id: spanId });
    expect(traceMembers(undefined)).toEqual({});
  });
});

describe('the telemetry settings', () => {
  it('record nothing unless a collector is named', () => {
    expect(loadSettings({}).telemetry).toBeUndefined();
    expect(loadSettings({ OTEL_TRACES_SAMPLER_ARG: '1' }).telemetry).toBeUndefined();
  });

  it('name the collector, its headers and the recorded share', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/' };
    expect(loadSettings(endpoint).telemetry).toEqual({
      endpoint: 'https://otel.example',
      headers: {},
      sampleRatio: 0.01,
      metrics: false,
      metricIntervalMs: 60_000,
      logs: false,
    });
    const all = {
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, tenant=a',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_METRIC_EXPORT_INTERVAL: '15000',
      OTEL_LOGS_EXPORTER: 'otlp',
    };
    expect(loadSettings(all).telemetry).toMatchObject({
      headers: { authorization: 'Bearer x', tenant: 'a' },
      sampleRatio: 0.25,
      metrics: true,
      metricIntervalMs: 15_000,
      logs: true,
    });
  });

  it.each([
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'always'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_METRICS_EXPORTER', 'prometheus'],
    ['OTEL_METRICS_EXPORTER', 'otlp'],
    ['OTEL_LOGS_EXPORTER', 'otlp'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'SECRET-1'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%ZZSECRET-1'],
  ])('are rejected in one line that repeats no secret: %s=%s', (name, value) => {
    let problems: readonly string[] = [];
    try {
      loadSettings({ [name]: value });
    } catch (error) {
      if (error instanceof SettingsError) ({ problems } = error);
    }
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}: `));
    expect(problems[0]).not.toContain('SECRET');
  });
});

describe('a span', () => {
  let tracing: Tracing | undefined;
  afterEach(() => tracing?.close());
  const open = (sampleRatio: number, endpoint = 'http://127.0.0.1:1') =>
    (tracing = openTracing(emptyResource(), {
      endpoint,
      headers: { 'x-token': 't' },
      sampleRatio,
      metrics: false,
      metricIntervalMs: 60_000,
      logs: false,
    }));

  it('is started for the sampled share of requests, regardless of what the caller asks for', () => {
    expect(open(0).begin('GET /', sent)).toBeUndefined();
    expect(open(1).begin('GET /')?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(open(1).begin('GET /', sent)?.traceparent).toMatch(new RegExp(`^00-${traceId}-`));
  });

  it('continues only a recorded trace, even if no request would be sampled', () => {
    const none = open(0);
    expect(none.continue('append', 'client', sent)?.traceparent).toContain(traceId);
    expect(none.continue('append', 'client', undefined)).toBeUndefined();
    expect(none.continue('append', 'client', 'no trace')).toBeUndefined();
  });

  it('is sent to the collector with its parent, its times and its attributes when the process ends', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      request.on('data', (bytes: Buffer) => bodies.push(bytes.toString()));
      request.on('end', () => response.end('{}'));
      bodies.push(`${request.url} ${String(request.headers['x-token'])}`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const of = open(0, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const since = performance.now() - 2000;
    of.continue('append', 'client', sent, since)?.end(
      { 'pesapost.events': 'A,B', left: undefined },
      true,
    );
    await of.close();
    server.close();
    const [target, ...parts] = bodies;
    expect(target).toBe('/v1/traces t');
    const { resourceSpans } = JSON.parse(parts.join('')) as {
      resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[];
    };
    const span = resourceSpans[0]?.scopeSpans[0]?.spans[0] ?? {};
    expect(span).toMatchObject({
      traceId,
      parentSpanId: spanId,
      name: 'append',
      kind: 3,
      attributes: [{ key: 'pesapost.events', value: { stringValue: 'A,B' } }],
      status: { code: 2 },
    });
    const ms =
      (BigInt(String(span['endTimeUnixNano'])) - BigInt(String(span['startTimeUnixNano']))) /
      1_000_000n;
    expect(Number(ms)).toBeGreaterThanOrEqual(1999);
  });
});
