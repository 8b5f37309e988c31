export { callerAddress, callersOf, type ProvedCaller, sourceOf } from './callers.js';
export { authenticatedBy, authenticationOf, WithoutAuthentication } from './routes.js';
export { type ConnectionLimits, connectionLimits, Drain, listenEverywhere } from './connections.js';
export {
  answerHeaders,
  BodyLimit,
  bodyLimitBytes,
  createHttpApp,
  FrontGate,
} from './create-http-app.js';
export {
  type HttpError,
  httpErrors,
  noteProblemCode,
  Problem,
  type ProblemExtras,
} from './problem.js';
export { RawBody, rawBody, rawPath, RawQuery, rawQuery, rawTarget } from './raw-request.js';
export { KeptRequests, RequestSeal, type SealedRequest } from './request-evidence.js';
export { noteRequest } from './request-observer.js';
