import type { LoopControl } from '../loop-control.ts';
import type { RunTally } from './run-tally.ts';

/** Whether one of the app's conditions ends the run after its last step. */
export async function isStopConditionMet({ stopWhen }: LoopControl, { steps }: RunTally): Promise<boolean> {
  if (stopWhen === undefined) return false;
  // The steps of an agent have the names of the AI SDK's, except inside `usage`.
  const done = { steps: [...steps] as never };
  for (const condition of [stopWhen].flat()) if (await condition(done)) return true;
  return false;
}
