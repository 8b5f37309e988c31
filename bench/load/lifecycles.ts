import { setTimeout as sleep } from 'node:timers/promises';
import { type Fixture } from '../servers/fixture.js';
import { type Spent, spentBetween, totalAnonMb, type Usage } from '../servers/usage.js';
import { type Point, sumOf } from '../statistics.js';
import { rateOf, refuseOthersThan } from './bursts.js';
import { createCalls } from './collection-requests.js';
import { LoadGenerator } from './generator.js';
import { type Burst, type Shot, type Signer } from './protocol.js';

/** Who takes collections and posts what the rail confirms: the service, or a peer. */
export interface Ledger {
  readonly port: number;
  /** Collections in the wallet's balance. */
  posted(): Promise<number>;
  /** For how long the views have lacked something; 0 where nothing is behind anything. */
  lagSeconds(): Promise<number>;
  usage(): Promise<ReadonlyMap<string, Usage>>;
}

/** What was seen of a ledger at one instant. */
interface Sample {
  readonly atMs: number;
  readonly posted: number;
  readonly lagSeconds: number;
  readonly anonMb: number | null;
}

/** Collections that went in until the last of them was posted. */
export interface Round {
  readonly burst: Burst;
  /** Posted between the ramp's end and the last create. */
  readonly posted: number;
  readonly seconds: number;
  /** From the first create until all were posted. */
  readonly untilAllPosted: number;
  readonly maxLagSeconds: number;
  readonly anonMb: number | null;
  readonly spent: Spent;
  /** Seconds since the ramp's end, and what was posted a second just before. */
  readonly rates: readonly Point[];
}

/** Requests in flight: at 2,000 a second each may take 64 ms. */
const connections = 128;
/**
 * Collections that may be on their way at once: two seconds' worth, of which customers alone keep 0.8. More would let
 * creates take for a while what posting needs, and a short turn would measure that.
 */
const onTheirWay = { seconds: 2, min: 1024, max: 4096 };
const warmUp = 4000;
/** Sent first, few at a time: what is just started compiles and connects, and may not answer many at once within its deadlines. */
const first = { count: 500, connections: 16 };
/** Signed for a ledger that is so much faster than it was; one that is faster still runs out, and its round is shorter. */
const margin = 1.6;
/** A signature is good for 300 s, and the requests are signed before any of them is sent. */
const maxRoundSeconds = 60;
const lookEveryMs = 100;
const looksPerUsage = 50;
const drainMs = 120_000;

/**
 * Collections from the signed create to the balance that shows them, sustained: as many are let in as come out, so
 * what is measured is the rate of the slowest part.
 */
export class Lifecycles {
  #taken = 0;
  /** What the ledger was seen to take. */
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
   * Rounds of a minute at most, each signed ahead, until they have taken so many seconds.
   * @param rampSeconds left out of each round, until as many come in as go out
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

  async #send(
    count: number,
    { rampMs, ...how }: Pick<Shot, 'withinMs' | 'connections'> & { readonly rampMs: number },
  ): Promise<Round> {
    const { ledger, load, signer } = this;
    await load.sign(signer, createCalls(count, signer.accountNo));
    const before = await ledger.usage();
    const begunAt = performance.now();
    const sending = load.send({
      port: ledger.port,
      ...how,
      allowance: Math.ceil(
        Math.min(onTheirWay.max, Math.max(onTheirWay.min, this.#perSecond * onTheirWay.seconds)),
      ),
    });
    const samples = await this.#follow(sending);
    const burst = await sending;
    refuseOthersThan(202, burst);
    this.#taken += burst.answered;
    await this.#untilPosted();
    const untilAllPosted = (performance.now() - begunAt) / 1000;
    const window = samples.filter(({ atMs }) => atMs >= begunAt + rampMs);
    // A rehearsal on a busy machine ends before its first posting: then its last one closes the window.
    if (window.at(-1)?.posted === window[0]?.posted) window.push(await this.#look(false));
    const [first, last] = [window[0], window.at(-1)];
    return {
      burst,
      untilAllPosted,
      posted: (last?.posted ?? 0) - (first?.posted ?? 0),
      seconds: ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / 1000,
      maxLagSeconds: Math.max(...samples.map(({ lagSeconds }) => lagSeconds)),
      anonMb: Math.max(...samples.map(({ anonMb }) => anonMb ?? 0)) || null,
      spent: spentBetween(before, await ledger.usage()),
      rates: ratesOf(window),
    };
  }

  /** Looks until the burst is over, and lets as many in as came out since the last look. */
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

  /** @throws where one is never posted, or one too many is */
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

/** Over all rounds, ramps left out. */
export function postedPerSecond(rounds: readonly Round[]): number {
  const posted = sumOf(rounds, (round) => round.posted);
  if (posted === 0) throw new Error('too short a run to measure anything');
  return posted / sumOf(rounds, (round) => round.seconds);
}

/** A point about each second. */
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
