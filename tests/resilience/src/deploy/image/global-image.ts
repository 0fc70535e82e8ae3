import type { TestProject } from 'vitest/node';
import { buildImage, type Image } from './build-image.ts';

declare module 'vitest' {
  interface ProvidedContext {
    image: Omit<Image, 'remove'>;
  }
}

/** Builds the image once for all test files. */
export default async function provideImage(project: TestProject): Promise<() => Promise<void>> {
  // For namespaces, and for the signals to and the files of processes that run as another user.
  if (process.getuid?.() !== 0)
    throw new Error('Run these tests as root: sudo env "PATH=$PATH" npx pnpm@12 test:deploy');
  const { remove, ...image } = await buildImage();
  project.provide('image', image);
  return remove;
}
