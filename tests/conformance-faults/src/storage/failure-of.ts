import type { ConformanceCase } from '@halyard/conformance';

/** The message of the case with this name; undefined when it passes. */
export async function failureOf<Harness>(
  cases: readonly ConformanceCase<Harness>[],
  name: string,
  harness: Harness,
): Promise<unknown> {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) return `There is no case “${name}”`;
  try {
    await found.run(harness);
    return undefined;
  } catch (error) {
    return error;
  }
}
