import { merchantRoles, permits, type RoleSince } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type Viewer } from '../../access/viewer.js';
import { shortDay } from '../../page/list-parts.js';
import { emptyState, field, form, hidden, table, timeText } from '../../page/parts.js';
import { accessList, type AccessListModel } from '../access/access-list.js';
import { personName } from '../colleagues.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { faults, reasonField } from './change-parts.js';
import { type FieldErrors } from './typed-form.js';

/** A form of the page that was sent and cannot be carried out. */
export interface SentTeamForm {
  readonly values: URLSearchParams;
  readonly errors: FieldErrors;
}

export interface TeamModel extends AccessListModel {
  readonly held: readonly RoleSince[];
  readonly sent: SentTeamForm | undefined;
}

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

/** The people who have a role at the merchant, and the forms with which an owner asks for a role or its removal. */
export function teamPage(model: TeamModel, frame: Frame): Html {
  const { clock, held, names, place, sent } = model;
  const { viewer, texts } = frame;
  const { team: words } = texts.developer;
  const roles: Readonly<Record<string, string>> = words.roles;
  const mayAsk = permits(viewer.roles, 'access.ask', place.merchantId);
  return html`${sent && faults(sent.errors, 'ask', texts)}
    <div class="${mayAsk ? 'beside' : 'parts'}">
      <div>
        ${table({
          caption: words.caption,
          head: [words.name, words.role, words.since, ...(mayAsk ? [words.change] : [])],
          rows: held.map((each) => [
            names.has(each.person) ? personName(each.person, names) : each.name,
            roles[each.role] ?? each.role,
            sinceDay(each.grantedAt, clock),
            ...(mayAsk ? [removalForm(each, model, frame)] : []),
          ]),
          empty: emptyState(words.empty, words.decided, 'team'),
        })}
        ${accessList(model, frame)}
      </div>
      ${mayAsk ? roleForm(model, frame) : undefined}
    </div>`;
}

/** The day with its year: for a role, the hour says nothing. */
function sinceDay(at: string, { timezone, language }: TeamModel['clock']): Html {
  const exact = timeText(new Date(at), timezone);
  const day = shortDay(exact.slice(0, 'YYYY-MM-DD'.length), { today: '', language });
  return html`<time datetime="${at}" title="${exact}">${day}</time>`;
}

function roleForm({ place, sent }: TeamModel, { viewer, texts }: Frame): Html {
  const { team: words } = texts.developer;
  const own = (name: string) => ({
    name,
    id: `ask_${name}`,
    autocomplete: 'off',
    error: sent?.errors[name],
    value: sent?.values.get(name) ?? '',
  });
  return html`<section class="card">
    <h2>${words.ask}</h2>
    <p>${words.decided}</p>
    ${form(viewer, {
      action: `${place.base}/team/ask`,
      submit: words.send,
      fields: [
        field({ ...own('name'), label: words.name, isRequired: true, maxLength: 100 }),
        field({
          ...own('person'),
          label: words.person,
          hint: words.personHint,
          isRequired: true,
          maxLength: 500,
        }),
        field({
          ...own('role'),
          label: words.role,
          options: merchantRoles.map((role) => [role, words.roles[role]] as const),
        }),
        reasonField(texts, {
          id: 'ask_reason',
          error: sent?.errors['reason'],
          value: sent?.values.get('reason') ?? '',
        }),
      ],
    })}
  </section>`;
}

function removalForm(
  { person, role }: RoleSince,
  { place }: TeamModel,
  { viewer, texts }: Frame,
): Html {
  const { team: words } = texts.developer;
  const id = `removal-${person}-${role}`.replaceAll(/[^A-Za-z0-9-]+/g, '-');
  return html`<details>
    <summary>${words.remove}</summary>
    ${form(viewer, {
      action: `${place.base}/team/ask-removal`,
      submit: words.send,
      look: 'secondary',
      fields: [hidden('person', person), hidden('role', role), reasonField(texts, { id })],
    })}
  </details>`;
}
