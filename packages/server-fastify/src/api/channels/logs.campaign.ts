import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { malformedFrame, seeded } from '../../testing/malformed-frames.ts';
import { open, serve, type Served } from '../../testing/serve.ts';
import { connectTo, handshake } from '../../testing/sockets.ts';

let server: Served;
beforeEach(async () => {
  server = await serve([], { logger: { level: 'error', stream: { write: () => {} } } });
});
afterEach(() => server.close());

describe('/ws/logs', () => {
  it('sends a line within 100 ms', async () => {
    const client = connectTo(`${server.origin}/ws/logs`);
    await client.next();
    const delays: number[] = [];
    for (let at = 0; at < 5; at += 1) {
      const from = performance.now();
      server.app.log.error('x');
      await client.next();
      delays.push(performance.now() - from);
    }
    expect(delays.toSorted((a, b) => a - b)[2]).toBeLessThan(100);
  });

  it('survives 20 000 malformed frames', { timeout: 60_000 }, async () => {
    const bystander = connectTo(`${server.origin}/ws/logs`);
    await bystander.next();
    const random = seeded(11);
    const attack = async (): Promise<void> => {
      const socket = open(server.port);
      socket.write(['GET /ws/logs HTTP/1.1', 'host: localhost', ...handshake, '', ''].join('\r\n'));
      await once(socket, 'data');
      socket.resume();
      const closed = once(socket, 'close');
      socket.end(Buffer.concat(Array.from({ length: 50 }, () => malformedFrame(random))));
      await closed;
    };
    for (let done = 0; done < 400; done += 20) await Promise.all(Array.from({ length: 20 }, attack));
    server.app.log.error('alive');
    expect(await bystander.next()).toMatchObject({ type: 'update', logs: [{ msg: 'alive' }] });
  });
});
