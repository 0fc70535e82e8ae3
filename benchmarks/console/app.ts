import { Agent, createWorkflow } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { scriptedModel } from '../apps/scripted-model.ts';
import { writeLongTrace, writeSampleRuns } from './sample-runs.ts';

/*
 * A server with a console, whose process the benchmarks measure. It prints its address, and ends with its input.
 * Arguments: the number of runs that are recorded at start, the number of spans of a long trace, and a connection string for PostgreSQL.
 */
const [runs = '0', spans = '0', connectionString] = process.argv.slice(2);
const storage =
  connectionString === undefined
    ? createInMemoryStorage({ telemetry: { maxSpans: 50_000 } })
    : createPostgresStorage({ connectionString });
const { telemetry } = storage;
if (telemetry !== undefined && (await telemetry.counts()).spans === 0) {
  if (runs !== '0') await writeSampleRuns(telemetry, Number(runs));
  if (spans !== '0') await writeLongTrace(telemetry, Number(spans));
}

const addOne = ({ data }: { readonly data: { readonly n: number } }): { n: number } => ({ n: data.n + 1 });
const server = await createServer({
  agents: [new Agent({ id: 'assistant', name: 'Assistant', description: 'Answers', model: scriptedModel })],
  workflows: [
    createWorkflow({ id: 'five', name: 'Five', input: Type.Object({ n: Type.Number() }) })
      .andThen({ id: 'one', execute: addOne })
      .andThen({ id: 'two', execute: addOne })
      .andThen({ id: 'three', execute: addOne })
      .andThen({ id: 'four', execute: addOne })
      .andThen({ id: 'five', execute: addOne }),
  ],
  storage,
  // Each request is a line, which the page of the log shows.
  logger: { level: 'info', stream: { write: () => {} } },
  signals: false,
});
console.log(await server.listen({ host: '127.0.0.1', port: 0 }));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
