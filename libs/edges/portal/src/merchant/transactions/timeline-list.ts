import { automaticApprover } from '#domain/payouts';
import { html, type Html } from '#shared/html';
import { type TransactionItem } from '#views/transactions';
import { icon } from '../../page/icons.js';
import { secondsOf, shortDay, type WallClock } from '../../page/list-parts.js';
import { money, moneyText, type StatusKind, timeText } from '../../page/parts.js';
import { failureText } from '../../text/failures.js';
import { type Names, personName } from '../colleagues.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Step, type TimedStep } from './timeline.js';

interface Timeline {
  readonly type: TransactionItem['type'];
  readonly channel: string;
  readonly steps: readonly TimedStep[];
  readonly clock: WallClock;
  readonly currency: string;
  readonly names: Names;
}

const kinds: Readonly<Record<Step['kind'], StatusKind>> = {
  asked: 'neutral',
  without_push: 'neutral',
  prompt_shown: 'neutral',
  refused: 'bad',
  declined: 'bad',
  paid: 'good',
  posted: 'good',
  other_amount: 'waiting',
  under_review: 'waiting',
  decided: 'neutral',
  returned: 'neutral',
  reserved: 'neutral',
  expired: 'waiting',
  waits_for_float: 'waiting',
  sent: 'neutral',
  payout_asked: 'neutral',
  refund_asked: 'neutral',
  refund_ended: 'neutral',
  refund_paid: 'good',
  approved: 'good',
  rejected: 'bad',
};

/** The steps under a heading for each day, the newest first. */
export function timelineList(timeline: Timeline, texts: MerchantTexts): Html {
  const { steps, clock } = timeline;
  let heading = '';
  const rows = steps.toReversed().map((timed) => {
    const [day = ''] = timeText(new Date(timed.at), clock.timezone).split(' ');
    const isNew = day !== heading;
    heading = day;
    return html`${isNew ? html`<li class="day">${day === clock.today ? texts.list.presets.today : shortDay(day, clock)}</li>` : undefined}
    ${row(timed, timeline, texts)}`;
  });
  return html`<ol class="timeline">
    ${rows}
  </ol>`;
}

function row({ at, step }: TimedStep, timeline: Timeline, texts: MerchantTexts): Html {
  const kind = kinds[step.kind];
  const more = details(step, timeline, texts);
  return html`<li>
    <span class="dot ${kind}">${icon(kind)}</span>
    <p>
      <b>${texts.item.steps[step.kind]}</b>
      <span class="soft">${secondsOf(at, timeline.clock.timezone)}</span>
    </p>
    ${more === undefined ? undefined : html`<p class="soft">${more}</p>`}
  </li>`;
}

function details(
  step: Step,
  { type, channel, currency, names }: Timeline,
  { item, language }: MerchantTexts,
): Html | undefined {
  const by = (holder: string): Html =>
    html`${item.byHolder(holder === automaticApprover ? item.automatic : personName(holder, names))}`;
  const amountOf = (amountMinor: bigint, phone: string | undefined): Html =>
    phone === undefined
      ? money(amountMinor, currency)
      : html`${money(amountMinor, currency)}, ${item.phone(phone)}`;
  switch (step.kind) {
    case 'asked':
    case 'without_push':
      return amountOf(step.amountMinor, step.phone);
    case 'payout_asked':
      return html`${amountOf(step.amountMinor, step.phone)}. ${by(step.by)}`;
    case 'refund_asked':
    case 'refund_ended':
    case 'refund_paid':
      return html`${money(step.amountMinor, currency)}, ${step.payout}`;
    case 'refused':
    case 'declined':
      return html`${failureText({ code: step.failureCode, type, channel }, language)}`;
    case 'paid':
      return step.receipt === undefined ? undefined : html`${step.receipt}`;
    case 'posted':
      return html`${money(step.amountMinor, currency)} (${fee(step.feeMinor, currency, item)})`;
    case 'other_amount':
      return money(step.amountMinor, currency);
    case 'approved':
      return by(step.by);
    case 'rejected':
      return html`${failureText({ code: step.reason, type: 'payout', channel }, language)}${step.by === undefined ? undefined : html`. ${by(step.by)}`}`;
    case 'prompt_shown':
    case 'under_review':
    case 'decided':
    case 'returned':
    case 'reserved':
    case 'expired':
    case 'waits_for_float':
    case 'sent':
      return undefined;
  }
}

function fee(feeMinor: bigint, currency: string, { fee: words }: MerchantTexts['item']): Html {
  return html`${words(moneyText(feeMinor, currency))}`;
}
