import { html, type Html } from '#shared/html';
import { type RoleSince } from '#domain/people';
import { shortTime, type WallClock } from '../../page/list-parts.js';
import { emptyState, table } from '../../page/parts.js';
import { type Names, personName } from '../colleagues.js';
import { type MerchantTexts } from '../merchant-texts.js';

export interface TeamModel {
  readonly clock: WallClock;
  readonly held: readonly RoleSince[];
  readonly names: Names;
}

/** The people who have a role at the merchant, and what an owner sends to PesaPost for a colleague. */
export function teamPage({ clock, held, names }: TeamModel, { developer }: MerchantTexts): Html {
  const { team: words } = developer;
  const roles: Readonly<Record<string, string>> = words.roles;
  return html`<div class="split">
    ${table({
      caption: words.caption,
      head: [words.name, words.role, words.since],
      rows: held.map(({ person, name, role, grantedAt }) => [
        names.has(person) ? personName(person, names) : name,
        roles[role] ?? role,
        shortTime(grantedAt, clock),
      ]),
      empty: emptyState(words.empty, words.ask),
    })}
    <section class="card">
      <h2>${words.ask}</h2>
      <p>${words.decided}</p>
      <ol>
        ${words.steps.map((step) => html`<li>${step}</li>`)}
      </ol>
    </section>
  </div>`;
}
