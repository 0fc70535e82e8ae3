import type { Logger } from './ports.ts';

/** A logger that logs nothing, for tests of expected failures. */
export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
