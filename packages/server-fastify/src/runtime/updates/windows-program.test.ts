import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { windowsProgram } from './windows-program.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halyard-path-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text = ''): Promise<string> {
  const at = join(folder, path);
  await mkdir(dirname(at), { recursive: true });
  await writeFile(at, text);
  return at;
}

/** The files as npm, corepack and npm's `cmd-shim` write them. */
const ofNpm = [
  '@ECHO OFF',
  'SETLOCAL',
  'SET "NODE_EXE=%~dp0\\node.exe"',
  'SET "NPM_PREFIX_JS=%~dp0\\node_modules\\npm\\bin\\npm-prefix.js"',
  'SET "NPM_CLI_JS=%~dp0\\node_modules\\npm\\bin\\npm-cli.js"',
  `FOR /F "delims=" %%F IN ('CALL "%NODE_EXE%" "%NPM_PREFIX_JS%"') DO (`,
  '  SET "NPM_PREFIX_NPM_CLI_JS=%%F\\node_modules\\npm\\bin\\npm-cli.js"',
  ')',
  '"%NODE_EXE%" "%NPM_CLI_JS%" %*',
].join('\r\n');
const ofCorepack = [
  '@SETLOCAL',
  '@IF EXIST "%~dp0\\node.exe" (',
  '  "%~dp0\\node.exe"  "%~dp0\\node_modules\\corepack\\dist\\pnpm.js" %*',
  ') ELSE (',
  '  node  "%~dp0\\node_modules\\corepack\\dist\\pnpm.js" %*',
  ')',
].join('\r\n');
const ofShim = [
  '@ECHO off',
  ':find_dp0',
  'SET dp0=%~dp0',
  'IF EXIST "%dp0%\\node.exe" (',
  '  SET "_prog=%dp0%\\node.exe"',
  ')',
  'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\yarn\\bin\\yarn.cjs" %*',
].join('\r\n');

it.each([
  ['npm', ofNpm, 'node_modules/npm/bin/npm-cli.js'],
  ['pnpm', ofCorepack, 'node_modules/corepack/dist/pnpm.js'],
  ['yarn', ofShim, 'node_modules/yarn/bin/yarn.cjs'],
])('starts the script that the .cmd of %s names', async (command, text, script) => {
  await write(`with blanks/${command}.cmd`, text);
  const at = await write(`with blanks/${script}`);
  await write('with blanks/node_modules/npm/bin/npm-prefix.js');
  const path = ['', join(folder, 'nowhere'), `"${join(folder, 'with blanks')}"`].join(';');
  expect(await windowsProgram(command, path)).toEqual({ file: process.execPath, args: [at] });
});

it('starts an .exe itself, and takes the first folder that has the program', async () => {
  const exe = await write('a/bun.exe');
  await write('b/bun.cmd', ofShim);
  await write('b/node_modules/yarn/bin/yarn.cjs');
  expect(await windowsProgram('bun', `${join(folder, 'a')};${join(folder, 'b')}`)).toEqual({ file: exe, args: [] });
});

it('finds nothing where the program is missing, or its script is', async () => {
  await write('pnpm.cmd', ofCorepack);
  await write('yarn.cmd', '@ECHO off');
  for (const command of ['npm', 'pnpm', 'yarn']) expect(await windowsProgram(command, folder)).toBeUndefined();
});
