import type { Citation } from '@halyard/contracts';
import type { GrowingText } from './growing-text.ts';
import type { ProviderOptions, WithMetadata } from './part-metadata.ts';

export type TextPart = {
  type: 'text' | 'reasoning';
  text: string;
  providerOptions?: ProviderOptions;
};

/** A block of text or reasoning that is being written. */
export interface Block {
  readonly id: string;
  readonly part: TextPart;
  /** The text of the part. */
  readonly text: GrowingText;
}

export interface BlockEdge extends WithMetadata {
  readonly id: string;
}

export interface BlockEnd extends BlockEdge {
  readonly citations?: Citation[];
}

export interface BlockDelta extends BlockEdge {
  readonly delta: string;
}

/**
 * Newer metadata of a block replaces what came before, as in the AI SDK: a signature may arrive
 * with any part of the block.
 */
export function addMetadata({ part }: Block, metadata: ProviderOptions | undefined): void {
  if (metadata !== undefined) part.providerOptions = metadata;
}
