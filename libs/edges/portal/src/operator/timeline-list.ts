import { html, type Html } from '#shared/html';
import { icon } from '../page/icons.js';
import { shortDay } from '../page/list-parts.js';
import { money, type StatusKind, time, timeText } from '../page/parts.js';
import { decisionWord, type PageContext, who } from './page-context.js';
import { type Detail, type Entry, type Happening } from './timeline.js';
import { failureText } from '../text/failures.js';

type TimelineLook = PageContext & {
  readonly type: 'collection' | 'payout';
  readonly currency: string;
  /** The rail that failures name; M-Pesa if absent. */
  readonly channel?: string;
};

/** The timeline, the newest entry first, with a heading for each day. */
export function timelineList(entries: readonly Entry[], context: TimelineLook): Html {
  const { zone, now, viewer } = context;
  const dayOf = (at: Date): string => timeText(at, zone).slice(0, 'YYYY-MM-DD'.length);
  const at = { today: dayOf(now), language: viewer.language };
  const days = Map.groupBy(entries.toReversed(), (entry) => dayOf(entry.at));
  return html`<ol class="timeline">
    ${[...days].map(
      ([day, ofDay]) =>
        html`<li class="day">${shortDay(day, at)}</li>
          ${ofDay.map((entry) => entryOf(entry, context))}`,
    )}
  </ol>`;
}

function entryOf({ at, what, messages = [] }: Entry, context: TimelineLook): Html {
  const { texts, zone } = context;
  const { title, by, details, technical: own = [] } = rowOf(what, context);
  const technical = [...own, ...messages.map((id) => line(`${texts.timeline.message}: ${id}`))];
  const kind = kindOf(what);
  const exact = timeText(at, zone);
  return html`<li>
    <span class="dot ${kind}">${icon(kind)}</span>
    <p>
      ${title}
      <time class="soft" datetime="${at.toISOString()}" title="${exact}"
        >${exact.split(' ')[1]}</time
      >
    </p>
    ${by === undefined ? undefined : html`<div class="soft">${texts.timeline.by} ${who(by, context)}</div>`}
    ${details}
    ${
      technical.length === 0
        ? undefined
        : html`<details>
            <summary>${texts.technical}</summary>
            ${technical}
          </details>`
    }
  </li>`;
}

const eventKinds: Readonly<Partial<Record<Of<'event'>['type'], StatusKind>>> = {
  RailConfirmed: 'good',
  WalletPosted: 'good',
  PayoutApproved: 'good',
  RailPayoutAccepted: 'good',
  ReviewDecided: 'good',
  RailPushRejected: 'bad',
  RailDeclined: 'bad',
  PayoutRejected: 'bad',
  PayoutApprovalExpired: 'bad',
  ReviewFlagged: 'waiting',
  AmountMismatchRecorded: 'waiting',
  SuspensePosted: 'waiting',
  PayoutWaitingForFloat: 'waiting',
};

function kindOf(what: Happening): StatusKind {
  if (what.kind === 'proposed') return 'waiting';
  return (what.kind === 'event' ? eventKinds[what.type] : undefined) ?? 'neutral';
}

interface Row {
  readonly title: string | Html;
  readonly by?: string;
  readonly details: readonly Html[];
  /** Names and values of the event's own members, folded away. */
  readonly technical?: readonly Html[];
}

function rowOf(what: Happening, context: TimelineLook): Row {
  switch (what.kind) {
    case 'event':
      return eventRow(what, context);
    case 'query':
    case 'payout_queries':
      return queryRow(what, context);
    case 'callback':
    case 'callback_applied':
      return callbackRow(what, context);
    case 'message':
      return { title: context.texts.timeline.message, details: [], technical: [line(what.id)] };
    case 'proposed':
    case 'proposal_ended':
      return proposalRow(what, context);
    case 'owed':
    case 'delivery_ended':
      return deliveryRow(what, context);
  }
}

type Of<Kind extends Happening['kind']> = Extract<Happening, { kind: Kind }>;

function eventRow(event: Of<'event'>, context: TimelineLook): Row {
  const { timeline } = context.texts;
  const evidence = { request: timeline.signedRequest, report: timeline.railReport };
  return {
    title: html`<b>${timeline.events[event.type]}</b>`,
    by: event.by,
    details: plainLines(event.details.filter(isPlain), context),
    technical: [
      ...event.details
        .filter((detail) => !isPlain(detail))
        .map((detail) => detailLine(detail, context)),
      line(`${timeline.position} ${event.position}`),
      ...(event.evidence === undefined ? [] : [line(evidence[event.evidence])]),
    ],
  };
}

const plainMembers: ReadonlySet<string> = new Set(['why', 'reason', 'failureCode', 'receipt']);

/** True for what a person reads about an event; the rest is folded away. */
function isPlain(detail: Detail): boolean {
  return detail.kind === 'amount' || (detail.kind === 'member' && plainMembers.has(detail.name));
}

/** The receipt and the amount on one line, `Receipt NLJ7RT61SV · KES 100.01`, then the rest. */
function plainLines(details: readonly Detail[], context: TimelineLook): readonly Html[] {
  const receipt = details.find((detail) => detail.kind === 'member' && detail.name === 'receipt');
  const amount = details.find(
    (detail) => detail.kind === 'amount' && detail.name === 'amountMinor',
  );
  const others = details.filter((detail) => detail !== receipt && detail !== amount);
  const parts = [
    ...(receipt?.kind === 'member' ? [html`${context.texts.receipt} ${receipt.value}`] : []),
    ...(amount?.kind === 'amount' ? [money(amount.minor, context.currency)] : []),
  ];
  const [first, ...more] = parts;
  return [
    ...(first === undefined ? [] : [line(html`${first}${more.map((each) => html` · ${each}`)}`)]),
    ...others.map((detail) => detailLine(detail, context)),
  ];
}

function detailLine(detail: Detail, context: TimelineLook): Html {
  const { type, channel = 'mpesa', currency, texts, viewer } = context;
  switch (detail.kind) {
    case 'member': {
      if (detail.name === 'failureCode')
        return line(failureText({ code: detail.value, type, channel }, viewer.language));
      const causes: Readonly<Record<string, string>> = texts.causes;
      const why = detail.name === 'why' ? causes[detail.value] : undefined;
      if (detail.name === 'reason') return line(`${texts.reason}: ${detail.value}`);
      return line(why ?? html`${detail.name}: ${detail.value}`);
    }
    case 'amount':
      return line(
        html`${detail.name === 'feeMinor' ? texts.item.fee : detail.name.replace(/Minor$/, '')}:
        ${money(detail.minor, currency)}`,
      );
    case 'leg':
      return line(html`<code>${detail.account}</code> ${money(detail.minor, currency)}`);
  }
}

function queryRow(query: Of<'query'> | Of<'payout_queries'>, context: TimelineLook): Row {
  const { timeline } = context.texts;
  return query.kind === 'query'
    ? { title: timeline.query(query.attempt), details: [line(query.outcome)] }
    : {
        title: timeline.payoutQueries(query.asked),
        details: query.answer === null ? [] : [line(query.answer)],
      };
}

function callbackRow(
  callback: Of<'callback'> | Of<'callback_applied'>,
  { texts, zone }: TimelineLook,
): Row {
  const { timeline } = texts;
  const outcome = callback.outcome === null ? [] : [line(callback.outcome)];
  if (callback.kind === 'callback_applied')
    return { title: timeline.callbackApplied, details: outcome };
  const { from, trusted, tries, nextTry } = callback;
  return {
    title: timeline.callback,
    details: [
      line(trusted ? from : `${from} (${timeline.untrusted})`),
      line(`${timeline.tries}: ${tries}`),
      ...outcome,
      ...(nextTry ? [line(html`${timeline.nextTry}: ${time(nextTry, zone)}`)] : []),
    ],
  };
}

function proposalRow(
  { kind, proposal }: Of<'proposed'> | Of<'proposal_ended'>,
  context: TimelineLook,
): Row {
  const { timeline } = context.texts;
  const decision = decisionWord(proposal.decision, context.texts);
  if (kind === 'proposal_ended')
    return {
      title: `${timeline.proposalEnded}: ${decision}`,
      ...(proposal.endedBy === null ? {} : { by: proposal.endedBy }),
      details: [
        line(outcomeWord(proposal.outcome, context)),
        ...(proposal.endReason === null ? [] : [line(proposal.endReason)]),
      ],
    };
  const { receipt, amountMinor } = proposal;
  return {
    title: `${timeline.proposed}: ${decision}`,
    by: proposal.proposedBy,
    details: [
      ...(receipt === null ? [] : [line(receipt)]),
      ...(amountMinor === null ? [] : [line(money(amountMinor, context.currency))]),
      line(proposal.reason),
    ],
  };
}

function deliveryRow(
  { kind, delivery }: Of<'owed'> | Of<'delivery_ended'>,
  context: TimelineLook,
): Row {
  const { timeline } = context.texts;
  const { type, kind: api, attempts, nextAttemptAt, outcome } = delivery;
  if (kind === 'delivery_ended')
    return {
      title: `${timeline.deliveryEnded}: ${type} (${api})`,
      details: [line(outcomeWord(outcome, context))],
    };
  return {
    title: `${timeline.owed}: ${type} (${api})`,
    details: [
      line(`${timeline.tries}: ${attempts}`),
      ...(nextAttemptAt
        ? [line(html`${timeline.nextTry}: ${time(nextAttemptAt, context.zone)}`)]
        : []),
    ],
  };
}

function outcomeWord(outcome: string | null, { texts }: PageContext): string {
  const words: Readonly<Record<string, string>> = texts.timeline.outcomes;
  return words[outcome ?? ''] ?? outcome ?? '';
}

function line(text: string | Html): Html {
  return html`<div class="soft">${text}</div>`;
}
