import { parseArgs } from 'node:util';
import { scenarios } from '../scenarios.ts';
import { storesId } from './stores.ts';

const appNames = ['limit', 'floor', 'bare', 'halyard'] as const;

export type AppName = (typeof appNames)[number];

export interface BenchOptions {
  readonly apps: readonly AppName[];
  readonly only: readonly string[];
  /** The length of a round, unless a scenario needs longer ones. */
  readonly seconds: number;
  readonly rounds: number;
  readonly quick: boolean;
}

/**
 * `--apps limit,bare,halyard --only text-32,stream --seconds 2 --quick`. Throws an error that lists
 * the valid names if a name is unknown.
 */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      apps: { type: 'string' },
      only: { type: 'string', multiple: true },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const { quick } = values;
  const seconds = values.seconds === undefined ? 0.5 : Number(values.seconds);
  if (!(seconds > 0)) throw new Error(`--seconds ${values.seconds} is not a number above 0`);
  const only = (values.only ?? []).flatMap((each) => each.split(','));
  for (const name of only) {
    const ids = [...scenarios.map(({ id }) => id), storesId];
    if (ids.some((id) => matches(id, [name]))) continue;
    throw new Error(`Unknown scenario ${name}; use one of ${ids.join(', ')}`);
  }
  return { apps: readApps(values.apps), only, seconds, rounds: quick ? 2 : 15, quick };
}

/** `stream` selects `stream-1`, `stream-32` and `stream-256`; an empty list selects all. */
export function matches(id: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((name) => id === name || id.startsWith(`${name}-`));
}

function readApps(list: string | undefined): AppName[] {
  if (list === undefined) return [...appNames];
  const requested = list.split(',');
  const unknown = requested.find((name) => !appNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`Unknown app ${unknown}; use one of ${appNames.join(', ')}`);
  return appNames.filter((name) => requested.includes(name));
}
