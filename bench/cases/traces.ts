import { type BenchCase } from '../measurement.js';
import { startTraceSink } from '../servers/trace-sink.js';
import { byTurns, compared } from './variants.js';

/** The share of requests that the guide recommends (docs/how-to/see-it-in-grafana.md). */
const share = '0.01';

/** Compares a service that records the traces of one request in a hundred with one that records none. */
export const traces: BenchCase = {
  name: 'traces',
  seconds: 40,
  about:
    'Processor time of a collection, from the signed create to the balance, while the service records the traces of 1 % of the requests, for a collector that drops them. The floor is a service without tracing, by turns on the same machine. `traces_rate` is the collections a second of both.',
  run: async (conditions) => {
    const sink = await startTraceSink();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_TRACES_SAMPLER_ARG: share };
    try {
      return await byTurns(
        conditions,
        [{ name: 'no traces' }, { name: 'traces of 1 %', settings }],
        (_, run) => run(),
        (floor, value) => ({
          measurements: compared('traces', floor, value),
          notes: [],
          costs: [floor.cost(), value.cost()],
        }),
      );
    } finally {
      sink.stop();
    }
  },
};
