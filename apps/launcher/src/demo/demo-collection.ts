import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefused } from '../refusal.js';
import { type Answer, DemoClient } from './demo-client.js';
import { type DemoFile } from './demo-file.js';

export interface DemoCollectionOptions {
  /** The API's address on this machine, which may differ from BASE_URL. */
  readonly origin: string;
  readonly demo: DemoFile;
  /** The time from the push to the customer's answer, if the simulator is the rail. */
  readonly railDelayMs: number;
  /** The service's clock, which signatures must agree with. */
  readonly nowMs: () => number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The simulator's table does not list this number, so it pays. */
const phone = '254712345678';
const amountMinor = 25_000;
const pollMs = 100;
/** The projector builds the views and shows the merchant well within this time. */
const servingDeadlineMs = 30_000;
/** The demo shows a collection on a slower rail as it is: pending. */
const maxWaitMs = 30_000;

/**
 * Makes one signed collection over HTTP, up to a posted balance, and prints a line for each step.
 * @returns its reference, if it is settled
 * @throws StartRefused
 */
export async function demoCollection(options: DemoCollectionOptions): Promise<string | undefined> {
  const { origin, demo, say, signal, nowMs } = options;
  const client = new DemoClient(origin, demo.v4, nowMs);
  await authenticated(client, demo, signal);
  say(`token      POST /api/v4/oauth/token → 200, for merchant ${demo.merchant_id}`);

  const reference = `demo-${randomBytes(6).toString('hex')}`;
  const created = await whileServing(signal, () => create(client, demo, reference));
  if (created.status !== 202) throw refused('POST /api/v4/collections', created);
  say(
    `collect    POST /api/v4/collections ${reference}, ${money(amountMinor, demo)} from ${masked(phone)} → 202 ${text(created.body['status'])}`,
  );

  const path = `/api/v4/collections/${reference}`;
  const settled = await untilSettled(client, path, options);
  const status = text(settled.body['status']);
  if (status === 'pending') {
    say(`pending    the rail has not answered yet: GET ${path} shows what becomes of it`);
    return undefined;
  }
  say(
    `confirmed  the rail says ${status}, receipt ${text(settled.body['receipt'])}, fee ${money(settled.body['fee_minor'], demo)}`,
  );
  await showViews(client, { demo, reference, status, say, signal });
  return reference;
}

function create(client: DemoClient, demo: DemoFile, reference: string): Promise<Answer> {
  const { account_no, currency } = demo.v4;
  return client.call({
    method: 'POST',
    path: '/api/v4/collections',
    json: { account_no, phone, amount_minor: amountMinor, currency, channel: 'mpesa', reference },
  });
}

/** A new credential works after a moment, when the projector has reached its event. */
async function authenticated(
  client: DemoClient,
  demo: DemoFile,
  signal: AbortSignal,
): Promise<void> {
  const answer = await whileServing(signal, () => client.authenticate(), [401, 503]);
  if (answer.status === 401)
    throw new StartRefused(
      `demo.json names merchant ${demo.merchant_id}, whom this data does not know: move demo.json away, or start on the data that it belongs to`,
    );
  if (answer.status !== 200) throw refused('POST /api/v4/oauth/token', answer);
}

async function untilSettled(
  client: DemoClient,
  path: string,
  { railDelayMs, signal }: DemoCollectionOptions,
): Promise<Answer> {
  const giveUpAt = performance.now() + Math.min(railDelayMs + 15_000, maxWaitMs);
  for (;;) {
    const answer = await whileServing(signal, () => client.call({ method: 'GET', path }));
    if (answer.status !== 200) throw refused(`GET ${path}`, answer);
    if (answer.body['status'] !== 'pending' || performance.now() > giveUpAt) return answer;
    await sleep(pollMs, undefined, { signal });
  }
}

/** Prints the list, once the projector has reached the collection's end, and the balance, which changes with it. */
async function showViews(
  client: DemoClient,
  given: Pick<DemoCollectionOptions, 'demo' | 'say' | 'signal'> & {
    readonly reference: string;
    readonly status: string;
  },
): Promise<void> {
  const { demo, say, signal, status, reference } = given;
  const read = async (path: string, query = ''): Promise<Answer> => {
    const answer = await whileServing(signal, () => client.call({ method: 'GET', path, query }));
    if (answer.status !== 200) throw refused(`GET ${path}`, answer);
    return answer;
  };
  const giveUpAt = performance.now() + servingDeadlineMs;
  let item: Record<string, unknown> | undefined;
  for (;;) {
    const { body } = await read('/api/v4/transactions', 'limit=5');
    const items = (body['data'] ?? []) as readonly Record<string, unknown>[];
    item = items.find((candidate) => candidate['reference'] === reference);
    if (item?.['status'] === status || performance.now() > giveUpAt) break;
    await sleep(pollMs, undefined, { signal });
  }
  say(
    `listed     GET /api/v4/transactions → ${item ? `${reference} ${text(item['status'])}, ${money(item['amount_minor'], demo)}` : 'not there yet'}`,
  );
  const path = `/api/v4/accounts/${demo.v4.account_no}/balance`;
  const { body } = await read(path);
  say(`balance    GET ${path} → posted ${money(body['posted_minor'], demo)}`);
}

/** Repeats while the service is starting: there is no answer, or it is 503. */
async function whileServing(
  signal: AbortSignal,
  ask: () => Promise<Answer>,
  retried: readonly number[] = [503],
): Promise<Answer> {
  const giveUpAt = performance.now() + servingDeadlineMs;
  for (;;) {
    signal.throwIfAborted();
    const answer = await ask().catch((error: unknown) => {
      if (performance.now() > giveUpAt) throw error;
      return undefined;
    });
    if (answer && (!retried.includes(answer.status) || performance.now() > giveUpAt)) return answer;
    await sleep(pollMs, undefined, { signal });
  }
}

function refused(call: string, { status, body }: Answer): StartRefused {
  return new StartRefused(
    `the demo collection failed: ${call} answered ${status} ${text(body['error'])}`,
  );
}

/** 25000 → `KES 250.00`; all currencies of the demo have two decimals. */
function money(minor: unknown, demo: DemoFile): string {
  const digits = text(minor).padStart(3, '0');
  return `${demo.v4.currency} ${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function masked(number: string): string {
  return `${number.slice(0, 4)}*****${number.slice(-3)}`;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'none';
}
