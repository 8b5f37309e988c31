export { callerAddress, callersOf, type ProvedCaller, sourceOf } from './callers.js';
export { authenticatedBy, authenticationOf, WithoutAuthentication } from './routes.js';
export { type ConnectionLimits, connectionLimits, Drain, listenOn } from './connections.js';
export { BodyLimit, bodyLimitBytes, StreamsBody } from './body-parsing.js';
export { bodyLimitsFor } from './unfinished-bodies.js';
export { answerHeaders, createHttpApp } from './create-http-app.js';
export { FrontGate } from './front-gate.js';
export { PublicFile } from './public-file.js';
export { PageAddress } from './page-address.js';
// Pages that are written without this module's framework import these from there.
export { isLanguage, type Language, languages, preferredLanguage } from '#shared/html';
export {
  ErrorPages,
  type HttpError,
  httpErrors,
  noteProblemCode,
  Problem,
  type ProblemExtras,
} from './problem.js';
export { bodyBytes, rawBody, readBody } from './unread-body.js';
export { RawBody, rawPath, RawQuery, rawQuery, rawTarget } from './raw-request.js';
export { StreamedBody, streamedBody } from './streamed-body.js';
export { RetainedRequests, RequestSeal, type SealedRequest } from './request-evidence.js';
export { traceparentOf } from './request-tracing.js';
export { maskedTarget } from './masked-target.js';
export { type AnsweredRequest, AnswerWatch, noteRequest } from './request-observer.js';
