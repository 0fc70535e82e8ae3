import type { TestProject } from 'vitest/node';
import { buildImage, type Image } from './build-image.ts';

declare module 'vitest' {
  interface ProvidedContext {
    image: Omit<Image, 'remove'>;
  }
}

/** Builds the image once for all test files. */
export default async function provideImage(project: TestProject): Promise<() => void> {
  const { remove, ...image } = await buildImage();
  project.provide('image', image);
  return remove;
}
