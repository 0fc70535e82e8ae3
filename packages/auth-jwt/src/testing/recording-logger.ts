import type { Logger } from '@halyard/contracts';

/** Records warnings and errors. */
export class RecordingLogger implements Logger {
  readonly warnings: string[] = [];

  debug(): void {}

  info(): void {}

  warn(_fields: object, message: string): void {
    this.warnings.push(message);
  }

  error(fields: object, message: string): void {
    this.warn(fields, message);
  }
}
