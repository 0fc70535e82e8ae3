import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as conformance from '@halyard/conformance';
import { expect, it } from 'vitest';
import { root } from './documents.ts';

/** The suite of each port, and the files of its reference implementation. */
const ports = {
  ApprovalStore: [conformance.approvalStoreCases, 'in-memory-approval-store.ts'],
  AuditLog: [conformance.auditLogCases, 'in-memory-audit-log.ts'],
  ConversationStore: [
    conformance.conversationStoreCases,
    'conversations/{in-memory-conversation-store,conversation-table,stored-*}.ts',
  ],
  WorkingMemoryStore: [conformance.workingMemoryStoreCases, 'conversations/in-memory-working-memory-store.ts'],
  ExecutionStore: [conformance.executionStoreCases, 'executions/*.ts'],
  StreamStore: [conformance.streamStoreCases, 'streams/*.ts'],
  UserDataStore: [conformance.userDataCases, 'in-memory-user-data-store.ts'],
  VectorStore: [conformance.vectorStoreCases, 'conversations/in-memory-vector-store.ts'],
  TelemetryStore: [conformance.telemetryStoreCases, 'telemetry/*.ts'],
  WebhookStore: [conformance.webhookStoreCases, 'in-memory-webhook-store.ts'],
} as const;

it.each(Object.entries(ports))('docs/adapters.md states the effort of %s', (port, [cases, files]) => {
  const row = new RegExp(`^\\| \`${port}\` +\\| +(\\d+) \\| +(\\d+) \\| +(\\d+) \\|$`, 'm').exec(adapters);
  const [methods, caseCount, lines] = (row ?? []).slice(1).map(Number);
  expect(methods).toBe(countMethods(port));
  expect(caseCount).toBe(cases.length);
  // The number of lines gives an idea of the size: it need not follow each edit.
  const actual = countLines(files);
  expect(Math.abs((lines ?? 0) - actual) / actual).toBeLessThan(0.15);
});

const adapters = readFileSync(join(root, 'docs/adapters.md'), 'utf8');

function countMethods(port: string): number {
  const contracts = globSync('packages/contracts/src/**/*.ts', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  );
  const [, parents = '', body = ''] =
    new RegExp(`export interface ${port} (?:extends ([\\w, ]+) )?(?:\\{\\}|\\{\\n(.*?)\\n\\})`, 's').exec(
      contracts.join('\n'),
    ) ?? [];
  const own = [...body.matchAll(/^ {2}[a-zA-Z]+\??\(/gm)].length;
  const inherited = parents.split(', ').filter((parent) => parent !== '');
  return inherited.reduce((sum, parent) => sum + countMethods(parent), own);
}

function countLines(pattern: string): number {
  return globSync(join(root, 'packages/memory-in-memory/src', pattern))
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(file, 'utf8').trimEnd().split('\n').length)
    .reduce((sum, count) => sum + count, 0);
}
