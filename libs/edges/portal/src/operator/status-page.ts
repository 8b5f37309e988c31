import { html, type Html } from '#shared/html';
import { notice, statusMark } from '../page/parts.js';
import { command, type PageContext } from './page-context.js';
import { type Span, spans } from './spans.js';
import { type Part, partsOf, type Platform, type Todo } from './status-parts.js';
import { plots } from './status-plots.js';

/**
 * The page that shows what is broken, what waits, since when, and the next safe action: first the actions, then each
 * part.
 */
export function statusPage(platform: Platform, context: PageContext): Html {
  const { platform: words } = context.texts;
  const parts = partsOf(platform, context);
  const wrong = parts.filter(({ state }) => state !== 'ok' && state !== 'unknown');
  return html`${platform.isByPass ? notice('info', words.byPass) : undefined}
    ${summary(wrong, parts, context)}
    <div class="parts">
      ${parts.map(
        (part) =>
          html`<section id="${part.anchor}" class="card" aria-labelledby="${part.anchor}-title">
            <h2 id="${part.anchor}-title">${words.parts[part.anchor]}</h2>
            <p>${mark(part, context)}</p>
            ${part.todo === undefined ? undefined : action(part, part.todo, context)}
            ${part.content}
          </section>`,
      )}
    </div>
    <section id="plots" aria-labelledby="plots-title">
      <h2 id="plots-title">${words.plots}</h2>
      <p>
        ${words.plotSpan}:
        ${Object.keys(spans).map((span) =>
          span === platform.span
            ? html`<b>${words.spans[span]}</b> `
            : html`<a href="/portal/status?span=${span}#plots">${words.spans[span as Span]}</a> `,
        )}
      </p>
      ${
        'facts' in platform.recent
          ? plots(platform.recent.facts, platform, context)
          : html`<p>
              ${'hidden' in platform.recent ? words.hidden : words.notAsked(platform.recent.problem)}
            </p>`
      }
    </section>`;
}

function summary(wrong: readonly Part[], all: readonly Part[], context: PageContext): Html {
  const { platform: words } = context.texts;
  const unknown = all.filter(({ state }) => state === 'unknown');
  if (wrong.length === 0)
    return notice('info', unknown.length === 0 ? words.allWell : words.someUnknown);
  const isDown = wrong.some(({ state }) => state === 'down');
  const text = wrong.length === 1 ? words.attentionOne : words.attention(wrong.length);
  const names = unknown.map(({ anchor }) => words.parts[anchor]).join(', ');
  // Parts that are down come before those that only wait.
  const ordered = wrong.toSorted(
    (one, other) => Number(other.state === 'down') - Number(one.state === 'down'),
  );
  return html`${notice(isDown ? 'error' : 'warning', text)}
    <h2>${words.todo}</h2>
    <ol>
      ${ordered.map(
        (part) =>
          html`<li>
            <a href="#${part.anchor}">${words.parts[part.anchor]}</a>: ${mark(part, context)}
            ${part.todo === undefined ? undefined : action(part, part.todo, context)}
          </li>`,
      )}
    </ol>
    ${names === '' ? undefined : html`<p>${words.unknownParts}: ${names}.</p>`}`;
}

function mark({ state }: Part, { texts }: PageContext): Html {
  const kinds = {
    ok: 'good',
    waits: 'waiting',
    attention: 'waiting',
    down: 'bad',
    unknown: 'waiting',
  } as const;
  return statusMark(state, texts.platform.states[state], kinds[state]);
}

/** The next safe action, and its command or page. */
function action(part: Part, todo: Todo, { texts }: PageContext): Html {
  const { platform: words } = texts;
  const href = pages[todo];
  const typed = part.command ?? ownCommands[todo];
  const text = html`${words.todos[todo]}`;
  const page = href === undefined ? undefined : html`<a href="${href}">${texts.show}</a>.`;
  const line = typed === undefined ? undefined : html`${words.command}: ${command(typed)}`;
  return html`<p>${text} ${page} ${line}</p>`;
}

const pages: Readonly<Partial<Record<Todo, string>>> = {
  callbacks_wait: '/portal/reviews',
  reviews_open: '/portal/reviews',
  missed_money: '/portal/corrections',
};

/** Commands for the parts that the command line's status does not have. */
const ownCommands: Readonly<Partial<Record<Todo, string>>> = {
  float_missing: 'npx pesapost payout list --status pending',
  float_unknown: 'npx pesapost status',
  payouts_old: 'npx pesapost payout list --status pending',
  webhooks_overdue: 'npx pesapost status',
  webhooks_failing: 'npx pesapost webhook deliveries --failing',
  missed_money: 'npx pesapost reconcile missed',
};
