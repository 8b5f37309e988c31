import { type Minor } from '#domain/kernel';

/**
 * The form of an amount. `point`: `1,234.56` · `comma`: `1.234,56` · `plain`: no mark at all. `grouped_…`: only
 * thousands, as `1,234`. Such an amount shows its notation only if no amount in the file has three decimals.
 */
export type Notation = 'plain' | 'point' | 'comma' | 'grouped_point' | 'grouped_comma';

const forms: readonly (readonly [Notation, RegExp])[] = [
  ['plain', /^(-?)(\d{1,13})$/],
  ['point', /^(-?)(\d{1,3}(?:,\d{3})+|\d{1,13})\.(\d{1,2})$/],
  ['comma', /^(-?)(\d{1,3}(?:\.\d{3})+|\d{1,13}),(\d{1,2})$/],
  ['grouped_point', /^(-?)(\d{1,3}(?:,\d{3})+)$/],
  ['grouped_comma', /^(-?)(\d{1,3}(?:\.\d{3})+)$/],
];

/**
 * Reads an amount from its text, never through floating point.
 * @returns undefined if it is no amount; an empty cell is zero
 */
export function readAmount(
  text: string,
): { readonly minor: Minor; readonly notation: Notation } | undefined {
  if (text === '' || text === '-') return { minor: 0n, notation: 'plain' };
  for (const [notation, form] of forms) {
    const [, sign, whole = '', decimals = ''] = form.exec(text) ?? [];
    const digits = whole.replace(/[.,]/g, '');
    if (digits === '') continue;
    if (digits.length > 13) return undefined;
    const minor = BigInt(digits + decimals.padEnd(2, '0'));
    return { minor: sign === '-' ? -minor : minor, notation };
  }
  return undefined;
}

/** The notation of a file's amounts. A file with more than one is refused. */
export class FileNotation {
  #proven: 'point' | 'comma' | undefined;
  #assumedAs: 'point' | 'comma' | undefined;
  #assumedIn: number | undefined;

  /** @param isOfPortal if true, the portal's own notation applies unless the file proves another one */
  constructor(private readonly isOfPortal: boolean) {}

  /** @returns the reason why the row's amount cannot be read together with the others; undefined if it can */
  take(notation: Notation, row: number): string | undefined {
    if (notation === 'plain') return undefined;
    const meant = notation === 'point' || notation === 'grouped_point' ? 'point' : 'comma';
    if (this.#proven !== undefined)
      return this.#proven === meant
        ? undefined
        : `row ${row}: its amounts are written in both ways, as 1,234.56 and as 1.234,56: export it again`;
    if (notation === 'point' || notation === 'comma') {
      this.#proven = meant;
      return this.#assumedAs === undefined || this.#assumedAs === meant
        ? undefined
        : `row ${row}: its amounts are written in both ways, as 1,234.56 and as 1.234,56: export it again`;
    }
    if (this.#assumedAs !== undefined && this.#assumedAs !== meant)
      return `row ${row}: its amounts are written in both ways, as 1,234 and as 1.234: export it again`;
    this.#assumedAs = meant;
    this.#assumedIn ??= row;
    return undefined;
  }

  /** @returns at the file's end, the reason for a refusal if no amount shows what the marks mean */
  unproven(): string | undefined {
    if (this.#proven !== undefined || this.#assumedIn === undefined) return undefined;
    if (this.isOfPortal && this.#assumedAs === 'point') return undefined;
    return `row ${this.#assumedIn}: its amount has one mark before three digits, which may be thousands or decimals, and no other row tells: export it with two decimals`;
  }
}
