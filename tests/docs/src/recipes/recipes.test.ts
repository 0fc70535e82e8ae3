import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTypes } from '../check-types.ts';
import { readBlocks, readDocuments } from '../documents.ts';
import { recipesFolder, writeRecipe } from './write-recipe.ts';

const recipes = readDocuments('docs/recipes/*.md').filter(({ path }) => !path.endsWith('README.md'));
const isTypeScript = (name: string): boolean => /\.tsx?$/.test(name);

it('type-checks every file of every recipe', { timeout: 120_000 }, async () => {
  const files = recipes.flatMap((recipe) => writeRecipe(recipe, `types/${nameOf(recipe.path)}`));
  const sources = files.filter(({ name }) => isTypeScript(name));
  expect(sources.length).toBeGreaterThanOrEqual(recipes.length);
  expect(await checkTypes(sources, { folder: recipesFolder, browser: true })).toEqual([]);
});

describe.each(recipes)('$path', (recipe) => {
  it('names the file of each TypeScript sample', () => {
    const samples = readBlocks(recipe).blocks.filter(({ language }) => /^tsx?$/.test(language));
    const named = writeRecipe(recipe, `names/${nameOf(recipe.path)}`).map(({ line }) => line);
    expect(samples.map(({ line }) => line).filter((line) => !named.includes(line))).toEqual([]);
  });

  it('says what to watch for in production', () => {
    expect(recipe.lines).toContain('## In production');
  });
});

function nameOf(path: string): string {
  return relative('docs/recipes', path).replace(/\.md$/, '');
}
