import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { type CodeBlock, type Document, readBlocks, readDocuments } from '@halyard/test-docs/documents';
import { openOpenaiWire } from '@halyard/test-providers/wire';
import { installProgram } from './create-apps.ts';
import { noKeys, nodeArguments } from './created-app.ts';
import type { PackedPackage } from './pack-packages.ts';
import { playModel } from './play-model.ts';
import { isRecord, readJson } from './read-json.ts';
import { run } from './run.ts';
import { startSample, type StartedSample } from './sample-app.ts';
import { checkAnswer, checkPrinted, type ShellCommand, shellCommands } from './shell-commands.ts';
import type { WalkOptions } from './walk-documents.ts';

interface WalkPageOptions extends Pick<WalkOptions, 'node' | 'folder' | 'registry'> {
  readonly packages: readonly PackedPackage[];
}

/**
 * Does what `docs/getting-started.md` says: creates the app, saves the files, sends the requests,
 * and opens the pages of its links.
 */
export async function walkGettingStarted({ node, folder, packages, registry }: WalkPageOptions): Promise<void> {
  const [page] = readDocuments('docs/getting-started.md');
  if (page === undefined) throw new Error('docs/getting-started.md is missing');
  await mkdir(folder);
  await using wire = await openOpenaiWire();
  playModel(wire);
  // The app reads its key from `.env`, which does not replace a variable.
  const { OPENAI_API_KEY: _, ...withoutKey } = { ...process.env, ...noKeys };
  const env = { ...withoutKey, NODE_ENV: 'development', PORT: '0', OPENAI_BASE_URL: wire.baseURL };
  const program = await installProgram(folder, packages);
  await using reader = new Reader({ node, program, folder, env, registry });
  for (const block of readBlocks(page).blocks) await reader.follow(block);
  for (const link of appLinks(page)) await reader.open(link);
}

interface ReaderOptions extends Pick<WalkOptions, 'node' | 'folder' | 'registry'> {
  /** The path of create-halyard. */
  readonly program: string;
  /** The environment of the app. */
  readonly env: NodeJS.ProcessEnv;
}

/** Someone who follows the page: the folder in which they are, and the app that runs. */
class Reader implements AsyncDisposable {
  readonly #options: ReaderOptions;
  #folder: string;
  #app: StartedSample | undefined;
  #answer = '';

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#folder = options.folder;
  }

  async follow({ language, lines }: CodeBlock): Promise<void> {
    const [, file] = /^ts \[(.+)\]$/.exec(language) ?? [];
    if (file !== undefined) {
      await writeFile(join(this.#folder, file), `${lines.join('\n')}\n`);
      await this.#stop();
    }
    if (language === 'text') checkPrinted(lines, this.#answer);
    if (language !== 'sh') return;
    for (const command of shellCommands(lines)) await this.#run(command);
  }

  async open(path: string): Promise<void> {
    const { status } = await fetch(`${await this.#running()}${path}`);
    if (status !== 200) throw new Error(`GET ${path}: ${status}`);
  }

  async #run(command: ShellCommand): Promise<void> {
    const { text } = command;
    const { node, program, registry } = this.#options;
    const [, args] = /^npm create halyard@latest (.+)$/.exec(text) ?? [];
    if (args !== undefined) {
      const words = args.split(' ').filter((word) => word !== '--');
      await run(node, [program, ...words], this.#folder, { [registry.environment[0]]: registry.environment[1] });
    } else if (text.startsWith('cd ')) this.#folder = join(this.#folder, text.slice('cd '.length));
    else if (text === 'npm run dev') await this.#stop();
    else if (text.startsWith('curl ')) this.#answer = await checkAnswer(command, await this.#running(), this.#folder);
    else {
      const path = `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`;
      await run('bash', ['-c', text], this.#folder, { PATH: path });
    }
  }

  /** The address of the app, which is started if it does not run. */
  async #running(): Promise<string> {
    if (this.#app?.kind === 'listens') return this.#app.url;
    const { env, node } = this.#options;
    const { scripts } = await readJson(join(this.#folder, 'package.json'));
    const start = nodeArguments(isRecord(scripts) ? scripts['start'] : undefined);
    this.#app = await startSample(node, start, { folder: this.#folder, env });
    if (this.#app.kind === 'ended') throw new Error(`The app exited ${this.#app.exitCode}\n${this.#app.output}`);
    return this.#app.url;
  }

  async #stop(): Promise<void> {
    const app = this.#app;
    this.#app = undefined;
    if (app?.kind !== 'listens') return;
    const { exitCode, output } = await app.stop();
    if (exitCode !== 0) throw new Error(`The app exited ${exitCode} after SIGTERM\n${output}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}

/** The paths of the links to the app. */
function appLinks({ lines }: Document): readonly string[] {
  const links = [...lines.join('\n').matchAll(/\]\(http:\/\/127\.0\.0\.1:3141(\/[^)]*)\)/g)];
  return links.map(([, path = '']) => path);
}
