import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { PlantName } from '../target/plants.ts';
import type { RunningServer } from './attack-options.ts';
import { consoleKey, signToken } from './tokens.ts';

/** Halves the time in which the targets start. */
const compileCache = join(tmpdir(), 'halyard-attacks-compiled');

/** Fewer than the rejected credentials that a server accepts from an address in a minute. */
const requestsPerAddress = 20;

export interface TargetSettings {
  /** Access control. Default: `policy`. */
  readonly mode?: 'policy' | 'legacy' | 'none';
  /** NODE_ENV. Default: production. */
  readonly environment?: 'production' | 'development';
  /** Limits that differ from those of the target. */
  readonly limits?: Readonly<Record<string, number>>;
  /** `--max-old-space-size`. Default: Node's. */
  readonly heapMb?: number;
  /**
   * Replies with the route that the router has found, in the header `x-attacked-route`, instead of
   * calling its handler.
   */
  readonly routesOnly?: boolean;
  readonly plant?: PlantName | undefined;
}

/** The requests of one person, or of nobody. */
export type Person = 'ada' | 'bob' | 'console' | 'nobody';
type Headers = Readonly<Record<string, string>>;

/** A server that is attacked. */
export interface Target {
  readonly origin: string;
  readonly port: number;
  readonly hostname: string;
  /** Whether it is the own target, with the agents, tools and workflows of `src/target`. */
  readonly isOwn: boolean;
  /** The process id of the own target. */
  readonly pid: number | undefined;
  /** Why the own target has ended by itself, if it has. */
  readonly death: string | undefined;
  /**
   * The credentials of a person. That of `ada` and `bob` includes the console key if `withKey` is
   * set.
   */
  readonly headersOf: (person: Person, withKey?: boolean) => Headers;
  /** The server's id of a user. Undefined: it is not known, for want of a token. */
  readonly userIdOf: (user: 'ada' | 'bob') => string | undefined;
  /**
   * The address to send the next request from. Each is a caller of its own, with its own limit of
   * rejected credentials. Undefined: any.
   */
  readonly nextAddress: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** Starts a server in its own process and an empty directory. */
export async function openTarget({ environment = 'production', heapMb, ...settings }: TargetSettings): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), 'halyard-target-'));
  writeFileSync(join(directory, 'package.json'), '{"name":"target","private":true}\n');
  const child = spawn(
    process.execPath,
    [
      '--conditions=@halyard/source',
      ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]),
      fileURLToPath(new URL('../target/target-process.ts', import.meta.url)),
      JSON.stringify(settings),
    ],
    {
      cwd: directory,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: environment, NODE_COMPILE_CACHE: compileCache },
    },
  );
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4_000);
  });
  const exited = once(child, 'exit');
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const [origin] = await Promise.race([line, exited.then((): [undefined] => [undefined])]);
  if (origin === undefined) throw new Error(`the target did not start: ${stderr}`);
  return new OwnTarget(child, origin, directory, () => stderr);
}

class OwnTarget implements Target {
  readonly origin: string;
  readonly isOwn = true;
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #stderr: () => string;
  #isClosed = false;
  #death: string | undefined;

  constructor(child: ChildProcess, origin: string, directory: string, stderr: () => string) {
    this.#child = child;
    this.#directory = directory;
    this.#stderr = stderr;
    this.origin = origin;
    child.once('exit', (code, signal) => {
      if (!this.#isClosed) this.#death = `the server ended by itself: ${code ?? signal} ${this.#stderr().slice(-600)}`;
    });
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  get hostname(): string {
    return new URL(this.origin).hostname;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get death(): string | undefined {
    return this.#death;
  }

  headersOf(person: Person, withKey = false): Headers {
    const key = { 'x-console-access-key': consoleKey };
    if (person === 'nobody') return {};
    if (person === 'console') return key;
    return { authorization: `Bearer ${signToken({ sub: person })}`, ...(withKey && key) };
  }

  userIdOf(user: 'ada' | 'bob'): string {
    return user;
  }

  nextAddress(): undefined {
    return undefined;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** The server of `--url`. */
export function runningTarget({ consoleKey: key, otherToken, token, url }: RunningServer): Target {
  const { hostname, port, protocol } = new URL(url);
  if (protocol !== 'http:') throw new Error('--url must be a plain http:// address');
  const tokens = { ada: token, bob: otherToken, console: undefined, nobody: undefined };
  return {
    origin: url,
    hostname,
    port: port === '' ? 80 : Number(port),
    isOwn: false,
    pid: undefined,
    death: undefined,
    headersOf: (person, withKey = person === 'console') => ({
      ...(tokens[person] !== undefined && { authorization: `Bearer ${tokens[person]}` }),
      ...(withKey && key !== undefined && { 'x-console-access-key': key }),
    }),
    userIdOf: (user) => subjectOf(tokens[user]),
    nextAddress: () => (hostname === '127.0.0.1' ? loopbackAddress() : undefined),
    close: async () => {},
  };
}

/** A second run shortly after the first starts elsewhere. */
let requests = Math.floor(Date.now() / 1_000) * requestsPerAddress * 10;

function loopbackAddress(): string {
  requests += 1;
  const number = Math.floor(requests / requestsPerAddress);
  return `127.1.${Math.floor(number / 250) % 250}.${(number % 250) + 1}`;
}

/** The user of a JSON Web Token. Undefined for other tokens. */
function subjectOf(token: string | undefined): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
    return [claims['id'], claims['sub']].find((id) => typeof id === 'string');
  } catch {
    return undefined;
  }
}
