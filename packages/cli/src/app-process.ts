import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { hookUrls } from './hooks/hook-urls.ts';

/** An app that does not close is ended. Longer than a Halyard server waits for running work. */
const closeWithinMs = 30_000;
const isWindows = process.platform === 'win32';

/** The process of an app in development, which prints its links. */
export class AppProcess {
  readonly #child: ChildProcess;
  /** How it ended, such as `code 1`. Rejects if it cannot be started. */
  readonly ended: Promise<string>;

  constructor(file: string, args: readonly string[]) {
    const envFile = existsSync('.env') ? ['--env-file=.env'] : [];
    this.#child = spawn(
      process.execPath,
      [...process.execArgv, ...envFile, '--import', hookUrls.printLinks, file, ...args],
      // In a group of its own, so that Ctrl+C reaches it once, by this program: a second signal
      // would end it before it has closed.
      { stdio: ['ignore', 'inherit', 'inherit'], detached: !isWindows },
    );
    const { promise, reject, resolve } = Promise.withResolvers<string>();
    this.#child.once('error', reject);
    this.#child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    this.ended = promise;
  }

  /** Lets the app close, and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), closeWithinMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends the app and the processes that it has started, at once. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    if (isWindows) this.#child.kill('SIGKILL');
    else process.kill(-pid, 'SIGKILL');
  }
}
