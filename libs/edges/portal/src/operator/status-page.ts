import { html, type Html } from '#shared/html';
import { notice, statusMark } from '../page/parts.js';
import { command, type PageContext } from './page-context.js';
import { type Span, spans } from './spans.js';
import { moneyTrends } from './platform-money.js';
import { type Answered, type Part, partsOf, type Platform } from './status-parts.js';
import { type Todo } from './status-shown.js';
import { plots } from './status-plots.js';

type Anchor = Part['anchor'];

/** Parts that are queues of work, shown as tiles. */
const queueAnchors = [
  'approvals',
  'reviews',
  'rail',
  'payouts',
  'callbacks',
  'webhooks',
  'missed',
] as const;
const queues: readonly Anchor[] = queueAnchors;

/**
 * The home of operators: one sentence, the next actions, the queues, the processes, each dependency, and trends at the
 * end.
 */
export function statusPage(platform: Platform, context: PageContext): Html {
  const { platform: words } = context.texts;
  const parts = partsOf(platform, context);
  const wrong = parts.filter(needsAttention);
  const waiting = parts.filter(({ anchor }) => queues.includes(anchor));
  const lists = waiting.flatMap(({ list }) => list ?? []);
  const others = parts.filter(({ anchor }) => anchor !== 'processes' && !queues.includes(anchor));
  return html`${platform.isByPass ? notice('info', words.byPass) : undefined}
    ${summary(wrong, parts, context)}
    <h2>${words.queues}</h2>
    <div class="tiles queues">
      ${queues.flatMap((of) =>
        waiting.filter(({ anchor }) => anchor === of).map((part) => tile(part, context)),
      )}
    </div>
    ${lists}
    ${parts.filter(({ anchor }) => anchor === 'processes').map((part) => processes(part, context))}
    <h2>${words.dependencies}</h2>
    ${dependencies(others, context)} ${money(platform, context)} ${trends(platform, context)}`;
}

/** A queue: the number of waiting entries, and the age of the oldest. */
function tile(part: Part, context: PageContext): Html {
  const { anchor, figure, fact, more } = part;
  return html`<section id="${anchor}" class="tile" aria-labelledby="${anchor}-title">
    <h3 class="label" id="${anchor}-title">${titleOf(anchor, context)}</h3>
    ${figure && html`<div class="value">${figure.value}</div>`}
    ${figure?.note === undefined ? undefined : html`<div class="soft">${figure.note}</div>`}
    ${fact === undefined ? undefined : html`<div>${fact}</div>`} ${more}
    ${part.state === 'ok' ? undefined : mark(part, context)}
  </section>`;
}

/** The queue's name, with a link if it has a page of its own. */
function titleOf(anchor: Anchor, { texts }: PageContext): Html | string {
  const name = texts.platform.parts[anchor];
  const page = queuePages[anchor];
  return page === undefined ? name : html`<a href="${page}">${name}</a>`;
}

const queuePages: Readonly<Partial<Record<Anchor, string>>> = {
  approvals: '/portal/waiting',
  reviews: '/portal/reviews',
};

function processes(part: Part, context: PageContext): Html {
  const { processes: title } = context.texts.platform.parts;
  return html`<section id="processes" aria-labelledby="processes-title">
    <h2 id="processes-title">${title}</h2>
    ${typeof part.fact === 'string' ? html`<p>${part.fact}</p>` : part.fact}
  </section>`;
}

function needsAttention({ state, todo }: Part): boolean {
  return state === 'never' ? todo !== undefined : state !== 'ok' && state !== 'unknown';
}

/** The dependencies as one list. A phone folds those that are well. */
function dependencies(parts: readonly Part[], context: PageContext): Html {
  const { platform: words } = context.texts;
  const well = parts.filter(({ state }) => state === 'ok');
  const others = parts.filter(({ state }) => state !== 'ok');
  return html`<div class="card lines">
    ${others.map((part) => line(part, context))}
    ${
      well.length === 0
        ? undefined
        : html`<details class="fold">
            <summary>${words.areOk(well.length)}</summary>
            ${well.map((part) => line(part, context))}
          </details>`
    }
  </div>`;
}

/** A dependency in one line, with further facts folded away. */
function line(part: Part, context: PageContext): Html {
  const { anchor, fact, more } = part;
  const { texts } = context;
  return html`<section id="${anchor}" aria-labelledby="${anchor}-title">
    <h3 id="${anchor}-title">${texts.platform.parts[anchor]}</h3>
    ${mark(part, context)}
    <div class="fact">
      ${fact}
      ${
        more === undefined
          ? undefined
          : html`<details>
              <summary>${texts.details}</summary>
              ${more}
            </details>`
      }
    </div>
  </section>`;
}

function money({ money: found }: Platform, context: PageContext): Html {
  const { platform: words } = context.texts;
  return html`<section id="money" aria-labelledby="money-title">
    <h2 id="money-title">${words.moneyTitle}</h2>
    ${'facts' in found ? moneyTrends(found.facts, context) : notAsked(found, context)}
  </section>`;
}

function notAsked(found: Exclude<Answered<never>, { facts: never }>, { texts }: PageContext): Html {
  const { platform: words } = texts;
  return html`<p>${'hidden' in found ? words.hidden : words.notAsked(found.problem)}</p>`;
}

function trends(platform: Platform, context: PageContext): Html {
  const { platform: words } = context.texts;
  const { recent } = platform;
  return html`<section id="plots" aria-labelledby="plots-title">
    <h2 id="plots-title">${words.plots}</h2>
    <ul class="tabs" aria-label="${words.plotSpan}">
      ${Object.keys(spans).map(
        (span) =>
          html`<li>
            <a
              href="/portal/status?span=${span}#plots"
              ${span === platform.span ? html` aria-current="true"` : undefined}
              >${words.spans[span as Span]}</a
            >
          </li>`,
      )}
    </ul>
    ${'facts' in recent ? plots(recent.facts, platform, context) : notAsked(recent, context)}
  </section>`;
}

function summary(wrong: readonly Part[], all: readonly Part[], context: PageContext): Html {
  const { platform: words } = context.texts;
  const unknown = all.filter(({ state }) => state === 'unknown');
  if (wrong.length === 0)
    return unknown.length === 0
      ? html`<p class="well">${statusMark('ok', words.states.ok, 'good')} ${words.allWell}</p>`
      : notice('info', words.someUnknown);
  const isDown = wrong.some(({ state }) => state === 'down');
  const names = unknown.map(({ anchor }) => words.parts[anchor]).join(', ');
  // Parts that are down come before those that only wait.
  const ordered = wrong.toSorted(
    (one, other) => Number(other.state === 'down') - Number(one.state === 'down'),
  );
  const sentences = ordered.map((part) => sentenceOf(part, context)).join(' ');
  return html`${notice(isDown ? 'error' : 'warning', sentences)}
    <section class="card todo" aria-labelledby="todo-title">
      <h2 id="todo-title">${words.todo}</h2>
      <ol>
        ${ordered.map(
          (part) =>
            html`<li>
              <p>
                <a href="${pageOf(part)}">${words.parts[part.anchor]}</a> ${mark(part, context)}
              </p>
              ${part.todo === undefined ? undefined : action(part, part.todo, context)}
            </li>`,
        )}
      </ol>
      ${names === '' ? undefined : html`<p>${words.unknownParts}: ${names}.</p>`}
    </section>`;
}

/** Names what is wrong with a part: `2 reviews wait, oldest 1 h 5 min.` */
function sentenceOf({ anchor, state, figure, fact }: Part, { texts }: PageContext): string {
  const { platform: words } = texts;
  const queue = queueAnchors.find((each) => each === anchor);
  if (queue !== undefined && figure !== undefined && figure.value !== 0 && state !== 'down')
    return words.waits[queue](figure.value, figure.note);
  if (state === 'never' && typeof fact === 'string') return fact;
  return words.needs(words.parts[anchor], words.states[state]);
}

/** The page where the part's next step is done, else the part itself. */
function pageOf({ anchor, todo }: Part): string {
  return (todo && pages[todo]) ?? `#${anchor}`;
}

function mark({ state }: Part, { texts }: PageContext): Html {
  const kinds = {
    ok: 'good',
    never: 'neutral',
    waits: 'waiting',
    attention: 'waiting',
    down: 'bad',
    unknown: 'waiting',
  } as const;
  return statusMark(state, texts.platform.states[state], kinds[state]);
}

/** The next safe action, its page, and its command folded away. */
function action(part: Part, todo: Todo, { texts }: PageContext): Html {
  const { platform: words } = texts;
  const typed = part.command ?? ownCommands[todo];
  return html`<p>${words.todos[todo]}</p>
    ${
      typed === undefined
        ? undefined
        : html`<details>
            <summary>${words.command}</summary>
            ${command(typed)}
          </details>`
    }`;
}

const pages: Readonly<Partial<Record<Todo, string>>> = {
  approvals_wait: '/portal/waiting',
  admin_announced: '/portal/break-glass',
  callbacks_unposted: '/portal/reviews',
  callbacks_wait: '/portal/reviews',
  reviews_open: '/portal/reviews',
  missed_money: '/portal/reviews',
};

/** Commands for the parts that the command line's status does not have. */
const ownCommands: Readonly<Partial<Record<Todo, string>>> = {
  float_unknown: 'npx pesapost status',
  balance_differs: 'npx pesapost rail balance show --mode live',
  webhooks_failing: 'npx pesapost webhook deliveries --failing',
  missed_money: 'npx pesapost reconcile missed',
};
