import { mkdir, open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The part of the journal that writes records of some kinds. */
export interface Recorder<Record extends object> {
  append(record: Record): Promise<void>;
  note(record: Record): void;
}

/** Notes wait at most this long for an append that writes them along with its own record. */
const noteDelayMs = 50;

/**
 * An append-only file of JSON lines, one record each. While a write and its fsync run, later records gather and are
 * written together: one fsync for all (group commit). The next start cuts off a line that a crash left incomplete.
 */
export class Journal implements Recorder<object> {
  private lines: string[] = [];
  private waiting: Waiting[] = [];
  private noteTimer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> | undefined;
  private failure: Error | undefined;

  private constructor(
    private readonly file: FileHandle,
    private readonly onFailure: (error: Error) => void,
  ) {}

  /**
   * Opens or creates the file and replays its complete records in order.
   * @param path the file, and the app whose journal it is
   * @param onFailure called once if the disk fails: from then on the durable content is unknown, so the process should
   * end
   * @throws if the file cannot be used, or is no journal of this version
   */
  static async open(
    { path, app }: { readonly path: string; readonly app: string },
    replay: (record: unknown) => void,
    onFailure: (error: Error) => void,
  ): Promise<Journal> {
    const header = JSON.stringify({ journal: app, version: 1 });
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, 'a', 0o600);
    const bytes = await readFile(path);
    const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
    if (wholeBytes < bytes.length) await file.truncate(wholeBytes);
    const journal = new Journal(file, onFailure);
    if (wholeBytes === 0) {
      journal.lines.push(header);
      await journal.flush();
    }
    replayLines(bytes.subarray(0, wholeBytes), { path, header }, replay);
    return journal;
  }

  /** Resolves once the record is on the disk. */
  append(record: object): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) {
        reject(this.failure);
        return;
      }
      this.lines.push(JSON.stringify(record));
      this.waiting.push({ resolve, reject });
      this.startFlush();
    });
  }

  /** Writes the record soon. A crash before that loses it, which must do no harm. */
  note(record: object): void {
    this.lines.push(JSON.stringify(record));
    this.noteTimer ??= setTimeout(() => {
      this.noteTimer = undefined;
      this.startFlush();
    }, noteDelayMs);
  }

  /** Writes the remaining records and closes the file. */
  async close(): Promise<void> {
    clearTimeout(this.noteTimer);
    this.startFlush();
    await this.flushing;
    await this.file.close();
  }

  private startFlush(): void {
    this.flushing ??= this.flush().finally(() => {
      this.flushing = undefined;
    });
  }

  private async flush(): Promise<void> {
    while (this.lines.length > 0 && this.failure === undefined) {
      const text = `${this.lines.join('\n')}\n`;
      const waiting = this.waiting;
      this.lines = [];
      this.waiting = [];
      try {
        await this.file.appendFile(text);
        await this.file.datasync();
        for (const one of waiting) one.resolve();
      } catch (error) {
        this.fail(error instanceof Error ? error : new Error(String(error)), waiting);
      }
    }
  }

  private fail(error: Error, waiting: readonly Waiting[]): void {
    this.failure = error;
    for (const one of [...waiting, ...this.waiting]) one.reject(error);
    this.onFailure(error);
  }
}

function replayLines(
  bytes: Buffer,
  { path, header }: { readonly path: string; readonly header: string },
  replay: (record: unknown) => void,
): void {
  let start = 0;
  for (let number = 1; start < bytes.length; number += 1) {
    const end = bytes.indexOf(0x0a, start);
    const line = bytes.toString('utf8', start, end);
    start = end + 1;
    if (number === 1) {
      if (line !== header) throw new Error(`${path} is no journal of this simulator's version`);
      continue;
    }
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch {
      throw new Error(`${path} is damaged at line ${number}; delete it to start afresh`);
    }
    replay(record);
  }
}
