import type { Commit, ExecutionChange } from '@halyard/contracts';
import { type Arbitrary, array, boolean, constant, constantFrom, integer, option, record, subarray } from 'fast-check';
import { hour, type OperationContext, type Operation, lasting, claimCall, commitCall } from './operation.ts';
import {
  childIds,
  paths,
  rootId,
  path,
  json,
  fields,
  events,
  entries,
  seldom,
  difference,
  created,
  status,
  eventName,
  eventKey,
} from './sample-values.ts';

const change = record(
  {
    target: constantFrom('root', 'root', ...childIds, 'unknown'),
    values: created,
    parent: boolean(),
    path,
    status,
    output: json,
    error: record({ message: constant('it failed\0'), stepId: path }),
    statePatch: fields,
    events,
    /** Creates a sub-workflow that exists, or changes one that does not. */
    isWrong: seldom,
  },
  { requiredKeys: ['target', 'values', 'parent', 'path', 'events', 'isWrong'] },
);

/** Commits, most of them by the runner that claimed the execution. */
export const commit = record({
  id: rootId,
  repeats: seldom,
  /** Commits without a claim. Else the execution is claimed. */
  isUnclaimed: seldom,
  isOfAnother: seldom,
  epochDifference: difference,
  seqDifference: difference,
  signalDifference: difference,
  entries,
  changes: array(change, { maxLength: 3 }),
  settled: subarray(paths),
  waits: subarray(paths, { maxLength: 3 }),
  awaited: array(
    record({ name: eventName, key: eventKey, from: constant('owner') }, { requiredKeys: ['name', 'key'] }),
    { maxLength: 2 },
  ),
  requestDone: boolean(),
  checkpoint: option(record({ entries: subarray(paths), children: subarray([...childIds]), data: json }), {
    nil: undefined,
    freq: 2,
  }),
  release: constantFrom('none', 'none', 'signal', 'sleep'),
  releaseHours: integer({ min: -2, max: 6 }),
}).map((given): Operation => async ({ commits, find, now, number }) => {
  const { id } = given;
  const before = commits.get(id);
  if (given.repeats && before !== undefined) return commitCall(before);
  const root = await find(id);
  if (root?.runner === null && !given.isUnclaimed) return claimCall(id, 'p-1', lasting(3, number));
  const changes = await Promise.all(given.changes.map((one) => toChange(id, one, find)));
  const isFinal = changes.some((one) => one.id === id && !['running', 'suspended'].includes(one.status ?? 'running'));
  const suspended = given.waits.slice(0, 2);
  const timed = given.waits.slice(2);
  const dueAt = given.release === 'sleep' ? now + lasting(given.releaseHours, number) : null;
  const made: Commit = {
    executionId: id,
    creationId: given.isOfAnother ? 'another' : (root?.creationId ?? ''),
    epoch: (root?.epoch ?? 0) + given.epochDifference,
    commitId: `c-${number}\0`,
    expectedSeq: (root?.seq ?? 0) + given.seqDifference,
    entries: given.entries,
    changes: onlyFirstCreation(changes),
    settled: given.settled,
    suspensions: suspended.map((at, index) => ({
      id: `s-${number}-${index}`,
      path: at,
      stepId: at,
      stepIndex: index,
      executionId: id,
      reason: 'a reason\0',
      suspendedAt: now - index * hour,
      data: { at },
      ...(given.awaited[index] === undefined ? { kind: 'step' } : { kind: 'event', event: given.awaited[index] }),
    })),
    timers: timed.map((at) => ({ path: at, wakeAt: now + hour, attempts: 2 })),
    ...(given.requestDone && { requestDone: true }),
    ...(given.checkpoint && { checkpoint: given.checkpoint }),
    ...(given.release !== 'none' &&
      !isFinal && { release: { dueAt, expectedSignals: (root?.signals ?? 0) + given.signalDifference } }),
  };
  commits.set(id, made);
  return commitCall(made);
});

type GivenChange = typeof change extends Arbitrary<infer Given> ? Given : never;

async function toChange(
  rootId_: string,
  { isWrong, parent, path: at, target, values, ...parts }: GivenChange,
  find: OperationContext['find'],
): Promise<ExecutionChange> {
  if (target === 'root') return { id: rootId_, ...parts };
  const exists = (await find(target)) !== undefined;
  if (exists !== isWrong) return { id: target, ...parts };
  const child = parent && target === 'other/child' ? await find('child') : undefined;
  const parentExecutionId = child?.rootExecutionId === rootId_ ? child.id : rootId_;
  return { id: target, created: { ...values, parentExecutionId, path: at }, ...parts };
}

/** A commit creates an execution once. */
function onlyFirstCreation(changes: readonly ExecutionChange[]): readonly ExecutionChange[] {
  const known = new Set<string>();
  return changes.map(({ created: values, ...one }) => {
    const isFirst = !known.has(one.id);
    known.add(one.id);
    return isFirst && values !== undefined ? { ...one, created: values } : one;
  });
}
