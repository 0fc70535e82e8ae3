#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { cancel, intro, log, note, outro, spinner } from '@clack/prompts';
import { addParts } from './add-parts.ts';
import { appFiles } from './app-files.ts';
import { appFolder, type AppFolder } from './app-folder.ts';
import { ask, cancelled } from './ask.ts';
import { type Choices, defaultChoices } from './choices.ts';
import { CreateError } from './create-error.ts';
import { installDependencies } from './install.ts';
import { packageCommands } from './package-commands.ts';
import { type Arguments, helpText, readArguments } from './read-arguments.ts';
import { writeApp } from './write-app.ts';

const isTerminal = process.stdin.isTTY && process.stdout.isTTY;

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CreateError)) throw error;
  cancel(error.message);
  process.exitCode = 1;
}

/** @returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  requireNode();
  const read = readArguments(args);
  if (read.help || read.version) {
    process.stdout.write(read.help ? helpText : `${version()}\n`);
    return 0;
  }
  return read.add.length > 0 ? add(read) : create(read);
}

async function create({ choices, folder, install, yes }: Arguments): Promise<number> {
  intro('create-halyard');
  // A folder that the command line names is checked before the questions.
  if (folder !== undefined) appFolder(folder);
  const defaults = defaultChoices(process.env);
  const answers =
    yes || !isTerminal
      ? { folder: folder ?? 'my-app', choices: { ...defaults, ...choices } }
      : await ask({ folder, choices, defaults }, { input: process.stdin, output: process.stdout });
  if (answers === cancelled) {
    cancel('Nothing was created.');
    return 1;
  }
  const target = appFolder(answers.folder);
  const chosen = { name: target.name, ...answers.choices };
  writeApp(target.path, appFiles(chosen, version()));
  log.success(
    `The app is in ${target.path}: ${chosen.template}, ${chosen.provider}, ${chosen.storage}, ${chosen.auth}`,
  );
  const installed = install === false ? false : await installWith(target, chosen);
  showNextSteps(target, chosen, installed);
  return install !== false && !installed ? 1 : 0;
}

async function installWith({ path }: AppFolder, { packageManager }: Choices): Promise<boolean> {
  const { install } = packageCommands[packageManager];
  const progress = isTerminal ? spinner() : undefined;
  if (progress === undefined) log.step(install);
  else progress.start(install);
  const fault = await installDependencies(path, packageManager);
  if (fault === undefined) progress?.stop(install);
  else {
    progress?.error(`${install} failed`);
    log.error(`${fault}\n\nThe app is complete. Run "${install}" again.`);
  }
  return fault === undefined;
}

function showNextSteps({ path }: AppFolder, { packageManager }: Choices, isInstalled: boolean): void {
  const { install, run } = packageCommands[packageManager];
  const folder = relative('.', path);
  const steps = [...(folder === '' ? [] : [`cd ${folder}`]), ...(isInstalled ? [] : [install]), `${run} dev`];
  note(steps.join('\n'), 'Next');
  outro('Its README says what is in it.');
}

function add({ add: names, choices, folder = '.' }: Arguments): number {
  intro('create-halyard');
  const { packageManager } = { ...defaultChoices(process.env), ...choices };
  const { kept, steps, written } = addParts(folder, names, packageManager);
  if (written.length > 0) log.success(`Written:\n${written.join('\n')}`);
  if (kept.length > 0) log.warn(`Not changed, because they exist:\n${kept.join('\n')}`);
  if (steps.length > 0) log.info(`What is left to do:\n\n${steps.join('\n\n')}`);
  outro('Done.');
  return 0;
}

/** The app needs it. npm only warns about `engines`. */
function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return;
  throw new CreateError(`Node 22.18 or later is needed; this is ${process.versions.node}. See https://nodejs.org.`);
}

function version(): string {
  const file = new URL('../package.json', import.meta.url);
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  return manifest.version;
}
