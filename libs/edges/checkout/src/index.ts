export { CheckoutModule } from './checkout.module.js';
export { CheckoutOptions } from './checkout.options.js';
