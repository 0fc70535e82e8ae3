import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { serve, type Served } from '../testing/serve.ts';
import { Overload } from './overload.ts';

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('an overload', () => {
  it('begins after two slow windows in a row, and ends with the first fast one', () => {
    const overload = new Overload(100);
    const states = [500, 20, 101, 101, 300, 100, 500].map((delayMs) => {
      overload.add(delayMs);
      return overload.isOverloaded;
    });
    expect(states).toEqual([false, false, false, true, true, false, false]);
  });

  it('is measured by the turns of the event loop, also when each takes longer than a window', () => {
    const { overload, turn } = measured();
    turn(3_000);
    expect(overload.isOverloaded).toBe(false);
    turn(20);
    turn(3_000);
    expect(overload.isOverloaded).toBe(true);
    for (let elapsed = 0; elapsed < 1_000; elapsed += 20) turn(20);
    expect(overload.isOverloaded).toBe(false);
  });

  it('is no single stall', () => {
    const { overload, turn } = measured();
    const states = [60_000, ...Array.from({ length: 200 }, () => 20)].map((ms) => {
      turn(ms);
      return overload.isOverloaded;
    });
    expect(states).not.toContain(true);
  });

  it('is answered with 503 and Retry-After on all routes and channels except health checks', async () => {
    const overload = new Overload(100);
    server = await serve([], { overload });
    overload.add(101);
    overload.add(101);

    for (const path of ['/agents', '/ws', '/api/logs']) {
      const response = await fetch(`${server.origin}${path}`);
      expect([response.status, response.headers.get('x-error-code'), response.headers.get('retry-after')]).toEqual([
        503,
        'OVERLOADED',
        '5',
      ]);
      expect(await response.json()).toEqual({
        success: false,
        error: 'The server has more requests than it can answer',
      });
    }
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);

    overload.add(99);
    expect((await fetch(`${server.origin}/agents`)).status).toBe(200);
  });

  it('is noticed by a server whose event loop is delayed by more than its limit, and ends with the delay', async () => {
    const { now, turn } = turns();
    const clock = vi.spyOn(performance, 'now').mockImplementation(now);
    onTestFinished(() => clock.mockRestore());
    server = await serve([], { limits: { eventLoopDelayMs: 50 } });
    const { origin } = server;
    const statusOf = async (path: string): Promise<number> => (await fetch(`${origin}${path}`)).status;
    expect(await statusOf('/agents')).toBe(200);
    turn(1_100);
    turn(1_100);
    expect(await statusOf('/agents')).toBe(503);
    expect(await statusOf('/healthz')).toBe(200);
    for (let elapsed = 0; elapsed <= 1_000; elapsed += 20) turn(20);
    expect(await statusOf('/agents')).toBe(200);
  });
});

/** An overload with a bound of a second, on an event loop whose turns the test makes. */
function measured(): { readonly overload: Overload; readonly turn: (ms: number) => void } {
  const { now, turn } = turns();
  const overload = new Overload(1_000);
  overload.start(now);
  onTestFinished(() => overload.stop());
  return { overload, turn };
}

/** A clock that only moves when the test makes a turn of the event loop. */
function turns(): { readonly now: () => number; readonly turn: (ms: number) => void } {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let time = performance.now();
  return {
    now: () => time,
    turn: (ms) => {
      time += ms;
      vi.advanceTimersByTime(20);
    },
  };
}
