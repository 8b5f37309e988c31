/** What of the settings this edge needs; the app provides it under this class. */
export class CheckoutOptions {
  constructor(
    /** BASE_URL: over https the page's cookie is bound to it. */
    readonly baseUrl: string,
  ) {}
}
