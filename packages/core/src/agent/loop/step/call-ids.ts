import type { ModelPart, Prompt } from '../../../model/providers/model-port.ts';

/**
 * Gives a call another id if one of the reply has its id already: some servers give all calls the
 * same id, or count from 0 in each step. Clients find calls by their id, and so do results. Calls
 * that the provider runs keep theirs.
 */
export class CallIds {
  readonly #used = new Set<string>();
  /** The ids of calls that are being written, by the id that the model gave. */
  readonly #open = new Map<string, string>();

  /**
   * Adds those of the reply in the prompt of a step: of the steps before, of earlier attempts, and
   * of a message that is continued.
   */
  know(prompt: Prompt): void {
    const reply = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1);
    const parts = reply.flatMap((message) => (message.role === 'assistant' ? message.content : []));
    for (const part of parts) if (part.type === 'tool-call') this.#used.add(part.toolCallId);
  }

  unique(part: ModelPart): ModelPart {
    switch (part.type) {
      case 'tool-input-start': {
        if (part.providerExecuted === true) return part;
        const id = this.#unused(part.id);
        this.#open.set(part.id, id);
        return { ...part, id };
      }
      case 'tool-input-delta':
      case 'tool-input-end': {
        const id = this.#open.get(part.id);
        return id === undefined ? part : { ...part, id };
      }
      case 'tool-call': {
        if (part.providerExecuted === true) return part;
        const toolCallId = this.#open.get(part.toolCallId) ?? this.#unused(part.toolCallId);
        this.#open.delete(part.toolCallId);
        return { ...part, toolCallId };
      }
      default:
        return part;
    }
  }

  #unused(id: string): string {
    let unused = id;
    for (let number = 2; this.#used.has(unused); number += 1) unused = `${id}_${number}`;
    this.#used.add(unused);
    return unused;
  }
}
