import { fileURLToPath } from 'node:url';
import type { NextConfig } from 'next';

const config: NextConfig = {
  // The components of the chat are TypeScript in another package of this repository.
  transpilePackages: ['@halyard/example-with-vite-chat'],
  turbopack: { root: fileURLToPath(new URL('../../', import.meta.url)) },
  // `pnpm typecheck` checks the types, with the compiler of the repository.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
};

export default config;
