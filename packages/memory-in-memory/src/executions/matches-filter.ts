import {
  approverKeys,
  type Execution,
  type ExecutionFilter,
  type JsonObject,
  type JsonValue,
} from '@halyard/contracts';

/** Whether an execution matches every condition of a filter but the parent. */
export function matchesFilter(
  execution: Execution,
  filter: Partial<ExecutionFilter>,
  userId: string | undefined,
): boolean {
  const { approverKeys: keys, exceptWorkflowIds, ids, workflowId, status, from, isQuarantined, to, metadata } = filter;
  return (
    (userId === undefined || execution.userId === userId) &&
    (ids === undefined || ids.includes(execution.id)) &&
    (workflowId === undefined || execution.workflowId === workflowId) &&
    exceptWorkflowIds?.includes(execution.workflowId) !== true &&
    (status === undefined || execution.status === status) &&
    (keys === undefined || isAnswerable(execution, keys)) &&
    (isQuarantined === undefined || execution.quarantinedAt !== null) &&
    (from === undefined || execution.createdAt >= from) &&
    (to === undefined || execution.createdAt <= to) &&
    (metadata === undefined || hasFields(execution.metadata, metadata))
  );
}

function isAnswerable({ suspensions }: Execution, keys: readonly string[]): boolean {
  return suspensions.some(({ rules }) => rules !== undefined && approverKeys(rules).some((key) => keys.includes(key)));
}

/** Whether `value` has each of these fields with an equal value. */
function hasFields(value: JsonObject, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(([key, member]) => Object.hasOwn(value, key) && isEqual(value[key], member));
}

/** Whether two values are equal as JSON: the order of an object's keys does not matter. */
function isEqual(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (isArray(left) || isArray(right)) {
    if (!isArray(left) || !isArray(right) || left.length !== right.length) return false;
    return left.every((member, index) => isEqual(member, right[index]));
  }
  return Object.keys(left).length === Object.keys(right).length && hasFields(left, right);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
