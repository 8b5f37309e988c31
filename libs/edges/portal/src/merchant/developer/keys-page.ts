import { html, type Html } from '#shared/html';
import { minV3KeyBits, parsePublicKey } from '#shared/signing';
import { hasEnded, type OwnCredential } from '#views/merchants';
import { type Viewer } from '../../access/viewer.js';
import { copyable, shortDay, shortTime } from '../../page/list-parts.js';
import { definitions, emptyState, statusMark, timeText } from '../../page/parts.js';
import { accessList, type AccessListModel } from '../access/access-list.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { endOf } from './key-end.js';

const dayMs = 86_400_000;
/** Age in days at which a key should have been replaced. */
const oldDays = 365;
/** Days before that age from which a card says by when to replace its key. */
const noticeDays = 60;

export interface KeysModel extends AccessListModel {
  readonly credentials: readonly OwnCredential[];
  /** Last uses by credential. A credential is absent if it was not used since the records note uses. */
  readonly lastUses: ReadonlyMap<string, Date>;
  readonly now: Date;
  readonly mayChange: boolean;
}

/** The page's action beside its title. An empty page has it in its middle. */
export function keysActions(model: KeysModel, texts: MerchantTexts): Html | undefined {
  return model.mayChange && model.credentials.length > 0 ? addKey(model, texts) : undefined;
}

function addKey({ place }: KeysModel, { developer }: MerchantTexts): Html {
  return html`<a class="button" href="${place.base}/keys/new">${developer.keys.add}</a>`;
}

/** The credentials of a merchant's systems, a card for each, with the ways to the forms that change them. */
export function keysPage(
  model: KeysModel,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html {
  const { credentials, mayChange } = model;
  const { keys: words } = texts;
  return html`<p class="soft">${words.intro}${mayChange ? undefined : ` ${words.owners}`}</p>
    ${
      credentials.length === 0
        ? emptyState(words.empty.text, mayChange ? addKey(model, texts) : words.owners, 'keys')
        : html`<div class="parts">${credentials.map((of) => card(of, model, texts))}</div>`
    }
    ${accessList(model, { viewer, texts })}
    <details>
      <summary>${words.rotation}</summary>
      <ol>
        ${words.rotationSteps.map((step) => html`<li>${step}</li>`)}
      </ol>
    </details>`;
}

function card(
  of: OwnCredential,
  model: KeysModel,
  { keys: words, days, developer, item }: MerchantTexts,
): Html {
  const { place, lastUses, mayChange } = model;
  const { credentialId, revoked } = of;
  const lastUse = lastUses.get(credentialId);
  return html`<section class="card resource" aria-labelledby="key-${credentialId}">
    <div class="card-head">
      <h2 id="key-${credentialId}">${of.holder}</h2>
      ${standing(of, model, words)}
    </div>
    ${definitions([
      [words.name, html`<code>${copyable(of.name, item.copy(of.name))}</code>`],
      [words.kind, words.kinds[of.kind]],
      [words.created, created(of, model, words)],
      [words.expires, endOf(of, model, words)],
      [words.lastUse, lastUse ? usedAt(lastUse, model, days) : neverUsed(of, words)],
      [
        words.addresses,
        of.ipRanges === null ? words.anywhere : html`<code>${of.ipRanges.join(', ')}</code>`,
      ],
    ])}
    <details>
      <summary>${words.technical}</summary>
      ${definitions([
        [words.fingerprint, codeOf(fingerprintOf(of))],
        [words.id, codeOf(credentialId)],
      ])}
    </details>
    ${
      mayChange && !revoked
        ? html`<div class="buttons">
            <a
              class="button secondary"
              href="${place.base}/keys/${encodeURIComponent(credentialId)}"
              >${developer.keys.manage}<span class="away"> ${of.holder}</span></a
            >
          </div>`
        : undefined
    }
  </section>`;
}

function standing(of: OwnCredential, { now }: KeysModel, words: MerchantTexts['keys']): Html {
  if (of.revoked) return statusMark('revoked', words.revoked);
  return hasEnded(of, now.getTime())
    ? statusMark('expired', words.ended, 'bad')
    : statusMark('active', words.active);
}

function codeOf(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<code>${text}</code>`;
}

/** A last use with its day, which a short time leaves out today. */
function usedAt(
  at: Date,
  { clock, place }: KeysModel,
  { today }: Pick<MerchantTexts['days'], 'today'>,
): Html {
  const isToday = timeText(at, place.timezone).startsWith(clock.today);
  return html`${isToday ? `${today} ` : undefined}${shortTime(at, clock)}`;
}

/** A credential that no call has used, and what to do about it. */
function neverUsed({ revoked }: OwnCredential, words: MerchantTexts['keys']): Html {
  if (revoked) return html`${words.neverUsed}`;
  return html`${words.neverUsed} <small class="status-note soft">${words.unused}</small>`;
}

/** The day on which a credential was made and, if it is nearly a year old, the day by which to replace it. */
function created(
  { credentialId, revoked }: OwnCredential,
  { now, place, clock }: KeysModel,
  words: MerchantTexts['keys'],
): Html | undefined {
  const at = issuedAt(credentialId);
  if (!at) return undefined;
  const days = Math.max(0, Math.floor((now.getTime() - at.getTime()) / dayMs));
  const dayOf = (instant: Date): string =>
    shortDay(timeText(instant, place.timezone).slice(0, '2026-11-22'.length), clock);
  const text = dayOf(at);
  if (revoked || days < oldDays - noticeDays) return html`${text}`;
  if (days >= oldDays) return html`${text} ${statusMark('late', words.old, 'bad')}`;
  const due = new Date(at.getTime() + oldDays * dayMs);
  return html`${text} ${statusMark('late', words.replaceBy(dayOf(due)))}`;
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
