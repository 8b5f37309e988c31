import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError where the text is no day of the calendar */
export function parseDay(text: string): string {
  const at = new Date(`${text}T00:00:00Z`);
  const isDay =
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(at.getTime()) &&
    at.toISOString().startsWith(text);
  if (!isDay) throw new InvalidArgumentError('must be a day, as 2026-11-20');
  return text;
}
