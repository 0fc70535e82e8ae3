import type {
  CreateOptions,
  ExecutionFilter,
  ExecutionStore,
  Job,
  NewExecution,
  RewindRequest,
  Suspension,
} from '@halyard/contracts';
import {
  type Arbitrary,
  array,
  constant,
  constantFrom,
  integer,
  oneof,
  option,
  record,
  subarray,
  tuple,
} from 'fast-check';
import { claim, claimNext, runner } from './claim-operations.ts';
import { commit } from './commit-operations.ts';
import { maxOperations, type Call, type Operation, lasting, callOf } from './operation.ts';
import {
  rootIds,
  childIds,
  paths,
  rootId,
  path,
  workflowId,
  user,
  owner,
  json,
  fields,
  events,
  entries,
  hours,
  count,
  concurrencyKey,
  page,
  difference,
  created,
  status,
  eventName,
  eventKey,
} from './sample-values.ts';

const creation = {
  values: created,
  events,
  options: record(
    {
      requestId: constantFrom('r-1', 'r\0'),
      journal: entries,
      resumptions: array(record({ path, suspensionId: constant(''), data: json }), { maxLength: 1 }),
      priority: constantFrom(-1000, 0, 1000),
      concurrency: record({ key: concurrencyKey, limit: integer({ min: 1, max: 2 }) }),
      singleton: record({ key: concurrencyKey, onBusy: constantFrom('skip', 'cancel-running', 'cancel-running') }),
    },
    { requiredKeys: ['requestId'] },
  ),
  dueInHours: option(hours, { nil: undefined, freq: 1 }),
  throttle: option(record({ key: concurrencyKey, limit: integer({ min: 1, max: 2 }), periodHours: hours }), {
    nil: undefined,
    freq: 1,
  }),
  debounce: option(
    record({ key: concurrencyKey, delayHours: hours, maxDelayHours: option(hours, { nil: undefined }) }),
    { nil: undefined, freq: 1 },
  ),
};

const createAt = (ofId: Arbitrary<string>): Arbitrary<Operation> =>
  record({ id: ofId, ...creation }).map(
    ({ debounce, dueInHours, events: first, id, options, throttle, values }): Operation =>
      async ({ number }) => {
        const execution: NewExecution = { id, ...values, events: first };
        const accepted: CreateOptions = {
          ...options,
          ...(dueInHours && { dueInMs: lasting(dueInHours, number) }),
          ...(throttle && {
            throttle: { key: throttle.key, limit: throttle.limit, periodMs: lasting(throttle.periodHours, number) },
          }),
          ...(debounce && {
            debounce: {
              key: debounce.key,
              delayMs: lasting(debounce.delayHours, number),
              ...(debounce.maxDelayHours && { maxDelayMs: lasting(debounce.maxDelayHours, number) }),
            },
          }),
        };
        return {
          method: 'create',
          parameters: [execution, accepted],
          answer: (store) => store.create(execution, accepted),
        };
      },
  );

const quarantine = record({ id: rootId, minClaims: integer({ min: 0, max: 2 }), path, events }).map(
  ({ events: written, id, minClaims, path: at }): Operation =>
    async ({ now, number }) => {
      const suspension: Suspension = {
        id: `q-${number}`,
        path: at,
        stepId: at,
        stepIndex: 0,
        executionId: id,
        kind: 'request',
        reason: 'why\0',
        suspendedAt: now,
      };
      const given = { minClaims, suspension, events: written };
      return { method: 'quarantine', parameters: [id, given], answer: (store) => store.quarantine(id, given) };
    },
);

const terminate = record({ id: rootId, owner, events }).map(({ events: written, id, owner: by }): Operation => {
  const given = Object.fromEntries([id, ...childIds].map((one) => [one, written]));
  return callOf('terminate', [by, id, given], (store) => store.terminate(by, id, given));
});

const renew = record({ ids: subarray([...rootIds], { maxLength: 3 }), difference, leaseHours: hours, runner }).map(
  ({ difference: away, ids, leaseHours, runner: by }): Operation =>
    async ({ find, number }) => {
      const held = await Promise.all(
        ids.map(async (id) => ({ executionId: id, epoch: ((await find(id))?.epoch ?? 0) + away })),
      );
      const leaseMs = lasting(leaseHours, number);
      const answer: Call['answer'] = async (store) => (await store.renew(held, { runner: by, leaseMs })).toSorted();
      return { method: 'renew', parameters: [held, by, leaseMs], answer };
    },
);

const resume = record({
  id: rootId,
  owner,
  place: integer({ min: 0, max: 2 }),
  data: json,
  requestId: option(constantFrom('again', 'again\0'), { nil: undefined }),
  resumedBy: option(user, { nil: undefined }),
  isTimeout: option(constant(true as const), { nil: undefined }),
}).map(({ data, id, isTimeout, owner: by, place, requestId, resumedBy }): Operation => async ({ find, number }) => {
  const suspensionId = (await find(id))?.suspensions[place]?.id ?? 'unknown';
  const request = {
    executionId: id,
    suspensionId,
    data,
    resumedBy,
    requestId: requestId ?? `r-${number}`,
    ...(isTimeout && { isTimeout }),
  };
  return { method: 'resume', parameters: [by, request], answer: (store) => store.resume(by, request) };
});

const publish = record({
  owner,
  name: eventName,
  key: eventKey,
  payload: json,
  requestId: option(constantFrom('again', 'again\0'), { nil: undefined }),
}).map(({ key, name, owner: by, payload, requestId }): Operation => async ({ number }) => {
  const event = { id: `e\0-${number}`, name, key, payload, requestId: requestId ?? `r-${number}` };
  return { method: 'publish', parameters: [by, event], answer: (store) => store.publish(by, event) };
});

const request = record({
  id: rootId,
  owner,
  request: record({ kind: constantFrom('suspend', 'cancel'), reason: constantFrom('', 'why\0') }),
}).map(({ id, owner: by, request: asked }): Operation => async () => ({
  method: 'request',
  parameters: [by, id, asked],
  answer: (store) => store.request(by, id, asked),
}));

const rewind = record({
  id: rootId,
  owner,
  seqDifference: difference,
  signalDifference: difference,
  paths: subarray(paths, { minLength: 1, maxLength: 2 }),
  entries: subarray(paths, { maxLength: 2 }),
  newKeys: option(subarray(paths, { maxLength: 2 }), { nil: undefined }),
  states: array(record({ id: constantFrom(...rootIds, ...childIds), unset: subarray(['a', 'c\0']), set: fields }), {
    maxLength: 2,
  }),
  resumption: option(record({ path, suspensionId: constant(''), data: json }), { nil: undefined }),
}).map(
  ({ id, newKeys, owner: by, resumption, seqDifference, signalDifference, states, ...parts }): Operation =>
    async ({ find }) => {
      const root = await find(id);
      const asked: RewindRequest = {
        executionId: id,
        expectedSeq: (root?.seq ?? 0) + seqDifference,
        expectedSignals: (root?.signals ?? 0) + signalDifference,
        ...parts,
        states: states.filter((one, index) => states.findIndex((other) => other.id === one.id) === index),
        ...(newKeys !== undefined && { newKeys }),
        ...(resumption !== undefined && { resumption }),
      };
      return { method: 'rewind', parameters: [by, asked], answer: (store) => store.rewind(by, asked) };
    },
);

const time = oneof(
  integer({ min: -4, max: 4 }).map((some) => ({ some })),
  constantFrom(-1e300, 1e300, 0).map((at) => ({ at })),
);
const list = record(
  {
    owner,
    parentExecutionId: constantFrom(null, null, ...rootIds, ...childIds),
    workflowId,
    status,
    userId: user,
    from: time,
    to: time,
    metadata: fields,
    after: constantFrom(...rootIds, ...childIds, 'unknown'),
    limit: count,
    offset: page,
    maxTotal: count,
  },
  { requiredKeys: ['owner', 'parentExecutionId', 'limit', 'offset'] },
).map(({ from, owner: by, to, ...conditions }): Operation => async ({ now, number }) => {
  const timeOf = (given: { some: number } | { at: number }): number =>
    'at' in given ? given.at : now + lasting(given.some, number);
  const filter: ExecutionFilter = {
    ...conditions,
    ...(from !== undefined && { from: timeOf(from) }),
    ...(to !== undefined && { to: timeOf(to) }),
  };
  return { method: 'list', parameters: [by, filter], answer: (store) => store.list(by, filter) };
});

const anyId = constantFrom(...rootIds, ...childIds, 'unknown');
const reads = [
  record({ id: anyId, owner }).map(({ id, owner: by }) => callOf('find', [by, id], (store) => store.find(by, id))),
  record({ id: anyId, owner }).map(({ id, owner: by }) =>
    callOf('journal', [by, id], (store) => store.journal(by, id)),
  ),
  record({ id: anyId, owner, after: constantFrom(-1, 0, 1, 1.5, 3e9), limit: count }).map(
    ({ id, owner: by, ...range }) => callOf('events', [by, id, range], (store) => store.events(by, id, range)),
  ),
  record({ ids: subarray([...rootIds, ...childIds, 'unknown']), owner, limit: count }).map(
    ({ ids, limit, owner: by }) =>
      callOf('histories', [by, ids, limit], async (store) => Object.fromEntries(await store.histories(by, ids, limit))),
  ),
  record({ ids: subarray(['orders', 'mails', 'new\0']), limit: count }).map(({ ids, limit }) =>
    callOf('backlog', [ids, limit], async (store) => (await store.backlog(ids, limit)).count),
  ),
  record({ ids: subarray(['orders', 'mails']), known: subarray(['orders', 'new\0']), limit: count }).map(
    ({ ids, known, limit }) =>
      callOf('dueElsewhere', [ids, known, limit], (store) => store.dueElsewhere(ids, known, limit)),
  ),
  rootId.map((id) =>
    callOf('supersede', [id], async (store) => [...(await store.supersede(id, 'why\0'))].toSorted(byId)),
  ),
];
const purge = record({ olderThanHours: hours, limit: constantFrom(0, 1, 9) }).map(
  ({ limit, olderThanHours }): Operation =>
    async ({ number }) => {
      const olderThanMs = lasting(olderThanHours, number);
      return {
        method: 'purge',
        parameters: [olderThanMs, limit],
        answer: (store) => store.purge(olderThanMs, limit),
      };
    },
);

const operation: Arbitrary<Operation> = oneof(
  { weight: 3, arbitrary: createAt(rootId) },
  { weight: 3, arbitrary: claim },
  { weight: 3, arbitrary: claimNext },
  { weight: 1, arbitrary: renew },
  { weight: 2, arbitrary: quarantine },
  { weight: 16, arbitrary: commit },
  { weight: 4, arbitrary: resume },
  { weight: 5, arbitrary: publish },
  { weight: 2, arbitrary: request },
  { weight: 1, arbitrary: terminate },
  { weight: 2, arbitrary: rewind },
  { weight: 2, arbitrary: list },
  { weight: 1, arbitrary: purge },
  ...reads,
);

/** Random operations of the port, after the creation of an execution. All calls are valid. */
export const operations: Arbitrary<readonly Operation[]> = tuple(
  createAt(constant('run')),
  array(operation, { maxLength: maxOperations - 1, size: 'max' }),
).map(([first, others]) => [first, ...others]);

function byId(one: Job, other: Job): number {
  return one.executionId < other.executionId ? -1 : 1;
}

/** Everything that a store returns about all executions. */
export async function everything(store: ExecutionStore): Promise<unknown> {
  const ids = [...rootIds, ...childIds];
  return Promise.all(
    ids.map(async (id) => [
      await store.find('anyone', id),
      await store.journal('anyone', id),
      await store.events('anyone', id, { after: 0, limit: 1_000 }),
      await store.list('anyone', { parentExecutionId: id, limit: 50, offset: 0 }),
    ]),
  );
}
