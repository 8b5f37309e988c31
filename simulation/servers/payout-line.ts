import { type RailLimits } from '#domain/rails';
import { DependencyUnavailable, type Mode } from '#domain/kernel';
import { type PayoutOutcome, payoutKeyOf } from '#domain/payouts';
import { type Asked, type RailFloats, type RailPayouts } from '#edges/rails';
import { type Keyring, readToken } from '#shared/signing';
import { Dice } from '../core/dice.js';
import { type Life } from '../core/life.js';
import { type PayoutServer } from './payout-server.js';
import { pushTimeoutMs } from './push-times.js';
import { limits } from './rail.js';

const questionTimeoutMs = 5000;
const odds = { lost: 0.05, answerLost: 0.08, late: 0.05, lateThere: 0.04 } as const;

type Order = Parameters<RailPayouts['pay']>[0];
type Question = Parameters<RailPayouts['askAboutPayout']>[0];

/** The rail's payouts as one process reaches them, with the promises of libs/edges/rails, unknown outcomes included. */
export class SimulatedPayoutLine implements RailPayouts {
  constructor(
    protected readonly life: Life,
    protected readonly server: PayoutServer,
    private readonly keyring: Keyring,
  ) {}

  payoutLimits(mode: Mode): RailLimits | undefined {
    return mode === 'demo' ? limits : undefined;
  }

  reverses(): boolean {
    return false;
  }

  /** Rarely more than one is due, and then they wait for each other in virtual time. */
  perSecond(): number {
    return 10;
  }

  canPay(): Promise<boolean> {
    return Promise.resolve(!this.life.world.isDown('rail', this.life.name));
  }

  pay({ originatorConversationId, amountMinor, resultUrl, timeoutUrl }: Order) {
    const { life } = this;
    const { world } = life;
    const stream = payoutIn(this.keyring, resultUrl);
    const label = life.label(`orders ${stream}`);
    const dice = new Dice(world.seed, label);
    const happens = (what: keyof typeof odds): boolean =>
      world.faults.happens(`${label}: ${what}`, odds[what]);
    const [isLost, isAnswerLost] = [happens('lost'), happens('answerLost')];
    const thereMs = dice.fraction() * 100 + (happens('lateThere') ? dice.between(8000, 90_000) : 0);
    const backMs = dice.fraction() * 300 + (happens('late') ? dice.between(8000, 90_000) : 0);
    const tie = dice.bits();
    return new Promise<PayoutOutcome>((resolve) => {
      life.later(pushTimeoutMs, tie, () => {
        resolve({ kind: 'unknown' });
      });
      if (isLost) {
        world.tell(() => `${life.name} orders ${stream}: it never gets there`);
        return;
      }
      const run = (): void => {
        const outcome: PayoutOutcome = world.isDown('rail', life.name)
          ? { kind: 'refused', failureCode: 'rail_unavailable' }
          : this.server.order({
              stream,
              originatorConversationId,
              amountMinor,
              resultUrl,
              timeoutUrl,
            });
        world.tell(() => `${life.name} orders ${stream}: ${outcome.kind}`);
        if (isAnswerLost) world.tell(() => `${life.name} never hears the rail's answer`);
        else
          life.later(backMs, tie, () => {
            resolve(outcome);
          });
      };
      world.scheduler.add({ dueMs: world.nowMs + thereMs, tie, run });
    });
  }

  askAboutPayout({ originatorConversationId, ...addresses }: Question): Promise<Asked> {
    const stream = payoutIn(this.keyring, addresses.timeoutUrl);
    return this.#ask(`asks the rail about ${stream}`, (label) =>
      this.server.ask(originatorConversationId, addresses, label),
    );
  }

  askForFloat(_mode: Mode, { resultUrl }: { readonly resultUrl: string }): Promise<Asked> {
    return this.#ask('asks for the float', (label) => this.server.askForFloat(resultUrl, label));
  }

  async #ask(what: string, serve: (label: string) => Asked): Promise<Asked> {
    const label = this.life.label(`${what}, question`);
    try {
      return await this.life.call<Asked>({
        server: 'rail',
        what,
        serve: () => serve(label),
        deadlineMs: questionTimeoutMs,
        unavailable: (why) => new Error(why),
      });
    } catch (error) {
      const isSent = error instanceof Error && error.message === 'no answer in time';
      return isSent ? 'unanswered' : 'not_asked';
    }
  }
}

/** Returns the stream of the payout that an address of reports belongs to. */
export function payoutIn(keyring: Keyring, url: string): string {
  const read = readToken(keyring, tokenIn(url));
  const stream = read.kind === 'stream' ? (read.stream.split(' ').at(-1) ?? '') : '';
  if (!payoutKeyOf(stream)) throw new TypeError('an address of payouts names none');
  return stream;
}

/** Returns the token in an address that a rail received. */
export function tokenIn(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

type Redis = ConstructorParameters<typeof RailFloats>[0];

/** Redis as far as it stores floats. */
export class SimulatedFloatStore implements Pick<Redis, 'get' | 'set' | 'add' | 'getAll'> {
  constructor(
    private readonly life: Life,
    private readonly kept: Map<string, { readonly value: string; readonly untilMs: number }>,
  ) {}

  get(key: string): Promise<string | null> {
    return this.#call('reads the float', () => this.#valueOf(key));
  }

  set(key: string, value: string, ttlMs: number): Promise<void> {
    return this.#call('keeps the float', () => {
      this.kept.set(key, { value, untilMs: this.life.world.nowMs + ttlMs });
    });
  }

  getAll(keys: readonly string[]): Promise<(string | null)[]> {
    return this.#call('reads what was sent', () => keys.map((key) => this.#valueOf(key)));
  }

  add(key: string, by: bigint, lifeMs: number): Promise<void> {
    return this.#call('counts what is sent', () => {
      const value = (BigInt(this.#valueOf(key) ?? 0) + by).toString();
      this.kept.set(key, { value, untilMs: this.life.world.nowMs + lifeMs });
    });
  }

  #valueOf(key: string): string | null {
    const found = this.kept.get(key);
    return found && found.untilMs > this.life.world.nowMs ? found.value : null;
  }

  #call<T>(what: string, serve: () => T): Promise<T> {
    const unavailable = (why: string): Error => new DependencyUnavailable('redis', why);
    const isRoutine = (): boolean => true;
    return this.life.call({
      server: 'redis',
      what,
      serve,
      isRoutine,
      deadlineMs: 2000,
      unavailable,
    });
  }
}
