import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { loadIdHeader } from './shutdown-load.ts';

/** The file in which a replica logs the requests it receives. */
export function requestsLogOf(bodyLog: string): string {
  return `${bodyLog}.requests`;
}

/** Logs each request as soon as the server has read its headers. */
export function logRequests(server: Server, file: string): void {
  server.prependListener('request', ({ headers }) => {
    const id = headers[loadIdHeader];
    if (typeof id === 'string') appendFileSync(file, `${id}\n`);
  });
}

export function readRequests(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
}
