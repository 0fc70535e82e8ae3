import { parseArgs } from 'node:util';
import { scenarios } from '../scenarios.ts';
import { storesId } from './stores.ts';

const appNames = ['limit', 'floor', 'bare', 'halyard'] as const;

export type AppName = (typeof appNames)[number];

export interface BenchOptions {
  readonly apps: readonly AppName[];
  readonly only: readonly string[];
  /** Of each measured round, where a scenario does not need longer ones. */
  readonly seconds: number;
  readonly rounds: number;
  readonly quick: boolean;
}

/** `--apps limit,bare,halyard --only text-32,stream --seconds 2 --quick`. An unknown name throws, saying which there are. */
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
    throw new Error(`No scenario is called ${name}; there are ${ids.join(', ')}`);
  }
  return { apps: readApps(values.apps), only, seconds, rounds: quick ? 2 : 15, quick };
}

/** `stream` stands for `stream-1`, `stream-32` and `stream-256`; nothing stands for all. */
export function matches(id: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((name) => id === name || id.startsWith(`${name}-`));
}

function readApps(list: string | undefined): AppName[] {
  if (list === undefined) return [...appNames];
  const asked = list.split(',');
  const unknown = asked.find((name) => !appNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`No app is called ${unknown}; there are ${appNames.join(', ')}`);
  return appNames.filter((name) => asked.includes(name));
}
