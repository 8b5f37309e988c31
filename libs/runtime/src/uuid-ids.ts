import { Ids } from '#kernel';
import { v7 } from 'uuid';

/** Random UUIDs of version 7: in order of time, so that indexes on them grow at one end. */
export class UuidIds extends Ids {
  next(): string {
    return v7();
  }
}
