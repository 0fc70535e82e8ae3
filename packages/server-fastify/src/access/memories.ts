import { InvalidInputError, NotFoundError } from '@halyard/contracts';
import type { Agent, Memory } from '@halyard/core';
import type { AgentServices, Registry } from '@halyard/core/server';
import type { Caller } from './identity.ts';
import { isVisible, requireReachable } from './targets.ts';

/** A memory, and the agent that it belongs to, if any. */
export interface ChosenMemory {
  readonly memory: Memory;
  readonly agentId: string | undefined;
}

/**
 * The memories of one server: the global one and those of its agents, including agents that only
 * workflows use.
 */
export class Memories {
  /** Each memory once, even if several agents share it. */
  readonly all: readonly Memory[];
  readonly #registry: Registry;
  readonly #services: Pick<AgentServices, 'memory'>;
  /** The agents with their own memory. */
  readonly #owners: readonly Agent[];

  constructor(registry: Registry, services: Pick<AgentServices, 'memory'>) {
    this.#registry = registry;
    this.#services = services;
    this.#owners = registry.agents.filter((agent) => agent.memoryIn({}) !== undefined);
    const effective = registry.allAgents.map((agent) => this.of(agent));
    this.all = [...new Set([services.memory, ...effective].filter((memory) => memory !== undefined))];
  }

  /** The memory that runs of an agent use; undefined if it has none. */
  of(agent: Agent): Memory | undefined {
    return agent.memoryIn(this.#services);
  }

  /**
   * The memory of a request: that of the agent it names, else the global memory, else that of the
   * only agent with its own memory that its caller may reach.
   *
   * @throws NotFoundError for an unknown agent; AccessRefusedError for an agent that only operators
   * may reach; InvalidInputError (`MEMORY_NOT_CONFIGURED`) if there is no memory or several apply.
   */
  choose(agentId: string | undefined, caller: Caller): ChosenMemory {
    if (agentId !== undefined) {
      const agent = this.#registry.getAgent(agentId);
      // Operators see what agents remember that only the server runs.
      if (!isVisible(agent, caller)) requireReachable(agent, caller, () => new NotFoundError('agent', agentId));
      const memory = this.of(agent);
      if (memory === undefined) throw notConfigured(`Agent "${agentId}" has no memory`);
      return { memory, agentId };
    }
    const { memory: shared } = this.#services;
    if (shared !== undefined) return { memory: shared, agentId: undefined };

    const [only, ...others] = this.#owners.filter((agent) => isVisible(agent, caller));
    const memory = only && this.of(only);
    if (only === undefined || memory === undefined) throw notConfigured('No memory is configured');
    if (others.length > 0) throw notConfigured('agentId is required: several agents have a memory');
    return { memory, agentId: only.id };
  }
}

function notConfigured(message: string): InvalidInputError {
  return new InvalidInputError(message, { code: 'MEMORY_NOT_CONFIGURED' });
}
