/** A JSON Schema that is expensive to compile, or to validate the answer with. */
export interface HostileRequest {
  readonly schema: object;
  readonly answer: object;
}

let made = 0;

/** New each time, so that no cache contains it. */
const object = (keywords: object): object => ({ type: 'object', title: `schema ${(made += 1)}`, ...keywords });

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** `levels` definitions, each of which names the next one three times. */
function expanding(levels: number): object {
  const $defs = times(levels, (level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, level === levels - 1 ? { type: 'string' } : { anyOf: [next, next, next] }];
  });
  return object({ properties: { a: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries($defs) });
}

function nestedAllOf(levels: number): object {
  let schema: object = { properties: { a: { type: 'string' } } };
  for (let level = 0; level < levels; level += 1) schema = { allOf: [schema, { minProperties: level }] };
  return object(schema);
}

/** Each level of a value is checked twice as often as the one around it. */
const doubling = (): object => object({ properties: { a: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } } });

function nestedAnswer(levels: number): object {
  let answer: object = { a: 1 };
  for (let level = 0; level < levels; level += 1) answer = { a: answer };
  return answer;
}

const fitting = (schema: () => object) => (): HostileRequest => ({ schema: schema(), answer: {} });

export const hostileRequests: readonly (() => HostileRequest)[] = [
  fitting(() => expanding(20)),
  fitting(() => expanding(8)),
  fitting(() =>
    object({ properties: Object.fromEntries(times(900, (index) => [`p${index}`, { type: 'string', minLength: 1 }])) }),
  ),
  fitting(() => object({ allOf: times(1_000, () => ({ if: { required: ['a'] }, else: { required: ['b'] } })) })),
  fitting(() => object({ properties: { a: { enum: times(9_000, (index) => index) } } })),
  fitting(() => object({ properties: { a: { enum: times(1_500, (index) => ({ name: index })) } } })),
  fitting(() => nestedAllOf(14)),
  fitting(() =>
    object({
      patternProperties: Object.fromEntries(times(300, (index) => [`^(${index}|x+)+${index}$`, { minLength: 1 }])),
    }),
  ),
  // Exponential for engines that go back, and repetitions that multiply.
  () => ({
    schema: object({ properties: { a: { type: 'string', pattern: '^(a+)+$' } } }),
    answer: { a: `${'a'.repeat(30_000)}!` },
  }),
  fitting(() => object({ properties: { a: { type: 'string', pattern: '((a{1,100}){1,100}){1,100}' } } })),
  () => ({ schema: doubling(), answer: nestedAnswer(40) }),
  () => ({
    schema: object({ properties: { a: { uniqueItems: true } } }),
    answer: { a: times(5_000, (index) => ({ index })) },
  }),
];
