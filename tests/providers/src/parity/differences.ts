import type { Observation } from './parity-script.ts';
import { isRecord } from './plain.ts';

/** A place where the two sides differ. A side that lacks the value has `undefined`. */
export interface Difference {
  /**
   * Such as `requests.[0].body.messages.[assistant].content`: items of lists are named by their
   * role or type.
   */
  readonly path: string;
  readonly sdk: unknown;
  readonly agent: unknown;
}

export function differencesBetween(sdk: Observation, agent: Observation): readonly Difference[] {
  return [...compare('', { ...sdk, events: inOrder(sdk.events) }, { ...agent, events: inOrder(agent.events) })];
}

/**
 * The outcomes of tools at the end of their step, by id: the SDK starts a tool while the model
 * still writes, so the order of its outcomes is a matter of time.
 */
function inOrder(events: readonly unknown[]): readonly unknown[] {
  const ordered: unknown[] = [];
  let outcomes: unknown[] = [];
  for (const event of events) {
    const isOutcome =
      /^tool-(result|error)$/.test(kindOf(event)) && isRecord(event) && event['providerExecuted'] !== true;
    if (isOutcome) {
      outcomes.push(event);
      continue;
    }
    if (!/^(tool|text|reasoning|source|file)/.test(kindOf(event))) {
      ordered.push(...outcomes.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)));
      outcomes = [];
    }
    ordered.push(event);
  }
  return [...ordered, ...outcomes];
}

function* compare(path: string, sdk: unknown, agent: unknown): Generator<Difference> {
  if (Array.isArray(sdk) && Array.isArray(agent)) {
    yield* compareLists(path, sdk, agent);
    return;
  }
  if (isRecord(sdk) && isRecord(agent)) {
    for (const key of new Set([...Object.keys(sdk), ...Object.keys(agent)])) {
      yield* compare(path === '' ? key : `${path}.${key}`, sdk[key], agent[key]);
    }
    return;
  }
  if (!Object.is(sdk, agent)) yield { path, sdk, agent };
}

/**
 * Compares items of the same kind, so that an item that one side lacks does not shift the others.
 */
function* compareLists(path: string, sdk: readonly unknown[], agent: readonly unknown[]): Generator<Difference> {
  for (const [ofSdk, ofAgent, index] of aligned(sdk, agent)) {
    const kind = kindOf(ofSdk ?? ofAgent);
    yield* compare(`${path}.[${kind === '' ? index : kind}]`, ofSdk, ofAgent);
  }
}

type Pair = readonly [sdk: unknown, agent: unknown, index: number];

/** Pairs the items by the longest common sequence of their names. */
function aligned(sdk: readonly unknown[], agent: readonly unknown[]): readonly Pair[] {
  const lengths = sdk.map(() => agent.map(() => 0));
  const lengthAt = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = sdk.length - 1; i >= 0; i -= 1) {
    for (let j = agent.length - 1; j >= 0; j -= 1) {
      const row = lengths[i] ?? [];
      row[j] =
        nameOf(sdk[i]) === nameOf(agent[j])
          ? lengthAt(i + 1, j + 1) + 1
          : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  while (i < sdk.length || j < agent.length) {
    if (i < sdk.length && j < agent.length && nameOf(sdk[i]) === nameOf(agent[j]))
      pairs.push([sdk[i++], agent[j++], i - 1]);
    else if (j >= agent.length || (i < sdk.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1)))
      pairs.push([sdk[i++], undefined, i - 1]);
    else pairs.push([undefined, agent[j++], j - 1]);
  }
  return pairs;
}

/** The type or role of an item; empty for values without one. */
function kindOf(item: unknown): string {
  if (!isRecord(item)) return '';
  const { type, role } = item;
  return typeof type === 'string' ? type : typeof role === 'string' ? role : '';
}

function nameOf(item: unknown): string {
  if (!isRecord(item)) return '';
  const { toolCallId, call_id: callId, tool_call_id: chatCallId, tool_use_id: useId } = item;
  return JSON.stringify([kindOf(item), toolCallId ?? callId ?? chatCallId ?? useId]);
}
