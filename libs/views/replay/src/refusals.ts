/** Nothing was changed. The message says why, in a sentence. */
export class ReplayRefused extends Error {
  override readonly name = 'ReplayRefused';
}

/** Postgres went down during the swap and did not come back in time. */
export class SwapUnknown extends Error {
  override readonly name = 'SwapUnknown';
  constructor(options: ErrorOptions) {
    super(
      'Postgres did not answer whether the sets were swapped: replay list tells it, once Postgres answers',
      options,
    );
  }
}
