import { answeredOf, cpuShare } from '../load/bursts.js';
import { LoadGenerator } from '../load/generator.js';
import { Lifecycles, postedPerSecond, type Round } from '../load/lifecycles.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { startService } from '../servers/service.js';
import { openServiceLedger } from '../servers/service-ledger.js';
import { addUp, costOf } from '../servers/usage.js';
import { type Point, sumOf } from '../statistics.js';
import { create } from './create.js';

/** Left out of the measurement, until as many start as finish. */
const rampSeconds = 5;

/** Collections from the signed create to the balance that shows them, sustained, against `create` of the same run. */
export const lifecycle: BenchCase = {
  name: 'lifecycle',
  seconds: 60,
  about:
    'Collections a second from the signed create to the balance that shows them, sustained: as many are let in as are posted. The floor is `create` of the same run.',
  floor: create,
  run: async ({ fixture, seconds, earlier }: Conditions): Promise<Findings> => {
    const floor = earlier.find(({ name }) => name === create.name)?.value ?? Number.NaN;
    const service = await startService(fixture, {});
    const load = new LoadGenerator();
    const ledger = await openServiceLedger(service);
    try {
      const lifecycles = new Lifecycles(ledger, service.merchant, load);
      await lifecycles.warmUp(fixture);
      return findingsOf(await lifecycles.run(seconds, rampSeconds), floor);
    } finally {
      await ledger.close();
      load.stop();
      await service.stop();
    }
  },
};

function findingsOf(rounds: readonly Round[], floor: number): Findings {
  const bursts = rounds.map(({ burst }) => burst);
  const posted = sumOf(rounds, (round) => round.posted);
  const seconds = sumOf(rounds, (round) => round.seconds);
  const maxLag = Math.max(...rounds.map(({ maxLagSeconds }) => maxLagSeconds));
  const spent = addUp(rounds.map((round) => round.spent));
  return {
    measurements: [
      measurement({
        name: 'lifecycle',
        value: postedPerSecond(rounds),
        unit: 'collections/s',
        floor,
        anon_mb: Math.max(...rounds.map(({ anonMb }) => anonMb ?? 0)) || null,
      }),
    ],
    notes: [
      `lifecycle: ${posted} collections in ${seconds.toFixed(0)} s; projector lag ${maxLag.toFixed(2)} s at most; ` +
        `all ${answeredOf(bursts)} that were taken are posted; the load generator took ${cpuShare(bursts)} of a processor`,
    ],
    costs: [costOf('service', spent, answeredOf(bursts))],
    series: [
      {
        name: 'lifecycle',
        title: 'lifecycle: collections posted, second by second',
        x: 'seconds',
        y: 'collections/s',
        lines: [{ label: 'service', points: inOneLine(rounds) }],
      },
    ],
  };
}

/** Returns the rounds one after the other, without the gaps between them. */
function inOneLine(rounds: readonly Round[]): Point[] {
  let before = 0;
  return rounds.flatMap(({ rates, seconds }) => {
    const begin = before;
    before += seconds;
    return rates.map(([x, y]) => [begin + x, y] as const);
  });
}
