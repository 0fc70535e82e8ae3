import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { CliError, exitCodes } from '../cli-error.ts';
import { findEntry } from '../entry-file.ts';
import { hookUrls } from '../hooks/hook-urls.ts';
import type { SentDocument } from '../hooks/send-document.ts';
import { OutputFile } from '../output-file.ts';
import { withProgress } from '../progress.ts';
import { callServer } from '../server.ts';
import { counted, plainJson, print, style, tell } from '../terminal.ts';

export interface OpenapiFlags {
  readonly out?: string;
  readonly url?: string;
}

/** Writes the OpenAPI document of the app, or of a running server. */
export async function openapi(entry: string | undefined, { out, url }: OpenapiFlags): Promise<number> {
  const text =
    url === undefined
      ? await withProgress('Loading the app', () => loadDocument(findEntry(process.cwd(), entry)))
      : await callServer({ url }, '/doc', { credentials: 'console' }).then((reply) => reply.text());
  const document = parseDocument(text);
  const formatted = JSON.stringify(document, undefined, 2);
  if (out === undefined) {
    print(plainJson(formatted));
    return exitCodes.ok;
  }
  const file = await OutputFile.create(out, { force: true });
  await file.write(`${formatted}\n`);
  await file.complete();
  tell(
    `${style('✓', 'green', process.stderr)} ${file.path}: ${counted(Object.keys(document.paths ?? {}).length, 'path')}`,
  );
  return exitCodes.ok;
}

interface ApiDocument {
  readonly openapi: string;
  readonly paths?: Readonly<Record<string, unknown>>;
}

function parseDocument(text: string): ApiDocument {
  try {
    const document = JSON.parse(text) as ApiDocument;
    if (typeof document.openapi === 'string') return document;
  } catch {
    // Not JSON.
  }
  throw new CliError('The server answered with something that is not an OpenAPI document.', {
    fix: 'Pass the address of a Halyard server with --url, including its prefix, if it has one',
  });
}

/** Starts the app in a process of its own, which gets its document instead of listening. */
async function loadDocument(file: string): Promise<string> {
  const { child, output } = startApp(file);
  const { promise, reject, resolve } = Promise.withResolvers<SentDocument>();
  child.once('message', (message) => resolve(message as SentDocument));
  child.once('error', reject);
  child.once('close', (code) =>
    reject(
      new CliError(`${file} ended with code ${code} before it started a server.\n\n${output().trim()}`.trim(), {
        fix: 'Correct the error, or ask a running server: --url http://127.0.0.1:3141',
      }),
    ),
  );
  const { body, status } = await promise;
  const closed = new Promise((resolveClosed) => child.once('close', resolveClosed));
  if (status === undefined) {
    child.kill();
    throw new CliError(`The app that ${file} starts serves no OpenAPI document.`, {
      fix: 'Name the file that starts the Halyard server',
    });
  }
  await Promise.race([closed, new Promise((resolveLater) => setTimeout(resolveLater, closeWithinMs).unref())]);
  child.kill('SIGKILL');
  if (status === 200) return body;
  throw new CliError(`The app answered with the status ${status} instead of its OpenAPI document.`, {
    fix: 'Set SERVICE_CONSOLE_ACCESS_KEY to the key of the console, also in .env',
  });
}

/** An app that keeps timers does not end by itself. */
const closeWithinMs = 5_000;

function startApp(file: string): { readonly child: ReturnType<typeof spawn>; readonly output: () => string } {
  const envFile = existsSync('.env') ? ['--env-file=.env'] : [];
  const child = spawn(process.execPath, [...process.execArgv, ...envFile, '--import', hookUrls.sendDocument, file], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-4_000);
    });
  }
  return { child, output: () => text };
}
