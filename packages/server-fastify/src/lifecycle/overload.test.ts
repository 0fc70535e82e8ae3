import { afterEach, describe, expect, it } from 'vitest';
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
});
