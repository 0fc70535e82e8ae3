import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { copyEmbeddedTemplate } from '../../../packages/memory-postgres/src/testing/embedded-template.ts';
import { sampleMark } from './sample-mark.ts';
import type { Sample } from './samples.ts';

/** The exit of a sample's process. */
export interface ExitResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** A busy machine does not reach it. */
const limitMs = 600_000;
const source = '--conditions=@halyard/source';

/** Runs a sample in a process of its own, until it exits. */
export async function runSample(sample: Sample): Promise<ExitResult> {
  return start(sample.file, { cwd: await ownFolder(sample) }).ended;
}

/**
 * Runs samples in one process, which loads the packages once.
 *
 * @returns what each wrote to the standard error, in order; fewer, if one has ended the process.
 */
export async function runSamples(samples: readonly Sample[]): Promise<readonly string[]> {
  const program = fileURLToPath(new URL('run-samples-process.ts', import.meta.url));
  const { stderr } = await start(program, { args: samples.map(({ file }) => file) }).ended;
  return stderr.split(sampleMark).slice(1, -1);
}

/**
 * Runs a sample that starts a server: waits until it listens, requests `path`, and sends SIGTERM.
 *
 * The server listens on a free port, whatever port the sample uses.
 */
export async function runServerSample(sample: Sample, path: string): Promise<ExitResult & { readonly status: number }> {
  const anyPort = new URL('any-port.ts', import.meta.url).href;
  const { child, ended } = start(sample.file, { cwd: await ownFolder(sample), flags: [`--import=${anyPort}`] });
  const origin = await Promise.race([once(child, 'message').then(([address]) => String(address)), ended]);
  if (typeof origin !== 'string') return { ...origin, status: 0 };

  const { status } = await fetch(`${origin}${path}`);
  child.kill('SIGTERM');
  return { ...(await ended), status };
}

/**
 * Where a sample writes its files. It finds its database there: creating one takes seconds of
 * computing.
 */
async function ownFolder({ dataDirs, file }: Sample): Promise<string> {
  const folder = `${file}.files`;
  mkdirSync(folder);
  for (const dataDir of dataDirs) await copyEmbeddedTemplate(join(folder, dataDir));
  return folder;
}

interface ProcessOptions {
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly flags?: readonly string[];
}

function start(
  program: string,
  { args = [], cwd, flags = [] }: ProcessOptions,
): { readonly child: ChildProcess; readonly ended: Promise<ExitResult> } {
  // Providers require a key when they are created. No sample calls a provider.
  const env = { ...process.env, OPENAI_API_KEY: 'test', NODE_ENV: 'development' };
  const child = fork(program, args, {
    ...(cwd !== undefined && { cwd }),
    execArgv: [source, ...flags],
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: limitMs,
  });
  const output = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const ended = new Promise<Omit<ExitResult, 'stderr'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  }).then(async (ending) => ({ ...ending, stderr: await output }));
  return { child, ended };
}
