import { readdirSync, readFileSync } from 'node:fs';
import { type CallSamples, callSamples, clientLanguages, sampleFile } from '#edges/api-docs';
import { packageDirectory } from '#infra/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isSigned, keys, ScriptedService } from '../../../libs/sdk/test/scripted-service.js';
import { languages } from './driver.js';
import { SampleFolder } from './samples.js';
import { answer, header } from './turns.js';

const calls = callSamples().filter(({ operationId }) => operationId !== 'issueToken');
const named = calls.map((call) => [call.operationId, call] as const);

/** The queries of the samples that have one. */
const queries: Readonly<Record<string, string>> = {
  listTransactions: 'from=2026-01-01&status=completed&to=2026-01-31',
  listEvents: 'after_sequence=41',
};

/** Samples that the specs run besides those of the calls. */
const others = [
  ...['client', 'collect', 'payOut', 'reconcile', 'checkoutLink', 'receiveWebhooks'],
  ...['followEvents', 'readYourWrites', 'repeatACall', 'handleErrors'],
];

/** Returns the path that a sample must call, with the examples of its parameters. */
const pathOf = ({ path }: CallSamples) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/?]+')}$`);

describe('the samples of the documentation', () => {
  it('are there in every language that it shows, and all of them are run', () => {
    expect(clientLanguages.map(({ id }) => id).sort()).toEqual(
      languages.map(({ samples }) => samples.folder).sort(),
    );
    const run = [...calls.map(({ operationId }) => operationId), ...others];
    for (const { id } of clientLanguages) {
      const known = run.map((name) => sampleFile(id, name));
      const folder = packageDirectory('clients/samples', id);
      const shown = readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => `${folder}/${name}`)
        .filter((file) => /^[\t ]*(?:\/\/|#) sample$/m.test(readFileSync(file, 'utf8')));
      expect(shown.sort()).toEqual(known.sort());
    }
  });
});

describe.each(languages)('the samples in $name', (language) => {
  let service: ScriptedService;
  let folder: SampleFolder;
  beforeAll(async () => {
    service = await ScriptedService.start();
    folder = await SampleFolder.make(language, {
      env: { BASE_URL: service.url, CLIENT_ID: 'client-1', CLIENT_SECRET: 'secret-1' },
      merchantKey: keys.private_key_pem,
    });
  });
  afterAll(async () => {
    await folder.remove();
    await service.stop();
  });
  beforeEach(() => {
    service.turns = [];
  });
  afterEach(() => {
    service.requests.length = 0;
  });

  it.each(named)('%s sends the documented request, and reads its answer', async (_name, call) => {
    const none = { data: [], next_after_sequence: 42 };
    service.turns = [answer(200, call.answer as object), answer(200, none)];
    await folder.run(call.operationId);
    const [request] = service.requests;
    const [path = '', query] = request?.url.split('?') ?? [];
    expect(request?.method).toBe(call.method.toUpperCase());
    expect(path).toMatch(pathOf(call));
    expect(query).toBe(queries[call.operationId]);
    const body = request?.body ?? '';
    expect(body === '' ? undefined : JSON.parse(body)).toEqual(call.body);
    expect(service.requests.every(isSigned)).toBe(true);
  });

  it('read their own writes', async () => {
    const page = answer(200, { data: [], next_cursor: null }, { 'X-PP-Ledger-Position': '41' });
    service.turns = [page, answer(200, { available_minor: 24_625 })];
    expect(await folder.run('readYourWrites')).toMatch(/^24625n?\s*$/);
    expect(header(service.requests, 'x-pp-min-position')).toEqual([undefined, '41']);
  });

  it('repeat a call under its stored key', async () => {
    service.turns = [answer(202, { status: 'pending' })];
    await folder.run('repeatACall');
    expect(header(service.requests, 'idempotency-key')).toEqual(['order-1001']);
  });

  it('handle errors', async () => {
    const detail = 'phone must be digits: 254712345678';
    service.turns = [answer(400, { error: 'invalid_phone', detail })];
    expect((await folder.run('handleErrors')).trim()).toBe(detail);
  });
});
