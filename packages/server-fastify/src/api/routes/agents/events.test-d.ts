import type { ObjectEvent as CoreObjectEvent, StreamEvent as CoreStreamEvent, UIMessageChunk } from '@halyard/core';
import type { TextReply } from '@halyard/core/server';
import { expectTypeOf } from 'vitest';
import type { AgentEvent, ObjectEvent, UiMessageChunk } from './event-schemas.ts';
import type { TextResult } from './schemas.ts';

/** Whether the two types are assignable to each other, ignoring `readonly`. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/**
 * The fields of each variant: two unions that allow each other may still differ in optional ones.
 */
type Keys<Union> = Union extends { readonly type: infer Type extends string }
  ? `${Type} ${keyof Union & string}`
  : never;

// The documented events are those that are sent.
expectTypeOf<Same<AgentEvent, CoreStreamEvent>>().toEqualTypeOf<true>();
expectTypeOf<Keys<AgentEvent>>().toEqualTypeOf<Keys<CoreStreamEvent>>();
expectTypeOf<Same<ObjectEvent, CoreObjectEvent>>().toEqualTypeOf<true>();
expectTypeOf<TextReply>().toExtend<Readonly<Omit<TextResult, 'toolCalls' | 'toolResults'>>>();

/** The AI SDK types provider data as JSON; ours has come out of a provider as just that. */
type WithoutMetadata<Chunk> = Chunk extends unknown ? Omit<Chunk, 'providerMetadata'> : never;
expectTypeOf<WithoutMetadata<UiMessageChunk>>().toExtend<WithoutMetadata<UIMessageChunk>>();
