import { describe, expect, it } from 'vitest';
import { readBlocks, readDocuments } from '../documents.ts';
import { namedBlocks } from './write-recipe.ts';

const recipes = readDocuments('docs/recipes/*.md').filter(({ path }) => !path.endsWith('README.md'));

describe.each(recipes)('$path', (recipe) => {
  it('names the file of each TypeScript sample', () => {
    const samples = readBlocks(recipe).blocks.filter(({ language }) => /^tsx?$/.test(language));
    const named = namedBlocks(recipe).map(({ block }) => block.line);
    expect(samples.map(({ line }) => line).filter((line) => !named.includes(line))).toEqual([]);
  });

  // The id of a conversation belongs to the user who uses it first: to all others it is unknown.
  it('gives no conversation an id that every user would get', () => {
    const blocks = readBlocks(recipe).blocks.filter(({ language }) => language === 'tsx' || language === 'vue');
    const defaults = blocks.flatMap(
      ({ lines }) => lines.join('\n').match(/\b(?:chat|conversationId)\s*(?:=|\?\?)\s*['"`][^'"`]*['"`]/g) ?? [],
    );
    expect(defaults).toEqual([]);
  });

  it('says what to watch for in production', () => {
    expect(recipe.lines).toContain('## In production');
  });
});
