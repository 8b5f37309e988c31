export { airtel } from './airtel-rail.js';
