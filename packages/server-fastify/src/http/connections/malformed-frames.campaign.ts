import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { seeded } from '../../testing/malformed-frames.ts';
import { allClosed, sendMalformedFrames } from '../../testing/send-malformed-frames.ts';
import { serve } from '../../testing/serve.ts';
import { connectTo } from '../../testing/sockets.ts';

it('survives 100 000 malformed frames without leaking memory or sockets', { timeout: 120_000 }, async () => {
  const server = await serve();
  const bystander = connectTo(`${server.origin}/ws`);
  await bystander.next();
  const random = seeded(7);
  await sendMalformedFrames(server.port, random, 200);
  const before = heapBytes();
  await sendMalformedFrames(server.port, random, 2_000);
  expect(heapBytes() - before).toBeLessThan(8 * 1024 * 1024);

  bystander.socket.send('1');
  expect(await bystander.next()).toMatchObject({ type: 'ECHO', data: 1 });
  bystander.socket.close();
  await bystander.closed;
  await allClosed(server);
  await server.close();
});

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
