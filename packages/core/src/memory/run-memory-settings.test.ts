import { describe, expect, it } from 'vitest';
import { createMemory } from './memory.ts';
import { conversationSettings } from './run-memory-settings.ts';

const { settings } = createMemory({ contextLimit: 7 });
const own = {
  contextLimit: 7,
  readOnly: false,
  recall: settings.semanticRecall,
  persistence: settings.persistence,
};

describe('the settings of a run', () => {
  it('are those of the memory by default', () => {
    expect(conversationSettings(settings, undefined, undefined)).toEqual(own);
    expect(conversationSettings(settings, {}, undefined)).toEqual(own);
  });

  it('are those nested in the request, else the flat limit, else those of the memory', () => {
    expect(conversationSettings(settings, undefined, 3).contextLimit).toBe(3);
    expect(conversationSettings(settings, {}, 3).contextLimit).toBe(3);
    expect(conversationSettings(settings, { contextLimit: 0 }, 3).contextLimit).toBe(0);
    const semanticMemory = { semanticLimit: 2, semanticThreshold: undefined } as never;
    const conversationPersistence = { mode: 'finish' } as const;
    expect(conversationSettings(settings, { semanticMemory, conversationPersistence }, undefined)).toEqual({
      ...own,
      recall: { ...own.recall, semanticLimit: 2 },
      persistence: { ...own.persistence, mode: 'finish' },
    });
  });

  it('cannot make a memory writable that is read-only', () => {
    const readOnly = { ...settings, readOnly: true };
    expect(conversationSettings(readOnly, undefined, undefined).readOnly).toBe(true);
    expect(conversationSettings(readOnly, { readOnly: false }, undefined).readOnly).toBe(true);
    expect(conversationSettings(settings, { readOnly: true }, undefined).readOnly).toBe(true);
    expect(conversationSettings(settings, { readOnly: false }, undefined).readOnly).toBe(false);
  });

  it.each([-1, 1.5, NaN])('have no limit of %s messages', (contextLimit) => {
    const refused = 'body/options/contextLimit must be an integer from 0 on';
    expect(() => conversationSettings(settings, { contextLimit }, undefined)).toThrow(refused);
    expect(() => conversationSettings(settings, undefined, contextLimit)).toThrow(refused);
  });
});
