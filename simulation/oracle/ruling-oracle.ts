import { isSameOperator } from '#domain/reviews';
import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { type Payout, payoutDecider, type PayoutEvent } from '#domain/payouts';
import { type World } from '../core/world.js';
import { type Fixture } from '../processes/parts.js';
import { invariants } from './invariants.js';

type Fact = RecordedEvent<PayoutEvent>;
type Decided = Extract<Fact, { readonly type: 'ReviewDecided' }>;

/** Checks the operators' decisions on payouts, and their outcomes. */
export class RulingOracle {
  readonly #decided = new Set<string>();
  readonly #ruled = new Set<string>();
  /** Payouts that the rail or an operator reported as paid, without a decision on them. */
  readonly #saidPaid = new Set<string>();

  constructor(
    private readonly world: World,
    private readonly fixture: () => Fixture,
    private readonly stateOf: (stream: string) => Payout,
  ) {}

  appended(event: Fact): void {
    const { stream, type, data } = event;
    if (type === 'ReviewDecided') this.#ruling(event);
    if (type === 'ReviewDecided' || type === 'WalletPosted') this.#saidPaid.delete(stream);
    if (type === 'RailDeclined' && data.by !== 'operator' && this.#saidPaid.has(stream))
      this.#violate(invariants.declineAnswersNoPayment, `${stream} failed by ${data.by}`);
    const isSaid =
      type === 'ReviewFlagged' &&
      (data.why === 'payout_amount_differs' ||
        data.why === 'payout_amount_unreadable' ||
        data.why === 'opened_by_operator');
    if (isSaid) this.#saidPaid.add(stream);
  }

  /** Checks everything at the end. */
  finish(): void {
    for (const stream of this.#ruled) {
      const history = this.fixture().log.stream(stream) as readonly Fact[];
      const last = history.findLastIndex(({ type }) => type === 'ReviewDecided');
      const ruling = (history[last] as Decided).data.decision;
      const { status } = this.stateOf(stream);
      const isLate = history.slice(last).some(isReportedLate);
      const isRight =
        ruling === 'paid'
          ? status === 'completed'
          : status === 'failed' || status === 'rejected' || (status === 'completed' && isLate);
      if (!isRight)
        this.#violate(invariants.rulingStands, `${stream} was ruled ${ruling} and is ${status}`);
    }
  }

  #ruling({ stream, revision, data, metadata }: Decided): void {
    const { causationId = '', actor } = metadata;
    this.#ruled.add(stream);
    const proposal = this.fixture().payouts.proposed.get(causationId);
    if (!proposal || isSameOperator(proposal.proposedBy, actor.id)) {
      this.#violate(
        invariants.anotherOperator,
        `${stream} is ruled ${data.decision} by ${actor.id}`,
      );
      return;
    }
    const before = this.#statusUpTo(stream, revision - 1n);
    const seen = this.#statusUpTo(stream, proposal.revision ?? revision - 1n);
    const isOwn = proposal.stream === stream && proposal.ruling.decision === data.decision;
    if (this.#decided.has(causationId) || seen !== before || !isOwn)
      this.#violate(
        invariants.rulingAsSeen,
        `${stream} was ${seen} when ${data.decision} was proposed, it was ${before}`,
      );
    this.#decided.add(causationId);
  }

  #statusUpTo(stream: string, revision: bigint): Payout['status'] {
    const history = this.fixture().log.stream(stream) as readonly Fact[];
    const seen = history.filter((event) => event.revision <= revision);
    return fold(payoutDecider, seen).status;
  }

  #violate(...what: Parameters<World['violate']>): void {
    this.world.violate(...what);
  }
}

function isReportedLate({ type, data }: Fact): boolean {
  return type === 'ReviewFlagged' && data.why === 'paid_after_decline';
}
