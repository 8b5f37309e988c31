import { rateOf, secondsOf } from '../load/bursts.js';
import { type Burst } from '../load/protocol.js';
import {
  type BenchCase,
  type Conditions,
  type Findings,
  type Measurement,
  measurement,
  type Series,
} from '../measurement.js';
import { Creates } from '../servers/creates.js';
import { totalAnonMb } from '../servers/usage.js';

const inFlight = [16, 64, 128, 256, 512] as const;
const batch = { service: 2000, floor: 4000 };

/** Creates with an increasing number in flight, each compared with the floor at the same number. */
export const saturation: BenchCase = {
  name: 'saturation',
  seconds: 50,
  about:
    'Signed creates a second with 16, 64, 128, 256 and 512 in flight, each against the floor of `create` with as many in flight, by turns.',
  run: ({ fixture, seconds }: Conditions): Promise<Findings> =>
    Creates.during(fixture, async (creates) => {
      const measurements: Measurement[] = [];
      for (const connections of inFlight) {
        const [taken, bare]: [Burst[], Burst[]] = [[], []];
        while (fixture.needsTurn(secondsOf(taken), seconds / inFlight.length)) {
          taken.push(
            (await creates.send('service', fixture.scaled(batch.service), { connections })).burst,
          );
          bare.push(
            (await creates.send('floor', fixture.scaled(batch.floor), { connections })).burst,
          );
        }
        measurements.push(
          measurement({
            name: `saturation_${connections}`,
            value: rateOf(taken),
            unit: 'creates/s',
            floor: rateOf(bare),
            anon_mb: totalAnonMb(await creates.service.usage()),
          }),
        );
      }
      return { measurements, notes: [], series: [seriesOf(measurements)] };
    }),
};

function seriesOf(measurements: readonly Measurement[]): Series {
  const points = (of: 'value' | 'floor') =>
    measurements.map((row, index) => [inFlight[index] ?? Number.NaN, row[of]] as const);
  return {
    name: 'saturation',
    title: 'saturation: creates a second by how many are in flight',
    x: 'in flight',
    y: 'creates/s',
    isLogarithmic: { x: true },
    lines: [
      { label: 'service', points: points('value') },
      { label: 'floor', points: points('floor') },
    ],
  };
}
