import type { JournalEntry } from '@halyard/contracts';

/**
 * The language in which the engine names places in the tree of an execution and its sub-workflows.
 * Keys of the journal, suspensions, resumptions, timers and rewinds are such places, and clients
 * see them. Only this file builds and reads them. The stores compare them like {@link isAtOrBelow}
 * and {@link isInside}.
 *
 * | place | example | is |
 * | --- | --- | --- |
 * | path: `<step>/<step>…` | `checks/stock` | a step in the steps and sub-workflows around it; empty: the root execution |
 * | path through a loop: `<loop>:<item>/<step>` | `lines:3/approve` | the step in round or item 3, counted from 0 |
 * | path through code: `<andRun>/<step>` | `checkout/charge` | a step that the code of `andRun` calls |
 * | decision: `<place>#<decision>` | `big#condition`, `pay#compensate#retry` | a {@link Decision} of a step, or of an execution: that of its step, empty for the root |
 * | call: `<path>#<key>` | `thank#step-0/model` | a call of the step's agent, by its key in `AgentJournal` |
 *
 * Events and requests name a step within its workflow, by its instance id: `<step>:<item>…`, with
 * the items of all loops around it, or `<andRun>/<step>:<item>…`. So `approve:3` is
 * `lines:3/approve`.
 *
 * A step id consists of letters, digits, `_`, `-` and `.`. The key of a call may contain any
 * character.
 */
export type Place = string;

/**
 * The decisions after a `#`, apart from calls of agents. The entry in the journal has the name of
 * its decision as its type, unless it says otherwise.
 */
export type Decision =
  /** `andWhen`: whether its step runs. */
  | 'condition'
  /**
   * `andBranch`: whether the branch of this index runs. `andDoWhile`, `andDoUntil`: the result of
   * the condition after this round.
   */
  | `condition-${number}`
  /** `andForEach`: the list that `items` returned. */
  | 'items'
  /** `andAgent`: the prompt that its function returned. */
  | 'prompt'
  /** `andStart`: the id of the execution that it starts. */
  | 'started'
  /** `andJoin`: the ids of the executions that it waits for. */
  | 'executions'
  /** `andJoin`: how the execution of this index ended; before that, the wait for it. */
  | `joined-${number}`
  /** `andWorkflow`: the id of its sub-workflow. */
  | 'execution'
  /**
   * Fields of the workflow state that the step has set, in the order of its calls. Type: `state`.
   */
  | `state-${number}`
  /** The root: the state that it starts with. */
  | 'state'
  /** `continueAsNew`: the id of the execution that continues this one. */
  | 'continued-as'
  /** An execution: the result with which a step has ended it. Type: `bail` or `continue`. */
  | 'bail'
  /** The root: how it ends, once its steps are undone. */
  | 'ending'
  /** The step was undone, or could not be. */
  | 'compensate'
  /**
   * Not in the journal: the timer of the next attempt, which still needs the resumption of the
   * step.
   */
  | 'retry'
  /** Not in the journal: the timer of a suspension's time limit. */
  | 'timeout'
  /**
   * Not in the journal: where an execution that was suspended from outside waits. Its step may also
   * have a timer.
   */
  | 'request';

/** A step along a path. */
export interface Segment {
  readonly id: string;
  /** Of a loop: its round or item. */
  readonly item: string | undefined;
  /** The path of the step. */
  readonly step: string;
  /** With its item. */
  readonly path: string;
}

/** A round of a loop, or an item of `andForEach`. */
export interface LoopRound {
  /** The path of the loop. */
  readonly loop: string;
  readonly round: number;
}

/** @param inner a step id, or a place in the tree below `path`. */
export function childPath(path: string, inner: string): string {
  return path === '' ? inner : `${path}/${inner}`;
}

/** A round or an item of the loop at this path. Also adds it to the items of an instance id. */
export function itemPath(path: string, item: number | string): string {
  return `${path}:${item}`;
}

export function decisionPath(place: Place, decision: Decision): Place {
  return `${place}#${decision}`;
}

export function callPath(path: string, key: string): Place {
  return `${path}#${key}`;
}

/**
 * Whether this is a decision or a call, and not a step; with `decision`: whether it is this one.
 */
export function isDecision(place: Place, decision?: Decision): boolean {
  return decision === undefined ? place.includes('#') : place.endsWith(`#${decision}`);
}

/** Whether the journal entry is that of a decision. */
export function records({ type }: Pick<JournalEntry, 'type'>, decision: Decision): boolean {
  return type === decision;
}

/** Whether an agent has made this call, in one of its steps. */
export function isCallOfAgent(place: Place): boolean {
  return place.includes('#step-');
}

/** The place whose decision this is. */
export function toDecider(decision: Place): Place {
  return decision.slice(0, decision.lastIndexOf('#'));
}

/** Whether a place is inside a step: one of its inner steps, loop items or decisions. */
export function isBelow(place: Place, step: string): boolean {
  if (!place.startsWith(step)) return false;
  const next = place.charAt(step.length);
  return next === '/' || next === ':' || next === '#' || (step === '' && next !== '');
}

export function isAtOrBelow(place: Place, step: string): boolean {
  return place === step || isBelow(place, step);
}

/**
 * Whether a place is in the tree of the execution at this path: unlike the decisions of its step.
 */
export function isInside(place: Place, executionPath: string): boolean {
  return executionPath === '' || place.startsWith(`${executionPath}/`);
}

/** A place in the tree of an execution, as the execution itself names it. */
export function ownPlace(place: Place, executionPath: string): Place {
  return executionPath === '' ? place : place.slice(executionPath.length + 1);
}

/** The steps along a place, the outermost first. */
export function toSegments(place: Place): readonly Segment[] {
  const [steps = ''] = place.split('#', 1);
  let path = '';
  return steps.split('/').map((text) => {
    const [id = '', item] = text.split(':');
    const step = childPath(path, id);
    path = childPath(path, text);
    return { id, item, step, path };
  });
}

/** The path of the step that contains this one; empty if none does. */
export function outerPath(path: string): string {
  return toSegments(path).at(-2)?.step ?? '';
}

/** The rounds and items that contain a place, the outermost first. */
export function roundsAround(place: Place): readonly LoopRound[] {
  return toSegments(place).flatMap(({ item, step }) =>
    item === undefined ? [] : [{ loop: step, round: Number(item) }],
  );
}

/**
 * The round after which this entry decides whether its loop goes on; undefined for any other.
 * `andBranch` has such decisions, too.
 */
export function decidedRound(place: Place): LoopRound | undefined {
  const { loop, round } = /^(?<loop>[^#]*)#condition-(?<round>\d+)$/u.exec(place)?.groups ?? {};
  return loop === undefined ? undefined : { loop, round: Number(round) };
}

/**
 * The parts of an instance id. `name`: the step id, or those of code and of the step that it calls.
 */
export function instanceParts(instance: string): { readonly name: string; readonly items: readonly string[] } {
  const [name = '', ...items] = instance.split(':');
  return { name, items };
}
