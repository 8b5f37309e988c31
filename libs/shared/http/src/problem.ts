/** One row of an edge's error table: the status and the code (ERR-5 to ERR-11). */
export interface HttpError {
  readonly status: number;
  readonly code: string;
}

/** What an answer that is an error may carry besides its code. */
export interface ProblemExtras {
  /** What is wrong, for people: names the field and the rule. With a 400, and with demo mode's 401s of signing. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by guards, pipes and controllers to end a request with an error; the filter writes it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly detail: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly error: HttpError,
    { detail, headers = {} }: ProblemExtras = {},
  ) {
    super(error.code);
    this.detail = detail;
    this.headers = headers;
  }
}

/** The errors that HTTP itself gives, the same at every edge. */
export const httpErrors = {
  invalid_request: { status: 400, code: 'invalid_request' },
  not_found: { status: 404, code: 'not_found' },
  method_not_allowed: { status: 405, code: 'method_not_allowed' },
  payload_too_large: { status: 413, code: 'payload_too_large' },
  unsupported_media_type: { status: 415, code: 'unsupported_media_type' },
  internal_error: { status: 500, code: 'internal_error' },
  service_unavailable: { status: 503, code: 'service_unavailable' },
} as const satisfies Record<string, HttpError>;
