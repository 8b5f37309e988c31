import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { emptyResource, type Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';
import { exporterOf, exportTimeoutMs, type Telemetry } from './telemetry-settings.js';

/** A metric as prom-client has it. The parts of a histogram name the part. */
type Shown = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

/** Sends the metrics of the process's registry, under the names that `/metrics` shows. */
export function openMetrics(
  { resource, registry }: { readonly resource: Resource; readonly registry: Registry },
  telemetry: Telemetry,
): { close(): Promise<void> } {
  const { metricIntervalMs } = telemetry;
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(exporterOf(telemetry, 'metrics')),
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: Math.min(exportTimeoutMs, metricIntervalMs),
    metricProducers: [producerOf(registry)],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return { close: () => provider.shutdown() };
}

/** The registry as a source of OpenTelemetry's metrics. */
export function producerOf(registry: Registry): MetricProducer {
  const startTime = timeOf(performance.timeOrigin);
  return {
    collect: async () => {
      const shown = (await registry.getMetricsAsJSON()) as unknown as Shown[];
      const times = { startTime, endTime: timeOf(performance.timeOrigin + performance.now()) };
      const metrics = shown.flatMap((metric) => dataOf(metric, times) ?? []);
      const scopeMetrics = [{ scope: { name: 'pesapost' }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

/** @returns undefined for a metric without values, and for summaries, which this service has none of */
function dataOf(metric: Shown, times: Times): MetricData | undefined {
  const type = String(metric.type);
  const descriptor = {
    name: metric.name,
    description: metric.help,
    unit: metric.name.endsWith('_seconds') ? 's' : '',
    valueType: ValueType.DOUBLE,
  };
  const shared = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram') {
    const dataPoints = histogramsIn(metric.values, times);
    if (dataPoints.length === 0) return undefined;
    return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = numbersIn(metric.values, times);
  if (dataPoints.length === 0) return undefined;
  if (type === 'gauge') return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints };
  if (type !== 'counter') return undefined;
  return { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

/** Leaves out values that JSON has not: NaN is unknown, and infinite is "never". */
function numbersIn(values: Shown['values'], times: Times): DataPoint<number>[] {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...times, attributes: labels, value }));
}

/** Builds one point for each set of labels. prom-client counts a value in each bucket up to its own and beyond. */
function histogramsIn(values: Shown['values'], times: Times): DataPoint<Histogram>[] {
  const sets = new Map<
    string,
    { attributes: Attributes; upTo: Map<number, number>; sum: number }
  >();
  for (const { labels, value, metricName = '' } of values) {
    const { le, ...attributes } = labels as Record<string, string | number>;
    const key = JSON.stringify(attributes);
    const set = sets.get(key) ?? { attributes, upTo: new Map<number, number>(), sum: 0 };
    sets.set(key, set);
    if (le !== undefined) set.upTo.set(le === '+Inf' ? Infinity : Number(le), value);
    else if (metricName.endsWith('_sum')) set.sum = value;
  }
  return [...sets.values()].map(({ attributes, upTo, sum }) => {
    const ordered = [...upTo].sort(([one], [other]) => one - other);
    const counts = ordered.map(([, upToIt], index) => upToIt - (ordered[index - 1]?.[1] ?? 0));
    const boundaries = ordered.map(([bound]) => bound).filter(Number.isFinite);
    const value = { buckets: { boundaries, counts }, sum, count: ordered.at(-1)?.[1] ?? 0 };
    return { ...times, attributes, value };
  });
}

/** @param ms since the epoch */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1_000_000)];
}
