import { AsyncLocalStorage } from 'node:async_hooks';
import { ConfigurationError, HalyardError } from '@halyard/contracts';
import type { Agent } from '../agent.ts';

const defaultMaxDepth = 8;
const greatestMaxDepth = 64;

/** @throws ConfigurationError */
export function acceptMaxDepth(agentId: string, maxDepth: number = defaultMaxDepth): number {
  if (Number.isInteger(maxDepth) && maxDepth >= 1 && maxDepth <= greatestMaxDepth) return maxDepth;
  throw new ConfigurationError(`maxDepth of agent "${agentId}" must be an integer from 1 to ${greatestMaxDepth}`);
}

/** The agents whose tools are running around the current code, outermost first. */
const callingAgents = new AsyncLocalStorage<readonly string[]>();
const none: readonly string[] = [];

/** Runs a tool of an agent. Runs that the tool starts, and their tools, count as nested in it. */
export function callTool<Result>(agentId: string, execute: () => Result): Result {
  return callingAgents.run([...(callingAgents.getStore() ?? none), agentId], execute);
}

/** Runs code that a tool may have started, but does not wait for. */
export function outsideTools<Result>(work: () => Result): Result {
  return callingAgents.run(none, work);
}

/**
 * Agents that call each other, or themselves, through their tools would never end.
 *
 * @throws DelegationDepthError
 */
export function checkDepth({ id, maxDepth }: Agent): void {
  const callers = callingAgents.getStore() ?? none;
  if (callers.length >= maxDepth) throw new DelegationDepthError([...callers, id], maxDepth);
}

class DelegationDepthError extends HalyardError {
  constructor(path: readonly string[], maxDepth: number) {
    super(
      'failed',
      'DELEGATION_TOO_DEEP',
      `Agents call each other at most ${maxDepth} deep (maxDepth of "${path.at(-1)}"): ${path.join(' → ')}`,
    );
  }
}
