import { Injectable } from '@nestjs/common';
import { Clock } from '#domain/kernel';
import {
  insertUnopenedCallback,
  moveUnopenedCallbacks,
  type Opening,
  type UnopenedCallback,
} from '#adapters/records';
import { Database } from '#infra/postgres';
import { UnopenedCallbacks } from './unopened-callbacks.js';

/** The rail's are as many as it makes in the minutes of a deploy; whoever else sends them is not to fill the disk. */
const maxRows = { ofRail: 20_000, ofOthers: 2000 } as const;
/** Each insert counts the rows of its kind. Of others, so that a flood costs this process little. */
const maxOfOthersPerSecond = 5;

/** The records' table of them, bounded for untrusted senders by rows, and by a rate of this process. */
@Injectable()
export class RecordedUnopenedCallbacks extends UnopenedCallbacks {
  private second = 0;
  private inSecond = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async keep(callback: UnopenedCallback): Promise<boolean> {
    if (!callback.fromRail && this.isOverRate()) return false;
    const max = callback.fromRail ? maxRows.ofRail : maxRows.ofOthers;
    return insertUnopenedCallback(this.database, callback, max);
  }

  override move(
    keys: Parameters<UnopenedCallbacks['move']>[0],
    open: (callback: UnopenedCallback) => Promise<Opening>,
  ): Promise<number> {
    return moveUnopenedCallbacks(this.database, keys, open);
  }

  private isOverRate(): boolean {
    const second = Math.floor(this.clock.nowMs() / 1000);
    if (second !== this.second) {
      this.second = second;
      this.inSecond = 0;
    }
    this.inSecond += 1;
    return this.inSecond > maxOfOthersPerSecond;
  }
}
