export { airtel, AirtelCallbacks } from './airtel-rail.js';
export { knowsId, readEnquiryAnswer, readPushAnswer } from './airtel/answers.js';
export { readOrderAnswer } from './airtel/payout-answers.js';
export { AirtelStatements } from './statement/read-statement.js';
