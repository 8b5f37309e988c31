import { html, type Html } from '#shared/html';
import { type OwnCredential } from '#views/merchants';
import { shortTime, type WallClock } from '../../page/list-parts.js';
import { emptyState, nextPage, shortId, table } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type ListedRefusal } from '#records/credentials';
import { type MerchantTexts } from '../merchant-texts.js';

export interface RequestsModel {
  readonly place: Place;
  readonly clock: WallClock;
  readonly credentials: readonly OwnCredential[];
  readonly refused: readonly ListedRefusal[];
  /** Last uses by credential, to the minute; absent if none was noted. */
  readonly lastUses: ReadonlyMap<string, Date>;
  /** The start of the next page. */
  readonly next: bigint | undefined;
}

/**
 * The page of refused calls of the merchant's systems, and of the last accepted call of each key. Each code leads to its
 * meaning in the API reference.
 */
export function requestsPage(
  { place, clock, credentials, refused, lastUses, next }: RequestsModel,
  { requests: words, common }: MerchantTexts,
): Html {
  const names = new Map(credentials.map(({ credentialId, name }) => [credentialId, name]));
  return html`<p class="soft">${words.intro}</p>
    ${table({
      caption: words.caption,
      head: [
        ...[words.time, words.code, { text: words.status, isNumber: true } as const],
        ...[words.route, words.credential, words.requestId],
      ],
      rows: refused.map((of) => [
        shortTime(of.at, clock),
        html`<a href="/docs/errors#${of.code}"><code>${of.code}</code></a>`,
        of.status,
        html`<code>${of.method} ${of.route}</code>`,
        names.get(of.credentialId),
        shortId(of.requestId),
      ]),
      empty: emptyState(words.empty.text, words.empty.todo),
    })}
    ${nextPage(next === undefined ? undefined : `${place.base}/requests?before=${next}`, common.next)}
    ${table({
      caption: words.lastUses,
      head: [words.credential, words.lastUse],
      rows: credentials
        .filter(({ revoked }) => !revoked)
        .map(({ credentialId, name }) => {
          const at = lastUses.get(credentialId);
          return [html`<code>${name}</code>`, at ? shortTime(at, clock) : words.neverUsed];
        }),
      empty: html``,
    })}
    <p class="soft"><small>${common.zone(place.timezone)}</small></p>`;
}
