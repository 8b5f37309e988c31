import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DayHead,
  ProofFails,
  type ProofOfStream,
  provedPostingObject,
  type SealedHead,
  sealedHeadObject,
} from '#domain/audit';
import { EventStore } from '#domain/event-sourcing';
import { Clock, writeJson } from '#domain/kernel';
import {
  consistencyOf,
  type ConsistencyProof,
  proofsOf,
  readHeads,
  readArchivedHead,
  RecordedTiles,
  TilesDamaged,
} from '#adapters/audit';
import { Database } from '#infra/postgres';
import { type INestApplicationContext } from '@nestjs/common';
import { Option } from 'commander';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { settingsOrRefused } from '../../settings.js';
import { streamNamed } from '../history.js';
import {
  plainCommand,
  type MerchantAndModeOptions,
  withMerchantAndMode,
} from '../plain-command.js';
import { publicPem } from './key.js';

interface ProveOptions extends MerchantAndModeOptions {
  readonly type?: 'collection' | 'payout' | 'correction';
  readonly out?: string;
  readonly since?: string;
}

/** A proof of a stream's postings, or that history continues from an earlier head, or both. */
interface Proof extends ProofOfStream {
  readonly since?: Since;
}

interface Since {
  readonly consistency: ConsistencyProof;
  /** The earlier head as the service has it; undefined if the service no longer has it. */
  readonly before: SealedHead | undefined;
}

export const prove = withMerchantAndMode(
  plainCommand(
    'prove',
    'proves that the postings of a collection, payout or correction are in the newest sealed head, and that its history continues from an earlier one',
    'audit prove INV-1001 --merchant M --mode demo --since kept/2026-10-31.json --out proof',
  ),
)
  .argument(
    '[reference]',
    'any name that npx pesapost history takes, or a correction’s id; optional with --since',
  )
  .addOption(
    new Option('--type <type>', 'needed if several have the same reference').choices([
      ...['collection', 'payout', 'correction'],
    ]),
  )
  .option(
    '--out <directory>',
    'writes proof.json, head.json and public.pem for verifier/verify.mjs',
  )
  .option(
    '--since <head>',
    'also proves that the newest head continues from this one: a file with it, or its day',
  )
  .action(async (reference: string | undefined, options: ProveOptions) => {
    const proof = await withApp((app) => proofIn(app, reference, options));
    if (options.out !== undefined) await writeProof(options.out, proof);
    if (options.json || options.out === undefined) printJson(jsonOf(proof));
    else
      printLines([
        `${proof.postings.length} postings against the head of ${proof.head?.head.date ?? 'no day yet'}`,
        `check it offline: node verifier/verify.mjs ${options.out}/proof.json ${headFileOf(options, options.out)} ${options.out}/public.pem`,
      ]);
  });

async function proofIn(
  app: INestApplicationContext,
  reference: string | undefined,
  options: ProveOptions,
): Promise<Proof> {
  if (reference === undefined && options.since === undefined)
    throw new Refused(['name what is to be proved, or with --since an earlier head']);
  const { platformTimezone: timezone } = settingsOrRefused();
  const store = app.get<EventStore>(EventStore);
  const proofs = proofsOf({
    store,
    database: app.get(Database),
    clock: app.get<Clock>(Clock),
    timezone,
  });
  try {
    const events =
      reference === undefined
        ? []
        : await store.readStream(await streamNamed(app, reference, options));
    const proof = await proofs.ofStream(events);
    if (reference !== undefined && proof.postings.length === 0)
      throw new Refused([
        `${reference} has no posting: no money moved, so there is nothing to prove`,
      ]);
    if (options.since === undefined) return proof;
    return { ...proof, since: await sinceOf(app, options.since, proof.head) };
  } catch (error) {
    if (error instanceof ProofFails || error instanceof TilesDamaged)
      throw new Refused([error.message]);
    throw error;
  }
}

/** @throws Refused if there is no such head, or no newer one; ProofFails; TilesDamaged */
async function sinceOf(
  app: INestApplicationContext,
  given: string,
  newest: SealedHead | undefined,
): Promise<Since> {
  const heads = await readHeads(app.get<EventStore>(EventStore));
  const head = /^\d{4}-\d\d-\d\d$/.test(given)
    ? heads.find((sealed) => sealed.head.date === given)?.head
    : await archivedHeadIn(given);
  if (!head) throw new Refused([`no head of ${given} was sealed`]);
  if (!newest || newest.head.date <= head.date)
    throw new Refused([
      `no later head than that of ${head.date} is sealed yet: there is nothing to prove`,
    ]);
  return {
    consistency: await consistencyOf(new RecordedTiles(app.get(Database)), head, newest.head),
    before: heads.find((sealed) => sealed.head.date === head.date),
  };
}

/** @throws Refused if the file has no head, or a changed one */
export async function archivedHeadIn(file: string): Promise<DayHead> {
  const kept = readArchivedHead(await readFile(file, 'utf8').catch(() => ''));
  if (!kept) throw new Refused([`${file} holds no head that the key which it names has signed`]);
  return kept.head;
}

/** The head against which the proof is checked: the newest, or the one that the person kept. */
function headFileOf({ since }: ProveOptions, out: string): string {
  if (since === undefined) return `${out}/head.json`;
  return /^\d{4}-\d\d-\d\d$/.test(since) ? `${out}/since.json` : since;
}

function jsonOf({ postings, head, since }: Proof): object {
  const isSinceAlone = since !== undefined && postings.length === 0;
  return {
    ...(isSinceAlone ? {} : { postings: postings.map(provedPostingObject) }),
    head: head ? sealedHeadObject(head) : null,
    ...(since === undefined ? {} : { consistency: since.consistency }),
  };
}

/** @throws Refused if there is nothing to write yet, or if the files cannot be written */
async function writeProof(directory: string, proof: Proof): Promise<void> {
  const { postings, head, since } = proof;
  const open = postings.find(({ inclusion }) => inclusion === undefined);
  if (!head || open)
    throw new Refused([
      `not sealed yet, so there is no proof: expected by ${open?.sealedBy ?? 'the end of the day'}`,
    ]);
  const files = {
    'proof.json': `${writeJson(since ? jsonOf(proof) : { postings: postings.map(provedPostingObject) })}\n`,
    'head.json': `${writeJson(sealedHeadObject(head))}\n`,
    'public.pem': [...new Set([head.publicKey, since?.before?.publicKey ?? head.publicKey])]
      .map(publicPem)
      .join(''),
    ...(since?.before && { 'since.json': `${writeJson(sealedHeadObject(since.before))}\n` }),
  };
  try {
    await mkdir(directory, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  } catch (error) {
    const { code = 'unwritable' } = error as NodeJS.ErrnoException;
    throw new Refused([`${directory} cannot be written (${code})`]);
  }
}
