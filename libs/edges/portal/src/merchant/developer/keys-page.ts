import { html, type Html } from '#shared/html';
import { minV3KeyBits, parsePublicKey } from '#shared/signing';
import { type OwnCredential } from '#views/merchants';
import { definitions, emptyState, statusMark, time, timeText } from '../../page/parts.js';
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
  readonly mayChange: boolean;
}

/** The credentials of a merchant's systems, a card for each, with the ways to the forms that change them. */
export function keysPage(model: KeysModel, texts: MerchantTexts): Html {
  const { place, credentials, mayChange } = model;
  const { keys: words, developer } = texts;
  const add = html`<a class="button" href="${place.base}/keys/new">${developer.keys.add}</a>`;
  return html`<p>${words.intro}</p>
    ${mayChange && credentials.length > 0 ? html`<p>${add}</p>` : undefined}
    ${
      credentials.length === 0
        ? emptyState(words.empty.text, mayChange ? add : words.empty.todo)
        : credentials.map((of) => card(of, model, texts))
    }
    <h2>${words.rotation}</h2>
    <ol>
      ${words.rotationSteps.map((step) => html`<li>${step}</li>`)}
    </ol>`;
}

function card(
  of: OwnCredential,
  { place, lastUses, now, mayChange }: KeysModel,
  { keys: words, common, developer }: MerchantTexts,
): Html {
  const { credentialId, revoked } = of;
  const lastUse = lastUses.get(credentialId);
  return html`<section class="card" aria-labelledby="key-${credentialId}">
    <h3 id="key-${credentialId}">
      <code>${of.name}</code>
      ${revoked ? statusMark('revoked', words.revoked) : statusMark('active', words.active)}
    </h3>
    ${definitions([
      [words.kind, words.kinds[of.kind]],
      [words.holder, of.holder],
      [words.age, age(of, { now, place, words })],
      [words.lastUse, lastUse ? time(lastUse, place.timezone) : words.neverUsed],
      [
        words.addresses,
        of.ipRanges === null ? words.anywhere : html`<code>${of.ipRanges.join(', ')}</code>`,
      ],
    ])}
    <details>
      <summary>${words.technical}</summary>
      ${definitions([
        [words.fingerprint, html`<code>${fingerprintOf(of) ?? common.none}</code>`],
        [words.id, html`<code>${credentialId}</code>`],
      ])}
    </details>
    ${
      mayChange && !revoked
        ? html`<p>
            <a href="${place.base}/keys/${encodeURIComponent(credentialId)}"
              >${developer.keys.manage}</a
            >
          </p>`
        : undefined
    }
  </section>`;
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
