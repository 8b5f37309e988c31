import { permits } from '#domain/people';
import { type AccessRequest, type AccessRequestStatus } from '#records/people';
import { html, type Html } from '#shared/html';
import { type Viewer } from '../../access/viewer.js';
import { shortTime, type WallClock } from '../../page/list-parts.js';
import { form, hidden, statusMark, table } from '../../page/parts.js';
import { type Names, personName } from '../colleagues.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place } from '../place.js';
import { changeIn } from './access-details.js';

export interface AccessListModel {
  readonly place: Place;
  readonly clock: WallClock;
  readonly requests: readonly AccessRequest[];
  readonly names: Names;
}

type Kind = Parameters<typeof statusMark>[2];

const looks: Readonly<Record<AccessRequestStatus, Kind>> = {
  sent: 'waiting',
  taken: 'waiting',
  done: 'good',
  declined: 'bad',
  withdrawn: 'neutral',
  expired: 'neutral',
};

/** The merchant's requests for access with their states, or nothing if there is none. */
export function accessList(
  { place, clock, requests, names }: AccessListModel,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html | undefined {
  if (requests.length === 0) return undefined;
  const { access: words } = texts.developer;
  const mayWithdraw = permits(viewer.roles, 'access.withdraw', place.merchantId);
  const withdraw = (id: string) =>
    form(viewer, {
      action: `${place.base}/access/withdraw`,
      submit: words.withdraw,
      look: 'secondary',
      fields: [hidden('request', id)],
    });
  return table({
    caption: words.title,
    head: [words.asked, words.by, words.since, words.state],
    rows: requests.map((request) => [
      html`<b>${words.kinds[request.kind]}</b>
        <div class="soft">${summaryOf(request, texts)}</div>`,
      personName(request.askedBy, names),
      shortTime(request.askedAt, clock),
      html`<div>
        ${statusMark(request.status, words.states[request.status], looks[request.status])}
        ${request.endedReason === undefined ? undefined : html`<div>${request.endedReason}</div>`}
        ${mayWithdraw && request.status === 'sent' ? withdraw(request.id) : undefined}
      </div>`,
    ]),
    empty: html``,
  });
}

/** The content of a request in one line. */
function summaryOf(request: AccessRequest, { developer }: MerchantTexts): string {
  const change = changeIn(request);
  switch (change?.kind) {
    case undefined:
      return '';
    case 'credential': {
      const { holder, publicKey, ipRanges, expiresAt } = change.details;
      const end = expiresAt === undefined ? '' : `, ${expiresAt}`;
      return `${holder}, SHA-256 ${publicKey.fingerprint.slice(0, 16)}…, ${ipRanges.join(', ')}${end}`;
    }
    case 'ip_list':
      return change.details.ipRanges.join(', ');
    case 'role':
    case 'role_removal': {
      const roles: Readonly<Record<string, string>> = developer.team.roles;
      return `${change.details.name}: ${roles[change.details.role] ?? change.details.role}`;
    }
  }
}
