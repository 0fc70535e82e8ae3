import { parseArgs } from 'node:util';

export interface AttackOptions {
  readonly isLong: boolean;
  readonly seed: number;
  /** How long the soak takes, and its requests per second. Undefined: by the size of the run. */
  readonly minutes: number | undefined;
  readonly rate: number | undefined;
  /** How long others may wait, in milliseconds. Undefined: the real target of each attack. */
  readonly boundMs: number | undefined;
  /** The names of the attacks to run. Empty: all. */
  readonly only: readonly string[];
  /** The planted bug to run with, to see what an attack reports. */
  readonly plant: string | undefined;
  /** Whether the runner checks that each attack finds its planted bugs. */
  readonly plantsBugs: boolean;
  readonly listsOnly: boolean;
  /** A server that runs already, with its credentials. */
  readonly server: RunningServer | undefined;
}

export interface RunningServer {
  readonly url: string;
  readonly token: string | undefined;
  readonly otherToken: string | undefined;
  readonly consoleKey: string | undefined;
  /** An agent that may be called. Undefined: the first of `GET /agents`. */
  readonly agent: string | undefined;
}

/** Parses the command line; see the README. Credentials may also come from the environment. */
export function attackOptions(args: readonly string[] = process.argv.slice(2)): AttackOptions {
  const { values } = parseArgs({
    options: {
      long: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      'no-plants': { type: 'boolean', default: false },
      seed: { type: 'string' },
      minutes: { type: 'string' },
      rate: { type: 'string' },
      'bound-ms': { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      plant: { type: 'string' },
      url: { type: 'string' },
      token: { type: 'string' },
      'other-token': { type: 'string' },
      'console-key': { type: 'string' },
      agent: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
    // pnpm passes on the `--` that separates its own options.
    args: args.filter((argument) => argument !== '--'),
  });
  const { env } = process;
  return {
    isLong: values.long,
    seed: numberOf('seed', values) ?? Date.now() % 1_000_000,
    minutes: numberOf('minutes', values),
    rate: numberOf('rate', values),
    boundMs: numberOf('bound-ms', values),
    only: values.only.flatMap((names) => names.split(',')),
    plant: values.plant,
    plantsBugs: !values['no-plants'] && values.plant === undefined && values.url === undefined,
    listsOnly: values.list || values.help,
    server:
      values.url === undefined
        ? undefined
        : {
            url: values.url.replace(/\/+$/, ''),
            token: values.token ?? env['ATTACKS_TOKEN'],
            otherToken: values['other-token'] ?? env['ATTACKS_OTHER_TOKEN'],
            consoleKey: values['console-key'] ?? env['ATTACKS_CONSOLE_KEY'],
            agent: values.agent,
          },
  };
}

type NumberOption = 'seed' | 'minutes' | 'rate' | 'bound-ms';

/** Refuses what is not a number: NaN as a bound can never be exceeded. */
function numberOf(
  name: NumberOption,
  values: Readonly<Partial<Record<NumberOption, string | undefined>>>,
): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0)
    throw new Error(`--${name} must be a number, not "${text}"`);
  return number;
}
