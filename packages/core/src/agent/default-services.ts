import { randomBytes, randomUUID } from 'node:crypto';
import { type Logger, systemClock } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { downloadFile } from '../model/files/file-download.ts';
import type { AgentServices } from './agent-services.ts';
import { createApprovals } from './approvals/approvals.ts';

export { systemClock };

/**
 * UUIDs as flat strings: what `randomUUID` returns is made of 20 parts, which take 420 bytes more
 * for a suspended execution (`test:load`).
 */
export const randomIds: AgentServices['ids'] = {
  next: () => Buffer.from(randomUUID(), 'latin1').toString('latin1'),
};

/** Writes warnings and errors to standard error, and nothing else. */
export const consoleLogger: Logger = {
  debug: () => {},
  info: () => {},
  // eslint-disable-next-line no-console -- a script without a logger must still see failures
  warn: (fields, message) => console.warn(`halyard: ${message}`, fields),
  // eslint-disable-next-line no-console -- as above
  error: (fields, message) => console.error(`halyard: ${message}`, fields),
};

/**
 * The services of a script. Approvals are signed with a secret that is valid as long as the process
 * runs.
 */
export function defaultServices(): AgentServices {
  const [clock, ids] = [systemClock, randomIds];
  const { approvals: store } = createInMemoryStorage({ clock });
  return {
    clock,
    ids,
    logger: consoleLogger,
    approvals: createApprovals({ secrets: [randomBytes(32).toString('base64url')], store, clock, ids }),
    downloadFile: (url, signal) => downloadFile(url, { signal }),
  };
}
