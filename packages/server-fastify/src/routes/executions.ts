import { Type } from '@sinclair/typebox';
import { ownerOf } from '../access/owner.ts';
import { defineRoute } from '../define/define-route.ts';
import { defineStream } from '../define/define-stream.ts';
import { ExecutionParams } from '../schemas/execution-params.ts';
import { ExecutionQuery } from '../schemas/execution-query.ts';
import { ExecutionRecord } from '../schemas/execution-record.ts';
import { ExecutionState } from '../schemas/execution-state.ts';
import { LastEventId, StreamPosition } from '../schemas/stream-position.ts';
import { WorkflowEvent } from '../schemas/workflow-event.ts';
import { executionFrames } from '../streaming/execution-frames.ts';
import { frame } from '../streaming/frame.ts';
import { toExecutionRecord, toExecutionState } from './describe-execution.ts';
import { toExecutionFilter } from './execution-filter.ts';
import { keyOf } from './execution-key.ts';

/** The list shows the first events of an execution, up to this many. */
const recordEventsLimit = 500;

const state = defineRoute({
  method: 'GET',
  url: '/workflows/:id/executions/:executionId/state',
  tier: 'console',
  operationId: 'getExecutionState',
  tag: 'Workflows',
  summary: 'Get the state of an execution',
  params: ExecutionParams,
  failures: [404],
  data: ExecutionState,
  handler: async (call, { registry, workflows }) => {
    const execution = await workflows.get(keyOf(call));
    return toExecutionState(
      execution,
      registry.workflows.find(({ id }) => id === execution.workflowId),
    );
  },
});

export const executionRoutes = [
  defineRoute({
    method: 'GET',
    url: '/workflows/executions',
    tier: 'console',
    operationId: 'listExecutions',
    tag: 'Workflows',
    summary: 'List executions, the newest first',
    query: ExecutionQuery,
    data: Type.Array(ExecutionRecord),
    handler: async ({ caller, query }, { registry, storage }) => {
      const owner = ownerOf(caller);
      const { executions } = await storage.executions.list(owner, toExecutionFilter(query, caller));
      const ids = executions.map(({ id }) => id);
      const histories = await storage.executions.histories(owner, ids, recordEventsLimit);
      const workflows = new Map(registry.workflows.map((workflow) => [workflow.id, workflow]));
      return executions.map((execution) =>
        toExecutionRecord(execution, histories.get(execution.id) ?? [], workflows.get(execution.workflowId)),
      );
    },
  }),
  state,
  {
    ...state,
    url: '/workflows/:id/executions/:executionId',
    tier: 'user' as const,
    operationId: 'getExecution',
    summary: 'Get the state of an execution of one’s own',
  },
  defineStream({
    method: 'GET',
    url: '/workflows/:id/executions/:executionId/stream',
    tier: 'user',
    operationId: 'followExecution',
    tag: 'Workflows',
    summary: 'Follow the events of an execution until it is idle',
    description:
      'Sends stored events first: those after the event that `Last-Event-ID` or `from` names, else all. There is a `workflow-result` for each time that the execution was suspended, and for its end.',
    params: ExecutionParams,
    query: StreamPosition,
    requestHeaders: LastEventId,
    detaches: true,
    failures: [404],
    event: WorkflowEvent,
    encode: (text: string) => text,
    encodeFailure: (error) => frame({ type: 'error', error } satisfies WorkflowEvent),
    handler: async (call, { workflows }) => {
      const after = call.headers['last-event-id'] ?? call.query.from ?? 0;
      return executionFrames(call.params.executionId, await workflows.follow(keyOf(call), after, call.signal));
    },
  }),
];
