import type { Logger } from './ports.ts';

/**
 * A logger for an adapter that an app creates before its server: lines go to `first` until the
 * server passes its log.
 */
export class ForwardedLogger implements Logger {
  #target: Logger;

  constructor(first: Logger) {
    this.#target = first;
  }

  /** Sends all further lines to this logger. */
  forwardTo(logger: Logger): void {
    this.#target = logger;
  }

  debug(fields: object, message: string): void {
    this.#target.debug(fields, message);
  }

  info(fields: object, message: string): void {
    this.#target.info(fields, message);
  }

  warn(fields: object, message: string): void {
    this.#target.warn(fields, message);
  }

  error(fields: object, message: string): void {
    this.#target.error(fields, message);
  }
}
