import { describe, expect, it } from '@jest/globals';
import { burst, joined } from './pacing.js';

const messages = ['one', '', 'three'].map((text) => Buffer.from(text));

/** Copies the bytes of a message as grpc-js does. */
function serialized(message: Buffer): Buffer {
  const output = Buffer.allocUnsafe(message.byteLength + 5);
  output.writeUInt8(0, 0);
  output.writeUInt32BE(message.byteLength, 1);
  message.copy(output, 5);
  return output;
}

describe('joined messages', () => {
  it('are the bytes of each, one after the other', () => {
    const each = Buffer.concat(messages.map(serialized));
    expect(serialized(joined(messages)).equals(each)).toBe(true);
  });

  it('are the message itself if there is only one', () => {
    const lone = Buffer.from('lone');
    expect(serialized(joined([lone])).equals(serialized(lone))).toBe(true);
  });
});

describe('a burst', () => {
  it('has one message at least, and ends with the one that reaches 64 KiB', () => {
    const large = Buffer.alloc(100_000);
    expect(burst([large, large])).toHaveLength(1);
    expect(burst(Array.from({ length: 20 }, () => Buffer.alloc(16 * 1024)))).toHaveLength(4);
    expect(burst(messages, 2)).toHaveLength(2);
  });
});
