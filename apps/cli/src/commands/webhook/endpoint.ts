import { type Mode } from '#domain/kernel';
import {
  SetWebhookEndpoint,
  type WebhookChange,
  type WebhookKind,
  webhookKinds,
  type WebhookRefusal,
} from '#domain/merchants';
import { supportsType } from '#views/webhook-outbox';
import { CommandBus } from '@nestjs/cqrs';
import { type Command, Option } from 'commander';
import { withApp } from '../../app.js';
import {
  change,
  type ChangeOptions,
  noteStandstill,
  operatorMetadata,
  show,
  unknownMerchant,
} from '../../operator.js';
import { merchantOption, modeOption } from '../../options.js';
import { Refused } from '../../refused.js';
import { serversOf } from '../../servers.js';
import { settingsOrRefused } from '../../settings.js';
import { endpointUrl } from './endpoint-url.js';

export const kindOption = (): Option =>
  new Option('--kind <kind>', 'the API version of the webhooks')
    .choices(webhookKinds)
    .default('v4');

/** @throws Refused if the kind has no words for the type */
export function requireWords(kind: WebhookKind, type: string): void {
  if (!supportsType(kind, type)) throw new Refused([`V3 has no words for ${type}`]);
}

interface EndpointOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly kind: WebhookKind;
}

interface SetOptions extends EndpointOptions {
  readonly url: string;
  readonly standard?: true;
}

/** A subcommand that changes an endpoint. */
function endpointChange(name: string, description: string, example: string): Command {
  return change(name, description, example)
    .addOption(merchantOption)
    .addOption(modeOption)
    .addOption(kindOption());
}

const of = '--merchant M --mode demo';

export const set = endpointChange(
  'set',
  'sets the endpoint for webhooks, in place of the current one; prints the secret of a new endpoint, only once',
  `webhook set ${of} --url https://shop.example/webhooks --reason "go-live"`,
)
  .requiredOption('--url <url>', 'https, on the internet')
  .option('--standard', 'with the headers of standard-webhooks beside ours')
  .action(async (options: SetOptions) => {
    const { webhookAllowPrivate } = await serversOf(settingsOrRefused());
    const url = endpointUrl(options.url, webhookAllowPrivate);
    const secret = await carryOutChange(options, {
      to: 'set',
      url,
      standardHeaders: options.standard === true,
    });
    // The same key in the form of the standard-webhooks libraries.
    const whsec = options.standard && secret !== undefined && standardSecret(secret);
    if (secret === undefined && options.kind !== 'v3') noteKeptSecret(options);
    show(shownSecret(secret, whsec ? { standardSecret: whsec } : {}), options);
  });

export const rotate = endpointChange(
  'rotate',
  'makes a new secret and prints it, only once; the old one also signs for 24 h',
  `webhook rotate ${of} --reason "yearly"`,
).action(async (options: EndpointOptions) => {
  if (options.kind === 'v3')
    throw new Refused([
      'V3 webhooks are keyed on the consumer key: a new one comes with a new credential (credential issue --kind v3)',
    ]);
  const secret = await carryOutChange(options, { to: 'rotate' });
  // Another person rotated it at the same time, and later: their secret signs.
  if (secret === undefined) noteKeptSecret(options);
  show(shownSecret(secret), options);
});

export const enable = endpointChange(
  'enable',
  'enables an endpoint again, and sends the waiting webhooks of the last 30 days',
  `webhook enable ${of} --reason "the shop is back"`,
).action(async (options: EndpointOptions) => {
  await carryOutChange(options, { to: 'enable' });
  show({}, options);
});

export const disable = endpointChange(
  'disable',
  'disables an endpoint; events are then only in the feed',
  `webhook disable ${of} --reason "the shop moves"`,
).action(async (options: EndpointOptions) => {
  await carryOutChange(options, { to: 'disable' });
  show({}, options);
});

/**
 * @returns the secret, if one was made
 * @throws Refused
 */
async function carryOutChange(
  options: EndpointOptions,
  toChange: WebhookChange,
): Promise<string | undefined> {
  const { merchant: merchantId, mode, kind } = options;
  const endpoint = { merchantId, mode, kind };
  const command = new SetWebhookEndpoint(endpoint, toChange, operatorMetadata(options));
  const result = await withApp(async (app) => {
    const done = await app.get(CommandBus).execute(command);
    if (done.ok) await noteStandstill(app, options);
    return done;
  });
  if (result.ok) return result.value;
  const explain = {
    unknown_merchant: unknownMerchant(merchantId),
    no_endpoint: `merchant ${merchantId} has no ${kind} endpoint in ${mode} mode: npx pesapost webhook set`,
    endpoint_changed: 'somebody has set another URL meanwhile: look, then run it again',
  } as const satisfies Record<WebhookRefusal, string>;
  throw new Refused([explain[result.refusal]]);
}

/** Tells what to do if no one has the secret, because a command was interrupted before it printed it (WEB-7). */
function noteKeptSecret({ merchant, mode }: EndpointOptions): void {
  process.stderr.write(
    'the endpoint keeps its secret; if no one has it, npx pesapost webhook rotate ' +
      `--merchant ${merchant} --mode ${mode} prints a new one\n`,
  );
}

function shownSecret(secret: string | undefined, more: object = {}): object {
  return secret === undefined ? {} : { webhookSecret: secret, ...more };
}

function standardSecret(secret: string): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}
