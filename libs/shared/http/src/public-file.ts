import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;
type Encoding = keyof typeof compressors;

/**
 * A file that everyone may read, so it may be compressed: it has no secret that its length could give away. Each encoding
 * is made once, off the event loop, when a client first asks for it.
 */
export class PublicFile {
  /** Weak, because the same tag names every encoding of the file. */
  private readonly tag: string;
  private readonly encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(
    private readonly bytes: Buffer,
    private readonly headers: Readonly<Record<'Content-Type' | 'Cache-Control', string>> &
      Readonly<Record<string, string>>,
  ) {
    this.tag = `W/"${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}"`;
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    void reply.headers({ ...this.headers, ETag: this.tag, Vary: 'Accept-Encoding' });
    if (request.headers['if-none-match']?.split(/\s*,\s*/).includes(this.tag) === true) {
      await reply.code(304).send();
      return;
    }
    const encoding = encodingOf(request.headers['accept-encoding']);
    if (encoding === undefined) {
      await reply.send(this.bytes);
      return;
    }
    await reply.header('Content-Encoding', encoding).send(await this.in(encoding));
  }

  private in(encoding: Encoding): Promise<Buffer> {
    const made = this.encoded.get(encoding) ?? compressors[encoding](this.bytes);
    this.encoded.set(encoding, made);
    return made;
  }
}

/** Returns the best encoding that the client accepts, or undefined for none. */
export function encodingOf(acceptEncoding: string | readonly string[] = ''): Encoding | undefined {
  const accepted = new Set(
    String(acceptEncoding)
      .toLowerCase()
      .split(',')
      .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
      .map((one) => one.split(';')[0]?.trim()),
  );
  return (['br', 'gzip'] as const).find((encoding) => accepted.has(encoding));
}
