import { type Done, type Pipeline, type Position } from '#domain/event-sourcing';
import { isOver } from '../funds/complete-payout.command.js';
import { type PayoutFunds, payoutStep } from '../funds/payout-funds.js';
import { withoutEvidence } from '../funds/without-evidence.js';
import { type PayoutRequested } from '../payout.events.js';
import { type Payout, type PayoutRequest, type PayoutView, payoutViewOf } from '../payout.js';
import { type PayoutPhones } from '../ports.js';

type PayoutStep = ReturnType<typeof payoutStep>;

export interface RequestedPayout {
  readonly view: PayoutView;
  /** The log position of the newest event in the view. */
  readonly position?: Position;
  /** The earlier request, if the reference existed before this request. Nothing was recorded now. */
  readonly existing?: PayoutRequest;
}

/** The answer about a reference that existed before. */
export type ExistingPayout = RequestedPayout & { readonly existing: PayoutRequest };

/** The recorded payout with its reservation, or the one that had the reference first. */
export type Recording =
  | { readonly kind: 'recorded'; readonly settled: Done<Payout> }
  | { readonly kind: 'existed'; readonly answer: ExistingPayout };

/**
 * Records a payout that has passed its checks. The number is stored before the first event, so that the log has no
 * payout without it. The first append itself shows if the reference exists.
 */
export class PayoutRecording {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly funds: PayoutFunds,
    private readonly phones: PayoutPhones,
  ) {}

  /**
   * @param phone the number to pay; undefined if the rail needs none
   * @throws DependencyUnavailable
   */
  async record(
    step: PayoutStep,
    requested: PayoutRequested,
    phone: string | undefined,
  ): Promise<Recording> {
    const { phoneHmac } = requested.data;
    const number =
      phone === undefined || phoneHmac === undefined ? undefined : { phone, phoneHmac };
    if (number) await this.phones.keep(step.stream, number.phoneHmac, number.phone);
    const begun = await this.pipeline.begin(step, [requested]);
    if (begun.ok) return { kind: 'recorded', settled: await this.funds.settle(step, begun.value) };
    return { kind: 'existed', answer: await this.first(step, number?.phoneHmac) };
  }

  /**
   * Returns the answer about a payout that existed. If its request's process died before its funds were reserved,
   * finishes it first, without the evidence of this request, whose bytes are then removed (EVT-66).
   * @throws DependencyUnavailable
   */
  async existing({ stream, metadata }: PayoutStep, before: Done<Payout>): Promise<ExistingPayout> {
    const settled = await this.funds.settle(payoutStep(stream, withoutEvidence(metadata)), before);
    return { ...requested(settled), existing: requestOf(settled.state) };
  }

  /**
   * Another request recorded the reference, with its own number. This request's number is deleted, unless the payout
   * still needs it.
   */
  private async first(step: PayoutStep, phoneHmac: string | undefined): Promise<ExistingPayout> {
    const before = await this.pipeline.load(step);
    const answer = await this.existing(step, before);
    const isNeeded = !isOver(answer.view.status) && requestOf(before.state).phoneHmac === phoneHmac;
    if (phoneHmac !== undefined && !isNeeded) await this.phones.forget(step.stream, phoneHmac);
    return answer;
  }
}

function requestOf(state: Payout): PayoutRequest {
  if (state.status === 'none') throw new TypeError('a request that was just recorded is missing');
  return state.request;
}

/** Returns the answer about a payout in this state. */
export function requested({ state, position }: Done<Payout>): RequestedPayout {
  return { view: payoutViewOf(state), ...(position === undefined ? {} : { position }) };
}
