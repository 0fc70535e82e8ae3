import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { writeSampleRuns } from './console/sample-runs.ts';

/*
 * Measures what the overview of the console asks of the API, with a million spans of the last 14 days in 200 000 runs, in a PostgreSQL database, which it fills if it is empty.
 * Run: node --conditions=@halyard/source benchmarks/overview.ts postgres://… [runs]
 */
const [connectionString = '', runs = '200000'] = process.argv.slice(2);
const runCount = Number(runs);

const storage = createPostgresStorage({ connectionString });
const { telemetry } = storage;
if (telemetry !== undefined && (await telemetry.counts()).spans === 0) await writeSampleRuns(telemetry, runCount);
const server = await createServer({ storage, logger: 'silent', enableSwaggerUI: false });
const origin = await server.listen({ port: 0 });
for (const range of ['1h', '24h', '14d'])
  for (const groupBy of ['none', 'agent', 'workflow', 'model', 'user'])
    await measure(`range=${range}&groupBy=${groupBy}`);
await server.close();

async function measure(query: string): Promise<void> {
  const took: number[] = [];
  let requests = 0;
  for (let time = 0; time < 25; time += 1) {
    const began = performance.now();
    // Another limit is another question: no answer is shared.
    const response = await fetch(`${origin}/observability/metrics?${query}&limit=${10 + time}`);
    const { data } = (await response.json()) as { data: { totals: { requests: number } } };
    took.push(performance.now() - began);
    ({ requests } = data.totals);
  }
  took.sort((one, other) => one - other);
  const at = (share: number): string => (took[Math.floor(took.length * share)] ?? 0).toFixed(1);
  console.log(`${query}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms; ${requests} requests`);
}
