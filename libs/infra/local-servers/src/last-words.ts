import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The log is read from this far before its end. */
const maxBytes = 64 * 1024;

/**
 * The last line of a process that explains its end: its last error, or else its last line.
 * @param from where its own part of the file begins, after those of earlier runs
 */
export function lastWords(logFile: string, from: number): string {
  try {
    return `${tellingLine(endOf(logFile, from).split('\n')) ?? 'it said nothing'} (see ${logFile})`;
  } catch {
    return 'it said nothing';
  }
}

function endOf(file: string, from: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    // If the log was truncated meanwhile, all of it belongs to this run.
    const start = Math.max(from > size ? 0 : from, size - maxBytes);
    const bytes = Buffer.alloc(size - start);
    readSync(descriptor, bytes, 0, bytes.length, start);
    return bytes.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** @returns undefined if no line is informative */
export function tellingLine(lines: readonly string[]): string | undefined {
  const said = lines.map((line) => line.trim()).filter((line) => line !== '' && !isOfNode(line));
  const entries = said.map(entryOf);
  return (entries.findLast(isError) ?? entries.at(-1))?.msg;
}

/** Lines that Node itself adds: its warnings, the frames of a stack, and its version at the end of a crash. */
function isOfNode(line: string): boolean {
  return /^(?:\(node:\d+\) |\(Use `node |at .+|Node\.js v\d)/.test(line);
}

interface Entry {
  readonly level?: unknown;
  readonly msg: string;
}

function isError({ level, msg }: Entry): boolean {
  if (level !== undefined) return level === 'fatal' || level === 'error';
  return /^(?:Uncaught )?[A-Z]\w*(?:Error|Exception)\b/.test(msg);
}

/** Parses a JSON log line; keeps any other line unchanged. */
function entryOf(line: string): Entry {
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown };
    return typeof msg === 'string' ? { level, msg } : { msg: line };
  } catch {
    return { msg: line };
  }
}
