import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { type Person, personId } from '#domain/people';
import { httpErrors, Problem, type StreamedBody } from '#shared/http';
import { refusals } from '../../access/refusals.js';

/** Most bytes of the whole form: some 400,000 lines of a statement. */
export const maxUploadBytes = 64 * 1024 * 1024;
/** Most bytes of a field beside the file. */
const maxFieldBytes = 1000;
const maxFields = 10;
/** Most uploads of one person, from the first byte until they are compared. Each uses disk space that others need. */
const maxOfOne = 2;

const underWay = new Map<string, number>();

/**
 * @returns a function to call when the upload is over
 * @throws Problem too_many_requests
 */
function begin(sender: string): () => void {
  const now = underWay.get(sender) ?? 0;
  if (now >= maxOfOne)
    throw new Problem(refusals.too_many_requests, { headers: { 'Retry-After': '5' } });
  underWay.set(sender, now + 1);
  return () => {
    const left = (underWay.get(sender) ?? 0) - 1;
    if (left > 0) underWay.set(sender, left);
    else underWay.delete(sender);
  };
}

/** A form with one file. Its bytes are in an unlinked file, which the system deletes when the process ends. */
export interface Upload {
  readonly fields: ReadonlyMap<string, string>;
  /** The name that its sender gave it, or undefined if no file was chosen. */
  readonly fileName: string | undefined;
  /** The file's bytes, from its beginning. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
  readonly close: () => Promise<void>;
}

/**
 * Reads a multipart form as a stream, with one chunk in memory at a time. It stores the file first, because the
 * comparison holds a transaction, which must not wait for a slow connection.
 * @param sender the person who sends the form, and who may send only so many at once
 * @throws Problem payload_too_large, unsupported_media_type, invalid_request, too_many_requests
 */
export async function readUpload(body: StreamedBody, sender: Person): Promise<Upload> {
  if (!/^multipart\/form-data\s*;/i.test(body.contentType))
    throw new Problem(httpErrors.unsupported_media_type);
  const over = begin(personId(sender));
  try {
    const { close, ...upload } = await received(body);
    return { ...upload, close: () => close().finally(over) };
  } catch (error) {
    over();
    throw error;
  }
}

async function received(body: StreamedBody): Promise<Upload> {
  const path = join(tmpdir(), `pesapost-upload-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    const { fields, fileName } = await parse(body, (chunk) => file.appendFile(chunk));
    return {
      fields,
      fileName,
      chunks: () => file.createReadStream({ start: 0, autoClose: false }),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The whole file of a small form. */
export async function bytesOf(upload: Upload): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of upload.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function parse(
  body: StreamedBody,
  write: (chunk: Uint8Array) => Promise<void>,
): Promise<Pick<Upload, 'fields' | 'fileName'>> {
  const fields = new Map<string, string>();
  let fileName: string | undefined;
  let written = Promise.resolve();
  const parser = parserOf(body.contentType);
  parser.on('field', (name, value) => {
    fields.set(name, value);
  });
  parser.on('file', (_name, stream, name) => {
    if (name !== '') fileName = name;
    written = (async () => {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) await write(chunk);
    })();
    // An error is thrown below, once the whole form is read.
    written.catch(() => undefined);
  });
  try {
    await pipeline(Readable.from(body.chunks()), parser);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(httpErrors.invalid_request, { detail: 'the form is cut off or malformed' });
  }
  await written;
  return { fields, fileName };
}

function parserOf(contentType: string) {
  const limits = { files: 1, fields: maxFields, fieldSize: maxFieldBytes, headerPairs: 50 };
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch {
    throw new Problem(httpErrors.invalid_request, { detail: 'the form has no boundary' });
  }
}
