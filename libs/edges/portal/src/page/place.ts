import { type Action } from '#domain/people';
import { type Language } from '#shared/http';

/** A page in the navigation, for people who may see it. */
export interface Place {
  /** A unique id with which a page names its place. */
  readonly id: string;
  readonly href: string;
  readonly action: Action;
  readonly label: Readonly<Record<Language, string>>;
}

/** A page of each merchant in the navigation. */
export interface MerchantPlace extends Omit<Place, 'href'> {
  /** The path below `/portal/merchants/<merchantId>/<mode>`: empty, or a slash and more. */
  readonly path: string;
}
