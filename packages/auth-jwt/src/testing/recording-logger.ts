import type { Logger } from '@halyard/contracts';

/** Keeps what it is warned of. */
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
