import { findStep, pathOfStep, type WorkflowStep } from '../workflows/workflow-graph.ts';

/**
 * Their inner steps run once for each item or round, whose number is in the path:
 * `lines:3/approve`.
 */
const loops = new Set<WorkflowStep['type']>(['andForEach', 'andDoWhile', 'andDoUntil']);

/**
 * The path of a run: `lines:3/approve` for `approve:3`. Of a step that the definition does not
 * contain, the instance.
 */
export function runPath(instance: string, steps: readonly WorkflowStep[]): string {
  const [name = '', ...items] = instance.split(':');
  const [stepId = ''] = name.split('/', 1);
  const ids = pathOfStep(steps, stepId)?.split('/').slice(0, -1);
  if (ids === undefined) return instance;
  const around = ids.map((id, depth) => {
    const step = findStep(steps, ids.slice(0, depth + 1).join('/'));
    const item = step !== undefined && loops.has(step.type) ? items.shift() : undefined;
    return item === undefined ? id : `${id}:${item}`;
  });
  return [...around, name].join('/');
}

/** Whether a path of {@link runPath} is `rewound`, or a step inside of it, or a round of it. */
export function isWithin(path: string, rewound: string): boolean {
  return (
    path === rewound || path === instanceAt(rewound) || path.startsWith(`${rewound}/`) || path.startsWith(`${rewound}:`)
  );
}

/** The steps that contain the step at a path: `all` and `lines` for `all/lines:3/approve`. */
export function instancesAround(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.flatMap((segment, depth) => {
    const instance = [...segments.slice(0, depth), segment.split(':', 1)[0]].join('/');
    return depth < segments.length - 1 || segment.includes(':') ? [instanceAt(instance) ?? ''] : [];
  });
}

/** `approve:3` for `lines:3/approve`. Undefined for a round of a loop, such as `lines:3`. */
function instanceAt(path: string): string | undefined {
  const items = path.split('/').flatMap((segment) => segment.split(':').slice(1));
  const name = path.split('/').at(-1) ?? path;
  return name.includes(':') ? undefined : [name, ...items].join(':');
}
