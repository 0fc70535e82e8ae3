import { type DestinationStream, destination, type LoggerOptions, transport } from 'pino';
import { isProduction } from '../production.ts';
import type { LogRecords } from './log-records.ts';

/** Where an app wants its lines. */
export interface LogPlace {
  readonly stream?: DestinationStream | undefined;
  readonly file?: string | undefined;
  readonly transport?: LoggerOptions['transport'] | undefined;
  readonly messageKey?: string | undefined;
}

/** Writes each line where the app wants it, by default to the standard output, and has a record made of it. */
export async function logStream(place: LogPlace, records: LogRecords): Promise<DestinationStream> {
  const written = await openPlace(place);
  return new LogStream(written, records);
}

/** Whether people read the log as it is written. */
function isForPeople(env: NodeJS.ProcessEnv = process.env): boolean {
  return !isProduction(env) && env['NODE_ENV'] !== 'test';
}

/** What is logged where nobody says how much. */
export function defaultLogLevel(): 'info' | 'warn' {
  return isForPeople() ? 'info' : 'warn';
}

async function openPlace({ file, messageKey, stream, transport: named }: LogPlace): Promise<DestinationStream> {
  if (named !== undefined) return transport(named) as DestinationStream;
  if (stream !== undefined) return stream;
  const written = destination(file === undefined ? 1 : file);
  return file === undefined && isForPeople() ? prettyStream(written, messageKey) : written;
}

async function prettyStream(written: DestinationStream, messageKey: string | undefined): Promise<DestinationStream> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    ...(messageKey !== undefined && { messageKey }),
  });
  return { write: (line) => written.write(pretty(line)) };
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

  /** Asked by pino before a process ends that logs something fatal. */
  flushSync(): void {
    const flushSync: unknown = Reflect.get(this.#written, 'flushSync');
    if (typeof flushSync === 'function') flushSync.call(this.#written);
  }
}
