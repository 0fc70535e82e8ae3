import type { Readable, Writable } from 'node:stream';
import { type CANCEL_SYMBOL, isCancel, select, text } from '@clack/prompts';
import { folderFault } from './app-folder.ts';
import { auths, type Choices, type Option, packageManagers, providers, storages, templates } from './choices.ts';

/** The person has cancelled. */
export const cancelled: unique symbol = Symbol('cancelled');

/** The command line, and the defaults for the rest. */
export interface Questions {
  readonly folder: string | undefined;
  readonly choices: Partial<Omit<Choices, 'name'>>;
  readonly defaults: Omit<Choices, 'name'>;
}

export interface Answers {
  readonly folder: string;
  readonly choices: Omit<Choices, 'name'>;
}

/** Where questions are shown and answered. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** Asks for the choices that the command line does not contain. */
export async function ask(
  { choices, defaults, folder }: Questions,
  terminal: Terminal,
): Promise<Answers | typeof cancelled> {
  const chosenFolder = folder ?? (await askFolder(terminal));
  if (isCancel(chosenFolder)) return cancelled;
  const template =
    choices.template ??
    (await choose(terminal, { message: 'What do you build?', options: templates, initialValue: defaults.template }));
  if (isCancel(template)) return cancelled;
  const provider =
    choices.provider ??
    (await choose(terminal, { message: 'Which model provider?', options: providers, initialValue: defaults.provider }));
  if (isCancel(provider)) return cancelled;
  const storage =
    choices.storage ??
    (await choose(terminal, { message: 'Where is data stored?', options: storages, initialValue: defaults.storage }));
  if (isCancel(storage)) return cancelled;
  const auth =
    choices.auth ??
    (await choose(terminal, { message: 'Who may call it?', options: auths, initialValue: defaults.auth }));
  if (isCancel(auth)) return cancelled;
  const packageManager =
    choices.packageManager ??
    (await choose(terminal, {
      message: 'Which package manager?',
      options: packageManagers,
      initialValue: defaults.packageManager,
    }));
  if (isCancel(packageManager)) return cancelled;
  return { folder: chosenFolder, choices: { template, provider, storage, auth, packageManager } };
}

function askFolder(terminal: Terminal): Promise<string | typeof CANCEL_SYMBOL> {
  return text({
    ...terminal,
    message: 'What is the name of the app?',
    placeholder: 'my-app',
    defaultValue: 'my-app',
    validate: (value) => folderFault(value === undefined || value === '' ? 'my-app' : value),
  });
}

interface Choice<Value extends string> {
  readonly message: string;
  readonly options: readonly Option<Value>[];
  readonly initialValue: Value;
}

function choose<Value extends string>(
  terminal: Terminal,
  { initialValue, message, options }: Choice<Value>,
): Promise<Value | typeof CANCEL_SYMBOL> {
  return select<string>({ ...terminal, message, options: [...options], initialValue }) as Promise<
    Value | typeof CANCEL_SYMBOL
  >;
}
