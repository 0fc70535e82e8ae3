import { spawn } from 'node:child_process';
import type { PackageManager } from './choices.ts';

/** Installs the dependencies of an app. @returns why it failed, or undefined. */
export function installDependencies(folder: string, packageManager: PackageManager): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(packageManager, ['install'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    const read = (data: string): void => {
      output = (output + data).slice(-4_000);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      resolve(
        code === 0 ? undefined : `${output.trim()}\n${packageManager} install ended with ${signal ?? code}`.trim(),
      );
    });
  });
}
