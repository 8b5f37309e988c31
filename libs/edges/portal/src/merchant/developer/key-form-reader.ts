import { readEnd } from '#desk/operators';
import { Clock, type Mode } from '#domain/kernel';
import { type Ending, type InspectedKey } from '#domain/merchants';
import { holdsEverybody } from '#infra/runtime';
import { Injectable } from '@nestjs/common';
import { AccessDesk } from '../access/access-desk.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { DeveloperPagesOptions } from './ports.js';
import { readHolder, readIps, readKey } from './typed-key.js';
import { type FieldErrors, TypedForm } from './typed-form.js';

interface Unfit {
  readonly errors: FieldErrors;
}

interface Context {
  readonly mode: Mode;
  readonly texts: MerchantTexts;
}

/** A new key as an owner typed it. */
export interface TypedKey extends Ending {
  readonly publicKey: InspectedKey;
  readonly holder: string;
  readonly ipRanges: readonly string[];
  readonly reason: string;
}

/** Reads the forms about credentials by the rules of the command line. */
@Injectable()
export class KeyFormReader {
  constructor(
    private readonly options: DeveloperPagesOptions,
    private readonly clock: Clock,
  ) {}

  newKey(values: URLSearchParams, { mode, texts }: Context): TypedKey | Unfit {
    const typed = new TypedForm(values);
    const { keys: words } = texts.developer;
    const publicKey = typed.read('public_key', readKey, words.keyProblems);
    const holder = typed.read('holder', readHolder, words.holderProblems);
    const ipRanges = this.ipsOf(typed, { mode, texts });
    const end = this.endOf(typed, texts);
    const reason = typed.reason(texts.developer);
    if (!end || !publicKey || holder === undefined || !ipRanges || reason === undefined)
      return { errors: typed.errors };
    return { publicKey, holder, ipRanges, ...end, reason };
  }

  ips(values: URLSearchParams, context: Context): Pick<TypedKey, 'ipRanges' | 'reason'> | Unfit {
    const typed = new TypedForm(values);
    const ipRanges = this.ipsOf(typed, context);
    const reason = typed.reason(context.texts.developer);
    if (!ipRanges || reason === undefined) return { errors: typed.errors };
    return { ipRanges, reason };
  }

  revocation(
    values: URLSearchParams,
    { developer }: MerchantTexts,
  ): { readonly isCompromised: boolean; readonly reason: string } | Unfit {
    const typed = new TypedForm(values);
    const reason = typed.reason(developer);
    if (reason === undefined) return { errors: typed.errors };
    return { isCompromised: typed.text('compromised') === 'on', reason };
  }

  /** A key without an end works until it is revoked. */
  private endOf(typed: TypedForm, { developer }: MerchantTexts): Ending | undefined {
    if (typed.text('expires') === '') return {};
    const nowMs = this.clock.nowMs();
    const expiresAt = typed.read(
      'expires',
      (text) => readEnd(text, nowMs),
      developer.keys.endProblems,
    );
    return expiresAt === undefined ? undefined : { expiresAt };
  }

  /** In live mode, a list that contains every address proves nothing about the caller. */
  private ipsOf(typed: TypedForm, { mode, texts }: Context): readonly string[] | undefined {
    const { keys: words } = texts.developer;
    const ranges = typed.read('ips', readIps, words.ipsProblems);
    if (!ranges || mode === 'demo' || this.options.allowsEveryAddress || !holdsEverybody(ranges))
      return ranges;
    typed.fault('ips', words.everybody);
    return undefined;
  }
}

/** The reader of the keys' forms, the desk for what their sender may only ask for, and the clock. */
@Injectable()
export class KeyTools {
  constructor(
    readonly reader: KeyFormReader,
    readonly desk: AccessDesk,
    readonly clock: Clock,
  ) {}
}
