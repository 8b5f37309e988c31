import { type HeldRole, personId, personOf, roleTermsFrom, type RoleSince } from '#domain/people';
import { html, type Html } from '#shared/html';
import {
  definitions,
  emptyState,
  field,
  form,
  hidden,
  notice,
  shortId,
  statusMark,
  table,
} from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { type FormErrors } from './decision-form.js';
import {
  merchantName,
  merchantText,
  type PageContext,
  subjectOf,
  when,
  who,
} from './page-context.js';
import { proposalForms, type ShownProposal } from './proposals-page.js';

interface RolesPage {
  readonly held: readonly RoleSince[];
  readonly waiting: readonly ShownProposal[];
  /** The text that names or roles contain; empty for all. */
  readonly text?: string;
  readonly refused?: FormErrors | undefined;
}

/** The page of the roles that wait for a second admin, and of all roles with their holders. */
export function rolesPage(
  { held, waiting, text = '', refused }: RolesPage,
  context: PageContext,
): Html {
  const { texts } = context;
  const { roles: words } = texts;
  const asked = text.trim().toLowerCase();
  const shown = held.filter((each) =>
    `${each.name} ${shownRole(each, context)}`.toLowerCase().includes(asked),
  );
  return html`${refused?.summary === undefined ? undefined : notice('error', refused.summary)}
    <p>${words.intro}</p>
    ${waiting.length === 0 ? undefined : html`<h2>${words.waiting}</h2>`}
    ${waiting.map((proposal) => waitingRole(proposal, context))} ${filterForm(text, context)}
    ${heldTable(shown, context)}`;
}

/** The button that leads to the form of a role. */
export function grantLink({ texts }: PageContext): Html {
  return html`<a class="button" href="/portal/roles/new">${texts.roles.grant}</a>`;
}

/** The filter is a form, so that typed text is in no address and no log (POR-59). */
function filterForm(text: string, { texts, viewer }: PageContext): Html {
  return form(viewer, {
    action: '/portal/roles/filter',
    isRow: true,
    submit: texts.show,
    look: 'secondary',
    fields: [
      field({
        name: 'text',
        label: texts.roles.filterLabel,
        type: 'search',
        value: text,
        maxLength: 100,
        autocomplete: 'off',
      }),
    ],
  });
}

/** One row a role. The forms about a person are folded into the first of their rows. */
function heldTable(held: readonly RoleSince[], context: PageContext): Html {
  const { texts, viewer, merchants } = context;
  const { roles: words } = texts;
  const people = Map.groupBy(held, ({ person }) => person);
  const firsts = new Set([...people.values()].map(([first]) => first));
  return table({
    caption: words.held,
    head: [words.name, words.role, words.where, texts.since, words.manage],
    rows: held.map((each) => {
      const isOwn = each.person === personId(viewer.person);
      const { merchantId } = each;
      const where =
        merchantId === undefined
          ? words.platform
          : merchants?.has(merchantId)
            ? merchantName(merchantId, context)
            : shortId(merchantId);
      return [
        isOwn
          ? html`${each.name} <span class="soft">(${texts.you})</span>`
          : html`${each.name} ${subjectOfPerson(each.person)}`,
        html`${textsOf(viewer).roles[each.role]}
        ${each.isSuspended ? statusMark('suspended', words.isSuspended, 'bad') : undefined}`,
        where,
        when(each.grantedAt, context),
        html`<details class="manage">
          <summary>${words.manage}<span class="away">: ${each.name}</span></summary>
          ${each.isSuspended ? html`<p>${words.suspended}</p>` : undefined}
          <p>
            <a href="/portal/roles/sessions?person=${encodeURIComponent(each.person)}"
              >${words.sessions}</a
            >
          </p>
          ${isOwn ? html`<p>${words.ownRole}</p>` : heldRole(each, context)}
          ${isOwn || !firsts.has(each) ? undefined : suspension(each.person, people.get(each.person) ?? [], context)}
        </details>`,
      ];
    }),
    empty: emptyState(words.noneFound, words.noneFoundTodo),
  });
}

function subjectOfPerson(id: string): Html {
  const person = personOf(id);
  return person ? subjectOf(person) : html`${id}`;
}

function waitingRole(proposal: ShownProposal, context: PageContext): Html {
  const { reason, askedBy, proposedBy, endsAt } = proposal;
  const terms = roleTermsFrom(proposal);
  return html`<section class="card">
    <h3>${terms.name}</h3>
    ${definitions([
      [context.texts.waiting.change, heldRoleName(context)(terms)],
      [context.texts.roles.person, who(terms.person, context)],
      [context.texts.reason, reason],
      [context.texts.access.askedBy, askedBy === undefined ? undefined : who(askedBy, context)],
      [context.texts.waiting.by, who(proposedBy, context)],
      [context.texts.waiting.ends, when(endsAt, context)],
    ])}
    ${proposalForms(proposal, context)}
  </section>`;
}

function heldRole(held: RoleSince, context: PageContext): Html {
  const { texts, viewer } = context;
  const { roles: words } = texts;
  const { person, role, merchantId = '', proposedBy, confirmedBy } = held;
  const name = shownRole(held, context);
  const id = `reason-${person}-${role}-${merchantId}`.replaceAll(/[^A-Za-z0-9-]+/g, '-');
  return html`${definitions([
    [words.grantedBy, who(proposedBy, context)],
    [words.confirmedBy, confirmedBy === undefined ? undefined : who(confirmedBy, context)],
    [texts.reason, held.reason],
  ])}
  ${form(viewer, {
    action: '/portal/roles/revoke',
    submit: `${words.revokeButton}: ${name}`,
    danger: true,
    fields: [
      hidden('person', person),
      hidden('role', role),
      hidden('merchant', merchantId),
      field({
        name: 'reason',
        id,
        label: texts.fields.reason,
        hint: texts.fields.reasonHint,
        isRequired: true,
        maxLength: 500,
        autocomplete: 'off',
      }),
    ],
  })}`;
}

/** Forms to suspend an admin, for which one other admin is enough, and to lift it, which needs two (PEO-55, PEO-57). */
function suspension(
  person: string,
  roles: readonly RoleSince[],
  { texts, viewer }: PageContext,
): Html | undefined {
  if (!roles.some(({ role }) => role === 'admin')) return undefined;
  const { roles: words, fields } = texts;
  const isSuspended = roles.some((each) => each.isSuspended);
  const verb = isSuspended ? 'unsuspend' : 'suspend';
  return html`<details>
    <summary>${words[verb]}</summary>
    <p>${isSuspended ? words.unsuspendText : words.suspendText}</p>
    ${form(viewer, {
      action: `/portal/roles/${verb}`,
      submit: words[verb],
      danger: true,
      fields: [
        hidden('person', person),
        field({
          name: 'reason',
          id: `${verb}-${person}`.replaceAll(/[^A-Za-z0-9-]+/g, '-'),
          label: fields.reason,
          hint: fields.reasonHint,
          isRequired: true,
          maxLength: 500,
          autocomplete: 'off',
        }),
      ],
    })}
  </details>`;
}

/** A role with its merchant by name and the end of its id. The page before a proof of presence has the whole id (POR-57). */
function shownRole(
  { role, merchantId }: HeldRole,
  { texts, merchants, viewer }: PageContext,
): string {
  const word = textsOf(viewer).roles[role];
  if (merchantId === undefined) return texts.roles.roleOf(word, '');
  const end = merchantId.length > 8 ? `…${merchantId.slice(-6)}` : merchantId;
  const name = merchants?.get(merchantId);
  return texts.roles.roleOf(word, name === undefined ? end : `${name} (${end})`);
}

/** A role in the viewer's language, with its merchant. */
export function heldRoleName(context: PageContext): (held: HeldRole) => string {
  return ({ role, merchantId }) =>
    context.texts.roles.roleOf(
      textsOf(context.viewer).roles[role],
      merchantId === undefined ? '' : merchantText(merchantId, context),
    );
}
