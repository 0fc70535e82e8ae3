import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@halyard/contracts';
import { Agent, createMemory, type LanguageModel } from '@halyard/core';
import { createPostgresStorage } from '../src/postgres-storage.ts';
import { startPostgresServer } from '../src/testing/postgres-server.ts';

/*
 * Measures an agent with memory (ten messages of history) in each kind of storage: answers per second, latency, and CPU time of this process per answer. The model has no
 * latency, and 32 requests run at a time.
 * Run: node --conditions=@halyard/source bench/text-with-memory.ts
 * SECONDS: duration of each measurement (default 5).
 */
const seconds = Number(process.env['SECONDS'] ?? 5);
const atOnce = 32;
const conversationCount = 64;
const answer = 'sail wind port deck mast helm knot tide crew rope '.repeat(20);

const model: LanguageModel = {
  specificationVersion: 'v4',
  provider: 'constant',
  modelId: 'constant',
  supportedUrls: {},
  doGenerate: async () => ({
    content: [{ type: 'text', text: answer }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  }),
  doStream: () => Promise.reject(new Error('streams are not measured')),
};

await measure('in memory', undefined);
const dataDir = mkdtempSync(join(tmpdir(), 'halyard-embedded-'));
try {
  await measure('PGlite', createPostgresStorage({ dataDir }));
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
const server = await startPostgresServer();
try {
  await measure('PostgreSQL', createPostgresStorage({ connectionString: server.connectionString }));
} finally {
  await server.remove();
}

/** @param storage absent: the default storage of a memory. */
async function measure(name: string, storage: Storage | undefined): Promise<void> {
  const memory = createMemory(storage && { storage });
  const { conversations } = memory.storage;
  await conversations.isTaken('').catch(() => conversations.isTaken(''));
  const agent = new Agent({ id: 'assistant', model, memory });
  await round(agent, 2);
  const cpu = process.cpuUsage();
  const { latencies, tookMs } = await round(agent, seconds);
  const { system, user } = process.cpuUsage(cpu);
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
  console.log(
    `${name}: ${Math.round((sorted.length * 1_000) / tookMs)} answers/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, CPU ${((user + system) / sorted.length).toFixed(0)} µs each`,
  );
  await storage?.close();
}

async function round(agent: Agent, forSeconds: number): Promise<{ latencies: number[]; tookMs: number }> {
  const began = performance.now();
  const until = began + forSeconds * 1_000;
  const latencies: number[] = [];
  let asked = 0;
  const ask = async (): Promise<void> => {
    while (performance.now() < until) {
      const askedAt = performance.now();
      asked += 1;
      const conversationId = `c-${asked % conversationCount}`;
      await agent.generateText('Tell me about sailing', { userId: 'ada', conversationId });
      latencies.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
  return { latencies, tookMs: performance.now() - began };
}
