import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '@halyard/test-docs/documents';
import { buildContext } from './build-context.ts';
import {
  dockerfileText,
  type ImageSettings,
  readImageSettings,
  readStages,
  type Stage,
  variables,
} from './dockerfile.ts';

/** The file tree of an image, without the files of its base image. */
export interface Image {
  readonly folder: string;
  readonly settings: ImageSettings;
  readonly remove: () => Promise<void>;
}

/**
 * Executes the Dockerfile: each stage is a folder, and RUN runs its command there, on this machine.
 * So the commands must not use absolute paths. FROM does nothing: the base image has Node and a
 * shell.
 */
export async function buildImage(): Promise<Image> {
  const work = mkdtempSync(join(tmpdir(), 'halyard-image-'));
  const stages = readStages(dockerfileText());
  const remove = (): Promise<void> => rm(work, { recursive: true, force: true });
  try {
    for (const [index, stage] of stages.entries()) {
      const folder = join(work, folderOf(stage, index));
      mkdirSync(folder);
      await executeStage(stage, folder, work);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  const last = stages.length - 1;
  return {
    folder: join(work, folderOf(stages[last], last)),
    settings: readImageSettings(stages),
    remove,
  };
}

function folderOf(stage: Stage | undefined, index: number): string {
  return stage?.name ?? `stage-${index}`;
}

async function executeStage({ instructions }: Stage, folder: string, work: string): Promise<void> {
  const env: Record<string, string> = {};
  let workdir = '/';
  for (const { flags, keyword, text } of instructions) {
    const cwd = join(folder, workdir);
    if (keyword === 'ENV') Object.assign(env, variables(text));
    else if (keyword === 'WORKDIR') {
      workdir = text;
      mkdirSync(join(folder, workdir), { recursive: true });
    } else if (keyword === 'COPY') copy(text, { cwd, from: flags['from'], work });
    else if (keyword === 'RUN') await run(text, cwd, env);
    else if (!['USER', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'].includes(keyword))
      throw new Error(`The test cannot execute ${keyword} ${text}`);
  }
}

interface Copy {
  readonly cwd: string;
  readonly from: string | undefined;
  readonly work: string;
}

function copy(text: string, { cwd, from, work }: Copy): void {
  const [source = '', target = '', ...others] = text.split(/\s+/);
  if (others.length > 0 || (target !== '.' && target !== './')) throw new Error(`The test cannot execute COPY ${text}`);
  if (from !== undefined) {
    cpSync(join(work, from, source), cwd, { recursive: true, verbatimSymlinks: true });
    return;
  }
  if (source !== '.') throw new Error(`The test cannot execute COPY ${text}`);
  for (const path of buildContext()) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    cpSync(join(root, path), join(cwd, path), { verbatimSymlinks: true });
  }
}

/** Packages that this machine has already are not downloaded again. */
const offlineFirst = { npm_config_prefer_offline: 'true' };

async function run(command: string, cwd: string, env: Readonly<Record<string, string>>): Promise<void> {
  if (/(^|[\s"'=])\//.test(command)) throw new Error(`RUN ${command} has an absolute path`);
  const child = spawn('/bin/sh', ['-c', command], {
    cwd,
    env: { ...cleanEnvironment(), ...offlineFirst, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`RUN ${command} ended with ${code}\n${output.slice(-4_000)}`);
}

/**
 * Without the settings that pnpm passes to its scripts, and with the Node of the workspace in the
 * place of that of the base image.
 */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(p?npm_|NODE_OPTIONS$|NODE_ENV$|VITEST)/i.test(name));
  return { ...Object.fromEntries(kept), PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
}
