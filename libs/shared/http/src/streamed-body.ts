import { type FastifyRequest } from 'fastify';
import { httpErrors, Problem } from './problem.js';

/** A body that nobody has read yet. */
export class StreamedBody {
  constructor(
    private readonly payload: AsyncIterable<Buffer>,
    /** As sent; empty where none was. */
    readonly contentType: string,
    private readonly maxBytes: number,
  ) {}

  /** The bytes as they come; once. @throws Problem payload_too_large */
  async *chunks(): AsyncGenerator<Buffer, void, void> {
    let read = 0;
    for await (const chunk of this.payload) {
      read += chunk.length;
      if (read > this.maxBytes) throw new Problem(httpErrors.payload_too_large);
      yield chunk;
    }
  }
}

/** The body of a route that reads it itself (`StreamsBody`); undefined where none was sent. */
export function streamedBody(request: FastifyRequest): StreamedBody | undefined {
  return request.body instanceof StreamedBody ? request.body : undefined;
}
