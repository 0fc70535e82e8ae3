import { silentLogger } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { expect, it } from 'vitest';
import { embeddedForTests } from '../../testing/embedded-template.ts';
import { openForTests } from '../../testing/open-for-test.ts';

const database = openForTests(embeddedForTests);
const length = 100_000;

/** As schema libraries do. */
const copying = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) => ({ value: structuredClone(value) }),
    jsonSchema: { input: () => ({}), output: () => ({}) },
  },
} as const;

it.each([
  ['a text', 'x'.repeat(length), {}],
  ['an object', { text: 'x'.repeat(length) }, {}],
  ['an object that a schema copies', { text: 'x'.repeat(length) }, { result: copying }],
])('stores the output of a step once, though it is the result, too: %s', async (name, value, options) => {
  const workflow = createWorkflow({ id: 'large', ...options }).andThen({ id: 'make', execute: () => value });
  const { storage } = database;
  const runtime = new WorkflowRuntime({ workflows: [workflow], storage, services: { logger: silentLogger } });
  runtime.start();
  const executionId = name.replaceAll(' ', '-');
  expect(await runtime.execute('large', null, { executionId })).toMatchObject({ status: 'completed', result: value });
  await runtime.stop(0);

  const [stored] = (await database.query(
    `select (select sum(octet_length(v.event)) from halyard.execution_events v where v.execution_key = e.key)::integer as events,
            (select sum(octet_length(j.entry)) from halyard.execution_journal j where j.root_key = e.key)::integer as journal
     from halyard.executions e where e.id = '${executionId}'`,
  )) as { readonly events: number; readonly journal: number }[];
  expect(stored?.events).toBeLessThan(1.1 * length);
  expect(stored?.journal).toBeLessThan(0.1 * length);
});
