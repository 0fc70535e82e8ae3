import type { StreamStore } from '@halyard/contracts';
import { createPostgresStorage } from '../src/postgres-storage.ts';
import { followStream } from '../src/testing/follow-stream.ts';
import { startPostgresServer } from '../src/testing/postgres-server.ts';

/*
 * Measures the cost of storing streams and of following them from another storage: appends of 20 chunks of 80 characters.
 * Run: node --conditions=@halyard/source bench/streams.ts
 */
const leaseMs = 60_000;
const batch = Array.from({ length: 20 }, (_, index) =>
  JSON.stringify({ type: 'text-delta', id: '0', delta: `w${index} `.repeat(10) }),
);
const server = await startPostgresServer();
const open = (): ReturnType<typeof createPostgresStorage> =>
  createPostgresStorage({ connectionString: server.connectionString });
const [here, there] = [open(), open()];
try {
  if (here.streams === undefined || there.streams === undefined) process.exit(1);
  await appends(here.streams, 'warm', 300);
  for (const parallel of [1, 10, 50]) await measure(here.streams, `append ×${parallel}`, parallel, 2_000);
  await reads(here.streams);
  await follow(here.streams, there.streams);
} finally {
  await Promise.all([here.close(), there.close()]);
  await server.remove();
}

async function measure(streams: StreamStore, name: string, parallel: number, total: number): Promise<void> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: parallel }, (_, index) => appends(streams, `${name}-${index}`, total / parallel)),
  );
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const each = ((ms * parallel) / total).toFixed(2);
  const perSecond = Math.round((total * 1_000) / ms);
  const ours = ((user + system) / 1_000 / total).toFixed(3);
  console.log(
    `${name}: ${each} ms each, ${perSecond}/s (${perSecond * 20} chunks/s), ${ours} ms CPU of this process each`,
  );
}

async function appends(streams: StreamStore, id: string, count: number): Promise<void> {
  await streams.begin({ id, agentId: 'a', conversationId: id, userId: 'ada' }, leaseMs);
  for (let time = 0; time < count; time += 1) await streams.append(id, { after: time * 20, chunks: batch }, leaseMs);
  await streams.end(id, { after: count * 20, chunks: [] });
}

async function reads(streams: StreamStore): Promise<void> {
  for (const [name, after, limit] of [
    ['20 chunks from the middle of 6 000', 3_000, 20],
    ['1 000 chunks', 0, 1_000],
  ] as const) {
    const began = performance.now();
    for (let time = 0; time < 500; time += 1) await streams.read('warm', { after, limit });
    console.log(`read ${name}: ${((performance.now() - began) / 500).toFixed(2)} ms each`);
  }
}

/** One writer with an append every 50 ms, and readers in another storage. */
async function follow(writer: StreamStore, reader: StreamStore): Promise<void> {
  for (const readers of [1, 50]) {
    const id = `followed-${readers}`;
    await writer.begin({ id, agentId: 'a', conversationId: id, userId: 'ada' }, leaseMs);
    const written: number[] = [];
    const delays: number[] = [];
    const follows = Array.from({ length: readers }, () => {
      let seen = 0;
      return followStream(reader, id, (chunks) => {
        for (const upto = seen + chunks.length; seen < upto; seen += 20)
          delays.push(performance.now() - (written[seen / 20] ?? NaN));
      });
    });
    const cpu = process.cpuUsage();
    for (let time = 0; time < 60; time += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      written.push(performance.now());
      await writer.append(id, { after: time * 20, chunks: batch }, leaseMs);
    }
    await writer.end(id, { after: 1_200, chunks: [] });
    await Promise.all(follows);
    const { user, system } = process.cpuUsage(cpu);
    delays.sort((one, other) => one - other);
    const at = (part: number): string => (delays[Math.floor(delays.length * part)] ?? NaN).toFixed(1);
    console.log(
      `${readers} readers: from the append to the chunks ${at(0.5)} ms (median), ${at(0.95)} ms (95 %), ${at(0.999)} ms (worst); ${((user + system) / 1_000 / delays.length).toFixed(2)} ms CPU for each append a reader has read`,
    );
  }
}
