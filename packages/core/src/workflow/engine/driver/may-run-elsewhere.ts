import type { ExecutionLeases } from '@halyard/contracts';

/**
 * Whether another process with a lease has the steps of a definition. A process that has not named
 * its definitions may have them.
 */
export async function mayRunElsewhere(
  definition: string,
  { leases, runner: own }: { readonly runner: string; readonly leases: Pick<ExecutionLeases, 'runners'> },
): Promise<boolean> {
  const runners = await leases.runners?.();
  if (runners === undefined) return true;
  const others = runners.filter(({ runner }) => runner !== own);
  return others.some(({ definitions }) => definitions?.includes(definition) ?? true);
}
