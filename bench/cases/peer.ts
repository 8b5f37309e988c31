import { answeredOf, cpuShare } from '../load/bursts.js';
import { LoadGenerator } from '../load/generator.js';
import { Lifecycles, postedPerSecond, type Round } from '../load/lifecycles.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { type Fixture } from '../servers/fixture.js';
import { type Peer, startPeer } from '../servers/peer.js';
import { startService } from '../servers/service.js';
import { openServiceLedger } from '../servers/service-ledger.js';
import { addUp, costOf } from '../servers/usage.js';

/** Seconds of one turn, and the part of each that is left out until as many start as finish. */
const turn = { seconds: 10, rampSeconds: 3 };

const ledgers = ['service', 'row', 'group'] as const;
type Name = (typeof ledgers)[number];

/** Compares our lifecycle with hand-written ledgers, one that commits row by row and one that commits groups. */
export const peer: BenchCase = {
  name: 'peer',
  seconds: 40,
  about:
    'Our `lifecycle` against that of a hand-written ledger on bare Fastify and Postgres, by turns. `peer_row` commits each row by itself; `peer_group` commits all waiting rows together.',
  run: async ({ fixture, seconds }: Conditions): Promise<Findings> => {
    const service = await startService(fixture, {});
    const load = new LoadGenerator();
    const ledger = await openServiceLedger(service);
    const peers: Peer[] = [];
    try {
      const { merchant } = service;
      const row = await startPeer(fixture, 'row', merchant);
      peers.push(row);
      const group = await startPeer(fixture, 'group', merchant);
      peers.push(group);
      const of = {
        service: new Lifecycles(ledger, merchant, load),
        row: new Lifecycles(row, merchant, load),
        group: new Lifecycles(group, merchant, load),
      };
      return findingsOf(await byTurns(of, seconds, fixture));
    } finally {
      for (const one of peers) await one.stop();
      await ledger.close();
      load.stop();
      await service.stop();
    }
  },
};

async function byTurns(
  of: Readonly<Record<Name, Lifecycles>>,
  seconds: number,
  fixture: Fixture,
): Promise<Record<Name, Round[]>> {
  const rounds: Record<Name, Round[]> = { service: [], row: [], group: [] };
  for (const name of ledgers) await of[name].warmUp(fixture);
  for (let left = seconds; left > 0; left -= turn.seconds)
    for (const name of ledgers)
      rounds[name].push(...(await of[name].run(Math.min(left, turn.seconds), turn.rampSeconds)));
  return rounds;
}

function findingsOf(rounds: Readonly<Record<Name, readonly Round[]>>): Findings {
  const value = postedPerSecond(rounds.service);
  const anon_mb = Math.max(...rounds.service.map(({ anonMb }) => anonMb ?? 0)) || null;
  return {
    measurements: (['row', 'group'] as const).map((name) =>
      measurement({
        name: `peer_${name}`,
        value,
        unit: 'collections/s',
        floor: postedPerSecond(rounds[name]),
        anon_mb,
      }),
    ),
    notes: ledgers.map((name) => {
      const bursts = rounds[name].map(({ burst }) => burst);
      const mb = Math.max(...rounds[name].map(({ anonMb }) => anonMb ?? 0));
      return `peer: ${name}: ${Math.round(mb)} MiB; the load generator took ${cpuShare(bursts)} of a processor`;
    }),
    costs: ledgers.map((name) => {
      const bursts = rounds[name].map(({ burst }) => burst);
      return costOf(name, addUp(rounds[name].map(({ spent }) => spent)), answeredOf(bursts));
    }),
  };
}
