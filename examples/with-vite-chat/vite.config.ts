import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: 'page',
  plugins: [react()],
  // Inside this repository, the packages of Halyard are used from their sources.
  resolve: { conditions: ['@halyard/source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    // The content security policy of the page forbids `data:` for scripts and styles.
    assetsInlineLimit: 0,
    // React, the AI SDK and the Markdown parser are one file of 220 KB, compressed.
    chunkSizeWarningLimit: 900,
  },
});
