import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricOptions<Label extends string> {
  /** Without the prefix `pesapost_`; units last (`push_seconds`, `inbox_rows`), counters end in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
}

export interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  readonly buckets?: readonly number[];
}

export interface GaugeOptions<Label extends string> extends MetricOptions<Label> {
  /** Called at each scrape of the metrics. */
  readonly collect?: () => number | Promise<number>;
  /** The same as `collect`, with a value for each set of labels. Sets that are no longer returned are no longer shown. */
  readonly collectAll?: () => Promise<readonly Labelled<Label>[]>;
}

export interface Labelled<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/** Seconds: from a cached answer to the deadline of a push. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The one registry of a process. Requesting a name twice returns the same metric. */
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  counter<Label extends string = never>(options: MetricOptions<Label>): Counter<Label> {
    return this.#once(options.name, (name) => {
      const { help, labels = [] } = options;
      return new Counter({ name, help, labelNames: labels, registers: [this.registry] });
    });
  }

  gauge<Label extends string = never>(options: GaugeOptions<Label>): Gauge<Label> {
    return this.#once(options.name, (name) => {
      const { help, labels = [], collect, collectAll } = options;
      return new Gauge<Label>({
        name,
        help,
        labelNames: labels,
        registers: [this.registry],
        ...(collect && {
          async collect() {
            this.set(await collect());
          },
        }),
        ...(collectAll && {
          async collect() {
            const all = await collectAll();
            this.reset();
            for (const { labels: of, value } of all) this.set(of, value);
          },
        }),
      });
    });
  }

  histogram<Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label> {
    return this.#once(options.name, (name) => {
      const { help, labels = [], buckets = latencyBuckets } = options;
      return new Histogram({
        name,
        help,
        labelNames: labels,
        buckets: [...buckets],
        registers: [this.registry],
      });
    });
  }

  #once<M>(name: string, make: (name: string) => M): M {
    const full = `pesapost_${name}`;
    return (this.registry.getSingleMetric(full) as M | undefined) ?? make(full);
  }
}
