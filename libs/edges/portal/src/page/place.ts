import { type Action } from '#domain/people';
import { type Language } from '#shared/http';

/** A page that the navigation names, for whoever may see it. */
export interface Place {
  /** Unique; a page says with it where it stands. */
  readonly id: string;
  readonly href: string;
  readonly action: Action;
  readonly label: Readonly<Record<Language, string>>;
}

/** As `Place`, of each merchant. */
export interface MerchantPlace extends Omit<Place, 'href'> {
  /** Below `/portal/merchants/<merchantId>/<mode>`: empty, or a slash and more. */
  readonly path: string;
}
