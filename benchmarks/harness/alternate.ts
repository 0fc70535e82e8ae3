import type { FigureName } from '../scenarios.ts';
import type { AppName } from './options.ts';

/** What each app's rounds came to, in the order they ran: round n of one app ran beside round n of the others. */
export type Rounds = Map<AppName, Partial<Record<FigureName | 'bytesPerAnswer', number>>[]>;

/**
 * Runs the apps in turn, round after round, so that what else the machine does falls on all of them. The order moves on by one
 * each round: none always follows the same neighbour. An app whose round throws is out; `onFailure` is told.
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
