import { isDevelopment } from '@halyard/contracts';
import { type DestinationStream, destination, type LoggerOptions, transport } from 'pino';
import type { LogRecords } from './log-records.ts';
import { findPrettyFormat } from './pretty-format.ts';
import { StandardOutput } from './standard-output.ts';

/** The destination of the log in the app's options. */
export interface LogDestination {
  readonly stream?: DestinationStream | undefined;
  readonly file?: string | undefined;
  readonly transport?: LoggerOptions['transport'] | undefined;
  readonly messageKey?: string | undefined;
}

/** Writes each line to the app's destination (default: the standard output) and to `records`. */
export async function logStream(to: LogDestination, records: LogRecords): Promise<DestinationStream> {
  return new LogStream(await openDestination(to), records);
}

export function defaultLogLevel(): 'info' | 'warn' {
  return isDevelopment() ? 'info' : 'warn';
}

async function openDestination({
  file,
  messageKey,
  stream,
  transport: named,
}: LogDestination): Promise<DestinationStream> {
  if (named !== undefined) return transport(named) as DestinationStream;
  if (stream !== undefined) return stream;
  if (file !== undefined) return destination(file);
  const output = new StandardOutput();
  const isForPeople = isDevelopment() && process.stdout.isTTY;
  const format = isForPeople ? await findPrettyFormat({ messageKey, colorize: !process.env['NO_COLOR'] }) : undefined;
  return format === undefined ? output : { write: (line) => output.write(format(line)) };
}

class LogStream implements DestinationStream {
  readonly #written: DestinationStream;
  readonly #records: LogRecords;

  constructor(written: DestinationStream, records: LogRecords) {
    this.#written = written;
    this.#records = records;
  }

  write(line: string): void {
    this.#written.write(line);
    this.#records.write(line);
  }

  /** Called by pino before the process ends after a fatal error. */
  flushSync(): void {
    const flushSync: unknown = Reflect.get(this.#written, 'flushSync');
    if (typeof flushSync === 'function') flushSync.call(this.#written);
  }
}
