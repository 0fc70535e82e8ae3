import { parseArgs } from 'node:util';
import { auths, type Choices, type Option, packageManagers, providers, storages, templates } from './choices.ts';
import { CreateError } from './create-error.ts';
import { type PartName, partNames } from './parts.ts';

/** The command line. The program asks for a choice that is missing. */
export interface Arguments {
  readonly folder: string | undefined;
  readonly choices: Partial<Omit<Choices, 'name'>>;
  readonly add: readonly PartName[];
  /** Undefined: not said. */
  readonly install: boolean | undefined;
  readonly yes: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

const options = {
  name: { type: 'string' },
  template: { type: 'string', short: 't' },
  provider: { type: 'string' },
  storage: { type: 'string' },
  auth: { type: 'string' },
  'package-manager': { type: 'string' },
  install: { type: 'boolean' },
  add: { type: 'string', multiple: true },
  yes: { type: 'boolean', short: 'y' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** @throws CreateError for an unknown option or value. */
export function readArguments(args: readonly string[]): Arguments {
  const { positionals, values } = parse(args);
  if (positionals.length > 1) throw new CreateError(`One folder is enough, not ${positionals.length}.`);
  if (positionals.length === 1 && values.name !== undefined) {
    throw new CreateError('Name the folder once: as the first argument, or with --name.');
  }
  const one = <Value extends string>(
    name: 'template' | 'provider' | 'storage' | 'auth' | 'package-manager',
    known: readonly Option<Value>[],
  ): Value | undefined =>
    pickOne(
      `--${name}`,
      values[name],
      known.map(({ value }) => value),
    );
  const [template, provider, storage, auth, packageManager] = [
    one('template', templates),
    one('provider', providers),
    one('storage', storages),
    one('auth', auths),
    one('package-manager', packageManagers),
  ];
  return {
    folder: positionals[0] ?? values.name,
    choices: {
      ...(template !== undefined && { template }),
      ...(provider !== undefined && { provider }),
      ...(storage !== undefined && { storage }),
      ...(auth !== undefined && { auth }),
      ...(packageManager !== undefined && { packageManager }),
    },
    add: (values.add ?? [])
      .flatMap((text) => text.split(','))
      .flatMap((text) => pickOne('--add', text.trim(), partNames) ?? []),
    install: values.install,
    yes: values.yes ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CreateError(`${message.split('. ')[0]}. See --help.`, { cause: error });
  }
}

function pickOne<Value extends string>(
  option: string,
  value: string | undefined,
  known: readonly Value[],
): Value | undefined {
  if (value === undefined) return undefined;
  const found = known.find((name) => name === value);
  if (found === undefined) throw new CreateError(`${option} is one of ${known.join(', ')}, not "${value}".`);
  return found;
}

export const helpText: string = `
Creates an app with Halyard.

  npm create halyard@latest [folder] -- [options]

It asks for what the options do not say. Without a terminal, or with --yes, it asks nothing and uses the defaults.

  --name <folder>           the folder, if it is not the first argument (my-app)
  -t, --template <name>     ${listValues(templates)}
  --provider <name>         ${listValues(providers)}
  --storage <name>          ${listValues(storages)}
  --auth <name>             ${listValues(auths)}
  --package-manager <name>  ${listValues(packageManagers)}
  --no-install              do not install the dependencies
  -y, --yes                 ask nothing

  --add <part>              adds a part to the app in the folder, and changes no file that exists:
                            ${partNames.join(', ')}
`;

function listValues(known: readonly Option<string>[]): string {
  return known.map(({ value }) => value).join(', ');
}
