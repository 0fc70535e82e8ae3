import { setTimeout as delay } from 'node:timers/promises';

const patienceMs = 120_000;

/** @param what what is expected, for the error when it has not happened within two minutes. */
export async function waitUntil(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`waited ${patienceMs} ms in vain: ${what}`);
    await delay(50);
  }
}
