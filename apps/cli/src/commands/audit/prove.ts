import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ProofFails,
  type ProofOfStream,
  provedPostingObject,
  sealedHeadObject,
} from '#domain/audit';
import { EventStore } from '#domain/event-sourcing';
import { Clock, writeJson } from '#domain/kernel';
import { proofsOf, TilesDamaged } from '#adapters/audit';
import { Database } from '#infra/postgres';
import { type INestApplicationContext } from '@nestjs/common';
import { Option } from 'commander';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { settingsOrRefused } from '../../settings.js';
import { streamNamed } from '../history.js';
import { look, type WhoseOptions, withWhose } from '../look.js';
import { publicPem } from './key.js';

interface ProveOptions extends WhoseOptions {
  readonly type?: 'collection' | 'payout' | 'correction';
  readonly out?: string;
}

export const prove = withWhose(
  look(
    'prove',
    'proves that the postings of a collection, payout or correction stand in the newest sealed head',
    'audit prove INV-1001 --merchant M --mode demo --out proof',
  ),
)
  .argument('<reference>', 'whatever npx pesapost history takes; a correction’s id')
  .addOption(
    new Option('--type <type>', 'where several have the reference').choices([
      ...['collection', 'payout', 'correction'],
    ]),
  )
  .option(
    '--out <directory>',
    'writes proof.json, head.json and public.pem for verifier/verify.mjs',
  )
  .action(async (reference: string, options: ProveOptions) => {
    const proof = await withApp((app) => proofIn(app, reference, options));
    if (options.out !== undefined) await writeProof(options.out, proof);
    if (options.json || options.out === undefined) printJson(jsonOf(proof));
    else
      printLines([
        `${proof.postings.length} postings against the head of ${proof.head?.head.date ?? 'no day yet'}`,
        `check it offline: node verifier/verify.mjs ${options.out}/proof.json ${options.out}/head.json ${options.out}/public.pem`,
      ]);
  });

async function proofIn(
  app: INestApplicationContext,
  reference: string,
  options: ProveOptions,
): Promise<ProofOfStream> {
  const { platformTimezone: timezone } = settingsOrRefused();
  const stream = await streamNamed(app, reference, options);
  const store = app.get<EventStore>(EventStore);
  const proofs = proofsOf({
    ...{ store, database: app.get(Database), clock: app.get<Clock>(Clock), timezone },
  });
  try {
    const proof = await proofs.ofStream(await store.readStream(stream));
    if (proof.postings.length === 0)
      throw new Refused([
        `${reference} has no posting: no money moved, so there is nothing to prove`,
      ]);
    return proof;
  } catch (error) {
    if (error instanceof ProofFails || error instanceof TilesDamaged)
      throw new Refused([error.message]);
    throw error;
  }
}

function jsonOf({ postings, head }: ProofOfStream): object {
  return {
    postings: postings.map(provedPostingObject),
    head: head ? sealedHeadObject(head) : null,
  };
}

/** @throws Refused while there is nothing to write, or where nothing can be written */
async function writeProof(directory: string, { postings, head }: ProofOfStream): Promise<void> {
  const open = postings.find(({ inclusion }) => inclusion === undefined);
  if (!head || open)
    throw new Refused([
      `not sealed yet, so there is no proof: expected by ${open?.sealedBy ?? 'the end of the day'}`,
    ]);
  const files = {
    'proof.json': `${writeJson({ postings: postings.map(provedPostingObject) })}\n`,
    'head.json': `${writeJson(sealedHeadObject(head))}\n`,
    'public.pem': publicPem(head.publicKey),
  };
  try {
    await mkdir(directory, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  } catch (error) {
    const { code = 'unwritable' } = error as NodeJS.ErrnoException;
    throw new Refused([`${directory} cannot be written (${code})`]);
  }
}
