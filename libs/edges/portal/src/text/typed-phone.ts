import { parsePhone } from '#shared/signing';

/** The number that was typed in any usual notation, as the rail needs it, or undefined if the text is none. */
export function typedPhone(text: string): string | undefined {
  return parsePhone(text.replace(/[\s().-]/g, ''));
}
