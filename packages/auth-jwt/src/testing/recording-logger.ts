import type { Logger } from '@halyard/contracts';

/** Records warnings and errors, and the fields of `debug` lines. */
export class RecordingLogger implements Logger {
  readonly warnings: string[] = [];

  readonly details: object[] = [];

  debug(fields: object): void {
    this.details.push(fields);
  }

  info(): void {}

  warn(_fields: object, message: string): void {
    this.warnings.push(message);
  }

  error(fields: object, message: string): void {
    this.warn(fields, message);
  }
}
