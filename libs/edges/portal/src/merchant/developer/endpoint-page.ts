import { html, type Html } from '#shared/html';
import { type Result } from '#domain/kernel';
import { type WebhookKind } from '#domain/merchants';
import { supportsType, type WebhookEndpoint, webhookTypes } from '#views/webhook-outbox';
import { type Viewer } from '../../access/viewer.js';
import { field, form, hidden, notice } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { dangerZone, faults, reasonField } from './change-parts.js';
import { answerWord } from './deliveries-table.js';
import { maxAddressLength } from './failure-address.js';
import { type TestOutcome, type TestRefusal } from './ports.js';
import { type FieldErrors } from './typed-form.js';

/** The changes of an endpoint that each have a form, by the last part of the form's address. */
export type EndpointForm = 'set' | 'rotate' | 'disable' | 'enable';

export interface EndpointModel {
  readonly place: Place;
  readonly kind: WebhookKind;
  /** Undefined if the merchant has none of the kind in the mode yet. */
  readonly endpoint: WebhookEndpoint | undefined;
  /** The address to which failures are sent. */
  readonly failuresTo: string | undefined;
  /** False if this installation sends no mail. */
  readonly sendsMail: boolean;
  /** The form that was sent and cannot be carried out. */
  readonly sent?: {
    readonly form: EndpointForm;
    readonly values: URLSearchParams;
    readonly errors: FieldErrors;
  };
  readonly tested?: Result<TestOutcome, TestRefusal>;
}

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

/** The page on which a merchant's people add an endpoint, or change, test and disable it. */
export function endpointPage(model: EndpointModel, frame: Frame): Html {
  const { place, kind, endpoint, sent, tested } = model;
  const { endpoint: words } = frame.texts.developer;
  const back = html`<p><a href="${place.base}/webhooks">${words.back}</a></p>`;
  const errors = sent && faults(sent.errors, sent.form, frame.texts);
  if (!endpoint) return html`${errors}${setForm(model, frame)}${back}`;
  return html`${errors}${tested && testNotice(tested, frame.texts)}
    <div class="parts">
      ${part(words.setUrl, undefined, setForm(model, frame))}
      ${place.mode === 'demo' ? part(words.test, words.testHow, testForm(model, frame)) : undefined}
      ${
        kind === 'v4'
          ? part(words.rotate, words.rotateHow, changeForm('rotate', words.rotateDo, model, frame))
          : undefined
      }
      ${
        endpoint.enabled
          ? undefined
          : part(words.enable, words.enableHow, changeForm('enable', words.enableDo, model, frame))
      }
    </div>
    ${endpoint.enabled ? disableZone(model, frame) : undefined} ${back}`;
}

function disableZone(model: EndpointModel, frame: Frame): Html {
  const { endpoint: words } = frame.texts.developer;
  return dangerZone({
    title: words.disable,
    how: words.disableHow,
    content: changeForm('disable', words.disableDo, model, frame),
    isOpen: model.sent?.form === 'disable',
  });
}

function part(title: string, how: string | undefined, content: Html): Html {
  return html`<section class="card">
    <h2>${title}</h2>
    ${how === undefined ? undefined : html`<p class="soft">${how}</p>`} ${content}
  </section>`;
}

function address({ place, kind }: EndpointModel, form: EndpointForm | 'test') {
  return { action: `${place.base}/webhooks/endpoint/${form}`, kind: hidden('kind', kind) };
}

function setForm(model: EndpointModel, { viewer, texts }: Frame): Html {
  const { endpoint, sent } = model;
  const { endpoint: words } = texts.developer;
  const own = sent?.form === 'set' ? sent : undefined;
  const { action, kind } = address(model, 'set');
  const isStandard = own ? own.values.get('standard') === 'on' : endpoint?.standardHeaders === true;
  return html`${endpoint?.enabled === false ? html`<p>${words.enables}</p>` : undefined}
  ${form(viewer, {
    action,
    submit: endpoint ? words.save : words.add,
    fields: [
      kind,
      field({
        name: 'url',
        id: 'set_url',
        type: 'url',
        label: words.urlLabel,
        hint: words.urlHint,
        error: own?.errors['url'],
        value: own?.values.get('url') ?? endpoint?.url,
        isRequired: true,
        maxLength: 2048,
      }),
      ...(model.kind === 'v4'
        ? [
            field({
              name: 'standard',
              id: 'set_standard',
              type: 'checkbox',
              label: words.standard,
              value: isStandard ? 'on' : undefined,
            }),
          ]
        : []),
      failuresField(model, texts),
      reasonField(texts, {
        id: 'set_reason',
        error: own?.errors['reason'],
        value: own?.values.get('reason') ?? '',
      }),
    ],
  })}`;
}

function failuresField(
  { failuresTo, sendsMail, sent }: EndpointModel,
  { developer }: MerchantTexts,
): Html {
  const { endpoint: words } = developer;
  const own = sent?.form === 'set' ? sent : undefined;
  return field({
    name: 'failures_to',
    id: 'set_failures_to',
    type: 'email',
    label: words.failuresTo,
    hint: sendsMail ? words.failuresHint : words.noMail,
    error: own?.errors['failures_to'],
    value: own?.values.get('failures_to') ?? failuresTo,
    maxLength: maxAddressLength,
    autocomplete: 'off',
  });
}

/** A form that asks for a reason only. It names the URL that its sender sees. */
function changeForm(
  change: Exclude<EndpointForm, 'set'>,
  submit: string,
  model: EndpointModel,
  { viewer, texts }: Frame,
): Html {
  const { endpoint, sent } = model;
  const own = sent?.form === change ? sent : undefined;
  const { action, kind } = address(model, change);
  return form(viewer, {
    action,
    submit,
    ...(change === 'disable' ? { danger: true } : { look: 'secondary' }),
    fields: [
      kind,
      hidden('seen', endpoint?.url ?? ''),
      reasonField(texts, {
        id: `${change}_reason`,
        error: own?.errors['reason'],
        value: own?.values.get('reason') ?? '',
      }),
    ],
  });
}

function testForm(model: EndpointModel, { viewer, texts }: Frame): Html {
  const { endpoint: words } = texts.developer;
  const { action, kind } = address(model, 'test');
  const types = webhookTypes.filter((type) => supportsType(model.kind, type));
  return form(viewer, {
    action,
    look: 'secondary',
    submit: words.testSend,
    fields: [
      kind,
      field({
        name: 'type',
        id: 'test_type',
        label: texts.webhooks.event,
        options: types.map((type) => [type, type] as const),
      }),
    ],
  });
}

function testNotice(
  tested: Result<TestOutcome, TestRefusal>,
  { developer, webhooks }: MerchantTexts,
): Html {
  const { endpoint: words } = developer;
  if (!tested.ok) return notice('error', words.testProblems[tested.refusal]);
  const { outcome, status, durationMs } = tested.value;
  const result =
    outcome === undefined ? words.notSent : answerWord(outcome, status ?? null, webhooks);
  return outcome === 'delivered'
    ? notice(
        'done',
        words.testDelivered(status === undefined ? outcome : `HTTP ${status}`, durationMs),
      )
    : notice('error', words.testFailed(result, durationMs));
}
