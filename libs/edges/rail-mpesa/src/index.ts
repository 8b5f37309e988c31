export { CheckoutIds } from './daraja/checkout-ids.js';
export { mpesa, MpesaCallbacks } from './daraja-rail.js';
export { MpesaStatements } from './statement/read-statement.js';
