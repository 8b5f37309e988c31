import { html, type Html } from '#shared/html';
import { type OwnCredential } from '#views/merchants';
import { emptyState, nextPage, table, time } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type ListedRefusal } from '#records/credentials';
import { type MerchantTexts } from '../merchant-texts.js';

export interface RequestsModel {
  readonly place: Place;
  readonly credentials: readonly OwnCredential[];
  readonly refused: readonly ListedRefusal[];
  /** The start of the next page. */
  readonly next: bigint | undefined;
}

/** The page of refused calls of the merchant's systems, with their codes. */
export function requestsPage(
  { place, credentials, refused, next }: RequestsModel,
  { requests: words, common }: MerchantTexts,
): Html {
  const names = new Map(credentials.map(({ credentialId, name }) => [credentialId, name]));
  return html`<p>${words.intro}</p>
    ${table({
      caption: words.caption,
      head: [
        ...[words.time, words.code, { text: words.status, isNumber: true } as const],
        ...[words.route, words.credential, words.requestId],
      ],
      rows: refused.map((of) => [
        time(of.at, place.timezone),
        html`<code>${of.code}</code>`,
        of.status,
        html`<code>${of.method} ${of.route}</code>`,
        names.get(of.credentialId),
        html`<code>${of.requestId}</code>`,
      ]),
      empty: emptyState(words.empty.text, words.empty.todo),
    })}
    ${nextPage(next === undefined ? undefined : `${place.base}/requests?before=${next}`, common.next)}
    <p><a href="/docs#errors">${words.meanings}</a></p>`;
}
