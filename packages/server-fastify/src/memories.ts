import { InvalidInputError } from '@halyard/contracts';
import type { Agent, AgentServices, Memory, Registry } from '@halyard/core';

/** A memory, and whose it is where an agent was asked for. */
export interface ChosenMemory {
  readonly memory: Memory;
  readonly agentId: string | undefined;
}

/** The memories of one server: the global one and those of its agents, also of those that are only at work in workflows. */
export class Memories {
  /** Each once, however many agents share it. */
  readonly all: readonly Memory[];
  readonly #registry: Registry;
  readonly #services: Pick<AgentServices, 'memory'>;
  /** Those with a memory of their own. */
  readonly #owners: readonly Agent[];

  constructor(registry: Registry, services: Pick<AgentServices, 'memory'>) {
    this.#registry = registry;
    this.#services = services;
    this.#owners = registry.agents.filter((agent) => agent.memoryIn({}) !== undefined);
    const effective = registry.allAgents.map((agent) => this.of(agent));
    this.all = [...new Set([services.memory, ...effective].filter((memory) => memory !== undefined))];
  }

  /** The memory that runs of an agent use; undefined where it has none. */
  of(agent: Agent): Memory | undefined {
    return agent.memoryIn(this.#services);
  }

  /**
   * The memory that a request is about: the agent's; without one the global memory, else that of the only agent that has one.
   *
   * @throws NotFoundError for an unknown agent; InvalidInputError (`MEMORY_NOT_CONFIGURED`) where there is none, or several are possible.
   */
  choose(agentId: string | undefined): ChosenMemory {
    if (agentId !== undefined) {
      const memory = this.of(this.#registry.getAgent(agentId));
      if (memory === undefined) throw notConfigured(`Agent "${agentId}" has no memory`);
      return { memory, agentId };
    }
    const { memory: shared } = this.#services;
    if (shared !== undefined) return { memory: shared, agentId: undefined };

    const [only, ...others] = this.#owners;
    const memory = only && this.of(only);
    if (only === undefined || memory === undefined) throw notConfigured('No memory is configured');
    if (others.length > 0) throw notConfigured('agentId is required: several agents have a memory');
    return { memory, agentId: only.id };
  }
}

function notConfigured(message: string): InvalidInputError {
  return new InvalidInputError(message, { code: 'MEMORY_NOT_CONFIGURED' });
}
