import type { AuditTarget, JsonValue, NewAuditRecord } from '@halyard/contracts';
import type { Caller } from '../../access/identity.ts';

/** A validated request of an endpoint that may be recorded. */
export interface AuditedCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: Caller;
}

/** What a record says about a request. */
export type AuditEntry = Pick<NewAuditRecord, 'action' | 'target' | 'detail'>;

/** The record of a request before it is handled; undefined for a request that is not recorded. */
export type Audited = (call: AuditedCall) => AuditEntry | undefined;

/** A text that a client sent, such as a reason, is cut to this. */
const textLimit = 1_000;

/** Records every request. @param fields the fields of the body that the record contains. */
export function audited(action: string, fields: readonly string[] = []): Audited {
  return (call) => entryOf(action, call, fields);
}

/** Records the requests of the console: they reach the data of all users. */
export function auditedForOperators(action: string, fields: readonly string[] = []): Audited {
  return (call) => (call.caller.hasConsoleAccess === true ? entryOf(action, call, fields) : undefined);
}

function entryOf(action: string, call: AuditedCall, fields: readonly string[]): AuditEntry {
  const sent = fieldsOf(call.body);
  const options = fieldsOf(sent['options']);
  const found = fields.flatMap((name) => {
    const value = sent[name] ?? options[name];
    return value === undefined ? [] : [[name, cut(value as JsonValue)] as const];
  });
  return {
    action,
    target: targetOf(call),
    ...(found.length > 0 && { detail: Object.fromEntries(found) }),
  };
}

/** The ids in the path, the query and the body of a request. */
function targetOf({ body, params, query }: AuditedCall): AuditTarget {
  const { id: workflowId, ...path } = fieldsOf(params);
  const isExecution = path['executionId'] !== undefined;
  const sent: Readonly<Record<string, unknown>> = {
    ...fieldsOf(body),
    ...fieldsOf(query),
    ...path,
    ...(isExecution && { workflowId }),
  };
  const ids = targetFields.flatMap((name) => {
    const id = sent[name];
    return typeof id === 'string' ? [[name, id] as const] : [];
  });
  return Object.fromEntries(ids);
}

const targetFields = [
  'agentId',
  'bulkId',
  'conversationId',
  'executionId',
  'userId',
  'workflowId',
] as const satisfies readonly (keyof AuditTarget)[];

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function cut(value: JsonValue): JsonValue {
  return typeof value === 'string' ? value.slice(0, textLimit).toWellFormed() : value;
}
