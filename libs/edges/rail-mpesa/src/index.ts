export { type MakeTokenSource, type TokenSource } from './daraja/access-token.js';
export { mpesa, MpesaCallbacks } from './daraja-rail.js';
export { readStatement, type StatementContext } from './statement/read-statement.js';
export { StatementRefused } from './statement/rows.js';
