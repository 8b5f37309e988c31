import { setTimeout as sleep } from 'node:timers/promises';
import { type Fixture } from '../servers/fixture.js';
import { type Spent, spentBetween, totalAnonMb, type Usage } from '../servers/usage.js';
import { type Point, sumOf } from '../statistics.js';
import { rateOf, refuseOthersThan } from './bursts.js';
import { createCalls } from './collection-requests.js';
import { LoadGenerator } from './generator.js';
import { type Burst, type Shot, type Signer } from './protocol.js';

/** A system that takes collections and posts the rail's confirmations: the service, or a peer. */
export interface Ledger {
  readonly port: number;
  /** Ports of further replicas that take creates. */
  readonly replicaPorts?: readonly number[];
  /** Returns the number of collections in the wallet's balance. */
  posted(): Promise<number>;
  /** Returns for how long the views have been behind; 0 if nothing is behind. */
  lagSeconds(): Promise<number>;
  usage(): Promise<ReadonlyMap<string, Usage>>;
}

/** The state of a ledger at one instant. */
interface Sample {
  readonly atMs: number;
  readonly posted: number;
  readonly lagSeconds: number;
  readonly anonMb: number | null;
}

/** One batch of collections, until the last of them was posted. */
export interface Round {
  readonly burst: Burst;
  /** The creates that were answered 503, and are never posted. */
  readonly refused: number;
  /** The number posted between the ramp's end and the last create. */
  readonly posted: number;
  readonly seconds: number;
  /** The time from the first create until all were posted. */
  readonly untilAllPosted: number;
  readonly maxLagSeconds: number;
  readonly anonMb: number | null;
  readonly spent: Spent;
  /** For each point, the seconds since the ramp's end and the rate of posting just before. */
  readonly rates: readonly Point[];
}

/** Requests in flight: at 2,000 a second, each may take 64 ms. */
const connections = 128;
/** At a fixed rate, connections enough for the requests that arrive while the service stops for a second. */
const connectionsAtRate = 512;
/**
 * The collections that may be in progress at once: two seconds' worth, of which customers alone take 0.8. With more,
 * creates would take the time that posting needs for a while, and a short turn would measure that.
 */
const onTheirWay = { seconds: 2, min: 1024, max: 4096 };
const warmUp = 4000;
/**
 * Sent first, few at a time: a process that has just started compiles and connects, and may not answer many at once
 * within its deadlines.
 */
const first = { count: 500, connections: 16 };
/**
 * The reserve of signed requests, if the ledger is this much faster than before. A still faster ledger runs out of
 * requests, and its round is shorter.
 */
const margin = 1.6;
/** A signature is valid for 300 s, and all requests are signed before the first is sent. */
const maxRoundSeconds = 60;
const lookEveryMs = 100;
const looksPerUsage = 50;
const drainMs = 120_000;

/**
 * Sustained collections from the signed create to the balance that shows them. As many start as finish, so the measured
 * rate is that of the slowest part.
 */
export class Lifecycles {
  #taken = 0;
  /** The ledger's last known rate. */
  #perSecond = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly signer: Signer & { readonly accountNo: string },
    private readonly load: LoadGenerator,
  ) {}

  async warmUp(fixture: Fixture): Promise<void> {
    const how = { withinMs: drainMs, rampMs: 0 };
    await this.#send(fixture.scaled(first.count), { ...how, connections: first.connections });
    const { burst } = await this.#send(fixture.scaled(warmUp), { ...how, connections });
    this.#perSecond = rateOf([burst]);
  }

  /**
   * Runs rounds of a minute at most, each signed ahead, until they have taken this many seconds.
   * @param rampSeconds left out of each round, until as many start as finish
   */
  async run(seconds: number, rampSeconds: number): Promise<Round[]> {
    const rounds: Round[] = [];
    for (let left = seconds; left > 0; left -= maxRoundSeconds) {
      const within = rampSeconds + Math.min(left, maxRoundSeconds);
      const count = Math.ceil(within * this.#perSecond * margin);
      const round = await this.#send(count, {
        withinMs: within * 1000,
        rampMs: rampSeconds * 1000,
        connections,
      });
      this.#perSecond = Math.max(this.#perSecond, rateOf([round.burst]));
      rounds.push(round);
    }
    return rounds;
  }

  /**
   * Sends collections to the first replica at a fixed rate for this many seconds, whatever the service does with those
   * before them. It may answer 503, for example while a disk stalls.
   */
  at(perSecond: number, seconds: number): Promise<Round> {
    return this.#send(Math.ceil(perSecond * seconds), {
      perSecond,
      withinMs: seconds * 1000,
      connections: connectionsAtRate,
      rampMs: 0,
      mayRefuse: true,
    });
  }

  async #send(
    count: number,
    {
      rampMs,
      mayRefuse = false,
      ...how
    }: Pick<Shot, 'withinMs' | 'connections' | 'perSecond'> & {
      readonly rampMs: number;
      readonly mayRefuse?: boolean;
    },
  ): Promise<Round> {
    const { ledger, load, signer } = this;
    await load.sign(signer, createCalls(count, signer.accountNo));
    const before = await ledger.usage();
    const begunAt = performance.now();
    const sending = load.send({
      port: ledger.port,
      replicaPorts: ledger.replicaPorts ?? [],
      ...how,
      allowance: Math.ceil(
        Math.min(onTheirWay.max, Math.max(onTheirWay.min, this.#perSecond * onTheirWay.seconds)),
      ),
    });
    const samples = await this.#follow(sending);
    const burst = await sending;
    refuseOthersThan(mayRefuse ? [202, 503] : [202], burst);
    const refused = burst.statuses[503] ?? 0;
    this.#taken += burst.answered - refused;
    await this.#untilPosted();
    const untilAllPosted = (performance.now() - begunAt) / 1000;
    const afterRamp = samples.filter(({ atMs }) => atMs >= begunAt + rampMs);
    // A rehearsal may post everything during the ramp, or on a busy machine only at the very end: all of it counts then.
    const hasPosted = afterRamp.at(-1)?.posted !== afterRamp[0]?.posted;
    const window = hasPosted ? afterRamp : [...samples, await this.#look(false)];
    const [first, last] = [window[0], window.at(-1)];
    return {
      burst,
      refused,
      untilAllPosted,
      posted: (last?.posted ?? 0) - (first?.posted ?? 0),
      seconds: ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / 1000,
      maxLagSeconds: Math.max(...samples.map(({ lagSeconds }) => lagSeconds)),
      anonMb: Math.max(...samples.map(({ anonMb }) => anonMb ?? 0)) || null,
      spent: spentBetween(before, await ledger.usage()),
      rates: ratesOf(window),
    };
  }

  /** Reads the state until the burst is over, and allows as many new requests as finished since the last reading. */
  async #follow(sending: Promise<Burst>): Promise<Sample[]> {
    const samples: Sample[] = [await this.#look(true)];
    const over = sending.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([over, sleep(lookEveryMs, false)]))) {
      const sample = await this.#look(samples.length % looksPerUsage === 0);
      const before = samples.at(-1)?.posted ?? 0;
      if (sample.posted > before) this.load.allow(sample.posted - before);
      samples.push(sample);
    }
    return samples;
  }

  async #look(withMemory: boolean): Promise<Sample> {
    const [posted, lagSeconds] = await Promise.all([
      this.ledger.posted(),
      this.ledger.lagSeconds(),
    ]);
    const anonMb = withMemory ? totalAnonMb(await this.ledger.usage()) : null;
    return { atMs: performance.now(), posted, lagSeconds, anonMb };
  }

  /** @throws if one is never posted, or one too many is */
  async #untilPosted(): Promise<void> {
    const giveUpAt = performance.now() + drainMs;
    for (;;) {
      const posted = await this.ledger.posted();
      if (posted === this.#taken) return;
      if (performance.now() > giveUpAt)
        throw new Error(
          `${posted} of ${this.#taken} collections were posted after ${drainMs / 1000} s`,
        );
      await sleep(lookEveryMs);
    }
  }
}

/** Returns the rate over all rounds, without the ramps. */
export function postedPerSecond(rounds: readonly Round[]): number {
  const posted = sumOf(rounds, (round) => round.posted);
  if (posted === 0) throw new Error('too short a run to measure anything');
  return posted / sumOf(rounds, (round) => round.seconds);
}

/** Returns about one point per second. */
function ratesOf(samples: readonly Sample[]): Point[] {
  const points: Point[] = [];
  const begunAt = samples[0]?.atMs ?? 0;
  let from = samples[0];
  for (const sample of samples) {
    if (!from || sample.atMs - from.atMs < 1000) continue;
    const perSecond = ((sample.posted - from.posted) * 1000) / (sample.atMs - from.atMs);
    points.push([(sample.atMs - begunAt) / 1000, perSecond]);
    from = sample;
  }
  return points;
}
