import type { JsonObject, JsonValue, Owner } from '@halyard/contracts';
import { type Arbitrary, array, constant, constantFrom, dictionary, integer, oneof, record } from 'fast-check';

export const rootIds = ['run', 'a\0b', 'x\uD83E'];
export const childIds = ['child', 'other/child'];
export const paths = ['a', 'b', 'b/c', 'b:1/c', 'bc', 'b#retry'];

/** Mostly the same, so that operations meet. */
export const rootId = oneof(
  { weight: 12, arbitrary: constant('run') },
  { weight: 4, arbitrary: constantFrom(...rootIds) },
  { weight: 1, arbitrary: constantFrom('unknown', 'child') },
);
export const path = constantFrom(...paths);
export const workflowId = constantFrom('orders', 'mails');
export const user = constantFrom('ada', 'bob\0');
export const owner: Arbitrary<Owner> = oneof(
  { weight: 3, arbitrary: constant<Owner>('anyone') },
  { weight: 1, arbitrary: user.map((name) => ({ user: name })) },
);
export const json: Arbitrary<JsonValue> = constantFrom<JsonValue>(null, true, 0, 1.5, 1e21, '', 'x\0y', [1, [null]], {
  b: 1,
  a: { '': '\uDD86' },
});
export const fields: Arbitrary<JsonObject> = dictionary(constantFrom('a', 'b', 'c\0'), json, {
  maxKeys: 2,
  noNullPrototype: true,
});
/** Now and then large: some stores store large outputs in one place. */
const output: Arbitrary<JsonValue> = oneof(
  { weight: 3, arbitrary: json },
  { weight: 2, arbitrary: constantFrom<JsonValue>('large\0'.repeat(300), { list: ['other'.repeat(300)] }) },
);
export const events = array(
  oneof(
    record({ type: constant('step-complete'), from: path, timestamp: constant(''), output }),
    record({ type: constant('step-start'), from: path, timestamp: constant(''), input: output }),
    record({ type: constant('workflow-result'), from: path, timestamp: constant(''), result: output }),
  ),
  { maxLength: 3 },
);
export const entries = array(
  record({
    path,
    type: constant('andThen'),
    status: constantFrom('success', 'skipped'),
    output,
    attempts: constant(1),
    startedAt: constant(1),
    endedAt: constant(2),
  }),
  { maxLength: 2 },
);
export const eventName = constantFrom('paid', 'paid', 'ship\0ped');
export const eventKey = constantFrom(null, 'o-1', 'o-1', 'x\uD83E');
const concurrencyKeys = ['eu', 'us\0'];
/** Mostly the same, so that executions wait. */
export const concurrencyKey = constantFrom('eu', 'eu', ...concurrencyKeys);
export const hours = integer({ min: 1, max: 6 });
export const count = constantFrom(0, 1, 2, 50);
export const page = constantFrom(0, 0, 1, 2, 3);
export const seldom = constantFrom(true, ...Array.from({ length: 9 }, () => false));
/** Mostly what is expected. */
export const difference = constantFrom(...Array.from({ length: 14 }, () => 0), 1, -1);

export const created = record(
  {
    workflowId,
    workflowName: constant('A workflow'),
    input: json,
    context: fields,
    workflowState: fields,
    metadata: fields,
    userId: user,
    conversationId: constantFrom('c', 'c\0'),
    user: fields,
  },
  { requiredKeys: ['workflowId', 'workflowName', 'input', 'context', 'workflowState', 'metadata'] },
);

const idle = ['running', 'suspended'] as const;
export const status = constantFrom(...idle, ...idle, ...idle, 'completed', 'error', 'cancelled');
