import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OpenaiWire, openOpenaiWire } from '@halyard/test-providers/wire';
import { copyEmbeddedTemplate } from '../../../../packages/memory-postgres/src/testing/embedded-template.ts';
import { createSampleFolder, removeSampleFolder } from '../sample-folder.ts';
import { readRecipe, writeRecipe } from './write-recipe.ts';

const anyPort = fileURLToPath(new URL('../any-port.ts', import.meta.url));
/** A busy machine does not reach it. */
const limitMs = 600_000;

export interface StartedRecipe extends AsyncDisposable {
  /** Where its server listens. */
  readonly origin: string;
  /** Plays the model. */
  readonly model: OpenaiWire;
  /** The folder with the files of the recipe. */
  readonly folder: string;
  /** Sends JSON, or reads without a body, and returns the JSON of the reply. */
  request(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Its output so far. */
  output(): string;
}

export interface Reply {
  readonly status: number;
  readonly body: { readonly success?: boolean; readonly data?: unknown; readonly error?: string };
}

export interface StartOptions {
  /** The file that the reader starts. Default: `app.ts`. */
  readonly file?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The reader's change of this file. */
  readonly change?: (source: string) => string;
  /** Files that the reader adds, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Saves the files of a recipe, starts it as a reader does, and waits until it listens. Its model is
 * a local server.
 */
export async function startRecipe(
  name: string,
  { change, env = {}, file = 'app.ts', files: added = {} }: StartOptions = {},
): Promise<StartedRecipe> {
  const folder = createSampleFolder();
  const files = writeRecipe(readRecipe(name), folder);
  const first = files.find((each) => each.name === file);
  if (first === undefined) throw new TypeError(`The recipe ${name} has no file ${file}`);
  if (change !== undefined) writeFileSync(first.file, change(readFileSync(first.file, 'utf8')));
  for (const [path, source] of Object.entries(added)) writeFileSync(join(folder, path), source);
  // Each recipe creates the same database, which takes seconds of computing.
  await copyEmbeddedTemplate(join(folder, '.halyard'));
  const model = await openOpenaiWire();
  const child = fork(first.file, {
    cwd: folder,
    execArgv: ['--conditions=@halyard/source', `--import=${anyPort}`],
    env: { ...process.env, NODE_ENV: 'development', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.baseURL, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    timeout: limitMs,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'close');
  const origin = await Promise.race([once(child, 'message').then(([address]) => String(address)), ended]);
  if (typeof origin !== 'string') {
    await model.close();
    removeSampleFolder(folder);
    throw new TypeError(`The recipe ${name} ended before it listened\n${output}`);
  }
  return {
    origin,
    model,
    folder: dirname(first.file),
    output: () => output,
    request: async (path, body, headers = {}) => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const json = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await fetch(`${origin}${path}`, { ...init, headers: { ...json, ...headers } });
      return { status: response.status, body: (await response.json()) as Reply['body'] };
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
      await model.close();
      removeSampleFolder(folder);
    },
  };
}
