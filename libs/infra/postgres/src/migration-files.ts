import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The server is older than the statements require, or its schema's history does not fit this release's files. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** A file `NNNN_name.sql`. Comments at its beginning say how it runs. */
export interface MigrationFile {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
  /**
   * `-- needs: NNNN`: it removes something that releases before migration NNNN use. Such a release no longer starts.
   * Undefined if every release may run beside it.
   */
  readonly needs: number | undefined;
  /** `-- concurrently`: the index that its only statement creates without stopping writers. Undefined for other files. */
  readonly index: string | undefined;
}

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;
const needs = /^-- needs: (\d{4})$/m;
const marked = /^-- concurrently$/m;
const statement =
  /^(?:--[^\n]*\n)*create (?:unique )?index concurrently (\w+)\s+on records\.[^;]+;\s*$/;

/**
 * The files of a directory by number. Gaps are allowed: several people use numbers from their own ranges at the same
 * time.
 * @throws MigrationError if a name or a number is wrong
 */
export async function readMigrations(directory: string): Promise<MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const files = await Promise.all(
    names.map(async (name) => fileOf(name, await readFile(join(directory, name), 'utf8'))),
  );
  files.forEach(({ number, name }, index) => {
    const before = files[index - 1];
    if (before?.number === number)
      throw new MigrationError(`migration ${name} has the number of ${before.name}`);
  });
  return files;
}

function fileOf(name: string, sql: string): MigrationFile {
  const number = fileName.exec(name)?.[1];
  if (number === undefined)
    throw new MigrationError(`migration ${name} is not named NNNN_name.sql`);
  const index = statement.exec(sql)?.[1];
  if (marked.test(sql) !== (index !== undefined))
    throw new MigrationError(
      `migration ${name} must say "-- concurrently" and be one statement: create index concurrently … on records.…`,
    );
  const needed = needs.exec(sql)?.[1];
  return {
    number: Number(number),
    name,
    sql,
    checksum: createHash('sha256').update(sql).digest('hex'),
    needs: needed === undefined ? undefined : Number(needed),
    index,
  };
}
