import { type Html } from '#shared/html';

/** A page of the site, before its frame. */
export interface SitePage {
  /** The path, without a trailing slash. */
  readonly address: string;
  readonly title: string;
  /** One sentence for search engines. */
  readonly description: string;
  readonly lead: Html;
  readonly parts: readonly Part[];
  /** A script of the page, besides the one of every page. */
  readonly script?: 'walk-through';
}

/** A section of a page: prose, and samples beside it. */
export interface Part {
  /** The anchor. */
  readonly id: string;
  readonly title: string;
  readonly body: Html;
  readonly samples?: readonly Sample[];
  /** True if the prose needs the room of the samples too, as a table does. */
  readonly isWide?: boolean;
}

/** The languages of samples. The reader chooses one for the whole page. */
export const languages = { curl: 'curl', node: 'Node SDK' } as const;

export interface Sample {
  readonly title: Html | string;
  readonly code: string;
  /** Undefined if the sample belongs to every language, such as an answer. */
  readonly language?: keyof typeof languages;
  /** True for commands that the reader follows step by step. */
  readonly isStep?: boolean;
}
