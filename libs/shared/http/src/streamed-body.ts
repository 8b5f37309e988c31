import { type FastifyRequest } from 'fastify';
import { httpErrors, Problem } from './problem.js';

interface StreamedBodyOptions {
  /** As sent. */
  readonly contentType?: string | undefined;
  readonly maxBytes: number;
  /** Asks a sender that waits for `100 Continue` to continue. */
  readonly begin?: () => void;
}

/** A body that its route handles as it streams by. */
export class StreamedBody {
  /** As sent; empty if none was sent. */
  readonly contentType: string;

  constructor(
    private readonly payload: AsyncIterable<Buffer>,
    private readonly options: StreamedBodyOptions,
  ) {
    this.contentType = options.contentType ?? '';
  }

  /** Yields the bytes as they arrive; may be called once. @throws Problem payload_too_large */
  async *chunks(): AsyncGenerator<Buffer, void, void> {
    let read = 0;
    this.options.begin?.();
    for await (const chunk of this.payload) {
      read += chunk.length;
      if (read > this.options.maxBytes) throw new Problem(httpErrors.payload_too_large);
      yield chunk;
    }
  }
}

/** Returns the body of a route that streams it (`StreamsBody`); undefined if none was sent. */
export function streamedBody(request: FastifyRequest): StreamedBody | undefined {
  return request.body instanceof StreamedBody ? request.body : undefined;
}
