import type { ExecutionLeases } from '@halyard/contracts';

/**
 * Whether another process with a lease has the steps of a definition. A process that has not named
 * its definitions may have them.
 */
export async function mayRunElsewhere(
  definition: string,
  { runner: own, store }: { readonly runner: string; readonly store: Pick<ExecutionLeases, 'runners'> },
): Promise<boolean> {
  const runners = await store.runners?.();
  if (runners === undefined) return true;
  const others = runners.filter(({ runner }) => runner !== own);
  return others.some(({ definitions }) => definitions?.includes(definition) ?? true);
}
