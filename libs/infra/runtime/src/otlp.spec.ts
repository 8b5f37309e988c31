import { afterEach, describe, expect, it } from '@jest/globals';
import { DataPointType } from '@opentelemetry/sdk-metrics';
import { type OtlpReceiver, startOtlpReceiver } from '../../../../test/servers/otlp-receiver.js';
import { createLogger, LogDestination } from './logger.js';
import { Metrics } from './metrics.js';
import { openTelemetry } from './otlp.js';
import { producerOf } from './otlp-metrics.js';
import { type Telemetry } from './telemetry-settings.js';
import { type Tracing } from './tracing.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

/** The metrics with a name of ours. */
async function collected(metrics: Metrics) {
  const { resourceMetrics, errors } = await producerOf(metrics.registry).collect();
  expect(errors).toEqual([]);
  return resourceMetrics.scopeMetrics
    .flatMap((scope) => scope.metrics)
    .filter(({ descriptor }) => descriptor.name.startsWith('pesapost_'));
}

describe('the registry, as a source of OpenTelemetry’s metrics', () => {
  it('gives counters with their labels and help', async () => {
    const metrics = new Metrics();
    const sent = metrics.counter({ name: 'sent_total', help: 'Sent', labels: ['mode'] });
    sent.inc({ mode: 'live' }, 3);
    expect(await collected(metrics)).toMatchObject([
      {
        descriptor: { name: 'pesapost_sent_total', description: 'Sent' },
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: [{ attributes: { mode: 'live' }, value: 3 }],
      },
    ]);
  });

  it('gives gauges as they are at that moment, without those that are not known', async () => {
    const metrics = new Metrics();
    metrics.gauge({ name: 'age_seconds', help: 'Age', collect: () => 7 });
    metrics.gauge({ name: 'unknown', help: 'Unknown', collect: () => NaN });
    metrics.gauge({ name: 'never', help: 'Never', collect: () => Infinity });
    expect(await collected(metrics)).toMatchObject([
      {
        descriptor: { name: 'pesapost_age_seconds', unit: 's' },
        dataPointType: DataPointType.GAUGE,
        dataPoints: [{ value: 7 }],
      },
    ]);
  });

  it('gives histograms with the count of each bucket alone, for each set of labels', async () => {
    const metrics = new Metrics();
    const took = metrics.histogram({
      name: 'took_seconds',
      help: 'Took',
      labels: ['mode'],
      buckets: [1, 5],
    });
    for (const seconds of [0.5, 0.75, 3, 9]) took.observe({ mode: 'live' }, seconds);
    took.observe({ mode: 'demo' }, 2);
    expect(await collected(metrics)).toMatchObject([
      {
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: [
          {
            attributes: { mode: 'live' },
            value: { buckets: { boundaries: [1, 5], counts: [2, 1, 1] }, sum: 13.25, count: 4 },
          },
          {
            attributes: { mode: 'demo' },
            value: { buckets: { boundaries: [1, 5], counts: [0, 1, 0] }, sum: 2, count: 1 },
          },
        ],
      },
    ]);
  });
});

describe('a process with a collector', () => {
  let collector: OtlpReceiver;
  let telemetry: Tracing | undefined;
  afterEach(async () => {
    await telemetry?.close();
    await collector.stop();
  });

  async function open(more: Partial<Telemetry>): Promise<Metrics> {
    collector = await startOtlpReceiver();
    const metrics = new Metrics();
    const settings = {
      headers: {},
      sampleRatio: 1,
      metrics: false,
      metricIntervalMs: 60_000,
      logs: false,
    };
    telemetry = openTelemetry(
      { app: 'spec', registry: metrics.registry },
      { ...settings, endpoint: collector.url, ...more },
    );
    return metrics;
  }

  /** A logger whose lines go nowhere but to the collector. */
  const logger = () => {
    const stream = { write: () => true, listenerCount: () => 1, writableLength: 0 };
    return createLogger({
      app: 'spec',
      destination: new LogDestination({ stream: stream as never }),
    });
  };

  it('sends redacted log lines with their trace, and the metrics, when it ends', async () => {
    const metrics = await open({ metrics: true, logs: true });
    metrics.counter({ name: 'sent_total', help: 'Sent' }).inc();
    const traced = { trace_id: traceId, span_id: spanId };
    logger().warn({ ...traced, phone: '254712345678', deep: { a: 1 } }, 'to 0712345678');
    await telemetry?.close();
    const [logs = ''] = collector.bodiesOf('logs');
    expect(JSON.parse(logs)).toMatchObject({
      resourceLogs: [
        {
          scopeLogs: [
            {
              logRecords: [
                {
                  severityNumber: 13,
                  severityText: 'warn',
                  body: { stringValue: 'to 07*****678' },
                  traceId,
                  spanId,
                  attributes: [
                    { key: 'phone', value: { stringValue: '[redacted]' } },
                    { key: 'deep', value: { stringValue: '{"a":1}' } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
    expect(collector.bodiesOf('metrics').join('')).toContain('"pesapost_sent_total"');
  });

  it('sends neither unless it is asked for, and no line after its end', async () => {
    await open({});
    logger().warn('a line');
    telemetry?.begin('GET /')?.end();
    await telemetry?.close();
    expect(collector.bodiesOf('traces')).toHaveLength(1);
    expect([collector.bodiesOf('logs'), collector.bodiesOf('metrics')]).toEqual([[], []]);
  });
});
