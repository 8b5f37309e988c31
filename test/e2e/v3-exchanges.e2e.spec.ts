import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CollectionEvent, collectionStream } from '#domain/collections';
import { type EventRecord, type EventStore } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { RecordedCredentialSecrets } from '#records/credentials';
import { Database } from '#infra/postgres';
import { createLogger, packageDirectory, parseMasterKeys, UuidIds } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import {
  eventually,
  openStore,
  type OwnServers,
  patientPool,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { error, FakeDaraja, json } from '../rail/fake-daraja.js';
import { readTranscripts, replay } from './v3-transcript.js';

/** Every value in the records is fixed: merchant, accounts, credential, key, the rail's ids. */
const merchantId = '0199c1ee-0000-7000-8000-00000000d0ca';
const credentialId = '0199c1ee-0000-7000-8000-00000000c4ed';
const accounts: readonly (readonly [accountNo: string, mode: Mode, holds: bigint])[] = [
  ['4000000001', 'demo', 123_450n],
  ['4000000002', 'demo', -5n],
  ['4000000003', 'demo', 9_007_199_254_740_993n],
  ['4000000004', 'live', 0n],
];
const vectors = JSON.parse(
  readFileSync(packageDirectory('libs', 'shared', 'signing', 'vectors.json'), 'utf8'),
) as { private_key_pem: string };
const publicKeyPem = createPublicKey(vectors.private_key_pem)
  .export({ type: 'spki', format: 'pem' })
  .toString();

const exchanges = readTranscripts(packageDirectory('test', 'v3-exchanges'));

let servers: OwnServers;
let service: Service;
const daraja = new FakeDaraja();
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  servers = await startOwnServers();
  stops.push(() => servers.stop());
  const port = await daraja.listen();
  stops.push(() => daraja.close());
  service = await startService({
    ...servers.env,
    RAIL_MPESA_DEMO_URL: `http://127.0.0.1:${port}`,
    RAIL_MPESA_DEMO_SHORTCODE: '174379',
    RAIL_MPESA_DEMO_PASSKEY: 'passkey',
    RAIL_MPESA_DEMO_CONSUMER_KEY: 'key',
    RAIL_MPESA_DEMO_CONSUMER_SECRET: 'secret',
    RAIL_MPESA_DEMO_STEP: '1',
    RAIL_QUERY_DELAYS: '12h',
  });
  stops.push(() => service.stop());
  daraja.pushes((response, request) => {
    const { PhoneNumber } = JSON.parse(daraja.seen.at(-1)?.body ?? '') as { PhoneNumber: string };
    const taken = {
      MerchantRequestID: `29115-${PhoneNumber}-1`,
      CheckoutRequestID: `ws_CO_21112026_${PhoneNumber}`,
      ResponseCode: '0',
      ResponseDescription: 'Success. Request accepted for processing',
      CustomerMessage: 'Success. Request accepted for processing',
    };
    const refused = PhoneNumber.endsWith('011');
    (refused ? error(400, '400.002.02') : json(200, taken))(response, request);
  });
  await keepLinkSecret();
  await writeHistory();
  const first = exchanges[0];
  if (!first) throw new Error('there are no exchanges');
  await eventually(
    () => replay(service.baseUrl, first),
    ({ status }) => status === first.answer.status,
  );
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

async function keepLinkSecret(): Promise<void> {
  const keys = parseMasterKeys(service.env['MASTER_KEY'] ?? '');
  if ('problem' in keys) throw new Error(keys.problem);
  const logger = createLogger({ app: 'tests', level: 'fatal' });
  const database = new Database({
    ...patientPool,
    url: servers.env.DATABASE_URL,
    app: 'tests',
    logger,
  });
  try {
    await new RecordedCredentialSecrets(database, Keyring.from(keys)).keepLinkSecret(credentialId);
  } finally {
    await database.close();
  }
}

async function writeHistory(): Promise<void> {
  const store = openStore(servers.env.EVENTSTORE_URL);
  try {
    const registered: readonly MerchantEvent[] = [
      {
        type: 'MerchantRegistered',
        data: { merchantId, name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
      },
      ...accounts.map(([accountNo, mode]) => ({
        type: 'AccountOpened' as const,
        data: { accountNo, mode, currency: 'KES' },
      })),
      { type: 'HostsAllowed', data: { hosts: ['shop.example'] } },
      { type: 'VidAssigned', data: { vid: 'duka' } },
      {
        type: 'CredentialIssued',
        data: {
          credentialId,
          kind: 'v3',
          holder: 'old shop',
          consumerKey: 'duka-consumer-key',
          publicKeyPem,
        },
      },
    ];
    await write(store, merchantStream(merchantId), registered);
    for (const [accountNo, mode, holds] of accounts)
      if (holds !== 0n) await post(store, { accountNo, mode, holds });
  } finally {
    await store.dispose();
  }
}

/** Posts a collection, so that the account has a balance. */
function post(
  store: EventStore,
  { accountNo, mode, holds }: { accountNo: string; mode: Mode; holds: bigint },
): Promise<void> {
  const of = { merchantId, mode, accountNo, currency: 'KES', reference: `HELD-${accountNo}` };
  const amounts = { amountMinor: holds < 0n ? -holds : holds, feeMinor: 0n };
  const posted: readonly CollectionEvent[] = [
    {
      type: 'CollectionIntentRecorded',
      data: {
        ...of,
        ...amounts,
        channel: 'mpesa',
        accountReference: 'ABCDEFGHJKMN',
        phoneHmac: 'h',
        phoneMasked: '2547*****678',
        origin: 'v3',
      },
    },
    { type: 'RailConfirmed', data: { by: 'operator', resultCode: '0' } },
    {
      type: 'WalletPosted',
      data: {
        ...of,
        ...amounts,
        legs: [
          { account: 'rail-clearing:mpesa', amountMinor: -holds },
          { account: `wallet:${accountNo}`, amountMinor: holds },
        ],
        requestCommitment: '0'.repeat(64),
      },
    },
  ];
  return write(store, collectionStream(of), posted);
}

async function write(
  store: EventStore,
  stream: string,
  events: readonly EventRecord[],
): Promise<void> {
  const ids = new UuidIds();
  const actor = { kind: 'system', id: 'spec' } as const;
  const metadata = { v: 1, correlationId: 'spec', actor };
  await store.append(
    stream,
    'no_stream',
    events.map((event) => ({ id: ids.next(), event, metadata })),
  );
}

describe('a recorded V3 exchange', () => {
  it.each(exchanges)('$name gets the same answer to the byte', async (exchange) => {
    expect(await replay(service.baseUrl, exchange)).toEqual(exchange.answer);
  });

  it('causes no more pushes than the records contain', () => {
    const taken = new Set(
      exchanges
        .filter(({ request, answer }) => request.method === 'POST' && answer.status === 200)
        .map(({ answer }) => (JSON.parse(answer.body) as { ref: string }).ref),
    );
    expect(daraja.pushed).toHaveLength(taken.size);
  });
});
