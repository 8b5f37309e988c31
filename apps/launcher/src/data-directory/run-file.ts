import { type ServerUrls } from '../children/environment.js';
import { type DataDirectory } from './data-directory.js';

const fileName = 'run.json';

/** DATA_DIR/run.json: where the servers of this run answer; the command line reads it. */
export function writeRunFile(directory: DataDirectory, urls: ServerUrls): Promise<void> {
  const run = {
    eventstore_url: urls.eventstore,
    database_url: urls.database,
    redis_url: urls.redis,
  };
  return directory.writeSecret(fileName, `${JSON.stringify(run, null, 2)}\n`);
}

/** Their addresses mean nothing once they are stopped. */
export function removeRunFile(directory: DataDirectory): Promise<void> {
  return directory.remove(fileName);
}
