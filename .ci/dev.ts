// pnpm dev [options of the quickstart]: starts the server and, once it is up, builds the console if
// its sources have changed. A build before the start would keep the server away for a minute.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compileCache = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url));
const page = new URL('../packages/console/dist/app/index.html', import.meta.url);
const isTerminal = process.stdout.isTTY;

const server = start(
  process.execPath,
  [
    '--watch',
    '--watch-preserve-output',
    '--conditions=@halyard/source',
    'examples/quickstart/src/main.ts',
    ...process.argv.slice(2),
  ],
  // The output tells when the server is up. Colours stay those of the terminal.
  {
    NODE_COMPILE_CACHE: compileCache,
    ...process.env,
    ...(isTerminal && process.env['NO_COLOR'] === undefined && { FORCE_COLOR: '1' }),
  },
);
let build: ChildProcess | undefined;
let isEnding = false;

server.stdout?.pipe(process.stdout);
server.stderr?.pipe(process.stderr);
server.stdout?.on('data', buildOnceRunning);
server.once('close', (code, signal) => {
  end('SIGTERM');
  process.exitCode = isEnding && signal !== null ? 0 : (code ?? 1);
});

// Ctrl-C reaches the whole group; other signals only this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isEnding = true;
    end(signal);
  });

let shown = '';
function buildOnceRunning(chunk: Buffer): void {
  shown += chunk.toString();
  if (!shown.includes('Halyard is running')) return;
  server.stdout?.off('data', buildOnceRunning);
  buildConsole();
}

function buildConsole(): void {
  const isFirst = !existsSync(page);
  if (isFirst) console.log('\n  The console is being built: its page shows it as soon as it is there.\n');
  build = start('turbo', ['run', 'build', '--filter=@halyard/console', '--output-logs=errors-only'], process.env);
  let output = '';
  for (const stream of [build.stdout, build.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  build.once('error', (error) => console.error(`\n  The console cannot be built: ${error.message}\n`));
  build.once('close', (code) => {
    build = undefined;
    if (isEnding) return;
    if (code !== 0) console.error(`\n  The console cannot be built:\n\n${output}`);
    else if (isFirst) console.log('\n  The console is built.\n');
  });
}

function end(signal: NodeJS.Signals): void {
  isEnding = true;
  server.kill(signal);
  build?.kill(signal);
}

function start(command: string, options: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const shell = process.platform === 'win32' && command !== process.execPath;
  return spawn(command, options, { cwd: root, env, shell, stdio: ['inherit', 'pipe', 'pipe'] });
}
