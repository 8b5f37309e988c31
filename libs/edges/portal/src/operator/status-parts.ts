import { html, type Html } from '#shared/html';
import { type DeliveriesStanding } from '#records/webhooks';
import {
  type FloatStanding,
  type Installation,
  itemOf,
  type PartStanding,
  type ProcessesStanding,
  type RailWatch,
} from '#desk/operators';
import { type LastAuditCheck } from '#records/operations';
import { type MissedMoney } from '#records/rails';
import { commandFor } from '#desk/words';
import { type WaitingPayouts } from '#views/payouts';
import { type ReviewCount } from '#views/reviews';
import { type RecentCount } from '#views/transactions';
import { definitions, money, notice, statusMark, table, time } from '../page/parts.js';
import { type Told } from './answered.js';
import {
  duration,
  itemHref,
  type PageContext,
  merchantName,
  railCurrency,
} from './page-context.js';
import { type Span } from './spans.js';

/** The facts of a part, why they are not known, or that they are hidden from a viewer whose sign-in was not checked. */
export type Answered<Facts> = Told<Facts> | { readonly hidden: true };

export interface Platform {
  /** Parts that the command line's status has as well. */
  readonly parts: readonly PartStanding[];
  readonly reviews: Answered<readonly ReviewCount[]>;
  readonly payouts: Answered<WaitingPayouts>;
  readonly webhooks: Answered<DeliveriesStanding>;
  readonly missed: Answered<MissedMoney>;
  readonly circuits: Answered<Awaited<ReturnType<RailWatch['circuits']>>>;
  readonly floats: Answered<readonly FloatStanding[]>;
  readonly recent: Answered<{
    readonly collections: readonly RecentCount[];
    readonly reviewsBegun: readonly { readonly ago: number; readonly count: number }[];
  }>;
  readonly span: Span;
  readonly now: Date;
  readonly installation: Installation;
  /** True if the viewer's sign-in could not be checked (POR-81). */
  readonly isByPass: boolean;
}

type Texts = PageContext['texts'];
type Anchor = keyof Texts['platform']['parts'];
export type Todo = keyof Texts['platform']['todos'];

export type PartState = 'ok' | 'waits' | 'attention' | 'down' | 'unknown';

/** One part as the page shows it; alert rules link to its anchor. */
export interface Part {
  readonly anchor: Anchor;
  readonly state: PartState;
  readonly todo?: Todo;
  /** The command for the action. */
  readonly command?: string;
  readonly content: Html;
}

/** A float balance that is older than this counts as unknown. */
const floatAgeMs = 15 * 60_000;
const oldPayoutSeconds = 6 * 3600;
const overdueSeconds = 300;

/** The parts in the order in which the page shows them. */
export function partsOf(platform: Platform, context: PageContext): readonly Part[] {
  const core = new Map(
    platform.parts.map((standing) => {
      const part = corePart(standing, platform, context);
      return [part.anchor, part] as const;
    }),
  );
  const of = (anchor: Anchor): readonly Part[] => {
    const part = core.get(anchor);
    return part ? [part] : [];
  };
  return [
    ...[
      ...of('postgres'),
      ...of('event-store'),
      ...of('redis'),
      ...of('processes'),
      ...of('views'),
    ],
    ...[...of('callbacks'), ...of('rail')],
    partOf('circuits', platform.circuits, context, (facts) => circuits(facts, context)),
    partOf('payouts', platform.payouts, context, (facts) => payouts(facts, context)),
    partOf('float', platform.floats, context, (facts) => floats(facts, platform, context)),
    ...of('pauses'),
    ...of('reviews'),
    partOf('webhooks', platform.webhooks, context, (facts) => webhooks(facts, context)),
    partOf('missed', platform.missed, context, (facts) => missed(facts, context)),
    ...[...of('seals'), ...of('audit-check')],
    ...of('drill'),
  ];
}

type Standing = Omit<Part, 'anchor' | 'state'>;

function partOf<Facts>(
  anchor: Anchor,
  of: Answered<Facts>,
  { texts: { platform: words } }: PageContext,
  show: (facts: Facts) => Standing,
): Part {
  if ('hidden' in of) return { anchor, state: 'unknown', content: html`<p>${words.hidden}</p>` };
  if ('problem' in of) return unknown(anchor, words.notAsked(of.problem));
  const standing = show(of.facts);
  return { anchor, state: standing.todo === undefined ? 'ok' : 'attention', ...standing };
}

function unknown(anchor: Anchor, problem: string): Part {
  return { anchor, state: 'unknown', content: html`<p>${problem}</p>` };
}

const anchors = {
  postgres: 'postgres',
  'event store': 'event-store',
  redis: 'redis',
  views: 'views',
  callbacks: 'callbacks',
  rail: 'rail',
  reviews: 'reviews',
  pauses: 'pauses',
  audit: 'seals',
  'audit check': 'audit-check',
  processes: 'processes',
  drill: 'drill',
} as const satisfies Record<PartStanding['what'], Anchor>;

function corePart(standing: PartStanding, platform: Platform, context: PageContext): Part {
  const anchor = anchors[standing.what];
  const { platform: words } = context.texts;
  const { todo } = standing;
  if (!('facts' in standing)) {
    if (todo === undefined) return unknown(anchor, words.notAsked(standing.problem));
    const command = commandFor(standing, platform.installation);
    const content = html`<p>${standing.problem}</p>`;
    return { anchor, state: 'down', todo, content, ...(command !== undefined && { command }) };
  }
  const { state } = standing;
  const command = commandFor(standing, platform.installation);
  const content = coreContent(standing, platform, context);
  return {
    anchor,
    state,
    content,
    ...(todo === undefined ? {} : { todo }),
    ...(command === undefined ? {} : { command }),
  };
}

function coreContent(
  standing: Extract<PartStanding, { facts: unknown }>,
  platform: Platform,
  context: PageContext,
): Html {
  const { texts } = context;
  const { facts: words, answers } = texts.platform;
  switch (standing.what) {
    case 'postgres':
    case 'redis':
      return html`<p>${answers}</p>`;
    case 'event store':
      return definitions([[words.head, standing.facts.head.toString()]]);
    case 'processes':
      return processesTable(standing.facts, context);
    case 'audit check':
      return auditCheck(standing.facts, context);
    case 'views': {
      const { position, ageSeconds, quarantined } = standing.facts;
      return definitions([
        [words.position, position.toString()],
        [words.age, ageSeconds === null ? words.beingBuilt : duration(ageSeconds, texts)],
        [words.quarantined, quarantined],
      ]);
    }
    case 'callbacks': {
      const { entries, oldestSeconds, unopened } = standing.facts;
      return definitions([
        [words.waiting, entries],
        [words.oldest, duration(oldestSeconds, texts)],
        [words.unopened, unopened],
      ]);
    }
    case 'rail': {
      const { collections, unanswered, oldestSeconds } = standing.facts;
      return definitions([
        [words.waiting, collections],
        [words.unanswered, unanswered],
        [words.oldest, duration(oldestSeconds, texts)],
      ]);
    }
    case 'reviews':
      return reviewsByCause(platform, context);
    case 'audit': {
      const { sealed } = standing.facts;
      if (!sealed) return html`<p>${words.notSealed}</p>`;
      return definitions([
        [words.sealed, sealed.date],
        [words.postings, sealed.treeSize],
      ]);
    }
    case 'pauses': {
      const { open } = standing.facts;
      if (open.length === 0) return html`<p>${words.notPaused}</p>`;
      return definitions(
        open.map(({ merchantId, mode, since, payouts }) => [
          `${merchantId ?? words.allMerchants}, ${mode}`,
          html`${time(new Date(since), context.zone)}: ${words.keptBack(payouts)}`,
        ]),
      );
    }
    case 'drill':
      return lastDrill(standing.facts, context);
  }
}

function lastDrill(
  { last }: Extract<PartStanding, { what: 'drill'; facts: unknown }>['facts'],
  { texts, zone }: PageContext,
): Html {
  const { facts: words, drills } = texts.platform;
  if (!last) return html`<p>${words.noDrill}</p>`;
  return definitions([
    [words.drilledAt, time(new Date(last.at), zone)],
    [words.drillOutcome, drills[last.outcome]],
    [words.faults, last.faults],
    [words.drilledOn, drills[last.copy]],
    [words.backupAge, duration(last.ageSeconds, texts)],
    [words.newerRows, last.newer],
  ]);
}

function auditCheck(
  { last }: { readonly last: LastAuditCheck | undefined },
  { texts, zone }: PageContext,
): Html {
  const { facts: words } = texts.platform;
  if (!last) return html`<p>${words.noCheck}</p>`;
  return definitions([
    [words.checkedAt, time(last.at, zone)],
    [words.checkFaults, last.faults],
    [words.checkCause, last.cause === '' ? undefined : last.cause],
  ]);
}

/** The processes. Those that were stopped on purpose are shown only if none of their app runs. */
function processesTable({ processes, missing }: ProcessesStanding, context: PageContext): Html {
  const { texts, zone } = context;
  const { platform: words } = texts;
  const kinds = { runs: 'good', silent: 'bad', ended: 'waiting' } as const;
  const never = missing.filter(({ last }) => last === undefined);
  const lasts = new Set(missing.map(({ last }) => last));
  const shown = processes.filter((seen) => seen.state !== 'ended' || lasts.has(seen));
  return table({
    caption: words.parts.processes,
    head: [words.process, texts.status],
    rows: [
      ...never.map(({ app }) => [
        html`<code>${app}</code>`,
        statusMark('silent', words.neverRan, 'bad'),
      ]),
      ...shown.map((seen) => [
        html`<code>${seen.app}</code><br /><small>${seen.instance}</small><br /><small
            >${seen.version}</small
          >`,
        html`${statusMark(seen.state, words.processStates[seen.state], kinds[seen.state])}<br />
          <small>${words.lastSeen(duration(seen.silentSeconds, texts))}</small><br />
          <small>${words.upSince} ${time(seen.startedAt, zone)}</small>`,
      ]),
    ],
    empty: html``,
  });
}

function reviewsByCause({ reviews, now }: Platform, { texts }: PageContext): Html {
  if (!('facts' in reviews))
    return html`<p>${'problem' in reviews ? reviews.problem : texts.platform.hidden}</p>`;
  const { platform: words } = texts;
  return table({
    caption: words.reviewsCaption,
    head: [
      texts.reviews.cause,
      texts.mode,
      { text: words.facts.open, isNumber: true },
      { text: words.proposedCount, isNumber: true },
      words.facts.oldest,
    ],
    rows: reviews.facts.map(({ why, mode, open, proposed, oldest }) => [
      html`<a href="/portal/reviews?why=${why}&amp;mode=${mode}">${texts.causes[why]}</a>`,
      texts.modes[mode],
      open,
      proposed,
      duration((now.getTime() - oldest.getTime()) / 1000, texts),
    ]),
    empty: html`<p>${texts.reviews.empty}</p>`,
  });
}

function circuits(
  facts: Awaited<ReturnType<RailWatch['circuits']>>,
  { texts }: PageContext,
): Standing {
  const { platform: words } = texts;
  const kinds = { closed: 'good', half_open: 'waiting', open: 'bad' } as const;
  const modeWords: Readonly<Record<string, string>> = texts.modes;
  const content = table({
    caption: words.parts.circuits,
    head: [words.endpoint, texts.mode, texts.status],
    rows: facts.map(({ endpoint, mode, state }) => [
      endpoint,
      modeWords[mode] ?? mode,
      statusMark(state, words.circuits[state], kinds[state]),
    ]),
    empty: html`<p>${words.facts.notSeen}</p>`,
  });
  const isOpen = facts.some(({ state }) => state === 'open');
  return { content, ...(isOpen ? { todo: 'circuit_open' } : {}) };
}

function payouts(
  { forRail, oldestSeconds, forFloat }: WaitingPayouts,
  { texts }: PageContext,
): Standing {
  const { facts: words } = texts.platform;
  const content = definitions([
    [words.unknownOutcome, forRail],
    [words.oldest, duration(oldestSeconds, texts)],
    [words.withoutFloat, forFloat],
  ]);
  if (forFloat > 0) return { content, todo: 'float_missing' };
  return oldestSeconds > oldPayoutSeconds ? { content, todo: 'payouts_old' } : { content };
}

function floats(
  facts: readonly FloatStanding[],
  { now }: Platform,
  { texts, zone }: PageContext,
): Standing {
  const { platform: words } = texts;
  const isOld = ({ told: of }: FloatStanding): boolean =>
    of === undefined || now.getTime() - of.atMs > floatAgeMs;
  const content = table({
    caption: words.parts.float,
    head: [words.railName, texts.mode, { text: texts.amount, isNumber: true }, words.facts.toldAt],
    rows: facts.map(({ channel, mode, told: of }) => [
      channel,
      texts.modes[mode],
      of ? money(of.minor, railCurrency) : words.facts.notKnown,
      of ? time(new Date(of.atMs), zone) : '',
    ]),
    empty: html`<p>${words.facts.notSeen}</p>`,
  });
  return { content, ...(facts.some(isOld) ? { todo: 'float_unknown' } : {}) };
}

function webhooks(facts: DeliveriesStanding, context: PageContext): Standing {
  const { texts, zone } = context;
  const { platform: words } = texts;
  const { failing, failingOfAll } = facts;
  const content = html`${definitions([
    [words.facts.waiting, facts.waiting],
    [words.facts.oldest, duration(facts.oldestSeconds, texts)],
    [words.facts.overdue, duration(facts.overdueSeconds, texts)],
    [words.facts.unattempted, duration(facts.unattemptedSeconds, texts)],
  ])}
  ${table({
    caption: words.failingCaption,
    head: [
      texts.merchant,
      texts.mode,
      words.endpoint,
      { text: words.failures, isNumber: true },
      words.failingSince,
      words.lastAnswer,
    ],
    rows: failing.map((endpoint) => [
      merchantName(endpoint.merchantId, context),
      texts.modes[endpoint.mode],
      endpoint.callbackHost === '' ? endpoint.kind : `${endpoint.kind}, ${endpoint.callbackHost}`,
      endpoint.failures,
      time(endpoint.failingSince, zone),
      endpoint.lastStatus ?? endpoint.lastOutcome,
    ]),
    empty: html``,
  })}
  ${failingOfAll > failing.length ? notice('info', words.moreThanShown(failingOfAll)) : undefined}`;
  if (facts.overdueSeconds > overdueSeconds) return { content, todo: 'webhooks_overdue' };
  return failing.length > 0 ? { content, todo: 'webhooks_failing' } : { content };
}

function missed({ payments, more }: MissedMoney, context: PageContext): Standing {
  const { texts, zone } = context;
  const { platform: words } = texts;
  const whys: Readonly<Record<string, string>> = words.missedWhy;
  const content = html`${table({
    caption: words.missedCaption,
    head: [
      texts.receipt,
      { text: texts.amount, isNumber: true },
      texts.mode,
      texts.item.paidAt,
      texts.reviews.cause,
      texts.reference,
    ],
    rows: payments.map(({ receipt, amountMinor, mode, paidAt, why, stream }) => {
      const item = stream === null ? undefined : itemOf(stream);
      return [
        receipt,
        money(amountMinor, railCurrency),
        texts.modes[mode],
        time(paidAt, zone),
        whys[why] ?? why,
        item ? html`<a href="${itemHref(item)}">${item.key.reference}</a>` : '',
      ];
    }),
    empty: html`<p>${texts.none}</p>`,
  })}
  ${more ? notice('info', texts.find.more) : undefined}`;
  return { content, ...(payments.length > 0 ? { todo: 'missed_money' } : {}) };
}
