export { airtel } from './airtel-rail.js';
export { AirtelStatements } from './statement/read-statement.js';
