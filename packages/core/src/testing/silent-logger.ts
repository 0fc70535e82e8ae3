import type { Logger } from '@halyard/contracts';

/** Logs nothing, for tests of expected failures. */
export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
