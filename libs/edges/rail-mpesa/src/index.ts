export { type MakeTokenSource, type TokenSource } from './daraja/access-token.js';
export { mpesa } from './daraja-rail.js';
export { MpesaCallbacks } from './mpesa-callbacks.js';
