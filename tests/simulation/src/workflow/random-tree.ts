import type { Random } from '../../../../packages/core/src/workflow/testing/random.ts';

/** The behaviour of a step body. */
export interface BodyPlan {
  /** Returns at once; else when the schedule releases it. */
  readonly isSync: boolean;
  /** Suspends once before it returns. */
  readonly suspends: boolean;
  /** How many attempts fail. With as many failures as attempts, the step fails. */
  readonly failures: number;
  readonly attempts: number;
  /** Throws when its signal is aborted. */
  readonly throwsOnAbort: boolean;
  readonly end: 'output' | 'bail' | 'abort';
}

/** A step with a body and nothing else. */
export interface BodyStep {
  readonly kind: 'then' | 'tap';
  readonly id: string;
  readonly body: BodyPlan;
}

/** A step of a random workflow. */
export type TreeStep =
  | BodyStep
  | {
      readonly kind: 'try';
      readonly id: string;
      /** The step that is tried, and then those that `catch` and `finally` name. */
      readonly steps: readonly [TreeStep, ...BodyStep[]];
      readonly handlers: readonly ('catch' | 'finally')[];
    }
  | {
      /** Code that calls steps one after the other, or all at once. */
      readonly kind: 'run';
      readonly id: string;
      readonly isParallel: boolean;
      readonly steps: readonly BodyStep[];
    }
  | { readonly kind: 'when'; readonly id: string; readonly conditions: boolean; readonly steps: readonly [TreeStep] }
  | { readonly kind: 'all' | 'race' | 'workflow'; readonly id: string; readonly steps: readonly TreeStep[] }
  | {
      readonly kind: 'branch';
      readonly id: string;
      readonly conditions: readonly boolean[];
      readonly steps: readonly TreeStep[];
    }
  | {
      readonly kind: 'forEach';
      readonly id: string;
      readonly items: number;
      readonly concurrency: number;
      readonly steps: readonly [TreeStep];
    }
  | {
      readonly kind: 'doWhile';
      readonly id: string;
      readonly maxIterations: number;
      readonly steps: readonly [TreeStep];
    }
  | { readonly kind: 'sleep'; readonly id: string; readonly durationMs: number };

const leaves = ['then', 'then', 'then', 'then', 'tap', 'sleep'] as const;
const containers = [
  'when',
  'all',
  'all',
  'race',
  'race',
  'branch',
  'forEach',
  'doWhile',
  'workflow',
  'workflow',
  'try',
  'try',
  'run',
  'run',
] as const;

/** 3 to 12 random steps. */
export function randomTree(random: Random): readonly TreeStep[] {
  const budget = { left: random.between(3, 12), nextId: 0 };
  const steps: TreeStep[] = [];
  while (budget.left > 0) steps.push(randomStep(random, budget, 0));
  return steps;
}

function randomStep(random: Random, budget: { left: number; nextId: number }, depth: number): TreeStep {
  budget.left -= 1;
  budget.nextId += 1;
  const number = budget.nextId;
  const randomSteps = (min: number): TreeStep[] =>
    Array.from({ length: random.between(min, 3) }, () => randomStep(random, budget, depth + 1));
  if (depth > 2 || budget.left <= 0 || random.chance(0.5)) {
    const kind = random.pick(leaves);
    const id = `${kind}-${number}`;
    if (kind === 'sleep') return { kind, id, durationMs: random.pick([0, 300, 4_000, 30_000]) };
    return { kind, id, body: randomBody(random) };
  }
  const kind = random.pick(containers);
  const id = `${kind}-${number}`;
  switch (kind) {
    case 'all':
    case 'race':
      return { kind, id, steps: randomSteps(2) };
    case 'workflow':
      return { kind, id, steps: randomSteps(1) };
    case 'branch': {
      const steps = randomSteps(2);
      return { kind, id, steps, conditions: steps.map(() => random.chance(0.7)) };
    }
    case 'try': {
      const handlers = random.pick<readonly ('catch' | 'finally')[]>([['catch'], ['finally'], ['catch', 'finally']]);
      const tried = randomStep(random, budget, depth + 1);
      const bodies = handlers.map((role): BodyStep => ({
        kind: 'then',
        id: `${id}-${role}`,
        body: randomBody(random),
      }));
      return { kind, id, handlers, steps: [tried, ...bodies] };
    }
    case 'run': {
      const steps = Array.from({ length: random.between(1, 3) }, (_, index): BodyStep => ({
        kind: 'then',
        id: `${id}-${index}`,
        body: randomBody(random),
      }));
      return { kind, id, isParallel: random.chance(0.5), steps };
    }
    case 'when':
      return { kind, id, conditions: random.chance(0.8), steps: [randomStep(random, budget, depth + 1)] };
    case 'forEach':
      return {
        kind,
        id,
        items: random.between(0, 3),
        concurrency: random.between(1, 3),
        steps: [randomStep(random, budget, depth + 1)],
      };
    case 'doWhile':
      return { kind, id, maxIterations: random.between(2, 4), steps: [randomStep(random, budget, depth + 1)] };
    default:
      return kind satisfies never;
  }
}

function randomBody(random: Random): BodyPlan {
  const isSync = random.chance(0.3);
  const suspends = random.chance(0.25);
  const failures = random.chance(0.3) ? random.between(1, 2) : 0;
  return {
    isSync,
    suspends,
    failures,
    attempts: random.chance(0.7) ? 3 : 1,
    throwsOnAbort: random.chance(0.5),
    end: random.chance(0.96) ? 'output' : random.pick(['bail', 'abort']),
  };
}
