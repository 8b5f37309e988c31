import { html, type Html } from '#shared/html';
import { type FailingEndpoints } from '#records/webhooks';
import {
  type BalanceStanding,
  type FloatStanding,
  type Installation,
  type PartStanding,
  type ProcessesStanding,
  type RailWatch,
} from '#desk/operators';
import { type LastAuditCheck } from '#records/operations';
import { type MissedMoney } from '#records/rails';
import { commandFor } from '#desk/words';
import { type ReviewCount } from '#views/reviews';
import { type RecentCount } from '#views/transactions';
import { definitions, money, statusMark, table } from '../page/parts.js';
import { type Told } from './answered.js';
import { duration, merchantName, type PageContext, railCurrency, when } from './page-context.js';
import { type PlatformMoney } from './platform-money.js';
import { type Span } from './spans.js';
import {
  approvalsQueue,
  callbacksQueue,
  payoutsQueue,
  railQueue,
  reviewsQueue,
  unmatchedPayments,
  webhooksQueue,
} from './status-queues.js';
import { type Shown } from './status-shown.js';
import { type WaitingShares } from './waiting-shares.js';

/** The facts of a part, why they are not known, or that they are hidden from a viewer whose sign-in was not checked. */
export type Answered<Facts> = Told<Facts> | { readonly hidden: true };

export interface Platform {
  /** Parts that the command line's status has as well. */
  readonly parts: readonly PartStanding[];
  readonly approvals: Answered<WaitingShares>;
  readonly reviews: Answered<readonly ReviewCount[]>;
  /** The webhook endpoints that fail. */
  readonly failing: Answered<FailingEndpoints>;
  readonly missed: Answered<MissedMoney>;
  readonly circuits: Answered<Awaited<ReturnType<RailWatch['circuits']>>>;
  readonly floats: Answered<readonly FloatStanding[]>;
  readonly balances: Answered<readonly BalanceStanding[]>;
  readonly money: Answered<PlatformMoney>;
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

/** `never`: it has not run yet, which is neither good nor bad. */
export type PartState = 'ok' | 'never' | 'waits' | 'attention' | 'down' | 'unknown';

/** One part as the page shows it; alert rules link to its anchor. */
export interface Part extends Shown {
  readonly anchor: Anchor;
  readonly state: PartState;
  /** The command for the action. */
  readonly command?: string;
}

/** A float balance that is older than this counts as unknown. */
const floatAgeMs = 15 * 60_000;

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
    ...of('payouts'),
    partOf('float', platform.floats, context, (facts) => floats(facts, context)),
    partOf('balance', platform.balances, context, (facts) => balances(facts, context)),
    ...of('pauses'),
    ...of('keys'),
    partOf('approvals', platform.approvals, context, (facts) => approvalsQueue(facts, context)),
    ...of('reviews'),
    ...of('webhooks'),
    partOf('missed', platform.missed, context, (facts) => unmatchedPayments(facts, context)),
    ...[...of('seals'), ...of('audit-check')],
    ...of('admins'),
    ...of('drill'),
  ];
}

function partOf<Facts>(
  anchor: Anchor,
  of: Answered<Facts>,
  { texts: { platform: words } }: PageContext,
  show: (facts: Facts) => Shown,
): Part {
  if ('hidden' in of) return { anchor, state: 'unknown', fact: words.hidden };
  if ('problem' in of) return unknown(anchor, words.notAsked(of.problem));
  const shown = show(of.facts);
  return { anchor, state: shown.todo === undefined ? 'ok' : 'attention', ...shown };
}

function unknown(anchor: Anchor, problem: string): Part {
  return { anchor, state: 'unknown', fact: problem };
}

const anchors = {
  postgres: 'postgres',
  'event store': 'event-store',
  redis: 'redis',
  views: 'views',
  callbacks: 'callbacks',
  rail: 'rail',
  payouts: 'payouts',
  webhooks: 'webhooks',
  reviews: 'reviews',
  pauses: 'pauses',
  keys: 'keys',
  audit: 'seals',
  'audit check': 'audit-check',
  admins: 'admins',
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
    const fact = standing.problem;
    return { anchor, state: 'down', todo, fact, ...(command !== undefined && { command }) };
  }
  const { state } = standing;
  const command = commandFor(standing, platform.installation);
  const shown = coreShown(standing, platform, context);
  const hasOwnTodo = state === 'ok' && shown.todo !== undefined;
  return {
    anchor,
    state: hasNeverRun(standing) ? 'never' : hasOwnTodo ? 'attention' : state,
    ...shown,
    ...(todo === undefined ? {} : { todo }),
    ...(command === undefined ? {} : { command }),
  };
}

/** True for a regular task without a first run. Its badge never looks as if the task had passed. */
function hasNeverRun(standing: Extract<PartStanding, { facts: unknown }>): boolean {
  if (standing.what === 'audit') return standing.facts.sealed === undefined;
  if (standing.what !== 'audit check' && standing.what !== 'drill') return false;
  return standing.facts.last === undefined;
}

function coreShown(
  standing: Extract<PartStanding, { facts: unknown }>,
  platform: Platform,
  context: PageContext,
): Shown {
  const { texts } = context;
  const { facts: words, answers } = texts.platform;
  switch (standing.what) {
    case 'postgres':
    case 'redis':
      return { fact: answers };
    case 'event store':
      return { fact: `${words.head} ${standing.facts.head}` };
    case 'processes':
      return { fact: processesTable(standing.facts, context) };
    case 'audit check':
      return auditCheck(standing.facts, context);
    case 'views': {
      const { position, ageSeconds, quarantined } = standing.facts;
      const age = ageSeconds === null ? undefined : `${words.age}: ${duration(ageSeconds, texts)}`;
      const more = definitions([
        [words.position, position.toString()],
        [words.quarantined, quarantined],
      ]);
      return { fact: age ?? words.beingBuilt, more };
    }
    case 'callbacks':
      return callbacksQueue(standing.facts, context);
    case 'rail':
      return railQueue(standing.facts, context);
    case 'payouts':
      return payoutsQueue(standing.facts, context);
    case 'webhooks':
      return webhooksOf(standing.facts, platform, context);
    case 'reviews':
      return reviewsOf(platform, { ...context, isMore: standing.facts.more });
    case 'audit': {
      const { sealed } = standing.facts;
      if (!sealed) return { fact: words.notSealed };
      const more = definitions([[words.postings, sealed.treeSize]]);
      return { fact: `${words.sealed} ${sealed.date}`, more };
    }
    case 'pauses':
      return { fact: pausedPayouts(standing.facts.open, context) };
    case 'keys':
      return { fact: endingKeys(standing.facts, context) };
    case 'admins': {
      const { takesEffectAt } = standing.facts;
      if (takesEffectAt === undefined) return { fact: words.noNewAdmin };
      return { fact: html`${words.newAdminFrom} ${when(new Date(takesEffectAt), context)}` };
    }
    case 'drill':
      return lastDrill(standing.facts, context);
  }
}

function reviewsOf(
  { reviews }: Platform,
  context: PageContext & { readonly isMore: boolean },
): Shown {
  if ('facts' in reviews) return reviewsQueue(reviews.facts, context);
  return { fact: 'problem' in reviews ? reviews.problem : context.texts.platform.hidden };
}

/** The queue has no data of merchants, so it is shown even if the endpoints that fail are hidden (POR-81). */
function webhooksOf(
  facts: Extract<PartStanding, { what: 'webhooks'; facts: unknown }>['facts'],
  { failing }: Platform,
  context: PageContext,
): Shown {
  if ('facts' in failing) return webhooksQueue(facts, failing.facts, context);
  const { hidden, notAsked } = context.texts.platform;
  const fact = 'problem' in failing ? notAsked(failing.problem) : hidden;
  return { ...webhooksQueue(facts, undefined, context), fact };
}

function pausedPayouts(
  open: Extract<PartStanding, { what: 'pauses'; facts: unknown }>['facts']['open'],
  context: PageContext,
): Html | string {
  const { facts: words } = context.texts.platform;
  if (open.length === 0) return words.notPaused;
  return html`${open.map(
    ({ merchantId, mode, since, payouts }) =>
      html`<div>
        ${merchantId === undefined ? words.allMerchants : merchantName(merchantId, context)},
        ${context.texts.modes[mode]}: ${words.keptBack(payouts)}, ${context.texts.since}
        ${when(new Date(since), context)}
      </div>`,
  )}`;
}

function endingKeys(
  { ending, more }: Extract<PartStanding, { what: 'keys'; facts: unknown }>['facts'],
  context: PageContext,
): Html | string {
  const { facts: words } = context.texts.platform;
  if (ending.length === 0) return words.noneEnding;
  return html`${ending.map(
    ({ merchantId, mode, holder, secondsLeft, expiresAt }) =>
      html`<div>
        ${merchantName(merchantId, context)}${mode === null ? undefined : `, ${context.texts.modes[mode]}`},
        ${holder}: ${secondsLeft > 0 ? words.endsAt : words.endedAt} ${when(expiresAt, context)}
      </div>`,
  )}${more ? html`<div>…</div>` : undefined}`;
}

function lastDrill(
  { last }: Extract<PartStanding, { what: 'drill'; facts: unknown }>['facts'],
  context: PageContext,
): Shown {
  const { texts } = context;
  const { facts: words, drills } = texts.platform;
  if (!last) return { fact: words.noDrill };
  return {
    fact: html`${when(new Date(last.at), context)}: ${drills[last.outcome]}`,
    more: definitions([
      [words.faults, last.faults],
      [words.drilledOn, drills[last.copy]],
      [words.backupAge, duration(last.ageSeconds, texts)],
      [words.newerRows, last.newer],
    ]),
  };
}

function auditCheck(
  { last }: { readonly last: LastAuditCheck | undefined },
  context: PageContext,
): Shown {
  const { facts: words } = context.texts.platform;
  if (!last) return { fact: words.noCheck };
  return {
    fact: html`${when(last.at, context)}: ${words.checkFaults(last.faults)}`,
    more: last.cause === '' ? undefined : definitions([[words.checkCause, last.cause]]),
  };
}

/** The processes. Those that were stopped on purpose are shown only if none of their app runs. */
function processesTable({ processes, missing }: ProcessesStanding, context: PageContext): Html {
  const { texts } = context;
  const { platform: words } = texts;
  const kinds = { runs: 'good', silent: 'bad', ended: 'waiting' } as const;
  const never = missing.filter(({ last }) => last === undefined);
  const lasts = new Set(missing.map(({ last }) => last));
  const shown = processes.filter((seen) => seen.state !== 'ended' || lasts.has(seen));
  return table({
    caption: words.parts.processes,
    head: [words.process, texts.status, words.version, words.upSince, words.lastSeen],
    rows: [
      ...never.map(({ app }) => [app, statusMark('silent', words.neverRan, 'bad'), '', '', '']),
      ...shown.map((seen) => [
        html`${seen.app} <small>${seen.instance}</small>`,
        statusMark(seen.state, words.processStates[seen.state], kinds[seen.state]),
        html`<span title="${seen.version}">${seen.version.split('+')[0]}</span>`,
        when(seen.startedAt, context),
        html`${words.ago(duration(seen.silentSeconds, texts))} ${clockOf(seen, texts)}
        ${stalledOf(seen, texts)}`,
      ]),
    ],
    empty: html``,
  });
}

/** Nothing unless a loop of the running process completes no step. */
function stalledOf(
  { state, stalledLoops }: ProcessesStanding['processes'][number],
  texts: PageContext['texts'],
): Html {
  if (state !== 'runs' || stalledLoops.length === 0) return html``;
  return statusMark('stalled', texts.platform.stalled(stalledLoops.join(', ')), 'bad');
}

/** Nothing unless the process's clock is apart from the database's. */
function clockOf(
  { state, clockAheadSeconds }: ProcessesStanding['processes'][number],
  texts: PageContext['texts'],
): Html {
  if (state !== 'runs' || clockAheadSeconds === 0) return html``;
  const { clockAhead, clockBehind } = texts.platform;
  const span = duration(Math.abs(clockAheadSeconds), texts);
  return statusMark('clock', clockAheadSeconds > 0 ? clockAhead(span) : clockBehind(span), 'bad');
}

function circuits(
  facts: Awaited<ReturnType<RailWatch['circuits']>>,
  { texts }: PageContext,
): Shown {
  const { platform: words } = texts;
  const kinds = { closed: 'good', half_open: 'waiting', open: 'bad' } as const;
  const modeWords: Readonly<Record<string, string>> = texts.modes;
  const rows = facts.map(
    ({ endpoint, mode, state }) =>
      html`<div>
        ${endpoint}, ${modeWords[mode] ?? mode}:
        ${statusMark(state, words.circuits[state], kinds[state])}
      </div>`,
  );
  if (rows.length === 0) return { fact: words.facts.notSeen };
  if (facts.every(({ state }) => state === 'closed'))
    return { fact: words.allClosed, more: html`${rows}` };
  const fact = html`${rows}`;
  const isOpen = facts.some(({ state }) => state === 'open');
  return { fact, ...(isOpen ? { todo: 'circuit_open' } : {}) };
}

function floats(facts: readonly FloatStanding[], context: PageContext): Shown {
  const { texts, now } = context;
  const { facts: words } = texts.platform;
  const isOld = ({ told: of }: FloatStanding): boolean =>
    of === undefined || now.getTime() - of.atMs > floatAgeMs;
  const rows = facts.map(
    ({ channel, mode, told: of }) =>
      html`<div>
        ${channel}, ${texts.modes[mode]}:
        ${
          of
            ? html`${money(of.minor, railCurrency)}, ${words.toldAt}
              ${when(new Date(of.atMs), context)}`
            : words.notKnown
        }
      </div>`,
  );
  const fact = rows.length === 0 ? words.notSeen : html`${rows}`;
  return { fact, ...(facts.some(isOld) ? { todo: 'float_unknown' } : {}) };
}

/** The last comparison of each rail's balance with the ledger. */
function balances(facts: readonly BalanceStanding[], context: PageContext): Shown {
  const { texts } = context;
  const { facts: words } = texts.platform;
  const rows = facts.map(
    ({ channel, mode, last }) =>
      html`<div>
        ${channel}, ${texts.modes[mode]}:
        ${
          last
            ? html`${last.differs ? money(last.differenceMinor, railCurrency) : words.balanceAgrees},
              ${words.comparedAt} ${when(last.at, context)}`
            : words.notKnown
        }
      </div>`,
  );
  const fact = rows.length === 0 ? words.notSeen : html`${rows}`;
  return { fact, ...(facts.some(({ last }) => last?.differs) ? { todo: 'balance_differs' } : {}) };
}
