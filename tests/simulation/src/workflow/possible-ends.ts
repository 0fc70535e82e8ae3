import type { JsonValue } from '@halyard/contracts';
import type { BodyPlan, BodyStep, TreeStep } from './random-tree.ts';

/**
 * One possible end of a workflow. A workflow without a race and without an early end has exactly
 * one.
 */
export type PossibleEnd =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'bail'; readonly value: JsonValue }
  | { readonly kind: 'error' }
  | { readonly kind: 'cancelled' };

/** Workflows with more possible ends are not checked. */
const maxEnds = 200;

class TooManyEnds extends Error {}

/**
 * The ways in which a workflow may end, computed from its description without the interpreter.
 *
 * @returns undefined when there are too many.
 */
export function possibleEnds(steps: readonly TreeStep[], input: JsonValue): readonly PossibleEnd[] | undefined {
  try {
    return endsOfChain(steps, input, '');
  } catch (error) {
    if (error instanceof TooManyEnds) return undefined;
    throw error;
  }
}

function endsOfChain(steps: readonly TreeStep[], data: JsonValue, path: string): readonly PossibleEnd[] {
  let ends: readonly PossibleEnd[] = [{ kind: 'value', value: data }];
  for (const step of steps) ends = follow(ends, (value) => endsOf(step, value, join(path, step.id)));
  return distinct(ends.map((end) => (end.kind === 'bail' ? { kind: 'value', value: end.value } : end)));
}

/** A small hash of a value: outputs contain the digest of their input. */
function digest(value: JsonValue): number {
  let hash = 7;
  for (const char of JSON.stringify(value)) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) | 0;
  return hash >>> 0;
}

/** The output of the body at this path. */
export function bodyOutput(path: string, data: JsonValue): JsonValue {
  return { at: path, of: digest(data) };
}

/** Whether a loop continues after an iteration with this output. */
export function continuesAfter(output: JsonValue): boolean {
  return digest(output) % 2 === 0;
}

function join(path: string, id: string): string {
  return path === '' ? id : `${path}/${id}`;
}

function endsOf(step: TreeStep, data: JsonValue, path: string): readonly PossibleEnd[] {
  switch (step.kind) {
    case 'then':
      return [bodyEnd(step.body, bodyOutput(path, data))];
    case 'tap': {
      const end = bodyEnd(step.body, bodyOutput(path, data));
      return [end.kind === 'cancelled' || end.kind === 'bail' ? end : { kind: 'value', value: data }];
    }
    case 'sleep':
      return [{ kind: 'value', value: data }];
    case 'when':
      return step.conditions
        ? endsOf(step.steps[0], data, join(path, step.steps[0].id))
        : [{ kind: 'value', value: data }];
    case 'all':
      return endsOfAll(step.steps.map((inner) => endsOf(inner, data, join(path, inner.id))));
    case 'branch':
      return endsOfAll(
        step.steps.map((inner, index) =>
          step.conditions[index] === true
            ? endsOf(inner, data, join(path, inner.id))
            : [{ kind: 'value', value: null } as const],
        ),
      );
    case 'forEach': {
      const [inner] = step.steps;
      return endsOfAll(
        Array.from({ length: step.items }, (_none, item) => endsOf(inner, item, join(`${path}:${item}`, inner.id))),
      );
    }
    case 'race':
      return endsOfRace(step.steps.map((inner) => endsOf(inner, data, join(path, inner.id))));
    case 'run': {
      const calls = step.steps.map(({ body, id }) => (value: JsonValue): readonly PossibleEnd[] => [
        bodyEnd(body, bodyOutput(join(path, id), value)),
      ]);
      if (step.isParallel) return endsOfAll(calls.map((call) => call(data)));
      let ends: readonly PossibleEnd[] = [{ kind: 'value', value: data }];
      for (const call of calls) ends = follow(ends, call);
      return ends;
    }
    case 'try':
      return endsOfTry(step, data, path);
    case 'workflow':
      return endsOfChain(step.steps, data, path);
    case 'doWhile':
      return rounds(step, data, path, 0);
    default:
      return step satisfies never;
  }
}

function bodyEnd({ end, failures, attempts }: BodyPlan, output: JsonValue): PossibleEnd {
  if (failures >= attempts) return { kind: 'error' };
  if (end === 'abort') return { kind: 'cancelled' };
  return { kind: end === 'bail' ? 'bail' : 'value', value: output };
}

function endsOfTry(
  { handlers, steps: [tried, ...bodies] }: Extract<TreeStep, { kind: 'try' }>,
  data: JsonValue,
  path: string,
): readonly PossibleEnd[] {
  const handlerEnd = (role: 'catch' | 'finally'): PossibleEnd | undefined => {
    const handler: BodyStep | undefined = bodies[handlers.indexOf(role)];
    return handler && bodyEnd(handler.body, bodyOutput(join(path, handler.id), data));
  };
  const caught = handlerEnd('catch');
  const last = handlerEnd('finally');
  const ends = endsOf(tried, data, join(path, tried.id)).map((end) => (end.kind === 'error' ? (caught ?? end) : end));
  const withLast = ends.map((end) => {
    const isEarly = end.kind === 'bail' || end.kind === 'cancelled';
    return isEarly || last === undefined || last.kind === 'value' ? end : last;
  });
  return distinct(withLast);
}

function rounds(
  step: Extract<TreeStep, { kind: 'doWhile' }>,
  data: JsonValue,
  path: string,
  item: number,
): readonly PossibleEnd[] {
  if (item >= step.maxIterations) return [{ kind: 'error' }];
  const [inner] = step.steps;
  return follow(endsOf(inner, data, join(`${path}:${item}`, inner.id)), (value) =>
    continuesAfter(value) ? rounds(step, value, path, item + 1) : [{ kind: 'value', value }],
  );
}

/** Every branch returns a value, or one branch ends the group early. */
function endsOfAll(branches: readonly (readonly PossibleEnd[])[]): readonly PossibleEnd[] {
  let lists: readonly JsonValue[][] = [[]];
  for (const branch of branches) {
    const values = branch.filter((end) => end.kind === 'value');
    lists = lists.flatMap((list) => values.map(({ value }) => [...list, value]));
    if (lists.length > maxEnds) throw new TooManyEnds();
  }
  const early = branches.flat().filter((end) => end.kind !== 'value');
  return distinct([...lists.map((value) => ({ kind: 'value', value }) as const), ...early]);
}

function endsOfRace(branches: readonly (readonly PossibleEnd[])[]): readonly PossibleEnd[] {
  const mayAllFail = branches.every((branch) => branch.some(({ kind }) => kind === 'error'));
  return distinct(branches.flat().filter(({ kind }) => kind !== 'error' || mayAllFail));
}

function follow(
  ends: readonly PossibleEnd[],
  next: (value: JsonValue) => readonly PossibleEnd[],
): readonly PossibleEnd[] {
  return distinct(ends.flatMap((end) => (end.kind === 'value' ? next(end.value) : [end])));
}

function distinct(ends: readonly PossibleEnd[]): readonly PossibleEnd[] {
  if (ends.length < 2) return ends;
  const different = new Map(ends.map((end) => [JSON.stringify(end), end]));
  if (different.size > maxEnds) throw new TooManyEnds();
  return [...different.values()];
}
