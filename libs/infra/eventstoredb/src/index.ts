export { certificateFault } from './certificate-fault.js';
export { certificateRefused } from './certificate-watch.js';
export { EventCodec, type DecodedEvent, type StoredEventForm } from './codec.js';
export { EventStoreDb } from './event-store-db.js';
export { type AdapterLogger, type AppendObservation, type EventStoreDbOptions } from './options.js';
export { MissingRight } from './rights.js';
export { openEventStoreDb } from './open-event-store-db.js';
