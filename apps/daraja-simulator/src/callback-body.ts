import { shillingsFromMinor } from '#shared/simulator';
import { compactTime } from './east-africa-time.js';
import { dueAtMs, paidMinor, type Payment } from './payment.js';
import { resultTexts } from './scenarios.js';

/** The callback of a step, as Daraja writes it: metadata only on success, Balance without a value, amounts as 1.00. */
export function callbackBody(payment: Payment, step: number): string {
  const { push, scenario } = payment;
  const result = scenario.steps[step]?.result ?? 0;
  const head =
    `{"Body":{"stkCallback":{"MerchantRequestID":"${push.merchantRequestId}",` +
    `"CheckoutRequestID":"${push.checkoutRequestId}","ResultCode":${result},` +
    `"ResultDesc":"${resultTexts[result]}"`;
  if (result !== 0) return `${head}}}}`;
  return (
    `${head},"CallbackMetadata":{"Item":[` +
    `{"Name":"Amount","Value":${shillingsFromMinor(paidMinor(payment))}},` +
    `{"Name":"MpesaReceiptNumber","Value":"${push.receipt}"},{"Name":"Balance"},` +
    `{"Name":"TransactionDate","Value":${compactTime(dueAtMs(payment, step))}},` +
    `{"Name":"PhoneNumber","Value":${push.phone}}]}}}}`
  );
}
