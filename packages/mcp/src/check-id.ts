import { ConfigurationError } from '@halyard/contracts';

const allowed = /^[A-Za-z0-9_.-]{1,64}$/;

/** Ids stand in URLs: `/mcp/servers` is the list of all of them. */
export function checkId(noun: string, id: string): void {
  if (!allowed.test(id)) throw new ConfigurationError(`${noun} id "${id}" must match ${allowed.source}`);
  if (id === 'servers') throw new ConfigurationError(`${noun} id "servers" is taken: the list of servers is there`);
}
