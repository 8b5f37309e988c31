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
  /** The title in the page's contents, if the whole one is long. */
  readonly shortTitle?: string;
  readonly body: Html;
  readonly samples?: readonly Sample[];
  /** Prose below the samples. Only a wide part has it. */
  readonly after?: Html;
  /** True if the part takes the whole width, as a table does. Its samples are below the prose. */
  readonly isWide?: boolean;
}

export interface Sample {
  readonly title: Html | string;
  readonly code: string;
  /** One of `languages`; undefined if the sample belongs to every one, such as an answer. */
  readonly language?: string;
  /** True for commands that the reader follows step by step. */
  readonly isStep?: boolean;
}
