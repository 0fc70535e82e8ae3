import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { checkTypes } from '../check-types.ts';
import { readDocuments } from '../documents.ts';
import { createSampleFolder, removeSampleFolder } from '../sample-folder.ts';
import { writeRecipe } from './write-recipe.ts';

const recipes = readDocuments('docs/recipes/*.md').filter(({ path }) => !path.endsWith('README.md'));

it('type-checks every file of every recipe', async () => {
  const folder = createSampleFolder();
  try {
    const files = recipes.flatMap((recipe) => writeRecipe(recipe, join(folder, basename(recipe.path, '.md'))));
    const sources = files.filter(({ name }) => /\.tsx?$/.test(name));
    expect(sources.length).toBeGreaterThanOrEqual(recipes.length);
    expect(await checkTypes(sources, { folder, browser: true })).toEqual([]);
  } finally {
    removeSampleFolder(folder);
  }
});
