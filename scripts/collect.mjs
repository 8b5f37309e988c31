/**
 * One signed collection, followed to its end, as a merchant's system would send it; no dependency.
 *
 *   node scripts/collect.mjs [phone] [amount in minor units] [--channel airtel] [--credentials .data/demo.json]
 */
import { createHash, randomBytes, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const usage =
  'usage: node scripts/collect.mjs [phone] [amount_minor] [--channel airtel] [--credentials FILE]';
const { positionals, values } = readArguments();
const [phone = '254712345678', amount = '25000'] = positionals;
const demo = readCredentials(values.credentials ?? `${process.env.DATA_DIR ?? '.data'}/demo.json`);
const { account_no, currency } = demo.v4;

/** The ledger's position in the last answer that contained one. */
let position;
const token = await send('POST', '/api/v4/oauth/token', {
  authorization: `Basic ${Buffer.from(`${demo.v4.client_id}:${demo.v4.client_secret}`).toString('base64')}`,
  'content-type': 'application/x-www-form-urlencoded',
  body: 'grant_type=client_credentials',
});
const bearer = `Bearer ${token.access_token}`;

const reference = `collect-${randomBytes(6).toString('hex')}`;
const created = await signed('POST', '/api/v4/collections', {
  account_no,
  phone,
  amount_minor: Number(amount),
  currency,
  channel: values.channel ?? 'mpesa',
  reference,
});
console.log(created);

// A prompt lasts about a minute. If its callback is lost, the service asks the rail after 75 s.
let item;
for (const end = Date.now() + 120_000; Date.now() < end;) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  item = await signed('GET', `/api/v4/collections/${reference}`);
  // A person decides a review, so nothing changes by itself.
  if (item.status !== 'pending' || item.under_review) break;
}
console.log(item);
console.log(await signed('GET', `/api/v4/accounts/${account_no}/balance`));

/**
 * Returns the three factors: bearer token, this machine's address, and the signature over method, path, query, body,
 * nonce and timestamp.
 */
function signed(method, path, json) {
  const body = json === undefined ? '' : JSON.stringify(json);
  const nonce = randomBytes(16).toString('base64url');
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHash('sha256').update(body).digest('hex');
  // The query is signed as it is here: its names are in order, and it needs no encoding.
  const [rawPath, query = ''] = path.split('?');
  const text = [method, rawPath, query, digest, nonce, timestamp].join('\n');
  return send(method, path, {
    authorization: bearer,
    'x-pp-signature': sign('sha256', Buffer.from(text), demo.v4.private_key_pem).toString('base64'),
    'x-pp-nonce': nonce,
    'x-pp-timestamp': timestamp,
    // Views are a moment behind the ledger. They answer once they have the position that this client received.
    ...(position && { 'x-pp-min-position': position }),
    ...(json && {
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
      body,
    }),
  });
}

async function send(method, path, { body, ...headers }) {
  const response = await fetch(demo.base_url + path, { method, headers, body }).catch((error) => {
    const why = error.cause?.code ?? error.cause?.message ?? error.message;
    console.error(`${demo.base_url} does not answer (${why}): does npm start run?`);
    process.exit(1);
  });
  const answer = await response.json();
  position = response.headers.get('x-pp-ledger-position') ?? position;
  if (response.ok) return answer;
  console.error(`${method} ${path} → ${response.status}`, answer);
  process.exit(1);
}

function readArguments() {
  try {
    const options = { credentials: { type: 'string' }, channel: { type: 'string' } };
    return parseArgs({ allowPositionals: true, options });
  } catch {
    console.error(usage);
    process.exit(2);
  }
}

function readCredentials(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    console.error(`${file} cannot be read: run npm start first. ${usage}`);
    process.exit(1);
  }
}
