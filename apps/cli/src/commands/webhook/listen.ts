import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeJson } from '#domain/kernel';
import { PesaPost, PesaPostError, type WebhookEvent } from '#sdk';
import { webhookHeaders } from '#shared/signing';
import { InvalidArgumentError } from 'commander';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { readDemo } from '../demo.js';
import { plainCommand } from '../plain-command.js';

interface ListenOptions {
  readonly url: string;
  readonly baseUrl?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly keyFile?: string;
  readonly webhookSecretFile?: string;
  readonly after?: number;
  readonly json?: true;
}

const lookEveryMs = 500;
const minBackOffMs = 1000;
const maxBackOffMs = 15_000;
const answerWithinMs = 15_000;
const pageSize = 100;

export const listen = plainCommand(
  'listen',
  'forwards a merchant’s demo webhooks to your machine as they happen, signed, and prints each; until Ctrl-C',
  'webhook listen --url http://localhost:3000/webhooks',
)
  .requiredOption('--url <url>', 'the URL of the receiver that you are writing', parseUrl)
  .option(
    '--base-url <url>',
    'the URL of the service; with the next three, instead of npm start’s demo.json',
  )
  .option('--client-id <id>', 'the id of a demo credential')
  .option('--client-secret-file <file>', 'holds its secret')
  .option('--key-file <file>', 'holds its private key, PKCS#8 PEM')
  .option('--webhook-secret-file <file>', 'holds what to sign with; else demo.json’s, or a new one')
  .option('--after <sequence>', 'from the event behind this one; else from now on', parseSequence)
  .action(async (options: ListenOptions) => {
    const { client, secret } = await merchantOf(options);
    const asked = new AbortController();
    const ask = (): void => {
      asked.abort();
    };
    // Ctrl-C reaches this process twice: from the terminal and through npx.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask);
    // The reader of the output has gone.
    process.stdout.once('error', ask);
    try {
      await follow(client, secret, options, asked.signal);
    } catch (error) {
      if (!asked.signal.aborted) throw error;
    }
  });

function parseUrl(text: string): string {
  if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol))
    throw new InvalidArgumentError('must be a URL, as http://localhost:3000/webhooks');
  return text;
}

function parseSequence(text: string): number {
  if (!/^(0|[1-9]\d{0,14})$/.test(text)) throw new InvalidArgumentError('must be a sequence, or 0');
  return Number(text);
}

/**
 * Forwards one event after another until the signal. It waits for a service that is down.
 * @throws Refused, the signal's reason
 */
async function follow(
  client: PesaPost,
  secret: KeyObject,
  options: ListenOptions,
  signal: AbortSignal,
): Promise<void> {
  let after = options.after ?? (await patiently(() => newest(client, signal), signal));
  if (options.json) printJson({ listening_after: after });
  else printLines([`forwarding what follows event ${after} to ${options.url}`]);
  for (;;) {
    const { data } = await patiently(
      () => client.events.list({ afterSequence: after, limit: pageSize }, { signal }),
      signal,
    );
    for (const event of data) {
      if (event.mode !== 'demo')
        throw new Refused([
          'this credential is a live one: live webhooks stay with their endpoint',
        ]);
      await forward(event, secret, options, signal);
      after = event.sequence;
    }
    if (data.length === 0) await sleep(lookEveryMs, undefined, { signal });
  }
}

/** The newest sequence, found by bisection because there are no gaps. */
async function newest(client: PesaPost, signal: AbortSignal): Promise<number> {
  const isBehind = async (afterSequence: number): Promise<boolean> =>
    (await client.events.list({ afterSequence, limit: 1 }, { signal })).data.length > 0;
  let [known, over] = [0, 1];
  while (await isBehind(over - 1)) [known, over] = [over, over * 2];
  // Event `known` exists, and `over` does not.
  while (over - known > 1) {
    const middle = Math.floor((known + over) / 2);
    if (await isBehind(middle - 1)) known = middle;
    else over = middle;
  }
  return known;
}

/** @throws Refused if waiting would not help; the signal's reason */
async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let backOffMs = minBackOffMs; ; backOffMs = Math.min(2 * backOffMs, maxBackOffMs))
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PesaPostError)) throw error;
      if (!['network', 'timeout', 'service', 'rate_limit', 'unknown'].includes(error.kind))
        throw new Refused([error.message]);
      process.stderr.write(`${error.message}; again in ${backOffMs / 1000} s\n`);
      await sleep(backOffMs, undefined, { signal });
    }
}

/** Sends an event once. If the receiver does not take it, it is not sent again. */
async function forward(
  event: WebhookEvent,
  secret: KeyObject,
  { url, json }: ListenOptions,
  signal: AbortSignal,
): Promise<void> {
  // The body has the same bytes as the service's: every amount with all its digits, the members in their order.
  const body = writeJson(event);
  const { id, type, sequence, data } = event;
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const headers = webhookHeaders({ id, timestamp, body }, [secret], { standard: true });
  const outcome = await post(url, { ...headers, 'content-type': 'application/json' }, body, signal);
  if (json) printJson({ sequence, id, type, reference: data.reference, ...outcome });
  else printLines([`${sequence} ${type} ${data.reference} → ${outcome.status ?? outcome.error}`]);
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly status: number | null; readonly error?: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
    });
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    signal.throwIfAborted();
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    return { status: null, error: isLate ? 'no answer within 15 s' : 'nothing listens there' };
  }
}

/**
 * The merchant to listen for: that of the options' credential, or else the demo merchant.
 * @throws Refused
 */
async function merchantOf(
  options: ListenOptions,
): Promise<{ readonly client: PesaPost; readonly secret: KeyObject }> {
  const { baseUrl, clientId, clientSecretFile, keyFile, webhookSecretFile } = options;
  const named = [baseUrl, clientId, clientSecretFile, keyFile];
  if (named.some((option) => option !== undefined) && named.includes(undefined))
    throw new Refused(['--base-url, --client-id, --client-secret-file and --key-file go together']);
  const demo = baseUrl === undefined ? await readDemo() : undefined;
  const secret =
    webhookSecretFile === undefined ? demo?.v4.webhook_secret : await textIn(webhookSecretFile);
  const given = demo
    ? {
        baseUrl: demo.base_url,
        clientId: demo.v4.client_id,
        clientSecret: demo.v4.client_secret,
        privateKey: demo.v4.private_key_pem,
      }
    : {
        baseUrl: baseUrl ?? '',
        clientId: clientId ?? '',
        clientSecret: await textIn(clientSecretFile ?? ''),
        privateKey: await textIn(keyFile ?? ''),
      };
  try {
    return { client: new PesaPost(given), secret: keyOf(secret ?? madeSecret(options)) };
  } catch (error) {
    if (error instanceof TypeError) throw new Refused([error.message]);
    throw error;
  }
}

function madeSecret({ json }: ListenOptions): string {
  const secret = randomBytes(32).toString('base64url');
  if (json) printJson({ webhook_secret: secret });
  else printLines([`webhook secret of this session: ${secret}`]);
  return secret;
}

const keyOf = (secret: string): KeyObject => createSecretKey(Buffer.from(secret, 'utf8'));

/** Reads a secret from a file: arguments are visible to other users of the machine. */
async function textIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Refused([`${file} cannot be read`]);
  });
  return text.trim();
}
