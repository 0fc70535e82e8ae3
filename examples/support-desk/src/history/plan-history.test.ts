import { expect, it } from 'vitest';
import { conversationCount, planHistory, runCount } from './plan-history.ts';
import type { HistoryEvent } from './script.ts';
import { dayMs } from './times.ts';

const base = Date.UTC(2026, 2, 18, 15);

function runsOf(events: readonly HistoryEvent[]): number {
  // A turn that starts a refund has two runs: the answer and the execution.
  const started = events.filter(({ kind, script }) => kind === 'turn' && script.refund !== undefined).length;
  return events.filter(({ kind }) => kind !== 'decision').length + started;
}

it('plans 2 000 runs and 200 conversations, the same each time', async () => {
  const events = await planHistory(base);
  const conversations = new Set(events.flatMap((event) => (event.kind === 'turn' ? [event.conversationId] : [])));
  expect(runsOf(events)).toBe(runCount);
  expect(conversations.size).toBe(conversationCount);
  expect(await planHistory(base)).toEqual(events);
});

it('fills each of the 14 days before the given time, and nothing after it', async () => {
  const events = await planHistory(base);
  const days = Map.groupBy(events, ({ at }) => Math.floor((base - at) / dayMs));
  expect([...days.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, day) => day));
  expect(Math.min(...[...days.values()].map((day) => day.length))).toBeGreaterThan(50);
  expect(Math.max(...events.map(({ at }) => at))).toBeLessThan(base);
});

it.each([1, 2, 3, 4, 5, 6, 7])('has 2 000 runs on day %i of the week, too', async (day) => {
  expect(runsOf(await planHistory(base + day * dayMs + day * 3_600_000))).toBe(runCount);
});

it('orders the events by time, and asks before it decides', async () => {
  const events = await planHistory(base);
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted((a, b) => a - b));
  const asked = new Set<string>();
  for (const { kind, script } of events) {
    if (kind === 'decision') expect(asked).toContain(script.refund);
    else if (script.refund !== undefined) asked.add(script.refund);
  }
});
