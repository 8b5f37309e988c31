import { useServers } from './servers.mjs';

export default useServers;
