import { html, type Html } from '#shared/html';
import { minV3KeyBits, parsePublicKey } from '#shared/signing';
import { type OwnCredential } from '#views/merchants';
import { emptyState, statusMark, table, time, timeText } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../texts.js';

const dayMs = 86_400_000;
/** From which age on a key should have been replaced. */
const oldDays = 365;

export interface KeysModel {
  readonly place: Place;
  readonly credentials: readonly OwnCredential[];
  /** By credential; absent where nobody has used it since uses are noted. */
  readonly lastUses: ReadonlyMap<string, Date>;
  readonly now: Date;
}

/** The credentials of a merchant's systems: whose they are, how old, last used when and from where they may be. */
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

/** How old it is and, while it counts, by when another should stand in its place. */
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

/** A credential's id is a UUID of version 7, which says when it was made. */
export function issuedAt(id: string): Date | undefined {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id);
  return match ? new Date(Number.parseInt(`${match[1]}${match[2]}`, 16)) : undefined;
}

/** Lower-case hex SHA-256 of the key, as registering it printed it. */
function fingerprintOf({ publicKeyPem }: OwnCredential): string | undefined {
  if (publicKeyPem === null) return undefined;
  const key = parsePublicKey(publicKeyPem, minV3KeyBits);
  return key.ok ? key.value.fingerprint : undefined;
}
