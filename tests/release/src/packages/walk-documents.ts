import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CodeBlock, type Document, readBlocks, readDocuments } from '@halyard/test-docs/documents';
import { openOpenaiWire } from '@halyard/test-providers/wire';
import type { PackageManager } from './package-manager.ts';
import { playModel } from './play-model.ts';
import type { Registry } from './registry.ts';
import { startSample, type StartedSample } from './sample-app.ts';
import { checkAnswer, shellCommands } from './shell-commands.ts';

export interface WalkOptions {
  readonly node: string;
  readonly folder: string;
  readonly registry: Registry;
  readonly packageManager: PackageManager;
  /** Reports one check. Returns whether it passed. */
  readonly step: (name: string, check: () => Promise<unknown>) => Promise<boolean>;
}

/**
 * Does what the documents say, in an empty folder: first everything in the README, as printed, and
 * then the first page of each guide: its installation and its first sample, with npm only. The
 * model is played by a local server, and the servers of samples listen on free ports.
 */
export async function walkDocuments({ node, folder, registry, packageManager, step }: WalkOptions): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, '.npmrc'), registry.npmrc);
  await using wire = await openOpenaiWire();
  playModel(wire);
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    PORT: '0',
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: wire.baseURL,
  };
  const place = { node, folder, env, packageManager };

  const [readme] = readDocuments('README.md');
  if (readme === undefined) throw new Error('README.md is missing');
  const passed = await step(`README.md, with ${packageManager.name}`, () => walkReadme(readme, place));
  // The apps that are created with pnpm show that each package finds its dependencies there.
  if (!passed || packageManager.name !== 'npm') return;
  const guides = readDocuments('docs/*.md', 'docs/{workflows,migrate}/*.md');
  for (const guide of guides.filter((document) => readBlocks(document).blocks.some(isSample))) {
    await step(`${guide.path}, first page, with ${packageManager.name}`, () => walkFirstPage(guide, place));
  }
}

function isSample({ language }: CodeBlock): boolean {
  return language === 'ts';
}

interface Place {
  readonly node: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly packageManager: PackageManager;
}

/** Runs the blocks in their order. A server runs until the next one is started. */
async function walkReadme(readme: Document, place: Place): Promise<void> {
  let server: StartedSample | undefined;
  try {
    for (const block of readBlocks(readme).blocks) {
      if (block.language === 'ts') await writeFile(join(place.folder, fileName(readme, block)), block.lines.join('\n'));
      if (block.language !== 'sh') continue;
      for (const command of shellCommands(block.lines)) {
        const [program, ...words] = command.text.split(/\s+/);
        if (program === 'npx') continue; // for a clone of the repository
        if (program === 'npm') await place.packageManager.run(command.text, place.folder);
        else if (program === 'export') Object.assign(place.env, variable(words.join(' ')));
        else if (program === 'node') {
          await stop(server);
          server = await startSample(place.node, words, place);
          if (server.kind === 'ended') throw new Error(`${command.text} exited ${server.exitCode}\n${server.output}`);
        } else if (program === 'curl' && server?.kind === 'listens') {
          await checkAnswer(command, server.url, place.folder);
        } else throw new Error(`README.md:${block.line}: the check cannot run ${command.text}`);
      }
    }
  } finally {
    await stop(server);
  }
}

/** The file that the text above a sample names, as in: Save this as `app.ts`. */
function fileName(document: Document, block: CodeBlock): string {
  const above = document.lines.slice(0, block.line - 1).join('\n');
  const [, name] = [...above.matchAll(/[Ss]ave this as `([\w.-]+)`/g)].at(-1) ?? [];
  if (name === undefined) throw new Error(`${document.path}:${block.line}: the text does not name the file`);
  return name;
}

function variable(assignment: string): Record<string, string> {
  const [name = '', value = ''] = assignment.split('=', 2);
  return { [name]: value };
}

async function stop(server: StartedSample | undefined): Promise<void> {
  if (server?.kind !== 'listens') return;
  const { exitCode, output } = await server.stop();
  if (exitCode !== 0) throw new Error(`A server exited ${exitCode} after SIGTERM\n${output}`);
}

async function walkFirstPage(guide: Document, place: Place): Promise<void> {
  const { blocks } = readBlocks(guide);
  const sample = blocks.find(isSample);
  if (sample === undefined) return;
  for (const { lines } of blocks.filter(({ language, line }) => language === 'sh' && line < sample.line)) {
    for (const { text } of shellCommands(lines)) {
      if (text.startsWith('npm install')) await place.packageManager.run(text, place.folder);
    }
  }
  const file = `${guide.path.replaceAll(/[^a-z]+/g, '-')}.ts`;
  await writeFile(join(place.folder, file), sample.lines.join('\n'));
  const started = await startSample(place.node, [file], place);
  if (started.kind === 'ended') {
    if (started.exitCode !== 0) throw new Error(`The sample exited ${started.exitCode}\n${started.output}`);
    return;
  }
  const { status } = await fetch(`${started.url}/healthz`);
  if (status !== 200) throw new Error(`GET /healthz: ${status}`);
  await stop(started);
}
