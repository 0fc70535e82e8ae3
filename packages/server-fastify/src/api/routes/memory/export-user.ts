import type { UserRecord as StoredRecord } from '@halyard/contracts';
import type { Services } from '../../services.ts';
import { describeGrant } from '../approvals/grants.ts';
import { toExecutionState } from '../executions/describe-execution.ts';
import { describeLog, describeSpan } from '../observability/describe-telemetry.ts';
import { userStores } from './delete-user.ts';
import { describeConversation, describeMessage } from './describe-conversation.ts';
import type { UserRecord } from './schemas.ts';

const pageSize = 200;

/**
 * Everything that the storages of the server have of a user, record by record, each as the API
 * describes it.
 */
export async function* exportUser(
  userId: string,
  signal: AbortSignal,
  services: Pick<Services, 'agentServices' | 'memories' | 'storage' | 'workflows'>,
): AsyncGenerator<readonly UserRecord[], void, undefined> {
  for (const store of userStores(services)) {
    for await (const record of store.export(userId)) {
      if (signal.aborted) return;
      yield [describeRecord(record, services)];
    }
  }
  const { grants } = services.agentServices.approvals;
  for await (const page of readPages(signal, (offset) => grants.list({ user: userId }, pageSize, offset))) {
    // Those that the user gave for the runs of others are data of the others.
    const own = page.filter((grant) => grant.userId === userId);
    yield own.map((grant) => ({ type: 'approval-grant', grant: describeGrant(grant) }));
  }
}

/** The spans of the user's runs, trace by trace, and the lines of the log about the user. */
export async function* exportTelemetry(
  userId: string,
  signal: AbortSignal,
  { limits: { pageBytes: maxBytes }, telemetry }: Pick<Services, 'limits' | 'telemetry'>,
): AsyncGenerator<readonly UserRecord[], void, undefined> {
  if (telemetry === undefined) return;
  await telemetry.flush();
  const { store } = telemetry;
  const owner = { user: userId };
  const tracePages = readPages(signal, (offset) =>
    store.listTraces(owner, { limit: pageSize, offset, maxBytes }).then(({ traces }) => traces),
  );
  for await (const traces of tracePages) {
    for (const { traceId } of traces) {
      const spanPages = readPages(signal, (offset) => store.findTrace(owner, traceId, { limit: pageSize, offset }));
      for await (const spans of spanPages) yield spans.map((span) => ({ type: 'span', span: describeSpan(span) }));
    }
  }
  const logPages = readPages(signal, (offset) =>
    store.listLogs(owner, { limit: pageSize, offset, maxBytes }).then(({ logs }) => logs),
  );
  for await (const logs of logPages) yield logs.map((log) => ({ type: 'log', log: describeLog(log) }));
}

/** Reads page after page until one is empty. */
async function* readPages<Item>(
  signal: AbortSignal,
  read: (offset: number) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[], void, undefined> {
  let offset = 0;
  while (!signal.aborted) {
    const page = await read(offset);
    if (page.length === 0) return;
    yield page;
    offset += page.length;
  }
}

function describeRecord(record: StoredRecord, { workflows }: Pick<Services, 'workflows'>): UserRecord {
  switch (record.type) {
    case 'conversation':
      return { ...record, conversation: describeConversation(record.conversation) };
    case 'message':
      return { ...record, message: describeMessage(record.message) };
    case 'working-memory':
      return { ...record };
    case 'execution': {
      const { events, execution, type } = record;
      return {
        type,
        execution: toExecutionState(execution, workflows.definitionOf(execution)),
        events: events.map(({ event }) => event),
      };
    }
    default:
      return record satisfies never;
  }
}
