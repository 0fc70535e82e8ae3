import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { CliError } from '../cli-error.ts';

const program = fileURLToPath(new URL('../cli.ts', import.meta.url));
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The folder of an app, in which the program runs. */
export class AppFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'halyard-cli-'));

  /** @param hasPackages whether the packages of the workspace are installed there. */
  constructor({ hasPackages = true }: { readonly hasPackages?: boolean } = {}) {
    if (hasPackages) symlinkSync(modules, join(this.path, 'node_modules'));
  }

  write(file: string, content: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    writeFileSync(join(this.path, file), content);
  }

  /** Starts the program without a terminal. */
  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    // pnpm sets NODE_PATH for its scripts: the app would find all packages of the workspace.
    const clean = {
      ...process.env,
      DATABASE_URL: '',
      NODE_PATH: '',
      PORT: '',
      HOST: '',
      NODE_ENV: '',
      OPENAI_API_KEY: '',
      DEBUG: '',
    };
    return spawn(process.execPath, ['--conditions=@halyard/source', program, ...args], {
      cwd: this.path,
      env: { ...clean, SERVICE_CONSOLE_ACCESS_KEY: '', HALYARD_TOKEN: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return ending(this.start(args, env));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export async function ending(child: ChildProcess): Promise<Ended> {
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (child.stdout === null || child.stderr === null) throw new CliError('The output is not piped');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await closed, stdout, stderr };
}

/** Resolves when the output contains the text, with everything until then. */
export function untilOutput(child: ChildProcess, wanted: string, times = 1): Promise<string> {
  const { promise, reject, resolve } = Promise.withResolvers<string>();
  let output = '';
  const read = (part: string): void => {
    output += part;
    if (output.split(wanted).length > times) resolve(output);
  };
  child.stdout?.setEncoding('utf8').on('data', read);
  child.stderr?.setEncoding('utf8').on('data', read);
  child.once('close', () => reject(new CliError(`It ended before it printed ${wanted}:\n${output}`)));
  return promise;
}
