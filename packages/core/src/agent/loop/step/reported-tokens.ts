import type { ModelUsage } from '../../../model/providers/model-port.ts';
import { noUsage, tokenCount, toUsage, type Usage } from '../../usage.ts';

/** The tokens of one model call, as far as the provider has reported them. */
export class ReportedTokens {
  #usage: Usage = noUsage;
  #cacheWriteTokens = 0;

  /** Replaces the earlier report. */
  report(usage: ModelUsage): void {
    this.#usage = toUsage(usage);
    this.#cacheWriteTokens = tokenCount(usage.inputTokens.cacheWrite);
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Input tokens that the provider has written to its cache. */
  get cacheWriteTokens(): number {
    return this.#cacheWriteTokens;
  }
}
