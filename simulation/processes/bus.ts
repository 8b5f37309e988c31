import {
  ConfirmCollection,
  FindCollection,
  FindCollectionHandler,
  FlagCollection,
  FlagCollectionHandler,
} from '#domain/collections';
import { type Pipeline } from '#domain/event-sourcing';
import { CollectionsClient, ReportMetrics } from '#edges/rails';
import { metrics } from './metrics.js';
import { type CommandBus, type QueryBus } from '@nestjs/cqrs';
import { type Parts } from './parts.js';

/** Stands for Nest's buses, which look handlers up and call them. No more is needed here. */
export function collectionBus(parts: Parts, pipeline: Pipeline): CollectionsClient {
  const confirming = parts.confirming(pipeline);
  const flagging = new FlagCollectionHandler(pipeline);
  const found = new FindCollectionHandler(pipeline);
  const commands = {
    execute: (command: unknown) => {
      if (command instanceof ConfirmCollection) return confirming.execute(command);
      if (command instanceof FlagCollection) return flagging.execute(command);
      throw new TypeError('no handler is simulated for this command');
    },
  };
  const queries = {
    execute: (query: unknown) => {
      if (query instanceof FindCollection) return found.execute(query);
      throw new TypeError('no handler is simulated for this query');
    },
  };
  return new CollectionsClient(
    commands as unknown as CommandBus,
    queries as unknown as QueryBus,
    new ReportMetrics(metrics),
  );
}
