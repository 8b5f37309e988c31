/** The `$tb` by which EventStoreDB marks a stream as soft-deleted: the largest event number. */
const DELETED_MARK = '9223372036854775807';

const PREFIX = Buffer.from('$$');
export const METADATA_TYPE = Buffer.from('$metadata');
export const TOMBSTONE_TYPE = Buffer.from('$streamDeleted');
export const JSON_CONTENT = Buffer.from('application/json');
export const BINARY_CONTENT = Buffer.from('application/octet-stream');

/** Name of the stream that holds the metadata of `stream`. */
export function metadataStreamOf(stream: Buffer): Buffer {
  return Buffer.concat([PREFIX, stream]);
}

/** Name of the stream that a metadata stream describes; undefined for any other stream. */
export function streamOfMetadata(stream: Buffer): Buffer | undefined {
  return stream.length > 2 && stream[0] === 0x24 && stream[1] === 0x24
    ? stream.subarray(2)
    : undefined;
}

/** The part of a stream's metadata that the store itself obeys. It stores and returns the rest. */
export interface ObeyedMetadata {
  readonly truncateBefore: number;
  readonly maxCount: number;
  readonly softDeleted: boolean;
}

export function parseMetadata(data: Buffer): ObeyedMetadata {
  const { $tb, $maxCount } = parseObject(data);
  const truncateBefore = positive($tb);
  const maxCount = positive($maxCount);
  const softDeleted = truncateBefore > Number.MAX_SAFE_INTEGER;
  return { truncateBefore: softDeleted ? 0 : truncateBefore, maxCount, softDeleted };
}

/** The roles that `$acl` lets read the stream. */
export function readersOf(data: Buffer): readonly unknown[] {
  const { $acl } = parseObject(data);
  const { $r } = (typeof $acl === 'object' && $acl !== null ? $acl : {}) as { $r?: unknown };
  return Array.isArray($r) ? $r : [$r];
}

/** The metadata of a soft-deleted stream. As in EventStoreDB, they replace all earlier ones. */
export const DELETED_METADATA = Buffer.from(`{"$tb":${DELETED_MARK}}`);

/** Returns the metadata with `$tb` set to a revision. */
export function withTruncateBefore(data: Buffer | undefined, revision: number): Buffer {
  const { $tb: _, ...kept } = data === undefined ? {} : parseObject(data);
  return Buffer.from(JSON.stringify({ $tb: revision, ...kept }));
}

function positive(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function parseObject(data: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(data.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
