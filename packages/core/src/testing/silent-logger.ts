import type { Logger } from '@halyard/contracts';

/** Logs nothing: for tests of failures that are meant. */
export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
