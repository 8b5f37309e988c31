import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const passkeyShape = z.strictObject({
  /** Base64url, the browser's name of the passkey. */
  id: z.string().min(1),
  /** The subject of its owner. */
  subject: z.string().min(8),
  /** COSE, base64url. */
  public_key: z.string().min(1),
  /** The number of uses, if its device counts them. */
  counter: z.int().min(0),
  added_at: z.iso.datetime(),
});

/** The stored data of a passkey; nothing in it is secret. */
export type Passkey = z.output<typeof passkeyShape>;

/** The limit for one person: enough for their devices, and bounded. */
export const maxPasskeys = 10;

/** The people's passkeys, in a file of this provider. */
export class Passkeys {
  #written: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private all: readonly Passkey[],
  ) {}

  /** @throws Error with a message for people */
  static async open(file: string): Promise<Passkeys> {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '[]';
      throw error;
    });
    const read = z.array(passkeyShape).safeParse(parsed(text));
    if (!read.success) throw new Error(`${file}: ${z.prettifyError(read.error)}`);
    return new Passkeys(file, read.data);
  }

  get isEmpty(): boolean {
    return this.all.length === 0;
  }

  of(subject: string): readonly Passkey[] {
    return this.all.filter((one) => one.subject === subject);
  }

  find(id: string): Passkey | undefined {
    return this.all.find((one) => one.id === id);
  }

  /** @returns false if the passkey is known already, or the person has too many */
  async add(passkey: Passkey): Promise<boolean> {
    let isAdded = false;
    await this.#change((all) => {
      isAdded = !this.find(passkey.id) && this.of(passkey.subject).length < maxPasskeys;
      return isAdded ? [...all, passkey] : all;
    });
    return isAdded;
  }

  /** @param counter as the device reported it */
  async used({ id }: Passkey, counter: number): Promise<void> {
    await this.#change((all) => all.map((one) => (one.id === id ? { ...one, counter } : one)));
  }

  /** Applies one change after the other. A change counts once it is written. */
  #change(change: (all: readonly Passkey[]) => readonly Passkey[]): Promise<void> {
    this.#written = this.#written
      .catch(() => undefined)
      .then(async () => {
        const all = change(this.all);
        if (all !== this.all) await this.#write(all);
        this.all = all;
      });
    return this.#written;
  }

  async #write(all: readonly Passkey[]): Promise<void> {
    const temporary = `${this.file}.new`;
    await rm(temporary, { force: true });
    const text = `${JSON.stringify(all, null, 2)}\n`;
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, this.file);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
