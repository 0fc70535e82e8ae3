import { fileURLToPath } from 'node:url';

/**
 * The folder with the built page: `index.html` and its assets. A server serves it at any path, and
 * sets the `href` of its `<base>`.
 */
export const consoleFolder: string = fileURLToPath(new URL('../dist/app/', import.meta.url));
