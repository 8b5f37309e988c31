import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provedPostingObject, sealedHeadObject } from '#domain/audit';
import { SystemClock } from '#infra/runtime';
import { consistencyOf, RecordedProofs } from '../src/proofs.js';
import { readHeads } from '../src/sealer.js';
import { type Copy } from './copy.js';

/** The files that a checker reads. */
export interface ProofFiles {
  readonly proof: {
    postings: { posting: Record<string, unknown>; [member: string]: unknown }[];
    /** Present in a receipt. */
    item?: object;
  };
  readonly head: { head: Record<string, string>; signature: string; public_key: string };
  readonly publicPem: string;
}

/** The proof of a stream's postings, as `audit prove` prints it. */
export async function proofFilesOf(copy: Copy, stream: string): Promise<ProofFiles> {
  const proofs = new RecordedProofs({
    store: copy.log,
    tiles: copy.tiles,
    clock: new SystemClock(0),
    timezone: 'Africa/Nairobi',
    marginMs: 300_000,
  });
  const { postings, head } = await proofs.ofStream(await copy.log.readStream(stream));
  if (!head) throw new Error('nothing was sealed');
  return {
    proof: {
      postings: postings.map(provedPostingObject).map(({ posting, ...rest }) => ({
        posting: { ...posting },
        ...rest,
      })),
    },
    head: { ...sealedHeadObject(head), head: { ...head.head } },
    publicPem: `-----BEGIN PUBLIC KEY-----\n${head.publicKey}\n-----END PUBLIC KEY-----\n`,
  };
}

/** The proof that the newest head continues the one at a place; the checker compares it with that earlier head. */
export async function sinceFilesOf(copy: Copy, place: number): Promise<SinceFiles> {
  const heads = await readHeads(copy.log);
  const [before, newest] = [heads[place], heads.at(-1)];
  if (!before || !newest) throw new Error('there are no such heads');
  const { publicKey } = newest;
  return {
    proof: {
      consistency: await consistencyOf(copy.tiles, before.head, newest.head),
      head: sealedHeadObject(newest),
    },
    head: { ...sealedHeadObject(before), head: { ...before.head } },
    publicPem: `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----\n`,
  };
}

export interface SinceFiles extends Omit<ProofFiles, 'proof'> {
  readonly proof: {
    consistency: { postings: readonly string[]; history: readonly string[] };
    head: ReturnType<typeof sealedHeadObject>;
    postings?: ProofFiles['proof']['postings'];
  };
}

/** Writes the files, and deletes them after `use` has ended. */
export async function withFiles<T>(
  { proof, head, publicPem }: Omit<ProofFiles, 'proof'> & { readonly proof: object },
  use: (files: { proof: string; head: string; key: string }) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'pesapost-proof-'));
  const files = {
    proof: join(directory, 'proof.json'),
    head: join(directory, 'head.json'),
    key: join(directory, 'public.pem'),
  };
  try {
    await writeFile(files.proof, JSON.stringify(proof, null, 2));
    await writeFile(files.head, JSON.stringify(head));
    await writeFile(files.key, publicPem);
    return await use(files);
  } finally {
    await rm(directory, { recursive: true });
  }
}
