import { type KeyObject } from 'node:crypto';
import { type Clock } from '#domain/kernel';
import { ask, type AskLine, memberObject, parseObject, type Sign, textOf } from '#edges/rails';
import { DeadlineExceeded, withDeadline } from '#infra/runtime';
import { isTokenRefused } from './answers.js';
import { encryptionKeyIn, type RandomBytes, signatureHeaders } from './signature.js';

interface KeysOptions {
  readonly line: AskLine;
  /** In addition to those of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

interface Held {
  readonly key: KeyObject;
  /** The time by the clock until which the key is used. */
  readonly untilMs: number;
}

/** A request that is signed just before a key's end may reach Airtel after it. */
const marginMs = 60_000;
/**
 * A key is used for this long even if its end cannot be read, or is past. Airtel refuses it if it really has ended, and
 * a wrong date must not cost a question for each push.
 */
const leastMs = 60_000;

/** The key of Airtel's to which signatures are encrypted (AIR-17). It is asked for when a push needs it. */
export class EncryptionKeys {
  #held: Held | undefined;
  #asking: Promise<Held | undefined> | undefined;

  constructor(private readonly options: KeysOptions) {}

  /** Signs a body. Without a key there is no signature, so the push is not sent. */
  readonly sign: Sign = async (body, withinMs) => {
    const held = await this.#current(withinMs);
    return (
      held && {
        headers: signatureHeaders(body, held.key, this.options.randomBytes),
        forgetKey: () => {
          // Another push may have got a newer key meanwhile.
          if (this.#held === held) this.#held = undefined;
        },
      }
    );
  };

  /** True if a request could be signed now. */
  async areReady(withinMs: number): Promise<boolean> {
    return (await this.#current(withinMs)) !== undefined;
  }

  async #current(withinMs: number): Promise<Held | undefined> {
    if (this.#held && this.options.clock.nowMs() < this.#held.untilMs) return this.#held;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    try {
      return await withDeadline(this.#asking, withinMs, 'no encryption key');
    } catch (error) {
      if (error instanceof DeadlineExceeded) return undefined;
      throw error;
    }
  }

  async #ask(): Promise<Held | undefined> {
    const { line, headers, clock } = this.options;
    const answer = await ask(line, {
      headers,
      read: (status, body) =>
        isTokenRefused(status, body)
          ? ({ kind: 'invalid_token' } as const)
          : ({ kind: 'answer', body } as const),
    });
    const read = answer.kind === 'answer' ? readKey(answer.body) : undefined;
    if (!read) return undefined;
    const leastUntilMs = clock.nowMs() + leastMs;
    this.#held = {
      key: read.key,
      untilMs: Math.max(leastUntilMs, (read.endMs ?? 0) - marginMs),
    };
    return this.#held;
  }
}

function readKey(
  body: string,
): { readonly key: KeyObject; readonly endMs: number | undefined } | undefined {
  const data = memberObject(parseObject(body), 'data') ?? {};
  const key = encryptionKeyIn(textOf(data, 'key') ?? '');
  return key && { key, endMs: endIn(textOf(data, 'valid_upto') ?? '') };
}

/** `dd-mm-yyyy hh:mm:ss`, or the same in the order of ISO 8601. */
const written = /^(?:(\d{2})-(\d{2})-(\d{4})|(\d{4})-(\d{2})-(\d{2}))[ T](\d{2}:\d{2}:\d{2})/;

/** Returns the end of a key, which is in East Africa Time: the earlier reading, if it should be UTC. */
function endIn(text: string): number | undefined {
  const [, day, month, year, isoYear, isoMonth, isoDay, time] = written.exec(text) ?? [];
  const date = `${year ?? isoYear}-${month ?? isoMonth}-${day ?? isoDay}`;
  const endMs = Date.parse(`${date}T${time}+03:00`);
  return Number.isNaN(endMs) ? undefined : endMs;
}
