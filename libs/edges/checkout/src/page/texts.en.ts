import { customerWords } from './customer-words.js';
import { type FaultCode, type Notice } from './codes.js';

const askForNewLink = 'Go back to the shop and start again from there.';

export const english = {
  name: 'English',
  language: 'Language',
  pay: (merchant: string) => `Pay ${merchant}`,
  order: 'Order',
  phone: 'M-Pesa phone number',
  phoneHint: 'For example 0712 345 678. We send the payment request to this phone.',
  payButton: (amount: string) => `Pay ${amount}`,
  sending: 'Sending …',
  pinNote: 'M-Pesa asks for your PIN on your phone. Never enter it on a web page.',
  problem: 'There is a problem',
  problemPrefix: 'Error: ',
  invalidPhone: 'Enter a Safaricom number, such as 0712 345 678',
  staleForm: 'This page was open too long, or your browser blocks cookies. Try again',
  waiting: {
    title: 'Check your phone',
    sent: (amount: string, phone: string) => `We sent a request for ${amount} to ${phone}.`,
    pin: 'Enter your M-Pesa PIN there to pay.',
    unsure: (amount: string, phone: string) =>
      `We asked M-Pesa to send a request for ${amount} to ${phone}, but it did not answer. The request may still appear.`,
    unsurePin: 'If it appears, enter your M-Pesa PIN to pay.',
    unsureElse: (merchant: string, order: string) =>
      `If nothing appears, ask ${merchant} before you pay in another way. Give them the order number: ${order}.`,
    unsureLong:
      'We don’t know if M-Pesa sent the request. If you have an M-Pesa receipt, you have paid: keep it. If not, we know of no payment.',
    unsureLongAsk: (merchant: string, order: string) =>
      `Do not pay again before you ask ${merchant}. Give them the order number: ${order}.`,
    updates: 'This page updates when you have paid.',
    longTitle: 'Waiting for M-Pesa',
    long: (merchant: string) =>
      `If you entered your PIN, do not pay again. This page shows the payment when M-Pesa confirms it. If it takes long, ask ${merchant}.`,
    checkNow: 'Check now',
  },
  paid: {
    title: 'Paid',
    text: (merchant: string, amount: string) => `You paid ${merchant} ${amount}.`,
    receipt: 'M-Pesa receipt',
    on: 'Paid on',
    leads: (merchant: string, seconds: number) =>
      `You return to ${merchant} in ${seconds} seconds.`,
    done: 'You can close this page.',
  },
  failures: customerWords('en'),
  otherFailure: {
    title: 'The payment failed',
    text: 'M-Pesa rejected the request. No money was taken.',
  },
  tryAgain: 'You can try again with this number or another one.',
  tryAgainWithout: 'Enter your number to try again.',
  startAgain: (merchant: string) => `To pay, go back to ${merchant} and start again.`,
  checked: {
    title: 'Your payment is in review',
    text: 'M-Pesa sent a different amount from the order. Do not pay again. Show the shop your M-Pesa receipt.',
  },
  refunded: {
    title: 'Your payment was returned',
    text: 'You paid a different amount from the order, so it was returned to you.',
  },
  returnTo: (merchant: string) => `Back to ${merchant}`,
  nothingCharged: 'No money was taken.',
  noLink: {
    title: 'A payment link is missing',
    text: 'Shops send you here with a payment link. This address has none. Go back to the shop and press its pay button.',
  },
  faults: {
    malformed_link: {
      title: 'This payment link is incomplete',
      text: `A part of it is missing or appears twice. ${askForNewLink}`,
    },
    oversized_link: {
      title: 'This payment link is too long',
      text: `The shop cannot have made it like this. ${askForNewLink}`,
    },
    invalid_link: {
      title: 'This payment link is not valid',
      text: `It was changed, or a shop that we don’t know made it. ${askForNewLink}`,
    },
    expired_link: {
      title: 'This payment link has expired',
      text: `Payment links work for 15 minutes. ${askForNewLink}`,
    },
    early_link: {
      title: 'This payment link is not valid yet',
      text: 'The shop’s clock is ahead. Try again in a few minutes.',
    },
    used_link: {
      title: 'This payment link was already used',
      text: `It was used for another order. ${askForNewLink}`,
    },
    ambiguous_link: {
      title: 'This payment link is not safe',
      text: `Its amount could have been changed. ${askForNewLink}`,
    },
    invalid_reference: {
      title: 'This payment link does not work',
      text: 'Its order number cannot be read. Tell the shop.',
    },
    invalid_amount: {
      title: 'This amount cannot be paid',
      text: 'M-Pesa cannot take the amount in this link. Tell the shop.',
    },
    invalid_currency: {
      title: 'This currency cannot be paid',
      text: 'The shop does not take this currency here. Tell the shop.',
    },
    invalid_account: {
      title: 'This payment link does not work',
      text: 'The link names an account that is not the shop’s. Tell the shop.',
    },
    invalid_return_url: {
      title: 'This payment link does not work',
      text: 'The shop’s return address is not on its list. Tell the shop.',
    },
    another_amount: {
      title: 'This order has a different amount',
      text: 'A payment for this order was started with another amount. Ask the shop which amount is right.',
    },
    too_many_requests: {
      title: 'Too many tries',
      text: 'Wait a minute, then try again.',
    },
    service_unavailable: {
      title: 'We can’t answer right now',
      text: 'Wait a few seconds, then reload this page. You will not pay twice.',
    },
    internal_error: {
      title: 'Something went wrong',
      text: 'Reload this page. You will not pay twice.',
    },
  } satisfies Record<FaultCode, Notice>,
  forTheShop: 'For the shop',
  reference: 'How to make payment links',
};
