import { parsePhone } from '#shared/signing';

/**
 * The number that was typed in any usual notation, as the rail needs it, or undefined if the text is none. Nine digits
 * are a number without its first zero.
 */
export function typedPhone(text: string): string | undefined {
  const typed = text.replace(/[\s().-]/g, '');
  return parsePhone(/^[17]\d{8}$/.test(typed) ? `0${typed}` : typed);
}
