import { type Html } from '#shared/html';
import { type OperatorTexts } from './operator-texts.js';

export type Todo = keyof OperatorTexts['platform']['todos'];

/** The content of a part: a figure or a fact in a line, facts that are folded away, and a list below all parts. */
export interface Shown {
  /** The number of waiting entries, and the age of the oldest one. */
  readonly figure?: { readonly value: number | string; readonly note: string | undefined };
  readonly fact?: Html | string;
  readonly more?: Html | undefined;
  readonly list?: Html | undefined;
  readonly todo?: Todo;
}
