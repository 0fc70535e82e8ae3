import type { Logger } from '@halyard/contracts';

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Records what is logged. */
export interface RecordingLogger extends Logger {
  readonly lines: readonly LogLine[];
}

export function recordingLogger(): RecordingLogger {
  const lines: LogLine[] = [];
  const keep =
    (level: keyof Logger) =>
    (fields: object, message: string): void =>
      void lines.push({ level, message, fields: { ...fields } });
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}
