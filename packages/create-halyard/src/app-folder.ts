import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { CreateError } from './create-error.ts';

/** Files that a folder may contain already: those of an empty repository. */
const harmless = new Set(['.git', '.DS_Store']);

/** Where an app is created, and the name of its package. */
export interface AppFolder {
  readonly path: string;
  readonly name: string;
}

/** @returns why an app cannot be created there, or undefined. */
export function folderFault(text: string): string | undefined {
  const path = resolve(text.trim() === '' ? '.' : text.trim());
  const name = basename(path);
  if (!/^[a-z\d][a-z\d._-]*$/.test(name) || name.length > 214 || name === 'node_modules') {
    return `"${name}" cannot be the name of a package: use lower-case letters, digits, hyphens, underscores and dots, such as ${suggestion(name)}.`;
  }
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isDirectory()) return `${path} is a file.`;
  const [first] = readdirSync(path).filter((entry) => !harmless.has(entry));
  if (first === undefined) return undefined;
  return `${path} is not empty: it contains ${first}. Choose another folder, or add a part to an existing app with --add.`;
}

/** @throws CreateError if no app can be created there. */
export function appFolder(text: string): AppFolder {
  const fault = folderFault(text);
  if (fault !== undefined) throw new CreateError(fault);
  const path = resolve(text.trim() === '' ? '.' : text.trim());
  return { path, name: basename(path) };
}

function suggestion(name: string): string {
  const words = name.toLowerCase().match(/[a-z\d]+/g) ?? [];
  return words.length === 0 || name === 'node_modules' ? 'my-app' : words.join('-').slice(0, 214);
}
