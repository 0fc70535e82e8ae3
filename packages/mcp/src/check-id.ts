import { ConfigurationError } from '@halyard/contracts';

const allowed = /^[A-Za-z0-9_.-]{1,64}$/;

/** Ids are part of URLs, and `/mcp/servers` lists the servers. */
export function checkId(noun: string, id: string): void {
  if (!allowed.test(id)) throw new ConfigurationError(`${noun} id "${id}" must match ${allowed.source}`);
  if (id === 'servers') throw new ConfigurationError(`${noun} id "servers" is reserved for the list of servers`);
}
