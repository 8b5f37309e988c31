import { type ReceiptClaim, ReceiptUse, type Ruling } from '#domain/reviews';
import {
  ConfirmReview,
  ConfirmReviewHandler,
  type RecordedCollection,
  ResolveReview,
  ResolveReviewHandler,
} from '#domain/collections';
import { WrongExpectedRevision } from '#domain/event-sourcing';
import { DependencyUnavailable, instantFromMs } from '#domain/kernel';
import { type Account, MerchantDirectory } from '#domain/merchants';
import { Dice } from '../core/dice.js';
import { Host } from '../core/host.js';
import { type Life } from '../core/life.js';
import { account, keyOf, streamOf } from '../names.js';
import { type Oracle } from '../oracle/oracle.js';
import { type Plan } from '../plan.js';
import {
  type OpenProposals,
  SimulatedProposals,
  SimulatedReceiptClaims,
  SimulatedReceipts,
} from '../servers/proposals.js';
import { type Fixture, type Parts } from './parts.js';

const hourMs = 3_600_000;
/** The times at which operators look at items under review. At the last ones there are no more faults. */
const visitsAfterHours = [0.1, 1, 5, 49, 49.5, 52, 60, 66, 70] as const;
const names = ['asha', 'ben'] as const;

interface Desk {
  readonly life: Life;
  readonly resolving: ResolveReviewHandler;
  readonly confirming: ConfirmReviewHandler;
}

class OneMerchant extends MerchantDirectory {
  constructor(private readonly basisPoints: number) {
    super();
  }

  override findAccount(): Promise<Account> {
    return Promise.resolve(account(this.basisPoints));
  }
}

/** Two operators, each with a command line, who decide by the rail's own statement. */
export class Operators {
  readonly #proposals: OpenProposals = new Map();
  readonly #claims = new Map<string, ReceiptClaim>();
  readonly #desks: readonly Host<Desk>[];

  constructor(
    parts: Parts,
    private readonly fixture: Fixture,
    private readonly oracle: Oracle,
    private readonly plan: Plan,
  ) {
    this.#desks = names.map(
      (name) => new Host(fixture.world, `operator-${name}`, (life) => this.#desk(life, parts)),
    );
  }

  start(): void {
    const { world } = this.fixture;
    for (const hours of visitsAfterHours)
      for (const reference of this.plan.references) {
        const label = `operators look at ${reference} after ${hours} h`;
        const dice = new Dice(world.seed, label);
        const dueMs = world.nowMs + (hours + dice.fraction() / 4) * hourMs;
        const run = (): void => {
          this.#look(reference, dice);
        };
        world.scheduler.add({ dueMs, tie: dice.bits(), run });
      }
  }

  #desk(life: Life, parts: Parts): Desk {
    const store = parts.store(life);
    const pipeline = parts.pipeline(store, parts.ids(life));
    const proposals = new SimulatedProposals(life, this.#proposals);
    const receipts = new SimulatedReceipts(life, this.fixture.views, this.fixture.log);
    const claims = new SimulatedReceiptClaims(life, this.#claims);
    const use = new ReceiptUse(store, claims, receipts);
    const merchants = new OneMerchant(this.plan.feeBasisPoints);
    return {
      life,
      resolving: new ResolveReviewHandler(pipeline, proposals, receipts, merchants),
      confirming: new ConfirmReviewHandler(pipeline, proposals, use, merchants),
    };
  }

  /** Either operator does the next step. Sometimes both do, and sometimes one of them agrees with themselves. */
  #look(reference: string, dice: Dice): void {
    const state = this.oracle.stateOf(streamOf(reference));
    if (state.status === 'none' || !state.underReview) return;
    const isProposed = this.#proposals.has(streamOf(reference));
    const first = dice.between(0, 1);
    for (const index of dice.chance(0.3) ? [first, 1 - first] : [first]) {
      const host = this.#desks[index];
      if (!host || host.life.isOver) continue;
      const ruling = isProposed ? undefined : this.#rulingOn(state, streamOf(reference), dice);
      host.life.later(dice.fraction() * 100, dice.bits(), () => {
        void this.#command(host, reference, ruling);
      });
    }
  }

  #rulingOn(state: RecordedCollection, stream: string, dice: Dice): Ruling {
    const prompt = this.fixture.books.pushOf(stream);
    switch (state.status) {
      case 'in_suspense':
        return { decision: dice.chance(0.5) ? 'suspense_to_merchant' : 'refunded' };
      case 'completed':
        return { decision: dice.chance(0.5) ? 'paid' : 'refunded' };
      case 'refunded':
        return { decision: 'refunded' };
      case 'pending':
      case 'failed': {
        if (prompt?.paidMinor === undefined || prompt.paidAtMs === undefined)
          return { decision: 'failed' };
        const paidAt = instantFromMs(Math.floor(prompt.paidAtMs));
        const payment = { receipt: prompt.receipt, amountMinor: prompt.paidMinor, paidAt };
        return { decision: 'paid', payment };
      }
    }
  }

  /** @param ruling undefined to agree to the proposal */
  async #command(host: Host<Desk>, reference: string, ruling: Ruling | undefined): Promise<void> {
    const { name, program } = host;
    const key = keyOf(reference);
    const actor = { kind: 'operator', id: name } as const;
    const metadata = {
      correlationId: `${name} at ${reference}`,
      actor,
      reason: 'by the statement',
    };
    try {
      const done = ruling
        ? await program.resolving.execute(new ResolveReview(key, ruling, metadata))
        : await program.confirming.execute(new ConfirmReview(key, undefined, metadata));
      const what = ruling ? `rules ${ruling.decision}` : 'agrees';
      this.fixture.world.tell(
        () => `${name} ${what} on ${reference}: ${done.ok ? 'done' : done.refusal}`,
      );
    } catch (error) {
      const isExpected =
        error instanceof DependencyUnavailable || error instanceof WrongExpectedRevision;
      if (!isExpected) this.oracle.defect(`${name} at ${reference}: ${String(error)}`);
    }
  }
}
