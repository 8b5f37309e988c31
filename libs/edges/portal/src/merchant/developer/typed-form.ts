import { type Result } from '#domain/kernel';
import { readForEver } from '#desk/operators';
import { type DeveloperTexts } from './developer-texts.js';

/** Errors of a form's fields, by the field's name. */
export type FieldErrors = Readonly<Partial<Record<string, string>>>;

/** A form as it was sent, with the errors that reading it found. */
export class TypedForm {
  private readonly wrong: Partial<Record<string, string>> = {};

  constructor(readonly values: URLSearchParams) {}

  get errors(): FieldErrors {
    return this.wrong;
  }

  get isFit(): boolean {
    return Object.keys(this.wrong).length === 0;
  }

  text(name: string): string {
    return (this.values.get(name) ?? '').trim();
  }

  /** Notes an error of the field. */
  fault(name: string, text: string): void {
    this.wrong[name] = text;
  }

  /** Reads a field, or notes its error. */
  read<Value, Wrong extends string>(
    name: string,
    read: (text: string) => Result<Value, Wrong>,
    words: Readonly<Record<Wrong, string>>,
  ): Value | undefined {
    const value = read(this.text(name));
    if (value.ok) return value.value;
    this.fault(name, words[value.refusal]);
    return undefined;
  }

  /** Reads the reason, which the event of the change keeps. */
  reason(texts: DeveloperTexts): string | undefined {
    return this.forEver('reason', texts);
  }

  /** Reads a text that an event keeps. */
  forEver(name: string, { reasonProblems: words }: DeveloperTexts): string | undefined {
    const text = readForEver(this.text(name));
    if (text.ok) return text.value;
    const known: Readonly<Record<string, string>> = words;
    this.fault(name, known[text.refusal] ?? words.words_length);
    return undefined;
  }
}
