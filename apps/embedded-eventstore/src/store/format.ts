import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** The data directory cannot be used. The message is one line with the reason and the action to take. */
export class UnusableDirectory extends Error {
  override readonly name = 'UnusableDirectory';
}

/** Increases with every change that an older release cannot read. */
const FORMAT = 2;
const FILE = 'format';
const MARK = 'pesapost-embedded-eventstore';

/**
 * Checks that the directory holds a store of this format, or starts one in an empty directory.
 * @throws UnusableDirectory
 */
export function claimFormat(directory: string): void {
  const path = join(directory, FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    begin(directory, path);
    return;
  }
  const [mark, version] = text.trim().split(' ');
  if (mark !== MARK || version === undefined || !/^\d+$/.test(version)) {
    throw new UnusableDirectory(
      `${path} is not a format file of this event store: name another directory`,
    );
  }
  if (Number(version) !== FORMAT) {
    throw new UnusableDirectory(
      `${directory} was written in format ${version}, this release reads format ${FORMAT}: ` +
        'use the release that wrote it',
    );
  }
}

function begin(directory: string, path: string): void {
  const foreign = readdirSync(directory).filter((name) => !name.startsWith('owner.json'));
  if (foreign.length > 0 && !foreign.every((name) => name.startsWith(FILE))) {
    throw new UnusableDirectory(
      `${directory} holds other files (${foreign.slice(0, 3).join(', ')}): name an empty directory`,
    );
  }
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w');
  writeSync(file, `${MARK} ${FORMAT}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
}
