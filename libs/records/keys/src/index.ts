export { listTokenKeys, registerTokenKey } from './data-key-records.js';
export { DataKeys, loadDataKeys } from './data-keys.js';
export { type RewrapResult, rewrapTable, sealedKeyTables } from './rewrap.js';
export { countByKey, isSealed, type SealedTable } from './sealed-tables.js';
export {
  checkMasterKey,
  type EncryptedSecret,
  findSecret,
  ForeignMasterKey,
  keepSecret,
  storedKey,
  openSubscriberSeal,
} from './service-secrets.js';
