import { html, type Html } from '#shared/html';
import { minV3KeyBits, parsePublicKey } from '#shared/signing';
import { type OwnCredential } from '#views/merchants';
import { emptyState, statusMark, table, time, timeText } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';

const dayMs = 86_400_000;
/** Age in days at which a key should have been replaced. */
const oldDays = 365;

export interface KeysModel {
  readonly place: Place;
  readonly credentials: readonly OwnCredential[];
  /** Last uses by credential. A credential is absent if it was not used since the records note uses. */
  readonly lastUses: ReadonlyMap<string, Date>;
  readonly now: Date;
}

/** The credentials of a merchant's systems: their kind, age, last use and the addresses that may use them. */
export function keysPage(
  { place, credentials, lastUses, now }: KeysModel,
  texts: MerchantTexts,
): Html {
  const { keys: words, common } = texts;
  return html`<p>${words.intro}</p>
    ${table({
      caption: words.caption,
      head: [
        ...[words.name, words.kind, words.holder, common.status],
        ...[words.age, words.lastUse, words.addresses, words.fingerprint],
      ],
      rows: credentials.map((of) => [
        html`<code>${of.name}</code>`,
        words.kinds[of.kind],
        of.holder,
        of.revoked ? statusMark('revoked', words.revoked) : statusMark('active', words.active),
        age(of, { now, place, words }),
        used(lastUses.get(of.credentialId), place, words),
        of.ipRanges === null ? words.anywhere : html`<code>${of.ipRanges.join(', ')}</code>`,
        html`<code>${fingerprintOf(of) ?? common.none}</code>`,
      ]),
      empty: emptyState(words.empty.text, words.empty.todo),
    })}
    <h2>${words.rotation}</h2>
    <ol>
      ${words.rotationSteps.map((step) => html`<li>${step}</li>`)}
    </ol>`;
}

/** The age of a credential and, unless it is revoked, the day by which to replace it. */
function age(
  { credentialId, revoked }: OwnCredential,
  {
    now,
    place,
    words,
  }: { readonly now: Date; readonly place: Place; readonly words: MerchantTexts['keys'] },
): Html {
  const at = issuedAt(credentialId);
  if (!at) return html``;
  const days = Math.max(0, Math.floor((now.getTime() - at.getTime()) / dayMs));
  const text = words.ageDays(days);
  if (revoked) return html`${text}`;
  if (days >= oldDays) return html`${text} ${statusMark('late', words.old)}`;
  const due = timeText(new Date(at.getTime() + oldDays * dayMs), place.timezone);
  return html`${text}; ${words.replaceBy(due.slice(0, '2026-11-22'.length))}`;
}

function used(
  at: Date | undefined,
  { timezone }: Place,
  words: MerchantTexts['keys'],
): Html | string {
  return at ? time(at, timezone) : words.neverUsed;
}

/** Reads the time at which a credential was made from its id, a UUID of version 7. */
export function issuedAt(id: string): Date | undefined {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id);
  return match ? new Date(Number.parseInt(`${match[1]}${match[2]}`, 16)) : undefined;
}

/** The key's fingerprint, lower-case hex SHA-256, as its registration printed it. */
function fingerprintOf({ publicKeyPem }: OwnCredential): string | undefined {
  if (publicKeyPem === null) return undefined;
  const key = parsePublicKey(publicKeyPem, minV3KeyBits);
  return key.ok ? key.value.fingerprint : undefined;
}
