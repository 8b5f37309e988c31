import { randomUUID } from 'node:crypto';
import { type GroupWriter } from './group-writer.js';
import { JSON_CONTENT } from './stream-metadata.js';

/**
 * Starts a new log with an event of the store itself. A real server's `$all` is never empty and never contains only our
 * events, so no code may rely on that here.
 */
export async function writeFirstEvent(writer: GroupWriter): Promise<void> {
  await writer.submit({
    kind: 'append',
    stream: Buffer.from('$embedded-eventstore'),
    expected: 'no_stream',
    deadline: undefined,
    events: [
      {
        id: randomUUID(),
        type: Buffer.from('$created'),
        contentType: JSON_CONTENT,
        metadata: Buffer.alloc(0),
        data: Buffer.from('{}'),
      },
    ],
  });
}
