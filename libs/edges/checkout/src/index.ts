export { CheckoutModule } from './checkout.module.js';
export { CheckoutOptions } from './form/forms.js';
