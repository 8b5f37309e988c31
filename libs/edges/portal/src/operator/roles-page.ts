import {
  type HeldRole,
  merchantRoles,
  operatorRoles,
  personId,
  roleTermsFrom,
  type RoleSince,
} from '#domain/people';
import { html, type Html } from '#shared/html';
import {
  definitions,
  emptyState,
  errorSummary,
  field,
  form,
  hidden,
  notice,
} from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { type FormErrors } from './decision-form.js';
import { type PageContext, merchantText, when, who } from './page-context.js';
import { proposalForms, type ShownProposal } from './proposals-page.js';

interface RolesPage {
  readonly held: readonly RoleSince[];
  readonly waiting: readonly ShownProposal[];
  readonly refused?: FormErrors | undefined;
}

/** The page of the roles that wait for a second admin, the form that proposes one, and the list of who has which. */
export function rolesPage({ held, waiting, refused }: RolesPage, context: PageContext): Html {
  const { texts, viewer } = context;
  const { roles: words } = texts;
  const people = Map.groupBy(held, ({ person }) => person);
  return html`${refused?.summary === undefined ? undefined : notice('error', refused.summary)}
    ${refused && errorSummary(texts.problem, refused.fields)}
    <p>${words.intro}</p>
    <h2>${words.waiting}</h2>
    ${
      waiting.length === 0
        ? emptyState(words.noneWaiting, words.noneWaitingTodo)
        : waiting.map((proposal) => waitingRole(proposal, context))
    }
    ${grantForm(refused, context)}
    <h2>${words.held}</h2>
    ${[...people].map(([person, roles]) => {
      const isOwn = person === personId(viewer.person);
      return html`<section class="card">
        <h3>
          ${roles[0]?.name}${isOwn ? html` <span class="soft">(${texts.you})</span>` : undefined}
        </h3>
        <div>
          ${isOwn ? undefined : who(person, context)}
          <a href="/portal/roles/sessions?person=${encodeURIComponent(person)}"
            >${words.sessions}</a
          >
        </div>
        ${roles.some(({ isSuspended }) => isSuspended) ? notice('warning', words.suspended) : undefined}
        ${roles.map((each) => (isOwn ? ownRole(each, context) : heldRole(each, context)))}
        ${isOwn ? undefined : suspension(person, roles, context)}
      </section>`;
    })}`;
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

function ownRole(held: RoleSince, context: PageContext): Html {
  const { texts } = context;
  return html`<p>
    <b>${shownRole(held, context)}</b>, ${texts.since} ${when(held.grantedAt, context)}.
    ${texts.roles.ownRole}
  </p>`;
}

function heldRole(held: RoleSince, context: PageContext): Html {
  const { texts, viewer } = context;
  const { roles: words } = texts;
  const { person, role, merchantId = '', grantedAt, proposedBy, confirmedBy } = held;
  const name = shownRole(held, context);
  const id = `reason-${person}-${role}-${merchantId}`.replaceAll(/[^A-Za-z0-9-]+/g, '-');
  return html`<details>
    <summary><b>${name}</b>, ${texts.since} ${when(grantedAt, context)}</summary>
    ${definitions([
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
    })}
  </details>`;
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

function grantForm(refused: FormErrors | undefined, { texts, viewer }: PageContext): Html {
  const { roles: words, fields } = texts;
  const own = (name: string) => ({
    name: `role_${name}`,
    autocomplete: 'off',
    error: refused?.fields.find(({ field: of }) => of === `role_${name}`)?.text,
    value: refused?.values.get(`role_${name}`) ?? undefined,
  });
  const roles = [...new Set<string>([...operatorRoles, ...merchantRoles])];
  const isOpen = (refused?.fields.length ?? 0) > 0;
  return html`<details${isOpen ? html` open` : undefined}>
    <summary>${words.grant}</summary>
    <p>${words.grantText}</p>
    ${form(viewer, {
      action: '/portal/roles',
      submit: words.grantButton,
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
          hint: words.roleHint,
          options: roles.map((role) => [role, role] as const),
        }),
        field({
          ...own('merchant'),
          label: words.merchantId,
          hint: words.merchantHint,
          maxLength: 64,
        }),
        field({
          ...own('reason'),
          label: fields.reason,
          hint: fields.reasonHint,
          type: 'textarea',
          isRequired: true,
          maxLength: 500,
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
