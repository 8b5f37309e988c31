import { type CommandMetadata } from '#domain/event-sourcing';
import {
  type BatchDecision,
  CancelPayout,
  CancelPayoutBatch,
  CancelPayoutBatchHandler,
  CancelPayoutHandler,
  CompletePayout,
  CompletePayoutBatch,
  CompletePayoutBatchHandler,
  CompletePayoutHandler,
  ConfirmPayout,
  type Decision,
  DecidePayout,
  DecidePayoutBatch,
  DecidePayoutBatchHandler,
  DecisionGuards,
  ExpireApproval,
  ExpireApprovalHandler,
  FlagPayout,
  FlagPayoutHandler,
  PausePayouts,
  PausePayoutsHandler,
  PayoutAge,
  type PayoutBatchDetails,
  type PayoutBatchKey,
  type PayoutDetails,
  PayoutLimits,
  PayoutSettlement,
  RequestPayout,
  RequestPayoutBatch,
  RequestPayoutBatchHandler,
  RequestPayoutHandler,
  ResumePayoutsSubject,
  SendPayout,
} from '#domain/payouts';
import { AccountRefusals, PayoutsClient, RailFloats } from '#edges/rails';
import { type CommandBus } from '@nestjs/cqrs';
import { type Life } from '../core/life.js';
import { VirtualClock, VirtualTimer } from '../core/ports.js';
import { payoutKeyOf } from '../names.js';
import { SimulatedFloatStore } from '../servers/payout-line.js';
import { SimulatedAllowances } from '../servers/payout-records.js';
import {
  SimulatedCredits,
  SimulatedPaidNumbers,
  SimulatedTerms,
} from '../servers/payout-view-ports.js';
import { metrics } from './metrics.js';
import { type Fixture, type Parts } from './parts.js';

type Redis = ConstructorParameters<typeof RailFloats>[0];

/** A process's work on payouts, behind its edges and its loops. */
export class PayoutProcess {
  readonly client: PayoutsClient;
  readonly floats: RailFloats;
  readonly refusals: AccountRefusals;
  readonly rails;
  readonly phones;
  readonly #requests;
  readonly #decisions;
  readonly #completions;
  readonly #batchRequests;
  readonly #batchDecisions;
  readonly #batchCompletions;
  readonly #cancels;
  readonly #batchCancels;
  readonly #pauses;
  readonly #resumes;

  constructor(life: Life, parts: Parts, fixture: Fixture) {
    const { views, payouts, payoutPlan, floats } = fixture;
    const ids = parts.ids(life);
    const store = parts.store(life);
    const pipeline = parts.pipeline(store, ids);
    const credits = new SimulatedCredits(life, views);
    const reservations = parts.reservations(store, credits, ids);
    const orders = parts.orders(life);
    const funds = parts.funds(pipeline, reservations, orders);
    const phones = parts.phones(life);
    const allowances = new SimulatedAllowances(life, payouts);
    const paid = new SimulatedPaidNumbers(life, views);
    const limits = new PayoutLimits(new SimulatedTerms(life, payoutPlan.terms), allowances, paid);
    const redis = new SimulatedFloatStore(life, floats) as unknown as Redis;
    const clock = new VirtualClock(life);
    this.floats = new RailFloats(redis, clock);
    this.refusals = new AccountRefusals(redis);
    const lines = { mpesa: parts.payoutLine(life), airtel: parts.airtelPayoutLine(life) };
    this.rails = parts.payoutRails(lines, ids, this.floats, clock);
    this.phones = phones;
    this.#requests = new RequestPayoutHandler(pipeline, funds, limits, phones);
    const settlement = new PayoutSettlement(funds, phones, allowances);
    const guards = new DecisionGuards(orders, limits);
    this.#decisions = parts.decisions({ pipeline, settlement, guards });
    const confirming = parts.reports({ pipeline, funds, phones });
    const age = new PayoutAge(fixture.work.payoutMaxAgeMs);
    const sent = { pipeline, settlement, phones, rail: this.rails, clock, age };
    const sending = parts.sending(sent);
    const expiring = new ExpireApprovalHandler(pipeline, age);
    this.#completions = new CompletePayoutHandler(pipeline, funds, phones, allowances);
    const records = { items: parts.batchItems(life), phones, allowances, orders };
    const batches = parts.batches({ pipeline, reservations, records });
    const timer = new VirtualTimer(life);
    this.#batchRequests = new RequestPayoutBatchHandler(pipeline, batches, limits, timer);
    this.#batchDecisions = new DecidePayoutBatchHandler(pipeline, batches, timer, guards);
    this.#cancels = new CancelPayoutHandler(pipeline, settlement, guards);
    this.#batchCancels = new CancelPayoutBatchHandler(pipeline, batches, timer);
    this.#pauses = new PausePayoutsHandler(pipeline);
    this.#resumes = new ResumePayoutsSubject(pipeline);
    this.#batchCompletions = new CompletePayoutBatchHandler(batches);
    const flagging = new FlagPayoutHandler(pipeline);
    const bus = {
      execute: (command: unknown) => {
        if (command instanceof ConfirmPayout) return confirming.execute(command);
        if (command instanceof SendPayout) return sending.execute(command);
        if (command instanceof ExpireApproval) return expiring.execute(command);
        if (command instanceof FlagPayout) return flagging.execute(command);
        throw new TypeError('no handler is simulated for this command');
      },
    };
    this.client = new PayoutsClient(bus as unknown as CommandBus, ids, this.refusals, metrics);
  }

  /** @throws DependencyUnavailable, which the edge answers with 503 */
  request(details: PayoutDetails, correlationId: string) {
    return this.#requests.execute(new RequestPayout(details, by(details.holder, correlationId)));
  }

  /** @throws DependencyUnavailable */
  decide(reference: string, decision: Decision, correlationId: string) {
    const metadata = by(decision.holder, correlationId);
    return this.#decisions.execute(new DecidePayout(payoutKeyOf(reference), decision, metadata));
  }

  /** @throws DependencyUnavailable */
  requestBatch(details: PayoutBatchDetails, correlationId: string) {
    const metadata = by(details.holder, correlationId);
    return this.#batchRequests.execute(new RequestPayoutBatch(details, metadata));
  }

  /** @throws DependencyUnavailable */
  decideBatch(reference: string, decision: BatchDecision, correlationId: string) {
    const metadata = by(decision.holder, correlationId);
    return this.#batchDecisions.execute(
      new DecidePayoutBatch(payoutKeyOf(reference), decision, metadata),
    );
  }

  /** @throws DependencyUnavailable */
  cancel(reference: string, holder: string, correlationId: string) {
    const command = new CancelPayout(payoutKeyOf(reference), holder, by(holder, correlationId));
    return this.#cancels.execute(command);
  }

  /** @throws DependencyUnavailable */
  cancelBatch(reference: string, holder: string, correlationId: string) {
    const metadata = by(holder, correlationId);
    return this.#batchCancels.execute(
      new CancelPayoutBatch(payoutKeyOf(reference), holder, metadata),
    );
  }

  /** Pauses or resumes all payouts of the mode. @throws DependencyUnavailable */
  pause(isOver: boolean, correlationId: string): Promise<object> {
    const actor = { kind: 'operator', id: 'amina' } as const;
    const metadata = { correlationId, actor, reason: 'simulated' };
    const scope = { mode: 'demo' } as const;
    return isOver
      ? this.#resumes.carryOut(scope, { by: 'one' }, metadata)
      : this.#pauses.execute(new PausePayouts(scope, metadata));
  }

  /** As apps/worker does for a batch that a process left unfinished. */
  completeBatch(key: PayoutBatchKey, correlationId: string) {
    const metadata = { correlationId, actor: { kind: 'system', id: 'worker' } } as const;
    return this.#batchCompletions.execute(new CompletePayoutBatch(key, metadata));
  }

  /** As apps/worker does for a payout that a process left unfinished. */
  complete(key: CompletePayout['key'], correlationId: string) {
    const metadata = { correlationId, actor: { kind: 'system', id: 'worker' } } as const;
    return this.#completions.execute(new CompletePayout(key, metadata));
  }
}

function by(holder: string, correlationId: string): CommandMetadata {
  return {
    correlationId,
    actor: { kind: 'credential', id: `credential of ${holder}`, holder },
    commitment: 'c'.repeat(64),
  };
}
