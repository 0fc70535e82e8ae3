import type { FigureName } from '../scenarios.ts';
import type { AppName } from './options.ts';

/**
 * The figures of each app's rounds, in the order in which they ran. Round n of all apps ran at
 * about the same time.
 */
export type Rounds = Map<AppName, Partial<Record<FigureName | 'bytesPerAnswer', number>>[]>;

/**
 * Runs the apps in turn, round after round, so that other load on the machine affects all of them.
 * Each round starts with another app. An app whose round throws is removed, and `onFailure` is
 * called.
 */
export async function alternate(
  apps: readonly AppName[],
  rounds: number,
  run: (app: AppName) => Promise<Partial<Record<FigureName | 'bytesPerAnswer', number>>>,
  onFailure: (app: AppName, reason: unknown) => void,
): Promise<Rounds> {
  const done: Rounds = new Map(apps.map((app) => [app, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % apps.length;
    for (const app of [...apps.slice(first), ...apps.slice(0, first)]) {
      const figures = done.get(app);
      if (figures === undefined) continue;
      try {
        figures.push(await run(app));
      } catch (reason) {
        done.delete(app);
        onFailure(app, reason);
      }
    }
  }
  return done;
}
