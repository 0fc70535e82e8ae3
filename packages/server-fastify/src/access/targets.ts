import { NotFoundError } from '@halyard/contracts';
import type { AccessLevel } from '@halyard/core';
import { isFrameworkWorkflow, type Registry, type WorkflowDefinition } from '@halyard/core/server';
import { AccessRefusedError } from './access-refused-error.ts';
import { type Covered, coversDefinition } from './console-roles.ts';
import { type Caller, limitsOfOperator } from './identity.ts';
import type { Requirement } from './policy.ts';

type Params = Readonly<Record<string, unknown>>;

/** Something with the option `access`. */
interface Reachable {
  readonly access: AccessLevel;
}

/** The agent, tool or workflow that a request names. */
interface Target extends Reachable {
  readonly kind: 'agent' | 'workflow' | 'tool';
  readonly id: string;
}

/** The parameters of routes that name something: `/agents/:id/text`. */
const places = {
  agent: { pattern: /^\/agents\/:id(?:\/|$)/, param: 'id' },
  workflow: { pattern: /^(?:\/observability)?\/workflows\/:id(?:\/|$)/, param: 'id' },
  tool: { pattern: /^\/tools\/:name(?:\/|$)/, param: 'name' },
} as const;

/**
 * Routes over which operators see and control the work that only the server runs. Other routes
 * treat it as unknown.
 */
const forOperators = /^(?:\/agents\/:id(?:\/history)?|(?:\/observability)?\/workflows\/:id(?:\/executions\/.+)?)$/;

/** Whether requests to a route may name something. @param url the pattern of the route. */
export function namesTarget(url: string): boolean {
  return Object.values(places).some(({ pattern }) => pattern.test(url));
}

/**
 * Applies the option `access` of agents, tools and workflows to the requests that name one, and to
 * lists.
 */
export class Targets {
  readonly #byKind: Readonly<Record<Target['kind'], Pick<ReadonlyMap<string, Reachable>, 'get'>>>;
  readonly #restricted: readonly string[];
  readonly #workflows: readonly string[];

  /** @param workflows all that can run, also those that are not in the registry. */
  constructor({ agents, findTool }: Pick<Registry, 'agents' | 'findTool'>, workflows: readonly WorkflowDefinition[]) {
    this.#byKind = {
      agent: new Map(agents.map((agent) => [agent.id, agent])),
      tool: { get: findTool },
      workflow: new Map(workflows.map((workflow) => [workflow.id, workflow])),
    };
    this.#workflows = workflows.map(({ id }) => id);
    this.#restricted = workflows.filter(({ access }) => access !== 'users').map(({ id }) => id);
  }

  /**
   * The credential that a request requires. @param url the pattern of the route. @param requirement
   * that of the route.
   */
  requirementOf(url: string, params: Params, requirement: Requirement): Requirement {
    const access = this.#findTarget(url, params)?.access;
    if (access === 'operators') return 'console';
    // Without a credential or with a token the reply is that for an unknown id.
    return access === 'server' && requirement === 'user' && forOperators.test(url) ? 'console-or-user' : requirement;
  }

  /**
   * Refuses a request for an agent, tool or workflow that its caller may not reach.
   *
   * @throws NotFoundError as for an unknown id; AccessRefusedError if only operators may reach it.
   */
  check(url: string, params: Params, caller: Caller): void {
    const target = this.#findTarget(url, params);
    if (target === undefined) return;
    const unknown = (): NotFoundError => {
      const { executionId } = params;
      return typeof executionId === 'string'
        ? new NotFoundError('execution', executionId)
        : new NotFoundError(target.kind, target.id);
    };
    if (target.kind !== 'tool' && !isCovered(target.kind, target.id, caller)) throw unknown();
    if (target.access === 'server' && caller.isOperator === true && forOperators.test(url)) return;
    requireReachable(target, caller, unknown);
  }

  /** The workflows whose executions are no work of the app. */
  get frameworkWorkflows(): readonly string[] {
    return this.#workflows.filter(isFrameworkWorkflow);
  }

  /** The workflows whose executions a caller neither sees nor controls. */
  hiddenWorkflows({ isOperator = false }: Caller): readonly string[] {
    return isOperator ? [] : this.#restricted;
  }

  /** The workflows whose executions without a parent the console role of an operator is not for. */
  uncoveredWorkflows(caller: Caller): readonly string[] {
    return this.#workflows.filter((id) => !isCovered('workflow', id, caller));
  }

  #findTarget(url: string, params: Params): Target | undefined {
    for (const kind of ['agent', 'workflow', 'tool'] as const) {
      const { param, pattern } = places[kind];
      if (!pattern.test(url)) continue;
      const id = params[param];
      const found = typeof id === 'string' ? this.#byKind[kind].get(id) : undefined;
      return found && { kind, id: String(id), access: found.access };
    }
    return undefined;
  }
}

/** Whether the console role of an operator, if any, is for this agent or workflow. */
export function isCovered(kind: Covered['kind'], id: string, caller: Caller): boolean {
  const limits = limitsOfOperator(caller);
  return limits === undefined || coversDefinition(limits, kind, id);
}

/** Whether a caller may call something. */
export function isReachable({ access }: Reachable, { isOperator = false }: Caller): boolean {
  return access === 'users' || (access === 'operators' && isOperator);
}

/** Whether lists show something to a caller: operators also see what only the server runs. */
export function isVisible({ access }: Reachable, { isOperator = false }: Caller): boolean {
  return access === 'users' || isOperator;
}

/**
 * @throws AccessRefusedError for what only operators may reach; what `unknown` returns for what
 * only the server runs.
 */
export function requireReachable(target: Reachable, caller: Caller, unknown: () => NotFoundError): void {
  if (isReachable(target, caller)) return;
  throw target.access === 'operators' ? AccessRefusedError.console(false) : unknown();
}
