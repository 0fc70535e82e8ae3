// node end-children-process.ts <variable>=<value>: waits until the end of its standard input, which
// is the end of the process that holds it open, and then ends all processes with this variable.
import { readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const [, , variable = ''] = process.argv;
const patienceMs = 2_000;

await text(process.stdin);
const askedAt = performance.now();
const asked = new Set<number>();
for (let found = findMarked(); found.length > 0; found = findMarked()) {
  const isLate = performance.now() - askedAt > patienceMs;
  for (const pid of found) {
    // PostgreSQL removes its shared memory, and a server its files.
    if (isLate) signal(pid, 'SIGKILL');
    else if (!asked.has(pid)) signal(pid, 'SIGTERM');
    asked.add(pid);
  }
  await delay(100);
}

function findMarked(): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && environmentOf(pid).includes(variable));
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // It has just ended, or belongs to another user.
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}
