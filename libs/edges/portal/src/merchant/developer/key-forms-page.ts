import { html, type Html } from '#shared/html';
import { type OwnCredential } from '#views/merchants';
import { type Viewer } from '../../access/viewer.js';
import { type WallClock } from '../../page/list-parts.js';
import { definitions, field, form, notice } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { dangerZone, faults, reasonField } from './change-parts.js';
import { endOf } from './key-end.js';
import { type FieldErrors } from './typed-form.js';

/** The forms about credentials; the prefix of their fields' ids. */
export type KeyForm = 'new' | 'ips' | 'revoke';

/** A form that was sent and cannot be carried out. */
export interface SentKeyForm {
  readonly form: KeyForm;
  readonly values: URLSearchParams;
  readonly errors: FieldErrors;
}

/** Commands that make a key pair and print its public half. */
const keyCommands = `openssl genrsa -out key.pem 3072
openssl rsa -in key.pem -pubout`;

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

export interface NewKeyModel {
  readonly place: Place;
  /** True if the viewer's form is a request to PesaPost's admins. */
  readonly asks: boolean;
  readonly sent: SentKeyForm | undefined;
}

/** The page on which an owner uploads a new public key, or asks for a live one. */
export function newKeyPage({ place, asks, sent }: NewKeyModel, frame: Frame): Html {
  const { viewer, texts } = frame;
  const { keys: words } = texts.developer;
  const typed = (name: string): string => sent?.values.get(name) ?? '';
  return html`${sent && faults(sent.errors, 'new', texts)}
    ${place.mode === 'live' ? notice('info', asks ? words.liveNeedsTwo : words.adminProposes) : undefined}
    <p>${words.makeKey}</p>
    <pre class="scroll" tabindex="0"><code>${keyCommands}</code></pre>
    ${form(viewer, {
      action: `${place.base}/keys/new`,
      submit: asks ? texts.developer.team.send : words.add,
      fields: [
        field({
          name: 'public_key',
          id: 'new_public_key',
          type: 'textarea',
          label: words.publicKey,
          hint: words.publicKeyHint,
          error: sent?.errors['public_key'],
          value: typed('public_key'),
          isRequired: true,
          autocomplete: 'off',
        }),
        field({
          name: 'holder',
          id: 'new_holder',
          label: texts.keys.holder,
          hint: words.holderHint,
          error: sent?.errors['holder'],
          value: typed('holder'),
          isRequired: true,
          maxLength: 500,
        }),
        ipsField(texts, { id: 'new_ips', error: sent?.errors['ips'], value: typed('ips') }),
        field({
          name: 'expires',
          id: 'new_expires',
          label: texts.keys.expires,
          hint: words.endHint,
          error: sent?.errors['expires'],
          value: typed('expires'),
          maxLength: 10,
          autocomplete: 'off',
        }),
        reasonField(texts, {
          id: 'new_reason',
          error: sent?.errors['reason'],
          value: typed('reason'),
        }),
      ],
    })}
    ${back(place, texts)}`;
}

export interface KeyModel {
  readonly place: Place;
  readonly credential: OwnCredential;
  readonly now: Date;
  readonly clock: WallClock;
  readonly sent: SentKeyForm | undefined;
}

/** The page of one credential in use, on which an owner changes its addresses or revokes it. */
export function keyPage(model: KeyModel, { viewer, texts }: Frame): Html {
  const { place, credential, sent } = model;
  const { keys: words } = texts.developer;
  const base = `${place.base}/keys/${encodeURIComponent(credential.credentialId)}`;
  const of = (form: KeyForm) => (sent?.form === form ? sent : undefined);
  const [ips, revoke] = [of('ips'), of('revoke')];
  const typed = (from: SentKeyForm | undefined, name: string) => from?.values.get(name) ?? '';
  return html`${sent && faults(sent.errors, sent.form, texts)}
    ${definitions([
      [texts.keys.name, html`<code>${credential.name}</code>`],
      [texts.keys.kind, texts.keys.kinds[credential.kind]],
      [texts.keys.holder, credential.holder],
      [texts.keys.expires, endOf(credential, model, texts.keys)],
    ])}
    <div class="parts">
      ${
        credential.ipRanges === null
          ? undefined
          : html`<section class="card">
              <h2>${texts.keys.addresses}</h2>
              <p class="soft">${place.mode === 'live' ? words.ipsLive : words.ipsDemo}</p>
              ${form(viewer, {
                action: `${base}/ips`,
                submit: words.saveIps,
                fields: [
                  ipsField(texts, {
                    id: 'ips_ips',
                    error: ips?.errors['ips'],
                    value: ips ? typed(ips, 'ips') : credential.ipRanges.join(', '),
                  }),
                  reasonField(texts, {
                    id: 'ips_reason',
                    error: ips?.errors['reason'],
                    value: typed(ips, 'reason'),
                  }),
                ],
              })}
            </section>`
      }
    </div>
    ${dangerZone({
      title: words.revoke,
      how: words.revokeHow,
      isOpen: revoke !== undefined,
      content: form(viewer, {
        action: `${base}/revoke`,
        submit: words.revokeDo,
        danger: true,
        fields: [
          field({
            name: 'compromised',
            id: 'revoke_compromised',
            type: 'checkbox',
            label: words.compromised,
            value: revoke?.values.get('compromised') ?? undefined,
          }),
          reasonField(texts, {
            id: 'revoke_reason',
            error: revoke?.errors['reason'],
            value: typed(revoke, 'reason'),
          }),
        ],
      }),
    })}
    ${back(place, texts)}`;
}

function ipsField(
  { keys, developer }: MerchantTexts,
  of: { readonly id: string; readonly error: string | undefined; readonly value: string },
): Html {
  const { ipsHint: hint } = developer.keys;
  return field({ name: 'ips', label: keys.addresses, hint, isRequired: true, ...of });
}

function back({ base }: Place, { developer }: MerchantTexts): Html {
  return html`<p><a href="${base}/keys">${developer.keys.back}</a></p>`;
}
