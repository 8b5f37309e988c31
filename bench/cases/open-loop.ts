import { cpuShare, rateOf } from '../load/bursts.js';
import {
  type BenchCase,
  type Conditions,
  type Findings,
  type Measurement,
  measurement,
  type Series,
} from '../measurement.js';
import { Creates, type Taker } from '../servers/creates.js';
import { type Fixture } from '../servers/fixture.js';
import { totalAnonMb } from '../servers/usage.js';
import { quantile } from '../statistics.js';

const loads = [25, 50, 75] as const;
const quantiles = [
  { label: 'p50', words: 'p50', share: 0.5 },
  { label: 'p99', words: 'p99', share: 0.99 },
  { label: 'p999', words: 'p99.9', share: 0.999 },
] as const;
/** The settings for measuring the maximum: enough to keep every part busy. */
const atFullLoad = { connections: 256 };
const fullLoadSeconds = 5;
/** Enough for the requests that arrive while the service stops for a second. */
const connections = 512;

/** Latencies of creates that arrive at a fixed rate, even if those before them have no answer yet. */
export const openLoop: BenchCase = {
  name: 'open-loop',
  seconds: 60,
  about:
    'p50, p99 and p99.9 of creates at a fixed rate of 25, 50 and 75 % of the most that the service took in the same run (256 in flight), timed from when each was due. The floor is the bare server of `create` at the same rates.',
  run: ({ fixture, seconds }: Conditions): Promise<Findings> =>
    Creates.during(fixture, async (creates) => {
      const maxRate = await maxRateOf(creates, fixture);
      const measurements: Measurement[] = [];
      const notes = [`open-loop: the service takes ${Math.round(maxRate)} creates a second`];
      for (const load of loads) {
        const perSecond = (maxRate * load) / 100;
        const count = Math.ceil((perSecond * seconds) / loads.length);
        const at = (taker: Taker) => creates.send(taker, count, { connections, perSecond });
        const [{ burst }, floor] = [await at('service'), (await at('floor')).burst];
        const anon_mb = totalAnonMb(await creates.service.usage());
        for (const { label, share } of quantiles)
          measurements.push(
            measurement({
              name: `open_loop_${load}_${label}`,
              value: quantile(burst.latencies, share),
              unit: 'ms',
              floor: quantile(floor.latencies, share),
              anon_mb,
            }),
          );
        notes.push(
          `open-loop: ${count} creates at ${perSecond.toFixed(0)}/s (${load} %), answered at ${rateOf([burst]).toFixed(0)}/s; ` +
            `the slowest took ${(burst.latencies.at(-1) ?? Number.NaN).toFixed(0)} ms; the load generator took ${cpuShare([burst])} of a processor`,
        );
      }
      return { measurements, notes, series: [seriesOf(measurements)] };
    }),
};

/** Returns the creates per second with all parts busy. */
async function maxRateOf(creates: Creates, fixture: Fixture): Promise<number> {
  const first = await creates.send('service', fixture.scaled(1000), atFullLoad);
  const count = fixture.scaled(rateOf([first.burst]) * fullLoadSeconds);
  return rateOf([(await creates.send('service', count, atFullLoad)).burst]);
}

function seriesOf(measurements: readonly Measurement[]): Series {
  const line = (label: string, of: 'value' | 'floor') =>
    loads.map((load) => {
      const found = measurements.find(({ name }) => name === `open_loop_${load}_${label}`);
      return [load, found?.[of] ?? Number.NaN] as const;
    });
  return {
    name: 'open-loop',
    title: 'open-loop: latency by load',
    x: '% of the most that the service takes',
    y: 'ms',
    isLogarithmic: { y: true },
    lines: [
      ...quantiles.map(({ label, words }) => ({
        label: `service ${words}`,
        points: line(label, 'value'),
      })),
      { label: 'floor p99', points: line('p99', 'floor') },
    ],
  };
}
