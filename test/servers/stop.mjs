import { leaveServers } from './servers.mjs';

export default leaveServers;
