import { type AccessRequest } from '#records/people';
import { html, type Html } from '#shared/html';
import { changeIn } from '../merchant/access/access-details.js';
import { definitions, field, form, hidden } from '../page/parts.js';
import { merchantName, modeMark, type PageContext, when, who } from './page-context.js';

/** The field of the reason of a decline. */
export const declineField = 'decline_reason';

/** The requests of merchants' owners, for an admin; nothing if there is none (POR-101). */
export function requestCards(
  requests: readonly AccessRequest[],
  context: PageContext,
): Html | undefined {
  if (requests.length === 0) return undefined;
  const { access: words } = context.texts;
  return html`<h2 id="requests">${words.title}</h2>
    <p class="soft">${words.intro}</p>
    ${requests.map((request) => requestCard(request, context))}`;
}

function requestCard(request: AccessRequest, context: PageContext): Html {
  const { texts } = context;
  const { access: words } = texts;
  const { kind, mode, merchantId, askedBy, reason, askedAt, endsAt } = request;
  return html`<section class="card approval">
    <div class="about">
      <h3>${words.kinds[kind]}</h3>
      ${mode === undefined ? undefined : modeMark(mode, context)}
    </div>
    <div class="change">
      ${contentRows(request, context).map(([name, value]) => html`<div>${name}: ${value}</div>`)}
    </div>
    ${definitions([
      [texts.merchant, merchantName(merchantId, context)],
      [words.askedBy, who(askedBy, context)],
      [texts.reason, reason],
      [texts.since, when(askedAt, context)],
      [texts.waiting.ends, when(endsAt, context)],
    ])}
    ${requestForms(request, context)}
  </section>`;
}

function requestForms({ id, digest }: AccessRequest, { texts, viewer }: PageContext): Html {
  const { access: words } = texts;
  const bound = [hidden('request', id), hidden('seen', digest)];
  return html`<div class="buttons">
      ${form(viewer, {
        action: '/portal/access/take-up',
        submit: words.takeUp,
        look: 'secondary',
        fields: bound,
      })}
    </div>
    <details>
      <summary>${words.decline}</summary>
      ${form(viewer, {
        action: '/portal/access/decline',
        submit: words.decline,
        look: 'secondary',
        fields: [
          ...bound,
          field({
            name: declineField,
            id: `decline-${id}`,
            label: words.declineReason,
            hint: words.declineHint,
            isRequired: true,
            maxLength: 500,
            autocomplete: 'off',
          }),
        ],
      })}
    </details>`;
}

/** Everything that was asked for, whole. */
function contentRows(
  request: AccessRequest,
  { texts }: PageContext,
): readonly (readonly [string, Html | string])[] {
  const { fields } = texts.proposals;
  const change = changeIn(request);
  switch (change?.kind) {
    case undefined:
      return [];
    case 'credential': {
      const { holder, publicKey, ipRanges, expiresAt } = change.details;
      return [
        [fields.holder, holder],
        [fields.ips, ipRanges.join(', ')],
        ...(expiresAt === undefined ? [] : [[fields.expires, expiresAt] as const]),
        [fields.key, html`SHA-256 <code>${publicKey.fingerprint}</code>`],
      ];
    }
    case 'ip_list': {
      const { credentialId, ipRanges } = change.details;
      return [
        [fields.credential, html`<code>${credentialId}</code>`],
        [fields.ips, ipRanges.join(', ')],
      ];
    }
    case 'role':
    case 'role_removal': {
      const { name, person, role } = change.details;
      return [
        [fields.name, name],
        [fields.person, html`<code>${person}</code>`],
        [fields.role, role],
      ];
    }
  }
}
