import { type Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { assertNever, type Mode, ok, refuse, type Result } from '#domain/kernel';
import {
  payoutBatchDecider,
  type PayoutBatchEvent,
  type PayoutBatchKey,
  payoutBatchStream,
  payoutDecider,
  payoutStream,
  type RecordedBatch,
} from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import { findBatchesByReference, type PayoutBatchSums, payoutBatchSums } from '#views/payouts';
import { type NextAction } from './rail-schedule.js';

/** A batch of payouts: its history from the log itself, and the counts of its payouts from the view. */
export interface BatchCase {
  readonly key: PayoutBatchKey;
  readonly events: readonly RecordedEvent<PayoutBatchEvent>[];
  readonly state: RecordedBatch;
  readonly sums: PayoutBatchSums;
  readonly next: readonly NextAction[];
}

/** The batch that a person names. If the reference is unique, it is enough. */
export interface NamedBatch {
  readonly reference: string;
  readonly merchant?: string;
  readonly mode?: Mode;
}

/** The reason why a name does not identify one batch. */
export type NotOneBatch =
  | { readonly why: 'unknown'; readonly named: NamedBatch }
  | { readonly why: 'several'; readonly keys: readonly PayoutBatchKey[] };

const ended: readonly NextAction[] = [{ by: 'nobody', code: 'batch_ended' }];

/** Finds batches of payouts for people. */
export class BatchCases {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly database: Queryable,
  ) {}

  /** @throws DependencyUnavailable, also if the views are being built */
  async load(named: NamedBatch): Promise<Result<BatchCase, NotOneBatch>> {
    const found = await this.named(named);
    if (!found.ok) return found;
    const key = found.value;
    const stream = payoutBatchStream(key);
    const { state, events } = await this.pipeline.load({ decider: payoutBatchDecider, stream });
    if (state.status === 'none') return refuse({ why: 'unknown', named });
    // A person sees the time of the counts, so any age will do.
    const anyAge = { maxAgeMs: Number.POSITIVE_INFINITY };
    const sums = await payoutBatchSums(this.database, key, anyAge);
    return ok({ key, events, state, sums, next: await this.nextOf(state, sums) });
  }

  /** @throws DependencyUnavailable */
  async named(named: NamedBatch): Promise<Result<PayoutBatchKey, NotOneBatch>> {
    const { reference, merchant, mode } = named;
    if (merchant !== undefined && mode !== undefined)
      return ok({ merchantId: merchant, mode, reference });
    const found = (await findBatchesByReference(this.database, reference))
      .filter(({ merchantId }) => merchantId === (merchant ?? merchantId))
      .filter((key) => key.mode === (mode ?? key.mode));
    const [only, ...others] = found;
    if (!only) return refuse({ why: 'unknown', named });
    return others.length === 0 ? ok(only) : refuse({ why: 'several', keys: found });
  }

  private async nextOf(
    state: RecordedBatch,
    { byStatus }: PayoutBatchSums,
  ): Promise<readonly NextAction[]> {
    const { holder, references, ...whose } = state.request;
    const by = 'service';
    switch (state.status) {
      case 'requested': {
        // The batch takes each step in order, so if this payout is reserved, all are.
        const [reference = ''] = references;
        const stream = payoutStream({ ...whose, reference });
        const first = await this.pipeline.load({ decider: payoutDecider, stream });
        if (first.state.status !== 'reserved') return [{ by, code: 'reserves_batch' }];
        return [{ by: 'person', code: 'approves_batch', values: [holder] }];
      }
      case 'approved': {
        const open = ['pending_approval', 'pending'] as const;
        const count = open.reduce((sum, each) => sum + (byStatus.get(each)?.count ?? 0), 0);
        return count > 0 ? [{ by, code: 'sends_batch', values: [count] }] : ended;
      }
      case 'cancelled': {
        const count = byStatus.get('pending')?.count ?? 0;
        return count > 0 ? [{ by, code: 'batch_cancelled', values: [count] }] : ended;
      }
      case 'rejected':
        return [{ by: 'nobody', code: 'batch_rejected' }];
      default:
        return assertNever(state);
    }
  }
}
