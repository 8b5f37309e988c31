/** What of the settings this room needs; the app provides it under this class. */
export class ApiDocsOptions {
  constructor(
    /** BASE_URL: what the quick start calls. */
    readonly baseUrl: string,
  ) {}
}
