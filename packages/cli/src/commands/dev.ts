import { relative } from 'node:path';
import { watch } from 'chokidar';
import { AppProcess } from '../app-process.ts';
import { exitCodes } from '../cli-error.ts';
import { findEntry } from '../entry-file.ts';
import { style, tell } from '../terminal.ts';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** An editor may write several files at once. */
const settleMs = 100;

/**
 * Runs the app, and starts it again when a file changes, until a signal ends it, which is its
 * regular end. @returns the exit code.
 */
export async function dev(entry: string | undefined, args: readonly string[]): Promise<number> {
  const file = findEntry(process.cwd(), entry);
  const changes = watchFiles();
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  let app: AppProcess | undefined;
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) app?.kill();
    isStopping = true;
    resolve();
  };
  for (const signal of stopSignals) process.on(signal, stop);
  note(`${file} restarts when a file changes. Ctrl+C ends it.`);
  try {
    while (!isStopping) {
      const started = new AppProcess(file, args);
      app = started;
      const change = changes.next();
      const end = await Promise.race([started.ended, change.then(() => undefined), stopped]);
      if (isStopping) break;
      if (end !== undefined) note(`${file} ended with ${end}. It starts again when a file changes.`);
      const changed = await Promise.race([change, stopped]);
      if (changed === undefined) break;
      note(`${changed} has changed: restarting`);
      await started.stop();
    }
    await app?.stop();
    return exitCodes.ok;
  } finally {
    for (const signal of stopSignals) process.off(signal, stop);
    await changes.close();
  }
}

function note(text: string): void {
  tell(style(text, 'dim', process.stderr));
}

interface Changes {
  /** The next file that changes. */
  readonly next: () => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Code and `.env` of the app: data that the app writes restarts nothing. */
function watchFiles(): Changes {
  const folder = process.cwd();
  const watcher = watch(folder, {
    ignoreInitial: true,
    ignored: (path, stats) => {
      const name = path.slice(folder.length);
      if (/[/\\](?:node_modules|dist|coverage|\.(?!env)[^/\\]*)(?:[/\\]|$)/.test(name)) return true;
      return stats?.isFile() === true && !/\.[cm]?[jt]sx?$|[/\\]\.env$/.test(name);
    },
  });
  let waiting: PromiseWithResolvers<string> | undefined;
  let timer: NodeJS.Timeout | undefined;
  watcher.on('all', (_event, path) => {
    clearTimeout(timer);
    timer = setTimeout(() => waiting?.resolve(relative(folder, path)), settleMs);
  });
  return {
    next: () => {
      waiting = Promise.withResolvers();
      return waiting.promise;
    },
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
