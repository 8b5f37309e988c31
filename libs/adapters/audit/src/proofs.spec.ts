import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type DayHead, headText, ProofFails } from '#domain/audit';
import { packageDirectory } from '#infra/runtime';
import { sha256Hex } from '#shared/signing';
import { type ItemEvent, transactionFrom } from '#views/transactions';
import { Copy, newSigner } from '../test/copy.js';
import { type ProofFiles, proofFilesOf, sinceFilesOf, withFiles } from '../test/proof-files.js';
import { consistencyOf } from './proofs.js';
import { readHeads } from './sealer.js';

const stream = 'collection-demo:m-1:D0-1';
const verifier = join(packageDirectory(), 'verifier/verify.mjs');
const inPython = join(packageDirectory(), 'libs/adapters/audit/test/verify_proof.py');

let copy: Copy;
let files: ProofFiles;
beforeAll(async () => {
  copy = await Copy.of(2, 150);
  await copy.seal();
  files = await proofFilesOf(copy, stream);
});

function run(command: string, ...words: readonly string[]) {
  return new Promise<{ code: number; text: string }>((resolve) => {
    execFile(command, words, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), text: stdout + stderr });
    });
  });
}

/** The item in the form that a receipt contains. */
async function itemOf(of: string): Promise<object> {
  const item = transactionFrom(await copy.log.readStream<ItemEvent>(of));
  if (!item) throw new Error(`${of} is no collection`);
  return { ...item, amount_minor: Number(item.amount_minor), fee_minor: Number(item.fee_minor) };
}

/** The files of a history with one posting: the first posting, moved to a stream with this name. */
function aloneOn(name: string): ProofFiles {
  const [first] = files.proof.postings;
  if (!first) throw new Error('it was posted');
  const posting = { ...first.posting, stream: name };
  const members = [...Object.keys(posting), 'account', 'amountMinor'].sort();
  const leaf = sha256Hex(`\u0000${JSON.stringify(posting, members)}`);
  const [signer, proof] = [newSigner(), { index: 0, tree_size: 1, path: [] }];
  const { keyId, publicKey } = signer;
  const head = { ...(files.head.head as unknown as DayHead), treeSize: '1', root: leaf, keyId };
  return {
    proof: { postings: [{ posting, leaf_hash: leaf, proof }] },
    head: { head: { ...head }, signature: signer.sign(headText(head)), public_key: publicKey },
    publicPem: `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----\n`,
  };
}

/** The verdicts of our own checker and of the reference checker in another language. */
async function verdicts(given: Parameters<typeof withFiles>[0]): Promise<readonly number[]> {
  return withFiles(given, async ({ proof, head, key }) => {
    const runs = [
      run(process.execPath, verifier, proof, head, key),
      run('python3', inPython, proof, head),
    ];
    return (await Promise.all(runs)).map(({ code }) => code);
  });
}

describe('a proof', () => {
  it('holds offline, by the verifier and by a reader of the reference in another language', async () => {
    expect(files.proof.postings).toHaveLength(1);
    expect(await verdicts(files)).toEqual([0, 0]);
    const said = await withFiles(files, ({ proof, head, key }) =>
      run(process.execPath, verifier, proof, head, key),
    );
    expect(said.text).toContain(`WalletPosted of ${stream}`);
    expect(said.text).toContain('the proof holds');
  });

  it('does not hold for any other content, place, path, root or size', async () => {
    const changed: readonly ((given: ProofFiles) => void)[] = [
      ({ proof }) => Object.assign(proof.postings[0]?.posting ?? {}, { merchantId: 'm-2' }),
      ({ proof }) => Object.assign(proof.postings[0]?.['proof'] as object, { index: 0 }),
      ({ proof }) => (proof.postings[0]?.['proof'] as { path: string[] }).path.pop(),
      ({ head }) => Object.assign(head.head, { root: 'ab'.repeat(32) }),
      ({ head }) => Object.assign(head.head, { treeSize: '1' }),
      ({ proof }) => Object.assign(proof.postings[0] ?? {}, { proof: null }),
    ];
    for (const change of changed) {
      const bad = structuredClone(files);
      change(bad);
      expect(await verdicts(bad)).toEqual([1, 1]);
    }
  });

  it('does not hold under a head that another key signed, or with another signature', async () => {
    const [other] = [newSigner()];
    const pem = `-----BEGIN PUBLIC KEY-----\n${other.publicKey}\n-----END PUBLIC KEY-----\n`;
    expect((await verdicts({ ...files, publicPem: pem }))[0]).toBe(1);
    const head = { ...files.head, signature: other.sign('x') };
    expect((await verdicts({ ...files, head }))[0]).toBe(1);
    const dated = { ...files.head, head: { ...files.head.head, date: '2026-01-01' } };
    expect((await verdicts({ ...files, head: dated }))[0]).toBe(1);
  });

  it('cannot use control characters to hide that it does not hold', async () => {
    const bad = structuredClone(files);
    const painting = '\nthe proof holds\u001b[8m\u009b8m\r\u202e';
    Object.assign(bad.proof.postings[0]?.posting ?? {}, { type: painting });
    const { code, text } = await withFiles(bad, ({ proof, head, key }) =>
      run(process.execPath, verifier, proof, head, key),
    );
    expect([code, text.trimEnd().split('\n').at(-1)]).toEqual([1, 'THE PROOF DOES NOT HOLD']);
    expect(text).not.toMatch(/^the proof holds|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/m);
  });

  it('covers a receipt’s reference, account, amount and fee, and shows the legs', async () => {
    const item = await itemOf(stream);
    const receiptOf = (change: object, postings = files.proof.postings): ProofFiles => ({
      ...files,
      proof: { ...files.proof, postings, item: { ...item, ...change } },
    });
    const said = (given: ProofFiles) =>
      withFiles(given, ({ proof, head, key }) => run(process.execPath, verifier, proof, head, key));
    const honest = await said(receiptOf({}));
    expect(honest).toMatchObject({ code: 0 });
    expect(honest.text).toContain('rail-clearing:mpesa -10000, wallet:1001 9845, fees 155 (minor');
    expect(honest.text).toContain('the amount 10000 and the fee 155 of the completed collection');
    expect(honest.text).toContain('it is of demo mode: no money was moved');
    for (const [change, told] of [
      [{ reference: 'D0-2' }, 'those of collection D0-2'],
      [{ type: 'payout' }, 'those of payout D0-1'],
      [{ account_no: '1002' }, 'of account 1002'],
      [{ currency: 'UGX' }, 'in UGX'],
      [{ amount_minor: 20000 }, 'the amount 20000'],
      [{ fee_minor: 100 }, 'the fee 100'],
      [{ status: 'failed' }, 'leave nothing in the wallet'],
    ] as const) {
      const { code, text } = await said(receiptOf(change));
      expect([code, text]).toEqual([1, expect.stringMatching(new RegExp(`WRONG .*${told}`))]);
    }
    const twice = [...files.proof.postings, ...files.proof.postings];
    const { code, text } = await said(receiptOf({ amount_minor: 20000, fee_minor: 310 }, twice));
    expect([code, text]).toEqual([1, expect.stringContaining('WRONG the file holds each')]);
  });

  it('fails in plain words if it contains a posting twice or an invalid one', async () => {
    const said = (proof: object) =>
      withFiles({ ...files, proof: proof }, ({ proof: file, head, key }) =>
        run(process.execPath, verifier, file, head, key),
      );
    const { postings } = files.proof;
    for (const [proof, told] of [
      [{ postings: [...postings, ...postings] }, 'WRONG the file holds each posting once'],
      [{ postings: [null] }, 'WRONG the file of the proof holds a posting that is none'],
      [{ postings: [{ posting: null }] }, 'WRONG the file of the proof holds a posting that is'],
      [{ postings, item: null }, 'WRONG the file of the proof holds an item that is none'],
    ] as const)
      expect(await said(proof)).toEqual({ code: 1, text: expect.stringContaining(told) });
  });

  it('holds for a receipt whose money waits in suspense', async () => {
    // Each day, the fifth collection is paid with another amount.
    const of = 'collection-demo:m-1:D0-4';
    const { proof } = await proofFilesOf(copy, of);
    const given = { ...files, proof: { ...proof, item: await itemOf(of) } };
    expect((await verdicts(given))[0]).toBe(0);
  });

  it('says nothing beyond its postings for a receipt whose money waits in suspense', async () => {
    const of = 'collection-demo:m-1:D0-4';
    const { proof } = await proofFilesOf(copy, of);
    const item = await itemOf(of);
    const said = (change: object) =>
      withFiles(
        { ...files, proof: { ...proof, item: { ...item, ...change } } },
        ({ proof: file, head, key }) => run(process.execPath, verifier, file, head, key),
      );
    for (const change of [{ account_no: '9999' }, { status: 'refunded' }])
      expect((await said(change)).text).not.toMatch(/9999|refunded/);
    expect(await said({ status: 'completed', amount_minor: 0, fee_minor: 0 })).toMatchObject({
      code: 1,
      text: expect.stringContaining('WRONG they come to the amount 0'),
    });
  });

  it('rejects a receipt with an amount in another notation, or with another item’s stream', async () => {
    const item = await itemOf(stream);
    const said = (change: object) =>
      withFiles(
        { ...files, proof: { ...files.proof, item: { ...item, ...change } } },
        ({ proof, head, key }) => run(process.execPath, verifier, proof, head, key),
      );
    for (const change of [{ amount_minor: '0x2710' }, { fee_minor: '0b10011011' }])
      expect(await said(change)).toMatchObject({ code: 1 });
    // A reference may contain the text that precedes a reference: this stream's name can then be split in two places.
    const { proof, ...head } = aloneOn('collection-demo:m-1:A-demo:m-1:B');
    const told = (names: object) =>
      withFiles(
        { ...head, proof: { ...proof, item: { ...item, ...names } } },
        ({ proof: file, head: sealed, key }) => run(process.execPath, verifier, file, sealed, key),
      );
    expect(await told({ reference: 'A-demo:m-1:B' })).toMatchObject({ code: 0 });
    expect(await told({ type: 'collection-demo:m-1:A', reference: 'B' })).toMatchObject({
      code: 1,
    });
  });

  it('reports what is wrong with its use', async () => {
    expect(await run(process.execPath, verifier)).toMatchObject({ code: 2 });
    const none = await run(process.execPath, verifier, 'none.json', 'none.json', 'none.pem');
    expect(none).toMatchObject({
      code: 2,
      text: expect.stringContaining('none.json cannot be read'),
    });
  });

  it('can be made for every posting of a long history, and for no other leaf', async () => {
    for (const of of [
      'collection-demo:m-2:D0-0',
      'collection-demo:m-1:D1-149',
      'collection-demo:m-1:D1-14',
    ]) {
      const { proof } = await proofFilesOf(copy, of);
      expect(proof.postings).toHaveLength(1);
      expect(await verdicts({ ...files, proof })).toEqual([0, 0]);
    }
    const record = copy.log.records.find(
      (of) => of.type === 'WalletPosted' && of.stream === stream,
    );
    if (!record) throw new Error('it was posted');
    record.createdMs += 1;
    await expect(proofFilesOf(copy, stream)).rejects.toThrow(ProofFails);
    record.createdMs -= 1;
  });
});

describe('a proof since a head that was kept', () => {
  it('holds for both trees at any sizes, and with a posting of the later head', async () => {
    const long = await Copy.of(5, 3);
    await long.seal();
    const later = (await readHeads(long.log)).length - 1;
    expect(later).toBeGreaterThan(4);
    for (let place = 0; place < later; place += 1)
      expect(await verdicts(await sinceFilesOf(long, place))).toEqual([0, 0]);
    const { proof } = await proofFilesOf(long, stream);
    const { proof: since, ...rest } = await sinceFilesOf(long, 0);
    const both = { ...rest, proof: { ...since, ...proof } };
    expect(await verdicts(both)).toEqual([0, 0]);
    Object.assign(both.proof.postings[0]?.posting ?? {}, { merchantId: 'm-2' });
    expect(await verdicts(both)).toEqual([1, 1]);
  });

  it('does not hold if one byte of a path, root or size differs, or a part is missing', async () => {
    const good = await sinceFilesOf(copy, 0);
    const other = (text: string): string => (text.startsWith('0') ? '1' : '0') + text.slice(1);
    const changed: readonly ((given: typeof good) => object)[] = [
      ...(['postings', 'history'] as const).flatMap((tree) => [
        ...[0, good.proof.consistency[tree].length - 1].map(
          (at) =>
            ({ proof, ...rest }: typeof good) => ({
              ...rest,
              proof: {
                ...proof,
                consistency: {
                  ...proof.consistency,
                  [tree]: proof.consistency[tree].with(
                    at,
                    other(proof.consistency[tree][at] ?? ''),
                  ),
                },
              },
            }),
        ),
        ({ proof, ...rest }: typeof good) => ({
          ...rest,
          proof: { ...proof, consistency: { ...proof.consistency, [tree]: [] } },
        }),
      ]),
      ...(['root', 'treeSize', 'historyRoot', 'historySize'] as const).map(
        (name) =>
          ({ head, ...rest }: typeof good) => ({
            ...rest,
            head: { ...head, head: { ...head.head, [name]: other(head.head[name] ?? '') } },
          }),
      ),
      // The proof's own head is not an archived head.
      ({ proof, ...rest }) => ({ ...rest, proof, head: proof.head }),
    ];
    for (const change of changed)
      expect(await verdicts(change(structuredClone(good)) as typeof good)).toEqual([1, 1]);
  });

  it('does not hold if leaves of the earlier tree are gone, and none can be made', async () => {
    const [first] = await readHeads(copy.log);
    const kept = await sinceFilesOf(copy, 0);
    // An attacker who can write everywhere does this: removes an event and signs again with the same key.
    const without = await Copy.of(2, 150);
    without.signer = copy.signer;
    without.log.records = copy.log.records.filter(
      ({ stream: of }) => of !== stream && of !== 'platform-audit',
    );
    await without.seal();
    const [again, ...later] = await readHeads(without.log);
    const newest = later.at(-1);
    if (!first || !again || !newest) throw new Error('both are sealed');
    await expect(consistencyOf(without.tiles, first.head, newest.head)).rejects.toThrow(ProofFails);
    const forged = await sinceFilesOf(without, 0);
    expect(await verdicts(forged)).toEqual([0, 0]);
    expect(await verdicts({ ...forged, head: kept.head })).toEqual([1, 1]);
  });

  it('needs the keys of both heads if the earlier one was replaced', async () => {
    const own = await Copy.of(2, 3);
    await own.seal(Date.parse('2026-11-01T21:05:00Z'));
    const { publicKey } = own.signer;
    own.signer = newSigner();
    await own.seal();
    const { publicPem, ...rest } = await sinceFilesOf(own, 0);
    expect((await verdicts({ ...rest, publicPem }))[0]).toBe(1);
    const before = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----\n`;
    expect((await verdicts({ ...rest, publicPem: publicPem + before }))[0]).toBe(0);
  });
});

it('index.html is page.html with the verifier file inserted', () => {
  const read = (name: string) => readFileSync(join(packageDirectory(), 'verifier', name), 'utf8');
  const page = read('page.html').replace('/* verify.mjs */', () => read('verify.mjs'));
  expect(read('index.html')).toBe(page);
});
