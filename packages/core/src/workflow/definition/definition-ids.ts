import { createHash } from 'node:crypto';
import type { JsonValue } from '@halyard/contracts';
import type { AnyStep } from './step.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

/**
 * The ids of a definition after each of its steps, from none to all: a definition that only appends
 * steps starts with the ids of the one before it.
 */
function prefixIds({ id, steps }: WorkflowDefinition): readonly string[] {
  const ids = [toId(id, '')];
  for (const step of steps) ids.push(toId(id, `${ids.at(-1)}${JSON.stringify(toShape(step))}`));
  return ids;
}

/**
 * Names the steps of a workflow: their ids, types and nesting, those of sub-workflows included.
 * Bodies, schemas and limits may change.
 */
function definitionId(workflow: WorkflowDefinition): string {
  return prefixIds(workflow).at(-1) ?? '';
}

function toId(workflowId: string, text: string): string {
  return `${workflowId}@${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

function toShape({ id, steps, type, workflow }: AnyStep): JsonValue {
  const inner = workflow === undefined ? steps.map(toShape) : [workflow.id, ...workflow.steps.map(toShape)];
  return [type, id, inner];
}

/** A definition with which this process can run an execution. */
interface Known {
  readonly workflow: WorkflowDefinition;
  /** The definition of the execution from then on. */
  readonly next: string;
}

/**
 * Which executions this process can run, and with which definition: those with the same steps,
 * those whose steps this process has only added to, and those that a workflow `replaces`. A process
 * with an older definition never runs an execution of a newer one, whose steps it would skip.
 */
export class DefinitionIds {
  readonly #known = new Map<string, Map<string, Known>>();
  readonly #byId = new Map<string, WorkflowDefinition>();
  /** Each is computed once, because it takes a hash for each step. */
  readonly #idOf = new WeakMap<WorkflowDefinition, string>();
  /** All that can be run here. */
  readonly ids: readonly string[];

  constructor(workflows: Iterable<WorkflowDefinition>) {
    for (const workflow of workflows) this.#known.set(workflow.id, this.#readKnown(workflow));
    this.ids = [...this.#known.values()].flatMap((known) => [...known.keys()]);
  }

  /** That of a new execution. */
  of(workflow: WorkflowDefinition): string {
    const id = this.#idOf.get(workflow) ?? definitionId(workflow);
    this.#idOf.set(workflow, id);
    return id;
  }

  /**
   * The definitions of this workflow's executions that can be run here, and the definition that
   * each becomes.
   */
  accepted(workflowId: string): Readonly<Record<string, string>> {
    const known = this.#known.get(workflowId) ?? new Map<string, Known>();
    return Object.fromEntries([...known].map(([id, { next }]) => [id, next]));
  }

  /** The workflow to run an execution with. */
  workflowOf(id: string): WorkflowDefinition | undefined {
    return this.#byId.get(id);
  }

  #readKnown(workflow: WorkflowDefinition): Map<string, Known> {
    const known = new Map<string, Known>();
    const add = (id: string, runsWith: WorkflowDefinition): void => {
      if (known.has(id)) return;
      const next = definitionId(runsWith);
      known.set(id, { workflow: runsWith, next });
      this.#byId.set(next, runsWith);
    };
    const all = [workflow, ...workflow.versions];
    for (const one of all) add(definitionId(one), one);
    for (const one of workflow.replaces) add(definitionId(one), workflow);
    for (const one of all) for (const id of prefixIds(one)) add(id, one);
    // Executions of releases that did not store a definition.
    add(workflow.id, workflow);
    return known;
  }
}
