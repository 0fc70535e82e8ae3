import { EventSourceParserStream } from 'eventsource-parser/stream';
import { CliError, exitCodes } from '../cli-error.ts';
import { OutputFile } from '../output-file.ts';
import { type Report, withProgress } from '../progress.ts';
import { callServer, type ServerFlags } from '../server.ts';
import { counted, plain, plainJson, style, tell } from '../terminal.ts';

export interface ExportFlags extends ServerFlags {
  readonly out?: string;
  readonly force?: boolean;
}

/** Writes all data of a user, one JSON record per line. */
export async function exportUser(userId: string, { force = false, out, url }: ExportFlags): Promise<number> {
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const path = `/observability/users/${encodeURIComponent(userId)}/export`;
    const reply = await callServer({ url }, path, { credentials: 'console', signal: interrupted.signal });
    const target =
      out === '-' ? standardOutput : await OutputFile.create(out ?? fileName(userId), { force, mode: ownerOnly });
    try {
      const count = await withProgress(`Exporting the data of ${plain(userId)}`, (report) =>
        copyRecords(reply, target, report),
      );
      await target.complete();
      tell(`${style('✓', 'green', process.stderr)} ${target.path}: ${counted(count, 'record')}`);
      if (count === 0) tell(`The server has no data of ${plain(userId)}.`);
    } catch (error) {
      await target.discard();
      throw error;
    }
    return exitCodes.ok;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw new CliError('Interrupted; nothing was written.', { cause: error, exitCode: exitCodes.interrupted });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** Nobody else may read the data of a person. */
const ownerOnly = 0o600;

type Target = Pick<OutputFile, 'path' | 'write' | 'complete' | 'discard'>;

const standardOutput: Target = {
  path: 'standard output',
  write: async (text) => {
    if (process.stdout.write(plainJson(text))) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    process.stdout.once('drain', resolve);
    await promise;
  },
  complete: async () => {},
  discard: async () => {},
};

/** A record at a time, so that an export of any size fits into memory. @returns how many. */
async function copyRecords({ body }: Response, target: Target, report: Report): Promise<number> {
  let count = 0;
  if (body === null) return count;
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  try {
    for await (const { data } of events) {
      const failure = failureIn(data);
      if (failure !== undefined) throw new CliError(`The server could not finish the export: ${failure}.`);
      await target.write(`${data}\n`);
      count += 1;
      report(counted(count, 'record'));
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('The connection to the server broke before the export was complete.', {
      cause: error,
      fix: 'Run the command again',
    });
  }
  return count;
}

function failureIn(data: string): string | undefined {
  // Records can be large, so only those that may be an error are parsed.
  if (!data.startsWith('{"type":"error"')) return undefined;
  const { error } = JSON.parse(data) as { readonly error?: unknown };
  return typeof error === 'string' ? error : 'it gave no reason';
}

/** The id of a user may contain anything. */
function fileName(userId: string): string {
  return `${userId.replaceAll(/[^\w.@-]+/g, '-').replace(/^[.-]+/, '') || 'user'}.jsonl`;
}
