import { type ConformanceCase, ConformanceError } from '@halyard/conformance';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FaultTable } from './faults.ts';

type PlantedFault = (...stores: never[]) => object;

/**
 * Declares a test for each fault: its case must fail. `open` returns the harness of a store with
 * the fault. The clock of the harness is for the store only; fake timers skip the time for which a
 * case waits.
 */
export function provesCases<Harness, Fault extends PlantedFault>(
  cases: readonly ConformanceCase<Harness>[],
  tables: readonly FaultTable<Fault>[],
  open: (fault: Fault) => Harness,
): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  const faults = tables
    .flatMap((table) => Object.entries(table))
    .flatMap(([foundBy, planted]) => listed(planted).map((fault) => ({ foundBy, fault })));

  it.each(faults)('the case “$foundBy” finds fault %$', async ({ fault, foundBy }) => {
    expect(await failureOf(cases, foundBy, open(fault))).toBeInstanceOf(ConformanceError);
  });
}

/** Declares a test that each case finds a fault. */
export function provesAllCases<Harness, Fault extends PlantedFault>(
  ...given: Parameters<typeof provesCases<Harness, Fault>>
): void {
  provesCases(...given);
  const [cases, tables] = given;
  it('has only cases that find a fault', () => {
    const proven = new Set(tables.flatMap((table) => Object.keys(table)));
    expect(cases.map(({ name }) => name).filter((name) => !proven.has(name))).toEqual([]);
  });
}

function listed<Fault extends PlantedFault>(planted: Fault | readonly Fault[]): readonly Fault[] {
  return typeof planted === 'function' ? [planted] : planted;
}

/** The error with which the case fails; undefined when it passes. */
async function failureOf<Harness>(
  cases: readonly ConformanceCase<Harness>[],
  name: string,
  harness: Harness,
): Promise<unknown> {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) return `There is no case “${name}”`;
  const failure = found.run(harness).then(
    () => undefined,
    (error: unknown) => error,
  );
  let hasEnded = false;
  void failure.finally(() => (hasEnded = true));
  while (!hasEnded) await vi.advanceTimersByTimeAsync(60_000);
  return failure;
}

/** A clock that a case can advance. */
export function settableClock(): { readonly now: () => number; readonly advance: (ms: number) => void } {
  let time = 1_750_000_000_000;
  return { now: () => time, advance: (ms) => void (time += ms) };
}
