export { callerAddress } from './caller-address.js';
export { authenticatedBy, authenticationOf, WithoutAuthentication } from './closed-by-default.js';
export { type ConnectionLimits, connectionLimits } from './connection-limits.js';
export { answerHeaders, bodyLimitBytes, createHttpApp } from './create-http-app.js';
export { FrontGate } from './front-gate.js';
export { listenEverywhere } from './listen.js';
export { type HttpError, httpErrors, Problem, type ProblemExtras } from './problem.js';
export { RawBody, rawBody, rawPath, RawQuery, rawQuery } from './raw-request.js';
