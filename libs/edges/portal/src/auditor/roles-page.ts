import { type RoleSince } from '#domain/people';
import { html, type Html } from '#shared/html';
import { emptyState, field, form, notice, table } from '../page/parts.js';
import { merchantName, when } from '../operator/page-context.js';
import { textsOf } from '../text/texts-of.js';
import { type PageContext } from './page-context.js';
import { type Names, personWithName } from './person.js';

interface RolesPage {
  readonly roles: readonly RoleSince[];
  /** The day as it was typed; empty for now. */
  readonly day: string;
  readonly isWrong: boolean;
  /** Names of the people who granted roles. */
  readonly names: Names;
}

/** The page that lists who had which role at the end of a day, with who granted it and why. */
export function rolesPage({ roles, day, isWrong, names }: RolesPage, context: PageContext): Html {
  const { roles: words } = context.words;
  return html`<p>${words.intro}</p>
    ${form(context.viewer, {
      action: '/portal/audit/roles',
      method: 'get',
      submit: context.texts.show,
      look: 'secondary',
      isRow: true,
      fields: [
        field({
          name: 'at',
          label: words.at,
          hint: words.atHint,
          type: 'date',
          value: day,
          error: isWrong ? words.wrongDate : undefined,
        }),
      ],
    })}
    ${isWrong ? notice('error', words.wrongDate) : listed({ roles, day, names }, context)}`;
}

function listed({ roles, day, names }: Omit<RolesPage, 'isWrong'>, context: PageContext): Html {
  const { words, zone } = context;
  const { roles: texts } = words;
  return table({
    caption: `${texts.caption}: ${day === '' ? texts.now : `${day} (${zone})`}`,
    head: [texts.person, texts.role, texts.where, texts.since, texts.by, texts.second, texts.why],
    rows: roles.map((each) => [
      personWithName(each.person, new Map([[each.person, each.name]]), context),
      textsOf(context.viewer).roles[each.role],
      each.merchantId === undefined ? texts.platform : merchantName(each.merchantId, context),
      when(each.grantedAt, context),
      personWithName(each.proposedBy, names, context),
      each.confirmedBy === undefined ? '' : personWithName(each.confirmedBy, names, context),
      each.reason ?? '',
    ]),
    empty: emptyState(texts.empty, texts.emptyTodo),
  });
}
