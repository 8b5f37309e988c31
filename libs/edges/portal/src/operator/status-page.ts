import { html, type Html } from '#shared/html';
import { notice, statusMark } from '../page/parts.js';
import { command, type Look } from './looks.js';
import { type Span, spans } from './spans.js';
import { type Part, partsOf, type Platform, type Todo } from './status-parts.js';
import { plots } from './status-plots.js';

/** What is broken, what waits, since when, and the next safe action: first what to do, then each part. */
export function statusPage(platform: Platform, look: Look): Html {
  const { platform: words } = look.texts;
  const parts = partsOf(platform, look);
  const wrong = parts.filter(({ state }) => state !== 'ok');
  return html`${summary(wrong, look)}
    <div class="parts">
      ${parts.map(
        (part) =>
          html`<section id="${part.anchor}" class="card" aria-labelledby="${part.anchor}-title">
            <h2 id="${part.anchor}-title">${words.parts[part.anchor]}</h2>
            <p>${mark(part, look)}</p>
            ${part.todo === undefined ? undefined : action(part.todo, look)} ${part.content}
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
          ? plots(platform.recent.facts, platform, look)
          : notice('error', platform.recent.problem)
      }
    </section>`;
}

function summary(wrong: readonly Part[], look: Look): Html {
  const { platform: words } = look.texts;
  if (wrong.length === 0) return notice('info', words.allWell);
  const isDown = wrong.some(({ state }) => state === 'down');
  const text = wrong.length === 1 ? words.attentionOne : words.attention(wrong.length);
  // What is down comes before what only waits.
  const ordered = wrong.toSorted(
    (one, other) => Number(other.state === 'down') - Number(one.state === 'down'),
  );
  return html`${notice(isDown ? 'error' : 'warning', text)}
    <h2>${words.todo}</h2>
    <ol>
      ${ordered.map(
        (part) =>
          html`<li>
            <a href="#${part.anchor}">${words.parts[part.anchor]}</a>: ${mark(part, look)}
            ${part.todo === undefined ? undefined : action(part.todo, look)}
          </li>`,
      )}
    </ol>`;
}

function mark({ state }: Part, { texts }: Look): Html {
  const kinds = { ok: 'good', attention: 'waiting', down: 'bad' } as const;
  return statusMark(state, texts.platform.states[state], kinds[state]);
}

/** The next safe action, and its command or page. */
function action(todo: Todo, { texts }: Look): Html {
  const { platform: words } = texts;
  const way = ways[todo];
  const text = html`${words.todos[todo]}`;
  if (way === undefined) return html`<p>${text}</p>`;
  const page = way.page === undefined ? undefined : html`<a href="${way.page}">${texts.show}</a>.`;
  const typed =
    way.command === undefined ? undefined : html`${words.command}: ${command(way.command)}`;
  return html`<p>${text} ${page} ${typed}</p>`;
}

interface Way {
  readonly page?: string;
  readonly command?: string;
}

const ways: Readonly<Partial<Record<Todo, Way>>> = {
  views_quarantined: { command: 'npx pesapost projection quarantine list' },
  callbacks_wait: { page: '/portal/reviews', command: 'npx pesapost review list' },
  reviews_open: { page: '/portal/reviews', command: 'npx pesapost review list' },
  seal_late: { command: 'npx pesapost audit seal' },
  drill_never: { command: 'npx pesapost drill' },
  drill_failed: { command: 'npx pesapost drill' },
  drill_old: { command: 'npx pesapost drill' },
  float_missing: { command: 'npx pesapost payout list --status pending' },
  payouts_old: { command: 'npx pesapost payout list --status pending' },
  webhooks_failing: { command: 'npx pesapost webhook deliveries --failing' },
  missed_money: { page: '/portal/corrections', command: 'npx pesapost reconcile missed' },
};
