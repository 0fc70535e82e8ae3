import { type CANCEL_SYMBOL, isCancel, select, text } from '@clack/prompts';
import { folderFault } from './app-folder.ts';
import { auths, type Choices, type Option, packageManagers, providers, storages, templates } from './choices.ts';

/** The person has cancelled. */
export const cancelled: unique symbol = Symbol('cancelled');

/** What the command line says, and the defaults for the rest. */
export interface Questions {
  readonly folder: string | undefined;
  readonly choices: Partial<Omit<Choices, 'name'>>;
  readonly defaults: Omit<Choices, 'name'>;
}

export interface Answers {
  readonly folder: string;
  readonly choices: Omit<Choices, 'name'>;
}

/** Asks for what the command line does not say. */
export async function ask({ choices, defaults, folder }: Questions): Promise<Answers | typeof cancelled> {
  const chosenFolder = folder ?? (await askFolder());
  if (isCancel(chosenFolder)) return cancelled;
  const template = choices.template ?? (await choose('What do you build?', templates, defaults.template));
  if (isCancel(template)) return cancelled;
  const provider = choices.provider ?? (await choose('Which model provider?', providers, defaults.provider));
  if (isCancel(provider)) return cancelled;
  const storage = choices.storage ?? (await choose('Where is data stored?', storages, defaults.storage));
  if (isCancel(storage)) return cancelled;
  const auth = choices.auth ?? (await choose('Who may call it?', auths, defaults.auth));
  if (isCancel(auth)) return cancelled;
  const packageManager =
    choices.packageManager ?? (await choose('Which package manager?', packageManagers, defaults.packageManager));
  if (isCancel(packageManager)) return cancelled;
  return { folder: chosenFolder, choices: { template, provider, storage, auth, packageManager } };
}

function askFolder(): Promise<string | typeof CANCEL_SYMBOL> {
  return text({
    message: 'What is the name of the app?',
    placeholder: 'my-app',
    defaultValue: 'my-app',
    validate: (value) => folderFault(value === undefined || value === '' ? 'my-app' : value),
  });
}

function choose<Value extends string>(
  message: string,
  options: readonly Option<Value>[],
  initialValue: Value,
): Promise<Value | typeof CANCEL_SYMBOL> {
  return select<string>({ message, options: [...options], initialValue }) as Promise<Value | typeof CANCEL_SYMBOL>;
}
