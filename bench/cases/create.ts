import { cpuShare, rateOf, secondsOf } from '../load/bursts.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { Creates, type Turn } from '../servers/creates.js';
import { type Fixture } from '../servers/fixture.js';
import { addUp, describe, msPerPiece, totalAnonMb } from '../servers/usage.js';
import { ascending, quantile, sumOf } from '../statistics.js';

const connections = 64;
/** Signed and sent at once. Service and floor take turns, so that a busy machine slows both. */
const batch = { service: 2000, floor: 4000 };

/** Signed V4 creates against the running API, over `seconds` of sending. */
export const create: BenchCase = {
  name: 'create',
  seconds: 10,
  about:
    'Signed creates a second, 64 in flight, against a bare Fastify server. That server verifies the signature, does SET NX and inserts a row with group commit. Both are measured by turns. `create_cpu` is the processor time of all processes for one create, until the views show it.',
  run: ({ fixture, seconds }: Conditions): Promise<Findings> =>
    Creates.during(fixture, (creates) => measure(creates, seconds, fixture)),
};

async function measure(creates: Creates, seconds: number, fixture: Fixture): Promise<Findings> {
  const [service, floor] = [fixture.scaled(batch.service), fixture.scaled(batch.floor)];
  const turns: { service: Turn[]; floor: Turn[] } = { service: [], floor: [] };
  let anon_mb: number | null = null;
  while (fixture.needsTurn(secondsOf(burstsOf(turns.service)), seconds)) {
    turns.service.push(await creates.send('service', service, { connections }));
    anon_mb = Math.max(anon_mb ?? 0, totalAnonMb(await creates.service.usage()) ?? 0) || null;
    turns.floor.push(await creates.send('floor', floor, { connections }));
  }
  const [taken, bare] = [burstsOf(turns.service), burstsOf(turns.floor)];
  const latencies = taken.flatMap((burst) => burst.latencies).sort(ascending);
  const [cost, costOfFloor] = [costOf(turns.service), costOf(turns.floor)];
  const rate = { name: 'create', value: rateOf(taken), unit: 'creates/s', floor: rateOf(bare) };
  const processor = { name: 'create_cpu', value: cost.ms, unit: 'ms', floor: costOfFloor.ms };
  return {
    measurements: [rate, processor].map((of) => measurement({ ...of, anon_mb })),
    notes: [
      `create: ${connections} in flight, p50 ${quantile(latencies, 0.5).toFixed(1)} ms, p99 ${quantile(latencies, 0.99).toFixed(1)} ms; ` +
        `the load generator took ${cpuShare(taken)} of a processor (${cpuShare(bare)} at the floor)`,
      `create: ms of processor a create: ${cost.words}`,
      `create: ms of processor at the floor: ${costOfFloor.words}`,
    ],
  };
}

function burstsOf(turns: readonly Turn[]): Turn['burst'][] {
  return turns.map(({ burst }) => burst);
}

/** Returns the processor time of a create in these turns. */
function costOf(turns: readonly Turn[]): { readonly ms: number; readonly words: string } {
  const spent = addUp(turns.map((turn) => turn.spent));
  const count = sumOf(turns, ({ burst }) => burst.answered);
  return { ms: msPerPiece(spent, count), words: describe(spent, count) };
}
