import { describe, expect, it } from '@jest/globals';
import {
  DELETED_METADATA,
  metadataStreamOf,
  parseMetadata,
  streamOfMetadata,
  withTruncateBefore,
} from './stream-metadata.js';

describe('stream metadata', () => {
  it('is kept in a stream of its own', () => {
    expect(metadataStreamOf(Buffer.from('wallet-1')).toString()).toBe('$$wallet-1');
    expect(streamOfMetadata(Buffer.from('$$wallet-1'))?.toString()).toBe('wallet-1');
    for (const name of ['wallet-1', '$wallet-1', '$$', '$']) {
      expect(streamOfMetadata(Buffer.from(name))).toBeUndefined();
    }
  });

  it('is obeyed if it truncates or deletes, and ignored if it is unreadable', () => {
    const parse = (text: string) => parseMetadata(Buffer.from(text));
    const none = { truncateBefore: 0, maxCount: 0, softDeleted: false };
    expect(parse('{"$tb":7,"x":1}')).toEqual({ ...none, truncateBefore: 7 });
    expect(parse('{"$maxCount":2}')).toEqual({ ...none, maxCount: 2 });
    expect(parse('{"$tb":9223372036854775807}')).toEqual({ ...none, softDeleted: true });
    for (const text of ['{}', '{"$tb":-1}', '{"$tb":"7","$maxCount":-1}', 'null', '[', '']) {
      expect(parse(text)).toEqual(none);
    }
  });

  it('keeps its other members when it truncates', () => {
    const before = Buffer.from('{"$maxCount":12,"$tb":1}');
    expect(withTruncateBefore(before, 5).toString()).toBe('{"$tb":5,"$maxCount":12}');
    expect(withTruncateBefore(undefined, 0).toString()).toBe('{"$tb":0}');
    expect(withTruncateBefore(DELETED_METADATA, 3).toString()).toBe('{"$tb":3}');
  });

  it('marks a deleted stream with the largest event number', () => {
    expect(DELETED_METADATA.toString()).toBe('{"$tb":9223372036854775807}');
    expect(parseMetadata(DELETED_METADATA).softDeleted).toBe(true);
  });
});
