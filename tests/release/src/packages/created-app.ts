import { access, readdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { isRecord, readJson } from './read-json.ts';
import { run } from './run.ts';
import { startSample } from './sample-app.ts';
import { shellCommands } from './shell-commands.ts';

/** An app that create-halyard has created. */
export interface CreatedApp {
  readonly node: string;
  readonly folder: string;
  readonly template: 'chat' | 'support-desk' | 'workflow' | 'api-only';
  readonly hasTokens: boolean;
  /** Empty: the storage needs no server. */
  readonly databaseUrl: string;
}

/** The expected text in the reply to the request of the README, with the demo model. */
const answers: Readonly<Record<CreatedApp['template'], string>> = {
  chat: '"type":"finish"',
  'support-desk': 'Rain jacket',
  workflow: '"status":"suspended"',
  'api-only': 'Friday',
};

/** The error of a server that has too much to do. */
const overloaded = 'The server has more requests than it can answer';

/** Runs the tests of an app, starts it, and sends the request of its README. */
export async function useApp(app: CreatedApp): Promise<void> {
  const { databaseUrl, folder, hasTokens, node, template } = app;
  const { scripts } = await readJson(join(folder, 'package.json'));
  if (!isRecord(scripts) || scripts['typecheck'] !== 'tsc') throw new Error('The script typecheck is not tsc');
  await run(node, nodeArguments(scripts['test']), folder);

  const env = { ...process.env, NODE_ENV: 'development', PORT: '0', ...noKeys };
  if (databaseUrl !== '') Object.assign(env, { DATABASE_URL: databaseUrl });
  const started = await startSample(node, nodeArguments(scripts['start']), { folder, env });
  if (started.kind === 'ended') throw new Error(`The app exited ${started.exitCode}\n${started.output}`);
  const { url } = started;
  await expectStatus(`${url}/console`, 200);
  if (hasTokens) await expectStatus(`${url}/api/memory/conversations`, 401);
  let answer = await sendFirstRequest(app, url);
  // A busy machine is overloaded by few requests; nothing has begun then.
  while (answer.includes(overloaded)) answer = await sendFirstRequest(app, url);
  const { exitCode, output } = await started.stop();
  if (!answer.includes(answers[template])) throw new Error(`The answer lacks ${answers[template]}: ${answer}`);
  if (!output.includes(`Console       ${url}/console`)) throw new Error(`The app prints no links:\n${output}`);
  await expectDocuments(folder);
  if (exitCode !== 0) throw new Error(`The app exited ${exitCode} after SIGTERM\n${output}`);
}

/** Checks the types of the project in a folder. */
export async function checkTypes(folder: string): Promise<void> {
  const tsc = join(await modulesOf(folder), 'typescript/bin/tsc');
  await run(process.execPath, [tsc, '--pretty', 'false'], folder);
}

/** The pages that AGENTS.md names are installed. */
async function expectDocuments(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'AGENTS.md'), 'utf8');
  const named = [...text.matchAll(/node_modules\/(@halyard\/core\/docs\/[\w/.-]+\.md)/g)].map(([, page = '']) => page);
  if (named.length === 0) throw new Error('AGENTS.md names no page');
  const modules = await modulesOf(folder);
  await Promise.all(named.map((page) => access(join(modules, page))));
}

/** The packages that the files of an app import, without those that its package.json lists. */
export async function missingDependencies(folder: string): Promise<readonly string[]> {
  const { dependencies, devDependencies } = await readJson(join(folder, 'package.json'));
  const listed = [dependencies, devDependencies].flatMap((some) => Object.keys(isRecord(some) ? some : {}));
  const files = await readdir(join(folder, 'src'));
  const code = (await Promise.all(files.map((file) => readFile(join(folder, 'src', file), 'utf8')))).join('\n');
  const imported = [...code.matchAll(/ from '((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name = '']) => name);
  return [...new Set(imported)].filter((name) => name !== 'node' && !listed.includes(name));
}

/** Runs the commands with which the README asks the app. */
async function sendFirstRequest({ folder, node }: CreatedApp, url: string): Promise<string> {
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const [, block] = [...readme.matchAll(/```sh\n([^`]*)```/g)].map(([, text = '']) => text);
  if (block?.includes('curl') !== true) throw new Error('The README sends no request');
  const commands = shellCommands(block.split('\n')).map(({ text }) => text);
  const script = commands.join('\n').replaceAll('http://127.0.0.1:3141', url);
  return run('bash', ['-c', script], folder, { PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` });
}

export const noKeys = { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', GOOGLE_GENERATIVE_AI_API_KEY: '' };

/** The arguments of a script that starts Node. */
export function nodeArguments(script: unknown): readonly string[] {
  const [program, ...args] = String(script).replaceAll('"', '').split(' ');
  if (program !== 'node') throw new Error(`A script does not start with node: ${String(script)}`);
  return args;
}

/** The nearest folder above with the installed packages. */
async function modulesOf(folder: string): Promise<string> {
  const found = await readdir(join(folder, 'node_modules')).catch(() => undefined);
  return found === undefined ? resolve(folder, '../node_modules') : join(folder, 'node_modules');
}

async function expectStatus(url: string, status: number): Promise<void> {
  const reply = await fetch(url);
  await reply.body?.cancel();
  if (reply.status !== status) throw new Error(`GET ${url}: ${reply.status}`);
}
