import { type RoleSince } from '#domain/people';
import { html, type Html } from '#shared/html';
import { who } from '../operator/looks.js';
import { emptyState, field, form, notice, table, time } from '../page/parts.js';
import { type Look } from './look.js';

interface RolesPage {
  readonly roles: readonly RoleSince[];
  /** As it was typed; empty: now. */
  readonly day: string;
  readonly isWrong: boolean;
}

/** Who had which role at the end of a day, and by whom and why. */
export function rolesPage({ roles, day, isWrong }: RolesPage, look: Look): Html {
  const { roles: words } = look.words;
  return html`<p>${words.intro}</p>
    ${form(look.viewer, {
      ...{ action: '/portal/audit/roles', method: 'get', submit: look.texts.show, isRow: true },
      fields: [
        field({
          ...{ name: 'at', label: words.at, hint: words.atHint, type: 'date', value: day },
          error: isWrong ? words.wrongDate : undefined,
        }),
      ],
    })}
    ${isWrong ? notice('error', words.wrongDate) : listed(roles, day, look)}`;
}

function listed(roles: readonly RoleSince[], day: string, look: Look): Html {
  const { words, zone } = look;
  const { roles: texts } = words;
  return table({
    caption: `${texts.caption}: ${day === '' ? texts.now : `${day} (${zone})`}`,
    head: [texts.person, texts.role, texts.where, texts.since, texts.by, texts.second, texts.why],
    rows: roles.map((each) => [
      html`${each.name}<br />${who(each.person, look)}`,
      each.role,
      each.merchantId === undefined ? texts.platform : html`<code>${each.merchantId}</code>`,
      time(each.grantedAt, zone),
      who(each.proposedBy, look),
      each.confirmedBy === undefined ? '' : who(each.confirmedBy, look),
      each.reason ?? '',
    ]),
    empty: emptyState(texts.empty, texts.emptyTodo),
  });
}
