import type { JsonObject } from '@halyard/contracts';
import type { BulkRequest as CoreRequest } from '@halyard/core';
import {
  type BulkFilter as CoreFilter,
  type BulkOperation as CoreOperation,
  type BulkSelection as CoreSelection,
  isoTime,
} from '@halyard/core/server';
import { actorForCaller, limitsOfOperator, requireOperator } from '../../../access/identity.ts';
import { audited } from '../../../runtime/audit/audited.ts';
import { defineRoute } from '../../define/define-route.ts';
import { toTime } from '../common-schemas.ts';
import { BulkOperation, BulkParams, BulkPreview, BulkRequest, BulkSelection } from './bulk-schemas.ts';
import { StopRequest } from './schemas.ts';

const common = { tier: 'console', tag: 'Workflows' } as const;
const path = '/workflows/executions/bulk';
/** Begins the names of fields in errors. */
const at = 'body/';
const change = 'change many executions at once';

/** Operations on all executions that match a filter. */
export const bulkRoutes = [
  defineRoute({
    ...common,
    method: 'POST',
    url: `${path}/preview`,
    role: 'viewer',
    operationId: 'previewBulkOperation',
    readsList: true,
    summary: 'Count the executions that a bulk operation would reach, without changing any',
    body: BulkSelection,
    failures: [403],
    data: BulkPreview,
    handler: async ({ body, caller }, { workflows }) => {
      requireOperator(caller, change);
      const { executionIds, matched } = await workflows.bulk.preview(toSelection(body), { at });
      return { matched, executionIds: [...executionIds] };
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: path,
    operationId: 'startBulkOperation',
    audit: audited('bulk.start', ['operation', 'filter', 'all', 'stepId', 'reason']),
    summary: 'Cancel, resume, retry or replay all executions that match',
    description:
      'Replies at once; the operation continues in the server, also if a process of it ends. Each execution is changed at most once.',
    body: BulkRequest,
    failures: [403, 409],
    data: BulkOperation,
    handler: async ({ body, caller }, { workflows }) => {
      requireOperator(caller, change);
      const { all: _, filter: __, ...action } = body;
      // The runtime checks which fields the operation has.
      const request = { ...action, ...toSelection(body) } as CoreRequest;
      const actor = actorForCaller(caller);
      const by = {
        resumedBy: actor,
        onlyToQuestions: caller.hasConsoleAccess,
        // For own executions, the token is that of a user.
        exceptUserId: limitsOfOperator(caller) === undefined ? undefined : actor,
      };
      return toBulkOperation(await workflows.bulk.start(request, { at, ...by }));
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    url: `${path}/:bulkId`,
    operationId: 'getBulkOperation',
    summary: 'Get the progress of a bulk operation, or its report when it has ended',
    params: BulkParams,
    failures: [403, 404],
    data: BulkOperation,
    handler: async ({ caller, params }, { workflows }) => {
      requireOperator(caller, change);
      return toBulkOperation(await workflows.bulk.get(params.bulkId));
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: `${path}/:bulkId/cancel`,
    operationId: 'cancelBulkOperation',
    audit: audited('bulk.cancel', ['reason']),
    summary: 'Cancel a bulk operation',
    description: 'Executions that it has changed stay changed.',
    params: BulkParams,
    body: StopRequest,
    failures: [403, 404],
    data: BulkOperation,
    handler: async ({ body, caller, params }, { workflows }) => {
      requireOperator(caller, change);
      const reason = body?.reason;
      return toBulkOperation(await workflows.bulk.cancel(params.bulkId, { ...(reason !== undefined && { reason }) }));
    },
  }),
];

/** @throws InvalidInputError for an invalid timestamp. */
function toSelection({ all, filter }: BulkSelection): CoreSelection {
  const { from, ids, metadata, quarantined, status, to, userId, workflowId } = filter ?? {};
  const conditions: CoreFilter = {
    ...(ids !== undefined && { ids }),
    ...(workflowId !== undefined && { workflowId }),
    ...(status !== undefined && { status }),
    ...(quarantined === true && { isQuarantined: true }),
    ...(userId !== undefined && { userId }),
    ...(from !== undefined && { from: toTime('body/filter/from', from) }),
    ...(to !== undefined && { to: toTime('body/filter/to', to) }),
    ...(metadata !== undefined && { metadata: metadata as JsonObject }),
  };
  // The runtime refuses both, and neither.
  return { ...(all !== undefined && { all }), filter: conditions } as CoreSelection;
}

function toBulkOperation({ filter, ...operation }: CoreOperation): BulkOperation {
  const { from, ids, isQuarantined, to, ...conditions } = filter;
  return {
    ...operation,
    filter: {
      ...conditions,
      ...(ids !== undefined && { ids: [...ids] }),
      ...(isQuarantined !== undefined && { quarantined: isQuarantined }),
      ...(from !== undefined && { from: isoTime(from) }),
      ...(to !== undefined && { to: isoTime(to) }),
    },
    skips: [...operation.skips],
    failures: [...operation.failures],
  };
}
