import { Session } from 'node:inspector/promises';

/**
 * Names of the functions of this repository that a piece of work calls more than two and a half
 * times as often when its size doubles: their number of calls grows with the square of the size,
 * for example because one list is searched for each item of another.
 *
 * @param prepare prepares the work of a size, and returns the function that does it.
 */
export async function growingFunctions(
  size: number,
  prepare: (size: number) => Promise<() => Promise<unknown>>,
): Promise<readonly string[]> {
  const single = await prepare(size);
  const double = await prepare(2 * size);
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const before = await callsDuring(session, single);
    const after = await callsDuring(session, double);
    const often = 10 * size;
    return [...after].flatMap(([name, calls]) => {
      const earlier = before.get(name) ?? 0;
      return calls > often && calls > 2.5 * earlier ? [`${name}: ${earlier} calls, then ${calls}`] : [];
    });
  } finally {
    session.disconnect();
  }
}

/** How often each function is called. The engine counts: nothing is measured in time. */
async function callsDuring(session: Session, work: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  // Each reading resets the counts.
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const calls = new Map<string, number>();
  for (const { functions, url } of result) {
    const file = /\/packages\/(.+\/src\/(?!testing\/).+)$/.exec(url)?.[1];
    if (file === undefined) continue;
    for (const { functionName, ranges } of functions)
      for (const { count, startOffset } of ranges) {
        const name = `${file} ${functionName} at ${startOffset}`;
        calls.set(name, (calls.get(name) ?? 0) + count);
      }
  }
  return calls;
}
