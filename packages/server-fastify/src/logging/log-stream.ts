import { isDevelopment } from '@halyard/contracts';
import { type DestinationStream, destination, type LoggerOptions, transport } from 'pino';
import type { LogRecords } from './log-records.ts';
import { standardOutput } from './standard-output.ts';

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
  const output = standardOutput();
  const format = isDevelopment() && process.stdout.isTTY ? await findFormat(messageKey) : undefined;
  return format === undefined ? output : { write: (line) => output.write(format(line)) };
}

/** The format of pino-pretty, if the app has installed it. */
async function findFormat(messageKey: string | undefined): Promise<((line: string) => string) | undefined> {
  try {
    const { prettyFactory } = await import('pino-pretty');
    return prettyFactory({
      colorize: !process.env['NO_COLOR'],
      ignore: 'pid,hostname',
      ...(messageKey !== undefined && { messageKey }),
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
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
