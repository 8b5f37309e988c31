import { customerWords } from './customer-words.js';
import { type FaultCode, type Notice } from './codes.js';

const askForNewLink = 'Go back to the shop and start again from there.';

export const english = {
  name: 'English',
  language: 'Language',
  testMode: 'Test mode: no real money',
  pay: (merchant: string) => `Pay ${merchant}`,
  order: 'Order',
  phone: 'M-Pesa phone number',
  phoneHint: 'For example 0712 345 678. The request to pay is sent to this phone.',
  payButton: (amount: string) => `Pay ${amount}`,
  sending: 'Sending …',
  pinNote: 'M-Pesa asks for your PIN on your phone. Never type it on a web page.',
  problem: 'There is a problem',
  problemPrefix: 'Error: ',
  invalidPhone: 'Enter a Safaricom number, such as 0712 345 678',
  staleForm: 'This page was open too long, or your browser refuses cookies. Press the button again',
  waiting: {
    title: 'Check your phone',
    sent: (amount: string, phone: string) => `We sent a request for ${amount} to ${phone}.`,
    pin: 'Enter your M-Pesa PIN there to pay.',
    unsure: (amount: string, phone: string) =>
      `We asked M-Pesa to send a request for ${amount} to ${phone}, and got no answer. It may appear on your phone, or never come.`,
    unsurePin: 'If it appears, enter your M-Pesa PIN there to pay.',
    unsureElse: (merchant: string, order: string) =>
      `If nothing comes, ask ${merchant} before you pay in another way, and name order ${order}.`,
    unsureLong:
      'M-Pesa has not told us whether your phone was asked to pay. If M-Pesa sent you a receipt, you have paid: keep it. If it sent none, we know of no payment.',
    unsureLongAsk: (merchant: string, order: string) =>
      `Do not pay again before you have asked ${merchant}. Name order ${order}.`,
    updates: 'This page changes by itself when you have paid.',
    longTitle: 'Waiting for M-Pesa',
    long: (merchant: string) =>
      `If you entered your PIN, do not pay again. When M-Pesa confirms, the payment appears in the account of ${merchant}, and this page shows it. If it takes long, ask ${merchant}.`,
    checkNow: 'Check now',
  },
  paid: {
    title: 'Paid',
    text: (merchant: string, amount: string) => `${merchant} has received ${amount}.`,
    receipt: 'M-Pesa receipt',
    on: 'Paid on',
    leads: (merchant: string, seconds: number) =>
      `This page leads back to ${merchant} by itself after ${seconds} seconds.`,
    done: 'That is all. You may close this page.',
  },
  failures: customerWords('en'),
  otherFailure: {
    title: 'The payment did not go through',
    text: 'M-Pesa did not take the request. No money was taken.',
  },
  tryAgain: 'You can try again, with this number or another one.',
  tryAgainWithout: 'Enter your number to try again.',
  startAgain: (merchant: string) => `To pay, go back to ${merchant} and start again.`,
  checked: {
    title: 'Your payment is being checked',
    text: 'Money arrived, but not the amount of this order. Do not pay again: a person looks into it. Ask the shop how it goes on, and show it your M-Pesa receipt.',
  },
  refunded: {
    title: 'Your payment was sent back',
    text: 'Another amount than that of this order arrived, and was returned to you.',
  },
  returnTo: (merchant: string) => `Back to ${merchant}`,
  nothingCharged: 'No money was taken.',
  noLink: {
    title: 'This is a page to pay on',
    text: 'Shops send their customers here with a payment link, which says whom you pay, how much and for what. This address has none. Go back to the shop and press its button to pay.',
  },
  faults: {
    malformed_link: {
      title: 'This payment link is not complete',
      text: `A part of it is missing or appears twice. ${askForNewLink}`,
    },
    oversized_link: {
      title: 'This payment link is too long',
      text: `It cannot have been made by the shop like this. ${askForNewLink}`,
    },
    invalid_link: {
      title: 'This payment link is not valid',
      text: `It was changed on its way, or was not made by a shop that we know. ${askForNewLink}`,
    },
    expired_link: {
      title: 'This payment link has expired',
      text: `Payment links are good for 15 minutes. ${askForNewLink}`,
    },
    early_link: {
      title: 'This payment link is not valid yet',
      text: 'The shop’s clock is ahead. Try again in a few minutes.',
    },
    used_link: {
      title: 'This payment link was used already',
      text: `It was used for another order. ${askForNewLink}`,
    },
    ambiguous_link: {
      title: 'This payment link is not safe',
      text: `Its amount could have been changed on its way. ${askForNewLink}`,
    },
    invalid_reference: {
      title: 'This payment link does not work',
      text: 'Its order number cannot be read. Tell the shop.',
    },
    invalid_amount: {
      title: 'This amount cannot be paid',
      text: 'The amount in the payment link is not one that M-Pesa takes. Tell the shop.',
    },
    invalid_currency: {
      title: 'This currency cannot be paid',
      text: 'The shop does not take this currency here. Tell the shop.',
    },
    invalid_account: {
      title: 'This payment link does not work',
      text: 'The account that it names is not the shop’s. Tell the shop.',
    },
    invalid_return_url: {
      title: 'This payment link does not work',
      text: 'The address to go back to is not on the shop’s list. Tell the shop.',
    },
    another_amount: {
      title: 'This order has another amount',
      text: 'A payment with this order number but another amount was started before. Go back to the shop and ask which amount is right.',
    },
    too_many_requests: {
      title: 'Too many tries',
      text: 'Wait a minute, then try again.',
    },
    service_unavailable: {
      title: 'We cannot answer just now',
      text: 'Wait a few seconds, then load this page again. It is safe: you cannot pay twice.',
    },
    internal_error: {
      title: 'Something went wrong on our side',
      text: 'Load this page again. It is safe: you cannot pay twice.',
    },
  } satisfies Record<FaultCode, Notice>,
  forTheShop: 'For the shop',
  reference: 'How to make payment links',
};
